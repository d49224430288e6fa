package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store"
)

// evidencePolicy is policy evidence at work on one run.
type evidencePolicy struct {
	*run
	checkpoint *store.Checkpoint
	evidence   *flaky.Judge          // the judge of checkpoint
	number     map[engine.TestID]int // of the tests of checkpoint that have a name
	here       *flaky.Run            // the run being judged, nil when it is older than checkpoint
	observed   map[int]int           // where in the observations of here a test stands
	earlier    []flaky.Run           // of the same commit, before here
	overrides  overrides
}

// evaluate judges the run by the commits before its own, then updates the quarantine
// by all of them.
func (p *evidencePolicy) evaluate(ctx context.Context) error {
	checkpoint, err := p.session.DB.LoadCheckpoint(ctx, p.cfg.Info, p.recorded.RunID)
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	p.checkpoint, p.evidence = checkpoint, checkpoint.Judge
	p.evidence.Confirm = p.cfg.Confirm
	p.here, p.earlier = checkpoint.ObserveBefore(p.recorded.RunID), checkpoint.Earlier(p.recorded.RunID)
	if err := p.nameTests(ctx); err != nil {
		return err
	}
	p.overrides = overrides{p.cfg.Always, p.cfg.Never, p.cfg.Origins[SettingAlways].Place, p.cfg.Origins[SettingNever].Place, &p.tree}
	if err := p.warnUnmatched(ctx); err != nil {
		return err
	}
	q := &p.quarantine
	pulls, err := p.pullEntries(ctx, q.before)
	if err != nil {
		return err
	}
	q.before = p.overrides.apply(append(p.withProgress(q.before), pulls...), p.collected.results)
	p.earlier = append(p.earlier, p.reruns()...)
	changed, where, after := p.readChangedFiles(ctx), &testFiles{tree: &p.tree}, p.failsAfter()
	if changed.unknown != "" {
		p.note(warning("the files this pull request changes are not known, so no failure of a quarantined test is excused: " + changed.unknown))
	}
	q.guards, q.triage, q.order = p.findGuards(q.before, changed, where, after), p.findTriage(), describeOrder(after, changed, where)
	checkpoint.ObserveRest()
	if err := errors.Join(p.session.DB.SaveCheckpoint(ctx, checkpoint), p.nameTests(ctx)); err != nil {
		return err
	}
	return p.updateQuarantine(ctx)
}

// warnUnmatched says which globs of the overrides match no test of this run and none of the
// newest run of any workflow, job and leg: such a glob does nothing, and nobody would see it.
func (p *evidencePolicy) warnUnmatched(ctx context.Context) error {
	ids := flaky.TestIDs(p.collected.results, func(r engine.TestResult) engine.TestID { return r.ID })
	var known []engine.TestID
	for _, o := range []struct {
		word, from string
		globs      []string
	}{{"always", p.overrides.alwaysFrom, p.overrides.always}, {"never", p.overrides.neverFrom, p.overrides.never}} {
		globs := p.overrides.unmatched(o.globs, ids)
		if len(globs) > 0 && known == nil { // other legs have tests, too
			var err error
			if known, err = p.session.DB.TestsIn(ctx, p.checkpoint.Newest); err != nil {
				return err
			}
		}
		if globs = p.overrides.unmatched(globs, known); len(globs) == 0 {
			continue
		}
		from, hint := "", ""
		if o.from != "" {
			from = " (" + o.from + ")"
		}
		if strings.Contains(strings.Join(globs, ""), " [") {
			hint = `; in a glob brackets are a class: write \[chromium\]`
		}
		p.warn("no known test matches what the configuration says of the quarantine, %s: %s%s%s", o.word, quoteSome(globs), from, hint)
	}
	return nil
}

// nameTests reads the names of the tests that this run is about: those that
// failed in it, those in quarantine and those that found no room there.
func (p *evidencePolicy) nameTests(ctx context.Context) error {
	db := p.session.DB
	tests := append(p.evidence.Main.All(), p.evidence.Pulls.All()...)
	if p.here != nil {
		for _, o := range p.here.Observations {
			tests = append(tests, o.Test)
		}
	}
	if err := db.NameTests(ctx, &p.checkpoint.Evidence, tests); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	table, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	entries := flaky.TestIDs(table, func(e flaky.Entry) engine.TestID { return e.TestID })
	if err := db.FindTests(ctx, &p.checkpoint.Evidence, entries); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	p.number = p.checkpoint.Numbers()
	return nil
}

// withProgress returns the entries with how near those by evidence are to their
// release.
func (p *evidencePolicy) withProgress(entries []flaky.Entry) []flaky.Entry {
	return p.checkpoint.Progress(p.evidence, entries)
}

