// Package ci performs one CI run: collect, record, judge, decide, propose,
// persist, tell. Call Run.
package ci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// HistoryWindow is how many executions of a test are judged: the longest
// window any figure of the seed's policy looks at.
const HistoryWindow = 20

// Run performs one run. The error is an InputError when the user's input gives
// no verdict, and otherwise Breadcrumb's own fault; failing tests are in
// Result.Outcome.Verdict. A Result that comes with an error still holds what
// was found.
func Run(ctx context.Context, cfg Config, d Deps) (Result, error) {
	repo, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return Result{Exit: ExitUsage}, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer repo.Close()
	d.doing("reading the reports")
	got, err := collect(ctx, cfg)
	if err != nil {
		return noVerdict(ctx, cfg, d, got, err), err
	}
	v := newSession(ctx, cfg, d, got)
	run, facts, err := judge(ctx, cfg, d, v, got, repo.FS())
	if run == nil {
		return noVerdict(ctx, cfg, d, got, err), err
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("ended before the run was told: %w; it is recorded", ctx.Err())
	}
	result := Result{Outcome: *run, Exit: ExitPass, judged: true}
	if !run.Verdict.Pass() {
		result.Exit = ExitBlocked
	}
	if err != nil {
		result.Exit = ExitFault
	}
	if facts.lost != nil {
		result.Untold = append(result.Untold, facts.lost)
	}
	d.doing("telling the outcome")
	tell(ctx, cfg, d, &result)
	if err == nil && !cfg.DryRun {
		if err := v.foldState(ctx, facts.Facts); err != nil {
			result.Untold = append(result.Untold, err)
		}
	}
	return result, err
}

// saved is what is known of the database once it is saved.
type saved struct {
	store.Facts
	lost error // why the run's delta could not be saved elsewhere
}

// noVerdict tells that the run proved nothing, so that no comment of an
// earlier run keeps saying that all is well.
func noVerdict(ctx context.Context, cfg Config, d Deps, got collected, err error) Result {
	notice := engine.Notice{Severity: engine.SeverityBlocking, Reason: err.Error()}
	result := Result{Exit: exitOf(err), Outcome: outcome.Run{
		Info: cfg.Info, Counts: outcome.Count(got.results), DryRun: cfg.DryRun,
		Verdict: flaky.Verdict{Notices: []engine.Notice{notice}},
		Notices: append(got.notices, notice),
	}}
	tell(ctx, cfg, d, &result)
	return result
}

// judge records the run, decides it and saves the database. With an error and
// an outcome, the verdict stands but the database could not be written. Told to
// end, it still has a grace to write down what was recorded.
func judge(ctx context.Context, cfg Config, d Deps, v *StateSession, got collected, source fs.FS) (*outcome.Run, saved, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	d.doing("reading the history")
	if err := v.Open(ctx); err != nil {
		return nil, saved{}, err
	}
	db := v.DB
	defer db.Close()
	got.notices = append(got.notices, v.restoreNotices()...)
	run, err := decideRun(ctx, cfg, d, db, v, got, source)
	if errors.Is(err, errEnded) && !cfg.DryRun {
		_, lost := v.Save(ctx)
		return nil, saved{}, errors.Join(err, lost)
	}
	if err != nil || cfg.DryRun {
		return run, saved{}, err
	}
	s := saved{}
	d.doing("saving the history")
	if s.lost, err = v.Save(ctx); err != nil {
		return run, s, err
	}
	run.Database = v.name()
	if file, ok := db.(*sqlite.DB); ok {
		s.Facts, err = file.Facts(ctx)
	}
	return run, s, err
}

// errEnded ends a run that was told to end: there is time to write down what
// it recorded, not to judge it.
var errEnded = errors.New("told to end before it was judged; it is recorded")

