package organisation

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/sqlite"
)

// compareAlternatives judges a job of the default branch over other histories than the
// one that it has: without what was worked out before, without the pull requests, and
// with what runs saved merged in another order.
func (o *organisation) compareAlternatives(e *execution) {
	j, m, cfg, before := e.job, e.runner, e.cfg, e.cfg
	before.DB = filepath.Join(filepath.Dir(cfg.DB), "before.db")
	session := &ci.StateSession{Config: before, Backend: e.deps.Backend, Now: m.clock, Ending: o.ctx,
		Self: state.Self{Info: cfg.Info, ReportDigest: "before", DefaultBranch: cfg.DefaultBranch}}
	err := session.Open(o.ctx)
	if err == nil {
		err = session.DB.Save(o.ctx)
		_ = session.DB.Close()
	}
	if err != nil {
		panic(err)
	}
	var merged []string // runs of the default branch
	for _, r := range o.model.records {
		if r.run.trusted() {
			merged = append(merged, fmt.Sprint(r.run.id))
		}
	}
	as := o.judgeAgain(m, before)
	if fresh := o.judgeAgain(m, before, `DELETE FROM derived WHERE name LIKE 'judge%'`); fresh != as {
		o.fail(ruleFresh, "%s of %s, judged on from what was judged before:\n%s\nand from the start:\n%s", j.spec.name(), j.run, as, fresh)
	}
	others := `SELECT id FROM runs WHERE run_id NOT IN (` + strings.Join(append(merged, "0"), ", ") + `)`
	if alone := o.judgeAgain(m, before, forget(others)...); alone != as {
		o.fail(rulePulls, "%s of %s, with the pull requests:\n%s\nand without:\n%s", j.spec.name(), j.run, as, alone)
	}
	o.compareOrders(j, m, before)
}

// forget are the statements that delete runs as if they had never been.
func forget(runs string) []string {
	return []string{`DELETE FROM packed_runs WHERE run IN (` + runs + `)`, `DELETE FROM runs WHERE id IN (` + runs + `)`, `DELETE FROM derived WHERE name LIKE 'judge%'`}
}

// judgeAgain runs a job on a copy of a database that statements changed, and returns
// what came of it.
func (o *organisation) judgeAgain(m *runner, cfg ci.Config, statements ...string) string {
	result := o.judgeCopy(m, cfg, statements...)
	var out strings.Builder
	fmt.Fprintf(&out, "  exit %d\n", result.Exit)
	v := result.Outcome.Verdict
	for _, f := range v.Blocking {
		fmt.Fprintf(&out, "  blocks: %s %s\n", f.Result.Name, f.Guard)
	}
	for _, f := range v.Excused {
		fmt.Fprintf(&out, "  excused: %s %s\n", f.Result.Name, f.Excuse)
	}
	for _, c := range result.Outcome.Changes {
		fmt.Fprintf(&out, "  changes: %s released %t: %s\n", c.TestID, c.Released, c.Reason)
	}
	for _, e := range result.Outcome.Quarantine {
		fmt.Fprintf(&out, "  in: %s since %d, clean %d of %d: %s\n", e.TestID, e.Since.Unix(), e.Clean, e.Release, e.Reason)
	}
	return out.String()
}

func (o *organisation) judgeCopy(m *runner, cfg ci.Config, statements ...string) ci.Result {
	text, err := os.ReadFile(cfg.DB)
	if err != nil {
		panic(err)
	}
	o.made++
	cfg.DB = filepath.Join(filepath.Dir(cfg.DB), fmt.Sprintf("copy-%d.db", o.made))
	o.write(cfg.DB, text)
	db, err := sql.Open("sqlite", cfg.DB)
	if err != nil {
		panic(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(o.ctx, statement); err != nil {
			panic(fmt.Errorf("%s: %w", statement, err))
		}
	}
	if err := db.Close(); err != nil {
		panic(err)
	}
	cfg.Comment = false
	result, err := ci.Run(o.ctx, cfg, ci.Deps{Now: m.clock, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler), Changes: noFiles{}})
	if err != nil {
		panic(err)
	}
	return result
}

// noFiles is a forge on which a pull request changes no test's file.
type noFiles struct{}

func (noFiles) ChangedFiles(context.Context, int) ([]string, error) { return nil, nil }

