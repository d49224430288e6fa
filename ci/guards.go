package ci

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// findGuards returns why failures of quarantined tests block all the same, by
// test id.
func (p *evidencePolicy) findGuards(ctx context.Context, held []flaky.Entry) map[string]string {
	changed := p.readChangedFiles(ctx)
	entries := map[string]flaky.Entry{}
	for _, e := range held {
		if have, ok := entries[e.TestID]; !ok || have.AutoUnquarantine {
			entries[e.TestID] = e
		}
	}
	guards := map[string]string{}
	for _, r := range p.collected.results {
		entry, ok := entries[store.CleanID(r.ID)]
		if !ok || !r.Final().Status.Failing() {
			continue
		}
		reason := changed.guard(r.File)
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
		return p.evidence.Guard(*p.here, o)
	case ok:
		return p.evidence.GuardManual(*p.here, o)
	case entry.ByEvidence():
		return "the run is older than the evidence"
	}
	return ""
}

// observation returns what the judge sees of a result.
func (p *evidencePolicy) observation(r engine.TestResult) (flaky.Observation, bool) {
	test, known := p.number[store.CleanID(r.ID)]
	if !known || p.here == nil {
		return flaky.Observation{}, false
	}
	i := slices.IndexFunc(p.here.Observations, func(o flaky.Observation) bool { return o.Test == test })
	if i < 0 {
		return flaky.Observation{}, false
	}
	return p.here.Observations[i], true
}

// changedFiles is what is known of the files that a pull request changes. The
// zero value is a run of no pull request.
type changedFiles struct {
	files   []string // from the repository's top
	root    string   // of the checkout folder in the repository
	unknown string   // why the files are not known, "" when they are
}

// readChangedFiles asks which files the pull request changes, with a notice
// where that is not known.
func (p *evidencePolicy) readChangedFiles(ctx context.Context) changedFiles {
	pr := p.cfg.Info.PullRequest
	if pr == 0 {
		return changedFiles{}
	}
	c := changedFiles{root: p.root}
	if p.deps.Changes == nil {
		c.unknown = "there is no token to ask with"
	} else if files, err := p.deps.Changes.ChangedFiles(ctx, pr); err != nil {
		c.unknown = err.Error()
	} else {
		c.files = files
	}
	if c.unknown != "" {
		p.note(warning("the files this pull request changes are not known, so no failure of a quarantined test is excused: " + c.unknown))
	}
	return c
}

// guard returns why a failure of a test of the named file blocks: the pull
// request changes that file, or nobody knows whether it does. A file that the
// report names by the end of its path alone counts wherever it may be.
func (c changedFiles) guard(file string) string {
	if c.unknown != "" {
		return "nobody knows whether this pull request changes the test's own file: " + c.unknown
	}
	if file == "" {
		return ""
	}
	for _, changed := range c.files {
		if changed == path.Join(c.root, file) || strings.HasSuffix(changed, "/"+file) {
			return "this pull request changes the test's own file " + changed
		}
	}
	return ""
}