// pullEntries returns the tests that are in quarantine on pull requests alone,
// none for a run of the default branch. Those that proved to be flaky first find
// room, among those that are in quarantine; one that the configuration never
// quarantines or that a person released takes none.
func (p *evidencePolicy) pullEntries(ctx context.Context, table []flaky.Entry) ([]flaky.Entry, error) {
	if p.here == nil || len(p.here.Sources) == 0 || len(p.evidence.Pulls.All()) == 0 {
		return nil, nil
	}
	room, err := p.room(ctx)
	if err != nil {
		return nil, err
	}
	in := map[engine.TestID]bool{}
	for _, e := range table {
		in[e.TestID] = true
	}
	var entries []flaky.Entry
	for _, test := range p.evidence.Pulls.Queue(p.compareNames) {
		id := p.checkpoint.Tests[test]
		onMain := p.evidence.Main.Held(test)
		if _, broken := p.evidence.Main.Broken(test); broken || p.overrides.neverReason(id) != "" || onMain && !in[id] {
			continue
		}
		if room--; room < 0 {
			break
		}
		if facts, ok := p.evidence.Pulls.Facts(test); ok && !onMain {
			entries = append(entries, flaky.Entry{TestID: id, Reason: facts.String(), Since: p.now,
				AutoUnquarantine: true, Commits: facts.Commits(), PullsOnly: true, Clean: facts.Clean, Release: facts.Release})
		}
	}
	return entries, nil
}

// compareNames orders tests by their identities.
func (p *evidencePolicy) compareNames(a, b int) int {
	return cmp.Compare(p.checkpoint.Tests[a], p.checkpoint.Tests[b])
}

// room returns how many tests may be in quarantine by evidence.
func (p *evidencePolicy) room(ctx context.Context) (int, error) {
	suite, err := p.session.DB.CountSuite(ctx, p.checkpoint)
	return flaky.Room(p.cfg.MaxQuarantine, suite), err
}

// findGuards returns why failures of quarantined tests block all the same, by
// test id. after has the tests that they fail after.
func (p *evidencePolicy) findGuards(held []flaky.Entry, changed changedFiles, where *testFiles, after map[engine.TestID]engine.TestResult) map[engine.TestID]string {
	entries := map[engine.TestID]flaky.Entry{}
	for _, e := range held {
		if have, ok := entries[e.TestID]; !ok || have.AutoUnquarantine {
			entries[e.TestID] = e
		}
	}
	guards := map[engine.TestID]string{}
	for _, r := range p.collected.results {
		entry, ok := entries[r.ID]
		if !ok || !r.Final().Status.Failing() {
			continue
		}
		reason := changed.guard(r, where)
		if other, known := after[r.ID]; known && reason == "" {
			reason = changed.guardOrder(other, where)
		}
		if reason == "" {
			reason = p.guard(r, entry)
		}
		if reason != "" {
			guards[r.ID] = reason
		}
	}
	return guards
}

// guard returns why a failure does not look like its test's flakes, "" when it
// does.
func (p *evidencePolicy) guard(r engine.TestResult, entry flaky.Entry) string {
	o, ok := p.observation(r)
	switch {
	case ok && entry.ByEvidence():
		return p.evidence.Guard(*p.here, o, p.earlier...)
	case ok:
		return p.evidence.GuardManual(*p.here, o)
	case entry.ByEvidence():
		return "the run is older than the evidence"
	}
	return ""
}

// reruns returns, as a run of the same commit, how the tests of this run ended that
// `breadcrumb run` ran again because they had failed. Of several legs or suites with a
// test of that name, one where it failed again decides.
func (p *evidencePolicy) reruns() []flaky.Run {
	if p.here == nil || len(p.collected.reruns) == 0 {
		return nil
	}
	index, ended := identity.NewIndex(p.collected.results), map[int]engine.Rerun{}
	for _, r := range p.collected.reruns {
		test, found := index.Find(r.TestID)
		if number, known := p.number[test.ID]; found && known && !r.New && p.isOfThisRun(r) && (ended[number].Reruns == 0 || !r.Passed) {
			ended[number] = r
		}
	}
	again := *p.here
	again.InJob, again.Observations, again.Ran = true, nil, func(test int) bool { return ended[test].Reruns > 0 }
	for test, r := range ended {
		if !r.Passed {
			again.Observations = append(again.Observations, flaky.Observation{Test: test, Attempts: slices.Repeat([]engine.Status{engine.StatusFailed}, min(r.Reruns, mostRerunAttempts))})
		}
	}
	return []flaky.Run{again}
}

