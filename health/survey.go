package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// MaxDays bounds a period: a hundred years.
const MaxDays = 36_525

// Period is the last days up to now; 0 days are all time.
type Period struct {
	Days int
	Now  time.Time
}

// Since returns when the period begins.
func (p Period) Since() time.Time {
	if p.Days == 0 {
		return time.Unix(0, 0)
	}
	return p.Now.AddDate(0, 0, -p.Days)
}

// Source is what a survey is loaded from.
type Source interface {
	QuarantineSource
	HistoriesSince(ctx context.Context, window int, since time.Time) (histories []flaky.History, runs int, err error)
	Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error)
	Notices() []engine.Notice
	// TestsIn returns the tests with results in runs, given by their row ids.
	TestsIn(ctx context.Context, runs []int64) ([]engine.TestID, error)
}

// LoadSurvey sums up a period of a database.
func LoadSurvey(ctx context.Context, db Source, p Period) (outcome.Survey, error) {
	in := outcome.SurveyInput{Now: p.Now, Days: p.Days, Notices: db.Notices()}
	since := p.Since()
	var err error
	if in.Histories, in.Runs, err = db.HistoriesSince(ctx, flaky.HistoryWindow, since); err != nil {
		return outcome.Survey{}, fmt.Errorf("read histories: %w", err)
	}
	quarantine, err := LoadQuarantine(ctx, db)
	if err != nil {
		return outcome.Survey{}, fmt.Errorf("read quarantine: %w", err)
	}
	in.Quarantine, in.Errors = quarantine.Entries(), quarantine.lastErrors()
	in.Steady, in.Broken = map[engine.TestID]bool{}, map[engine.TestID]flaky.Breakage{}
	numbers := quarantine.history.Numbers()
	for _, h := range in.Histories {
		number, known := numbers[h.TestID]
		in.Steady[h.TestID] = !known || !quarantine.judge.Suspects(number)
		if b, broken := quarantine.judge.Main.Broken(number); known && broken {
			in.Broken[h.TestID] = b
		}
	}
	if in.Removed, err = quarantine.removedTests(ctx, db, in.Histories); err != nil {
		return outcome.Survey{}, fmt.Errorf("read the newest runs: %w", err)
	}
	var notices []engine.Notice
	if in.Heals, notices, err = db.Heals(ctx, store.HealQuery{Since: since}); err != nil {
		return outcome.Survey{}, fmt.Errorf("read heals: %w", err)
	}
	in.Notices = append(in.Notices, notices...)
	in.Mended = quarantine.mendedTests(in.Heals)
	lost, notices, err := db.Heals(ctx, store.HealQuery{Since: since, Refused: true})
	if err != nil {
		return outcome.Survey{}, fmt.Errorf("read suggestions and refusals: %w", err)
	}
	in.Notices = append(in.Notices, notices...)
	for _, h := range lost {
		if h.Outcome == engine.OutcomeSuggested {
			in.Suggested = append(in.Suggested, h)
		} else {
			in.Refused = append(in.Refused, h)
		}
	}
	return outcome.NewSurvey(in), nil
}

// removedTests returns the tests that failed last and were removed since: of the same
// workflow, job and leg there is a newer complete run of the default branch, and no newest
// complete run has them. A run that lacks tests which should have run is not complete.
func (q Quarantine) removedTests(ctx context.Context, db Source, histories []flaky.History) (map[engine.TestID]bool, error) {
	newest := map[string]int{} // complete run of each variant
	for i, run := range q.history.Runs {
		if len(run.Sources) == 0 && !run.Queued && !run.Incomplete && run.Tests > 0 {
			newest[run.Variant] = i
		}
	}
	removed, numbers := map[engine.TestID]bool{}, q.history.Numbers()
	for _, h := range histories {
		number, known := numbers[h.TestID]
		if n := len(h.Statuses); !known || n == 0 || !h.Statuses[n-1].Failing() {
			continue
		}
		if i := q.newestRun(number); i >= 0 && newest[q.history.Runs[i].Variant] > i {
			removed[h.TestID] = true
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	var ids []int64
	for _, i := range newest {
		ids = append(ids, q.history.Runs[i].ID)
	}
	here, err := db.TestsIn(ctx, ids)
	for _, id := range here { // such as one that is skipped now, or runs in another leg
		delete(removed, id)
	}
	return removed, err
}

// mendedTests returns the tests with a heal whose newest run of the default branch healed
// nothing: the locator was edited since, or what the page changed was taken back.
func (q Quarantine) mendedTests(heals []engine.HealEvent) map[engine.TestID]bool {
	mended, numbers := map[engine.TestID]bool{}, q.history.Numbers()
	for _, h := range heals {
		number, known := numbers[h.TestID]
		if _, seen := mended[h.TestID]; !known || seen {
			continue
		}
		if i := q.newestRun(number); i >= 0 {
			mended[h.TestID] = !slices.ContainsFunc(q.history.Runs[i].Observations, func(o flaky.Observation) bool { return o.Test == number && o.Healed })
		}
	}
	return mended
}

// newestRun returns the index of the default branch's newest run that ran a test, -1 for none.
func (q Quarantine) newestRun(test int) int {
	for i, run := range slices.Backward(q.history.Runs) {
		if len(run.Sources) == 0 && run.Ran != nil && run.Ran(test) {
			return i
		}
	}
	return -1
}

// lastErrors returns the signature of the newest failure of each test that the default
// branch's runs have a failure of.
func (q Quarantine) lastErrors() map[engine.TestID]string {
	last := map[engine.TestID]string{}
	for _, run := range q.history.Runs {
		if len(run.Sources) > 0 {
			continue
		}
		for _, o := range run.Observations {
			if n := len(o.Signatures); n > 0 {
				last[q.history.Tests[o.Test]] = o.Signatures[n-1]
			}
		}
	}
	return last
}

// LoadTests rates every test that ever ran, the worst first.
func LoadTests(ctx context.Context, db Source) ([]outcome.RatedTest, error) {
	histories, _, err := db.HistoriesSince(ctx, flaky.HistoryWindow, time.Unix(0, 0))
	return outcome.RateTests(histories), err
}

// TestSource is what single tests are loaded from.
type TestSource interface {
	HistoriesOf(ctx context.Context, tests []engine.TestID, window int, info engine.RunInfo) ([]flaky.History, error)
}

// LoadTest rates one test; a test that never ran is the zero value.
func LoadTest(ctx context.Context, db TestSource, id engine.TestID) (outcome.RatedTest, error) {
	histories, err := db.HistoriesOf(ctx, []engine.TestID{id}, flaky.HistoryWindow, engine.RunInfo{})
	if rated := outcome.RateTests(histories); len(rated) > 0 {
		return rated[0], err
	}
	return outcome.RatedTest{}, err
}