// decideRun records the run in the open database and decides it.
func decideRun(ctx context.Context, cfg Config, d Deps, db Database, v *StateSession, got collected, source fs.FS) (*outcome.Run, error) {
	cfg, changed, err := settle(ctx, cfg, db, d.Now())
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, changed...)
	rebase(got, rootOf(cfg.Repo), source)
	locate(got.results, source)
	heals := recent(got)
	index := identity.NewIndex(nil)
	if len(heals) > 0 || mayHaveTraces(cfg, got.results) { // of many tests it is large
		index = identity.NewIndex(got.results)
	}
	renames, err := follow(ctx, cfg, db, got, d.Now())
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, renames...)
	stale, err := findStale(ctx, cfg, db, got)
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, stale...)
	absent, err := findAbsent(ctx, cfg, db, got, source)
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, absent.notices...)
	now := d.Now()
	d.doing("recording the run")
	before, recorded, err := record(ctx, cfg, db, got, absent, healedTests(heals, index), now)
	if err != nil {
		return nil, err
	}
	if v.Ending.Err() != nil {
		return nil, errEnded
	}
	d.doing("judging the run")
	q, err := evaluate(ctx, cfg, d, db, got, recorded.RunID, before, source, now)
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, q.notices...)
	got.notices = append(got.notices, db.Notices()...)
	got.notices = append(got.notices, recorded.Notices...)
	if recorded.Conflict {
		got.notices = append(got.notices, warning("this run was recorded before with other results; both are kept"))
	}
	d.doing("reading the traces")
	lost, told, err := readTraces(ctx, v.Ending, cfg, d, db, got, index, now)
	if err != nil {
		return nil, err
	}
	got.notices = append(got.notices, told...)
	rebase(collected{heals: lost}, rootOf(cfg.Repo), source)
	run := decide(cfg, got, q, absent.missing)
	run.Proposals, run.Refused = propose(withTraces(heals, lost), got.results, index, source)
	offer(cfg, run, source)
	return run, nil
}

// record records the run and returns the quarantine as it stood before it.
func record(ctx context.Context, cfg Config, db Database, got collected, missing absent, healed []string, now time.Time) ([]flaky.Entry, store.Recorded, error) {
	before, err := db.Quarantine(ctx)
	if err != nil {
		return nil, store.Recorded{}, fmt.Errorf("read quarantine: %w", err)
	}
	incomplete := missing.blocks() || blocks(got.notices)
	recorded, err := db.RecordRun(ctx, store.Run{
		Info: cfg.Info, ReportDigest: reportDigest(got.files), Results: got.results,
		Heals: got.heals, HealedTests: healed, Now: now,
		Incomplete: incomplete,
	})
	if err != nil {
		return nil, recorded, err
	}
	if cfg.Info.Trusted() && !incomplete {
		if err := db.KeepOrder(ctx, cfg.Info, got.order()); err != nil {
			return nil, recorded, err
		}
	}
	if recorded.Duplicate {
		// The run is being told again: what it quarantined itself must not
		// excuse it now.
		before = slices.DeleteFunc(before, func(e flaky.Entry) bool { return !e.Since.Before(recorded.At) })
	}
	return before, recorded, nil
}

// quarantine is what the policy says of a run.
type quarantine struct {
	evaluation    flaky.Evaluation
	before, after []flaky.Entry
	guards        map[string]string // by test id: why a failure blocks all the same
	notices       []engine.Notice
}

// evaluate asks the policy and applies the quarantine changes that a trusted
// run brings.
func evaluate(ctx context.Context, cfg Config, d Deps, db Database, got collected, run int64, before []flaky.Entry, source fs.FS, now time.Time) (quarantine, error) {
	if cfg.Policy == flaky.PolicyEvidence {
		c := court{cfg: cfg, deps: d, db: db, got: got, run: run, source: source, now: now}
		return c.judge(ctx, before)
	}
	evaluation, after, err := evaluateSeed(ctx, cfg, db, before, now)
	return quarantine{evaluation: evaluation, before: before, after: after}, err
}

// evaluateSeed judges every test's history. On any other branch than the
// default one and on a pull request the changes are only told.
func evaluateSeed(ctx context.Context, cfg Config, db Database, before []flaky.Entry, now time.Time) (flaky.Evaluation, []flaky.Entry, error) {
	histories, err := db.Histories(ctx, HistoryWindow, cfg.Info)
	if err != nil {
		return flaky.Evaluation{}, nil, fmt.Errorf("read histories: %w", err)
	}
	quarantine, err := db.Quarantine(ctx)
	if err != nil {
		return flaky.Evaluation{}, nil, fmt.Errorf("read quarantine: %w", err)
	}
	evaluation := flaky.Evaluate(histories, quarantine, cfg.Policy)
	if !cfg.Info.Trusted() {
		for i := range evaluation.Changes {
			evaluation.Changes[i].Pending = true
		}
		return evaluation, before, nil
	}
	if err := db.ApplyChanges(ctx, evaluation.Changes, now); err != nil {
		return flaky.Evaluation{}, nil, fmt.Errorf("update quarantine: %w", err)
	}
	after, err := db.Quarantine(ctx)
	if err != nil {
		return flaky.Evaluation{}, nil, fmt.Errorf("read quarantine: %w", err)
	}
	return evaluation, after, nil
}