// mostRerunAttempts bounds the attempts of a rerun: files say how many there were.
const mostRerunAttempts = 10

// isOfThisRun reports whether a test ran again in this very run. A file that an earlier
// run left behind proves nothing.
func (r *run) isOfThisRun(again engine.Rerun) bool {
	info, began := r.cfg.Info, r.collected.startedAt()
	if info.RunID != 0 {
		return again.RunID == info.RunID && again.RunAttempt == info.RunAttempt
	}
	return again.RunID == 0 && !began.IsZero() && !time.UnixMilli(int64(again.Timestamp*1000)).Before(began)
}

// observation returns what the judge sees of a result.
func (p *evidencePolicy) observation(r engine.TestResult) (flaky.Observation, bool) {
	test, known := p.number[r.ID]
	if !known || p.here == nil {
		return flaky.Observation{}, false
	}
	if p.observed == nil {
		p.observed = make(map[int]int, len(p.here.Observations))
		for i, o := range slices.Backward(p.here.Observations) {
			p.observed[o.Test] = i
		}
	}
	i, ok := p.observed[test]
	if !ok {
		return flaky.Observation{}, false
	}
	return p.here.Observations[i], true
}

// findTriage says of failing tests since when they fail and where else, by test id.
func (p *evidencePolicy) findTriage() map[engine.TestID]string {
	here, owners := "on this branch", readOwners(p.source)
	switch info := p.cfg.Info; {
	case len(info.PullRequests()) > 0:
		here = "in this pull request"
	case info.RunID == 0 && !info.DefaultBranch:
		here = ""
	}
	triage := map[engine.TestID]string{}
	for _, r := range p.collected.results {
		if !r.Final().Status.Failing() {
			continue
		}
		var said []string
		if o, ok := p.observation(r); ok {
			if line := p.evidence.Triage(*p.here, o, here); line != "" {
				said = append(said, line)
			}
		}
		if owner := ownersOf(r.File, owners); owner != "" {
			said = append(said, "its owner is "+owner)
		}
		if len(said) > 0 {
			triage[r.ID] = strings.Join(said, "; ")
		}
	}
	return triage
}

// changedFiles is what is known of the files that a pull request changes. The
// zero value is a run of no pull request.
type changedFiles struct {
	files   []string // from the repository's top
	root    string   // of the checkout folder in the repository
	unknown string   // why the files are not known, "" when they are
}

// readChangedFiles asks which files the pull request changes, or those of the merge
// group.
func (r *run) readChangedFiles(ctx context.Context) changedFiles {
	c := changedFiles{root: r.root}
	for _, pr := range r.cfg.Info.PullRequests() {
		if r.deps.Changes == nil {
			c.unknown = "there is no token to ask with"
		} else if files, err := r.deps.Changes.ChangedFiles(ctx, pr); err != nil {
			c.unknown = err.Error()
		} else {
			c.files = append(c.files, files...)
		}
	}
	return c
}

// guard returns why a failure of the test blocks: the pull request changes its file, or
// nobody knows whether it does.
func (c changedFiles) guard(r engine.TestResult, where *testFiles) string {
	if c.unknown != "" {
		return "nobody knows whether this pull request changes the test's own file: " + c.unknown
	}
	switch own, doubt := c.find(r, where); {
	case own != "":
		return "this pull request changes the test's own file " + own
	case doubt != "":
		return "nobody knows in which file the test stands, and it may be one that this pull request changes, such as " + doubt +
			": the report names none, and the test's name leads to none"
	}
	return ""
}

// guardOrder returns why a failure after another test blocks: the pull request changes
// that one's file, or nobody knows whether it does. The failure is then no flake of old.
func (c changedFiles) guardOrder(other engine.TestResult, where *testFiles) string {
	switch own, doubt := c.find(other, where); {
	case own != "":
		return "it fails after a test whose file this pull request changes: " + own
	case doubt != "":
		return "it fails after a test of which nobody knows in which file it stands, and it may be one that this pull request changes, such as " + doubt
	}
	return ""
}

// find returns which changed file is the test's own, "" for none, and which one may be
// where nobody knows its file. A file that the report names by the end of its path alone
// counts wherever it may be.
func (c changedFiles) find(r engine.TestResult, where *testFiles) (own, doubt string) {
	if len(c.files) == 0 {
		return "", ""
	}
	files, known := where.filesOf(r)
	for _, changed := range c.files {
		for _, file := range files {
			if changed == path.Join(c.root, file) || strings.HasSuffix(changed, "/"+file) {
				return changed, ""
			}
		}
	}
	if i := slices.IndexFunc(c.files, mayHoldTest); i >= 0 && !known {
		return "", c.files[i]
	}
	return "", ""
}