// compareOrders merges what the last runs saved in two orders and judges a job by each.
func (o *organisation) compareOrders(j *job, m *runner, cfg ci.Config) {
	var last []*record
	for _, r := range slices.Backward(o.model.records) {
		if len(r.delta) > 0 && !r.fork && len(last) < 40 && o.shares(r.run.workflow, j.run.workflow) {
			last = append(last, r)
		}
	}
	forth := o.judgeMerged(m, cfg, last)
	slices.Reverse(last)
	back := o.judgeMerged(m, cfg, last)
	slices.SortFunc(last, func(a, b *record) int { return strings.Compare(sha(a.run.id, a.key), sha(b.run.id, b.key)) })
	if mixed := o.judgeMerged(m, cfg, last); forth != back || back != mixed {
		o.fail(ruleOrder, "%s of %s, with the newest runs merged first:\n%s\nwith the oldest first:\n%s\nin another order:\n%s", j.spec.name(), j.run, forth, back, mixed)
	}
}

// judgeMerged judges a job by what runs saved, merged in this order.
func (o *organisation) judgeMerged(m *runner, cfg ci.Config, records []*record) string {
	o.made++
	cfg.DB = filepath.Join(filepath.Dir(cfg.DB), fmt.Sprintf("merged-%d.db", o.made))
	db, err := sqlite.Open(o.ctx, cfg.DB, sqlite.Options{Now: m.clock})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	for _, r := range records {
		d, err := delta.Read(bytes.NewReader(r.delta))
		if err != nil {
			panic(err)
		}
		trust := store.Trust{RepositoryID: repositoryID}
		if run := store.Apart(d); run != nil {
			trust.Only = &store.OnlyRun{RunID: run.Key.RunID, RunAttempt: run.Key.RunAttempt, Branch: run.Branch}
		}
		if _, err := db.Import(o.ctx, d, trust, "delta"); err != nil {
			panic(err)
		}
	}
	if err := db.Save(o.ctx); err != nil {
		panic(err)
	}
	if err := db.Close(); err != nil {
		panic(err)
	}
	return o.judgeAgain(m, cfg)
}

// checkAlone looks whether what a pull request or group is excused would be excused
// without its own runs, too. Of those before the first commit that excuses it one may have
// moved the day on which the test entered, and with it the day on which it expired.
func (o *organisation) checkAlone(e *execution) {
	r := e.record
	if len(r.run.pulls()) == 0 || len(r.result.Outcome.Verdict.Excused) == 0 || o.setting.place == placePostgres || r.known != len(o.model.records)-1 {
		return
	}
	alone := o.judgeWithoutOwn(e, time.Time{})
	for _, f := range r.result.Outcome.Verdict.Excused {
		guard, blocked := o.blocksAlone(r, f, alone)
		if !blocked {
			continue
		}
		if _, blocked := o.blocksAlone(r, f, o.judgeWithoutOwn(e, o.firstExcusing(f.Excuse))); blocked {
			o.fail(ruleAlone, "%s of %s: %q is excused (%s), but not without its own runs: %s", r.spec.name(), r.run, f.Result.Name, f.Excuse, guard)
		}
	}
}

// judgeWithoutOwn judges a run again without those since a time that are of one of its
// pull requests.
func (o *organisation) judgeWithoutOwn(e *execution, since time.Time) ci.Result {
	own := []string{"0"}
	for _, other := range o.model.records {
		if !other.run.created.Before(since) && slices.ContainsFunc(other.run.pulls(), func(n int) bool { return slices.Contains(e.record.run.pulls(), n) }) {
			own = append(own, fmt.Sprint(other.run.id))
		}
	}
	return o.judgeCopy(e.runner, e.cfg, forget(`SELECT id FROM runs WHERE run_id IN (`+strings.Join(own, ", ")+`)`)...)
}

// blocksAlone reports whether a failure that was excused blocks without the run's own
// runs, and why.
func (o *organisation) blocksAlone(r *record, f flaky.Failure, alone ci.Result) (guard string, blocked bool) {
	for _, b := range alone.Outcome.Verdict.Blocking {
		waits := strings.HasSuffix(b.Guard, flaky.RerunToConfirm) // a run of the same commit that passed may excuse it
		if b.Result.ID == f.Result.ID && (!waits || r.attempt == 1) {
			return b.Guard, true
		}
	}
	return "", false
}

var namedCommit = regexp.MustCompile(`\b[0-9a-f]{7}\b`)

// firstExcusing returns when the first of the commits was tested that a reason names.
func (o *organisation) firstExcusing(excuse string) (first time.Time) {
	named := namedCommit.FindAllString(excuse, -1)
	for _, r := range o.model.records {
		isNamed := slices.ContainsFunc(named, func(sha string) bool { return strings.HasPrefix(r.run.tested.sha, sha) })
		if isNamed && (first.IsZero() || r.run.created.Before(first)) {
			first = r.run.created
		}
	}
	return first
}