// decide reaches the verdict and gathers what is known into the outcome.
func decide(cfg Config, got collected, q quarantine, missing []string) *outcome.Run {
	in := flaky.DecideInput{
		Results: got.results, Before: q.before, After: q.after, Guards: q.guards,
		Missing: missing, MissingBlocks: true, Notices: got.notices,
	}
	verdict := flaky.Decide(in)
	if unrun := got.unrun(); len(unrun) > 0 && len(verdict.Blocking) == 0 && len(verdict.Excused) > 0 {
		got.notices = append(got.notices, cut(cfg, unrun))
		in.Notices = got.notices
		verdict = flaky.Decide(in)
	}
	run := &outcome.Run{
		Info: cfg.Info, Root: rootOf(cfg.Repo), Counts: outcome.Count(got.results), Verdict: verdict,
		Changes: q.evaluation.Changes, Quarantine: q.after, Notices: got.notices, DryRun: cfg.DryRun,
	}
	here := make(map[string]bool, len(got.results))
	ids := make([]string, 0, len(got.results))
	for _, r := range got.results {
		ids, here[r.ID] = append(ids, r.ID), true
		if r.Flaky() {
			run.FlakyTests = append(run.FlakyTests, r)
		}
	}
	run.Groups = flaky.GroupSizes(ids)
	for _, s := range q.evaluation.TestHealths {
		if here[s.TestID] {
			run.TestHealths = append(run.TestHealths, s)
		}
	}
	for _, f := range got.files {
		run.Reports = append(run.Reports, f.Name)
	}
	return run
}

// propose asks for a patch for every healed locator.
func propose(heals []engine.HealEvent, results []engine.TestResult, index *identity.Index, source fs.FS) ([]patch.Proposal, []engine.HealEvent) {
	proposer := patch.New(source)
	proposer.SetPassed(passed(results, heals, index))
	var proposals []patch.Proposal
	var refused []engine.HealEvent
	for _, h := range heals {
		if h.Outcome != engine.OutcomeHealed {
			refused = append(refused, h)
			continue
		}
		var test *engine.TestResult
		if r, ok := index.Find(h.TestID); ok {
			test = &r
		}
		p := proposer.Propose(h, test)
		if h.Trace != "" {
			proposals = append(proposals, untried(p))
			continue
		}
		if test != nil && test.Final().Status.Failing() && p.Edit != nil {
			p.Edit, p.Note, p.Confidence = nil, "", h.Confidence
			p.Reason = "the test failed all the same, so nothing shows that this is the right element"
		}
		proposals = append(proposals, p)
	}
	return patch.Resolve(proposals), refused
}

// untried returns a proposal that was worked out from a trace with what a person
// should know of it.
func untried(p patch.Proposal) patch.Proposal {
	if p.Edit != nil {
		p.Note = strings.TrimPrefix(p.Note+"; from the trace of the failed test and not tried: the test stays red until it passes with it", "; ")
	}
	return p
}

// reportDigest identifies the reports of a run by their bytes alone, so that
// neither their names nor their order count.
func reportDigest(files []*junit.File) string {
	digests := make([]string, 0, len(files))
	for _, f := range files {
		digests = append(digests, f.Digest)
	}
	slices.Sort(digests)
	sum := sha256.New()
	for _, digest := range digests {
		sum.Write([]byte(digest + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func warning(reason string) engine.Notice {
	return engine.Notice{Severity: engine.SeverityWarning, Reason: reason}
}

func blocks(notices []engine.Notice) bool {
	return slices.ContainsFunc(notices, func(n engine.Notice) bool { return n.Severity != engine.SeverityWarning })
}

func exitOf(err error) Exit {
	if errors.As(err, new(InputError)) {
		return ExitUsage
	}
	return ExitFault
}

func newSession(ctx context.Context, cfg Config, d Deps, got collected) *StateSession {
	return &StateSession{Config: cfg, Backend: d.Backend, Now: d.Now, Ending: ctx,
		Self: state.Self{Info: cfg.Info, ReportDigest: reportDigest(got.files), DefaultBranch: cfg.DefaultBranch}}
}

// grace is how long a run that is told to end still has to write down what it
// recorded: a cancelled job is killed 7.5 s after the first signal.
const grace = 2500 * time.Millisecond

// lasting returns a context that ends some time after ctx.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}
