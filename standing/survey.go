package standing

import (
	"context"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// surveyWindow is how many executions of a test are looked at: what the longest
// of its figures looks back on.
const surveyWindow = 20

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

// Chronicle is what a survey is made of.
type Chronicle interface {
	Bench
	HistoriesSince(ctx context.Context, window int, since time.Time) (histories []flaky.History, runs int, err error)
	Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error)
	Notices() []engine.Notice
}

// Survey sums up a period of a database.
func Survey(ctx context.Context, db Chronicle, p Period) (outcome.Survey, error) {
	in := outcome.SurveyInput{Now: p.Now, Days: p.Days, Notices: db.Notices()}
	since := p.Since()
	var err error
	if in.Histories, in.Runs, err = db.HistoriesSince(ctx, surveyWindow, since); err != nil {
		return outcome.Survey{}, fmt.Errorf("read histories: %w", err)
	}
	if in.Quarantine, err = Quarantine(ctx, db); err != nil {
		return outcome.Survey{}, fmt.Errorf("read quarantine: %w", err)
	}
	heals, notices, err := db.Heals(ctx, store.HealQuery{Since: since})
	if err != nil {
		return outcome.Survey{}, fmt.Errorf("read heals: %w", err)
	}
	in.Notices = append(in.Notices, notices...)
	in.Heals = heals
	return outcome.NewSurvey(in), nil
}
