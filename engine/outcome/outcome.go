// Package outcome is what one CI run found, in the one shape that
// everybody who shows it reads: comment, job summary, console, JSON, annotations
// and outputs.
package outcome

import (
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// Run is the outcome of one run.
type Run struct {
	Info        engine.RunInfo
	Root        string // slash-separated path of the checkout folder inside the repository, "" for its top
	Counts      Counts
	Base        *Base // what the run is compared with, nil where none is known
	Verdict     flaky.Verdict
	FlakyTests  []engine.TestResult             // passed after a failing attempt
	Proposals   []patch.Proposal                // one per healed locator of this run, then one per suggested one, then their other uses
	Edits       []OfferedEdit                   // the edits among them that may be made
	Vetoed      []OfferedEdit                   // the edits that would be, had nobody vetoed their elements
	Unedited    []UneditedElement               // the suggested elements among them that no edit is offered for
	Refused     []engine.HealEvent              // locators that were not healed
	Named       map[engine.TestID]engine.TestID // the results' ids of tests that heal events call otherwise
	Changes     []flaky.Change                  // quarantine changes by this run
	Quarantine  []flaky.Entry                   // quarantine after this run
	TestHealths []flaky.TestHealth              // of the tests in this run that are worth a look
	Groups      map[engine.TestID]int           // how many instances of each parametrised test ran, by flaky.Group
	Notices     []engine.Notice                 // warnings; the blocking ones are in Verdict too
	Reports     []string                        // report files that were read
	Database    string                          // where the database was written, "" for a dry run
	DryRun      bool
	Learned     int // elements that the traces of this run's passing tests taught
	Known       int // elements that lost locators can be looked for by, after this run
}

// Counts are the run's tests by final status; a flaky test is also in Passed.
type Counts struct {
	Tests, Passed, Failed, Errors, Skipped, Flaky int
	DurationMS                                    float64
}

// Count returns the counts of results.
func Count(results []engine.TestResult) Counts {
	var c Counts
	for _, r := range results {
		c.Tests++
		switch r.Final().Status {
		case engine.StatusPassed:
			c.Passed++
		case engine.StatusSkipped:
			c.Skipped++
		case engine.StatusFailed:
			c.Failed++
		case engine.StatusError:
			c.Errors++
		}
		if r.Flaky() {
			c.Flaky++
		}
		for _, a := range r.Attempts {
			c.DurationMS += a.DurationMS
		}
	}
	return c
}

// OfferedEdit is one edit of a run that is sure enough to be made with one click.
// Proposals with the same edit are one offer.
type OfferedEdit struct {
	ID        string               // short name, stable as long as path, old and new text and test are
	Bundle    string               // ID of the edit that this one is made with: that of the heal it follows from, its own where others follow; "" for none
	Proposal  int                  // index in Run.Proposals of the first proposal with the edit
	Path      string               // Edit.File from the repository's top
	Edit      patch.Edit           // File is relative to the checkout folder
	Column    int                  // bytes of the line before the literal
	Blob      string               // git's hash of the file that was read
	Tests     []engine.TestID      // ids of the tests that healed it, sorted
	Unproven  string               // why no command can make it: its file alone does not prove it, "" when it does
	Locator   string               // the lost one as the store knows it, see engine.StoredLocator
	Signature string               // of the element, as heal.SignatureOf returns it, "" when it is not known
	Accepted  []engine.Fingerprint // what is known of its element, for each test, if a person takes the edit
	Was, Now  string               // the lesson if a person takes the edit, in the texts of heal.Lesson; "" for none
	Changed   string               // in words, what the element means otherwise, or what else speaks against making it unasked; "" unless all its tests only suggest it. Hostile.
}

// IsAmong reports whether an edit is one of those with the ids, by itself or by the
// bundle that it is made with.
func (o OfferedEdit) IsAmong(ids []string) bool {
	return slices.Contains(ids, o.ID) || o.Bundle != "" && slices.Contains(ids, o.Bundle)
}

// UneditedElement is a suggested element without an edit that is offered: a person can
// still say that it is the wrong one.
type UneditedElement struct {
	ID                 string // as of an OfferedEdit
	Proposal           int    // index in Run.Proposals of the first proposal that names it
	Test               engine.TestID
	Locator, Signature string // as of an OfferedEdit
}

// Heals returns the proposals for locators that were healed.
func (r Run) Heals() []patch.Proposal {
	return slices.DeleteFunc(slices.Clone(r.Proposals), func(p patch.Proposal) bool { return p.Suggested() || p.Follows() })
}

// Suggested returns the proposals for locators that were not healed, because what
// is likely their element means something else now.
func (r Run) Suggested() []patch.Proposal {
	return slices.DeleteFunc(slices.Clone(r.Proposals), func(p patch.Proposal) bool { return !p.Suggested() || p.Follows() })
}

// Uses returns the edits of other uses that follow from a heal or suggestion, in the
// order of files and places, each literal once.
func (r Run) Uses(p patch.Proposal) []patch.Proposal {
	return slices.DeleteFunc(r.following(p), func(q patch.Proposal) bool { return q.SameAs > 0 })
}

// following returns the proposals that follow from a heal or suggestion with an edit.
func (r Run) following(p patch.Proposal) []patch.Proposal {
	var uses []patch.Proposal
	if p.Edit == nil || p.Follows() || p.SameAs > 0 {
		return nil
	}
	for _, q := range r.Proposals {
		if q.Follows() && q.Cause == patch.CauseOf(p.Heal) && q.Edit != nil {
			uses = append(uses, q)
		}
	}
	return uses
}

// Reach says how many places and tests the edit of a heal or suggestion changes
// together with its other uses, "" when it has none.
func (r Run) Reach(p patch.Proposal) string {
	uses := r.Uses(p)
	if len(uses) == 0 {
		return ""
	}
	tests := map[engine.TestID]bool{p.Heal.TestID: true}
	for _, q := range r.following(p) {
		tests[q.Heal.TestID] = true
	}
	for _, q := range r.Proposals {
		if q.SameAs > 0 && patch.CauseOf(r.Proposals[q.SameAs-1].Heal) == patch.CauseOf(p.Heal) {
			tests[q.Heal.TestID] = true
		}
	}
	return "1 locator, " + text.Count(1+len(uses), "place", "places") + ", " + text.Count(len(tests), "test", "tests")
}

// Warnings returns the notices that change nothing; the others are in the
// verdict.
func (r Run) Warnings() []engine.Notice {
	var warnings []engine.Notice
	for _, n := range r.Notices {
		if n.Severity == engine.SeverityWarning {
			warnings = append(warnings, n)
		}
	}
	return warnings
}

// Path returns a file of the checkout folder as its path from the repository's
// top. What is no relative path inside the folder is returned as it is, and so
// is every file when the folder is the top.
func (r Run) Path(file string) string {
	if r.Root == "" || file == "" || file != path.Clean(file) || path.IsAbs(file) ||
		file == ".." || strings.HasPrefix(file, "../") || strings.Contains(file, `\`) {
		return file
	}
	return r.Root + "/" + file
}
