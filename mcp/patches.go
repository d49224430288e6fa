package mcp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store"
)

type patchesQuestion struct {
	ofDatabase
	TestID string `json:"test_id,omitempty" jsonschema:"only for heals of this test"`
	Days   int    `json:"days,omitempty" jsonschema:"for heals of the last days; 0 is all" bounds:"0 36525 30"`
	Limit  int    `json:"limit,omitempty" jsonschema:"so many proposals" bounds:"1 200 50"`
}

type patchesAnswer struct {
	Diff      string          `json:"diff" text:"lines" jsonschema:"unified diff of every healed edit that is sure enough, for git apply at the checkout's top; empty when there is none; without suggestions"`
	Altered   bool            `json:"altered" jsonschema:"control characters were removed from diff, so it may not apply"`
	Source    string          `json:"source" jsonschema:"files: proposed for the run whose reports the server was started with; database: for the recorded heals"`
	Proposals []proposal      `json:"proposals" jsonschema:"those with an edit first, by file and line"`
	Total     int             `json:"total"`
	Truncated truncated       `json:"truncated"`
	Notices   []report.Notice `json:"notices" jsonschema:"what of the files could not be read"`
}

type proposal struct {
	TestID      string           `json:"test_id"`
	Locator     string           `json:"locator" jsonschema:"as it was"`
	Replacement string           `json:"replacement" jsonschema:"as it became, in the author's own form"`
	Outcome     string           `json:"outcome" jsonschema:"healed, or suggested: what is likely the element means something else now, so a person has to decide"`
	Changed     []report.Meaning `json:"changed" jsonschema:"of a suggestion: what the element means otherwise"`
	Confidence  float64          `json:"confidence" jsonschema:"ratio in [0,1]: match times place"`
	Match       float64          `json:"match" jsonschema:"ratio in [0,1]: that it is the right element"`
	Place       float64          `json:"place" jsonschema:"ratio in [0,1]: that the edit is in the right place; 0 without an edit"`
	InDiff      bool             `json:"in_diff" jsonschema:"sure enough to be in diff"`
	File        string           `json:"file" jsonschema:"empty without an edit"`
	Line        int              `json:"line" jsonschema:"1-based"`
	Before      string           `json:"before" jsonschema:"the line as it stands"`
	After       string           `json:"after" jsonschema:"the line as edited"`
	Reason      string           `json:"reason" jsonschema:"why it is not in diff"`
	Ahead       bool             `json:"ahead" jsonschema:"the element was looked for because its page was seen changed, not because its test lost it"`
	Unverified  bool             `json:"unverified" jsonschema:"from the trace of a failed test: no run tried it, so rerun to confirm"`
	Follows     string           `json:"follows" jsonschema:"the test whose heal this edit of another use of the same element follows from: take both or none; empty for a heal of its own"`
	Note        string           `json:"note" jsonschema:"what to check before taking the edit"`
}

func (s *Server) addPatches() {
	addTool(s, tool[patchesQuestion, patchesAnswer]{
		name: "breadcrumb_propose_patches", title: "Propose edits",
		description: "The edits of the test sources that would make healed locators last, as a unified diff against the checkout, and beside it those of suggestions. Nothing is written.",
		answer: func(ctx context.Context, in patchesQuestion) (out patchesAnswer, err error) {
			var id engine.TestID
			var recent patchInput
			err = s.withReading(ctx, in.DBPath, func(ctx context.Context, db Reading) (err error) {
				if id, err = resolveTest(ctx, db, in.TestID); err == nil && s.opts.Propose == nil {
					recent, err = loadPatchInput(ctx, db, id, health.Period{Days: in.Days, Now: s.opts.Now()})
				}
				return err
			})
			switch {
			case err != nil:
				return out, err
			case s.opts.Propose != nil:
				return s.proposeFromFiles(ctx, id, in.Limit)
			}
			return s.newPatchesAnswer("database", recent.proposals(s.opts.Checkout, s.opts.EditPaths), in.Limit)
		},
	})
}

// proposeFromFiles answers with what the files of a run propose, for one test or, where
// id is "", for all. One question reads them at a time.
func (s *Server) proposeFromFiles(ctx context.Context, id engine.TestID, limit int) (patchesAnswer, error) {
	select {
	case s.proposing <- struct{}{}:
		defer func() { <-s.proposing }()
	case <-ctx.Done():
		return patchesAnswer{}, fmt.Errorf("wait for another question's reports: %w", ctx.Err())
	}
	run, err := s.opts.Propose(ctx)
	if err != nil {
		return patchesAnswer{}, err
	}
	var list []offer
	for i, p := range run.Proposals {
		if id == "" || p.Heal.TestID == id || run.Named[p.Heal.TestID] == id {
			o := offer{Proposal: p, missing: run.MissingFrom(i)}
			if e, offered := run.OfferOf(i); offered && e.Changed == "" {
				o.missing = "" // a box lacks it, apply does not
			}
			list = append(list, o)
		}
	}
	out, err := s.newPatchesAnswer("files", list, limit)
	for _, n := range run.Notices {
		out.Notices = append(out.Notices, report.NewNotice(n))
	}
	return out, err
}

// offer is a proposal, and why its edit is not in the diff: "" for one that is, and for
// none.
type offer struct {
	patch.Proposal
	missing string
}

func (o offer) isInDiff() bool { return o.Edit != nil && o.missing == "" }

// patchInput is what edits are proposed from: recent heals and suggestions, and how
// their tests did.
type patchInput struct {
	heals   []engine.HealEvent
	failing map[engine.TestID]bool // tests whose last execution failed
	passed  []patch.PassedTest     // in the newest run
	lost    []engine.HealEvent     // all that is recent: heals, suggestions and refusals
	learned []engine.Fingerprint   // of the healed locators, in all tests
	tests   []engine.TestID        // of the newest run
}

func loadPatchInput(ctx context.Context, db Database, testID engine.TestID, p health.Period) (patchInput, error) {
	heals, err := newestHeals(ctx, db, store.HealQuery{Since: p.Since()})
	if err != nil {
		return patchInput{}, err
	}
	suggested, err := newestHeals(ctx, db, store.HealQuery{Since: p.Since(), Refused: true, Suggested: true})
	if err != nil {
		return patchInput{}, err
	}
	refused, err := newestHeals(ctx, db, store.HealQuery{Since: p.Since(), Refused: true})
	if err != nil {
		return patchInput{}, err
	}
	lost := newestPerLocator(slices.Concat(refused, heals))
	heals = append(heals, suggested...)
	slices.SortStableFunc(heals, func(a, b engine.HealEvent) int { return cmp.Compare(b.Timestamp, a.Timestamp) })
	heals = newestPerLocator(heals)
	line, err := db.Timeline(ctx, 1, p.Since())
	if err != nil {
		return patchInput{}, err
	}
	in := patchInput{failing: map[engine.TestID]bool{}, lost: lost}
	in.addOutcomes(line, heals)
	var locators []string
	for _, h := range heals {
		locators = append(locators, h.Locator)
	}
	if in.learned, err = store.KnownUses(ctx, db, locators); err != nil {
		return patchInput{}, err
	}
	in.heals = slices.DeleteFunc(heals, func(h engine.HealEvent) bool { return testID != "" && h.TestID != testID })
	return in, nil
}

// newestPerLocator returns the newest heal of each broken locator of a test. heals
// come the newest first.
func newestPerLocator(heals []engine.HealEvent) []engine.HealEvent {
	type key struct {
		test       engine.TestID
		locator    string
		occurrence int
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(heals, func(h engine.HealEvent) bool {
		k := key{h.TestID, h.Locator, h.Occurrence}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// addOutcomes records how the tests of the newest run ended.
func (l *patchInput) addOutcomes(line outcome.Timeline, heals []engine.HealEvent) {
	byTest := map[engine.TestID][]engine.HealEvent{}
	for _, h := range heals {
		byTest[h.TestID] = append(byTest[h.TestID], h)
	}
	for _, t := range line.Tests {
		l.tests = append(l.tests, t.TestID)
		switch last := t.Cells[len(t.Cells)-1]; last {
		case outcome.CellFailed:
			l.failing[t.TestID] = true
		case outcome.CellPassed, outcome.CellHealed, outcome.CellFlaky:
			l.passed = append(l.passed, patch.PassedTest{Test: parseTestID(t.TestID), Heals: byTest[t.TestID]})
		}
	}
}

// parseTestID returns the file and title in a test's identity, without the browser or
// project that a report adds to it: no source has that.
func parseTestID(id engine.TestID) engine.TestResult {
	bare, environment := id.CutEnvironment()
	parts := strings.Split(string(bare), " › ")
	r := engine.TestResult{ID: id, Name: parts[len(parts)-1], Environment: strings.Trim(environment, " []")}
	if path.Ext(parts[0]) != "" && len(parts) > 1 {
		r.File = parts[0]
	}
	return r
}

// resultOf returns the test of the newest run with an identity or, where none has it,
// with its title: a tool may name a test in another way than its report. nil is none.
func (l patchInput) resultOf(id engine.TestID) *engine.TestResult {
	i := slices.Index(l.tests, id)
	if i < 0 {
		i = slices.IndexFunc(l.tests, func(t engine.TestID) bool { return t.Title() == id.Title() })
	}
	if i < 0 {
		return nil
	}
	return new(parseTestID(l.tests[i]))
}

// failed reports whether the test of an identity failed in the newest run or, where none
// has it, one with its title.
func (l patchInput) failed(id engine.TestID) bool {
	if slices.Contains(l.tests, id) {
		return l.failing[id]
	}
	return l.failing[id] || slices.ContainsFunc(l.tests, func(t engine.TestID) bool { return t.Title() == id.Title() && l.failing[t] })
}

// proposals returns the edits that `breadcrumb ci` would propose.
func (l patchInput) proposals(checkout fs.FS, editPaths []string) (list []offer) {
	proposer := patch.New(checkout)
	proposer.SetPassed(l.passed)
	all, _ := proposer.ProposeAll(l.heals, patch.Suite{ // no error without Known
		Heals: l.lost, Learned: l.learned, Same: heal.SameElement, Result: l.resultOf,
		Failed:   l.failed,
		Editable: func(file string) bool { return isEditable(file, editPaths) },
	})
	for _, p := range all {
		o := offer{Proposal: p}
		switch {
		case p.Edit != nil && (!p.Sure() || p.Suggested() && p.ByIDOnly()):
			o.missing = outcome.NotSure(p)
		case p.Doubt != "":
			o.missing = "only suggested: " + p.Doubt
		}
		list = append(list, o)
	}
	return list
}

// isEditable reports whether a file may be edited.
func isEditable(file string, globs []string) bool {
	return patch.Editable(file) && (len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(glob, file)
		return ok && err == nil
	}))
}

// newPatchesAnswer returns the answer with the first limit proposals and the diff of
// those of them that are in it.
func (s *Server) newPatchesAnswer(source string, list []offer, limit int) (patchesAnswer, error) {
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(editRank(a), editRank(b)) })
	out := patchesAnswer{Source: source, Total: len(list), Truncated: truncated{}}
	edits := map[string][]patch.Edit{}
	for _, o := range limitList(out.Truncated, "proposals", list, limit, len(list)) {
		out.Proposals = append(out.Proposals, newProposal(o))
		if o.isInDiff() {
			edits[o.Edit.File] = append(edits[o.Edit.File], *o.Edit)
		}
	}
	diff, err := unifiedDiff(s.opts.Checkout, edits)
	if err != nil {
		return patchesAnswer{}, err
	}
	out.Diff, out.Altered = diff, text.Clean(diff) != diff
	return out, nil
}

// editRank orders proposals: sure edits of heals, other edits, none.
func editRank(o offer) int {
	switch {
	case o.isInDiff():
		return 0
	case o.Edit != nil:
		return 1
	}
	return 2
}

func newProposal(o offer) proposal {
	p := o.Proposal
	out := proposal{
		TestID: string(p.Heal.TestID), Locator: p.Old(), Replacement: p.New(), Confidence: p.Confidence, Match: p.Match(), Place: p.Place,
		Outcome: string(p.Heal.Outcome), InDiff: o.isInDiff(), Reason: cmp.Or(p.Reason, o.missing), Note: p.Note, Follows: string(p.Cause.Test),
		Ahead: p.Heal.Ahead, Unverified: p.Heal.Trace != "",
	}
	if p.Suggested() {
		out.Changed = report.NewMeanings(p.Heal.Changed)
	}
	if e := p.Edit; e != nil {
		out.File, out.Line, out.Before, out.After = e.File, e.Line, e.Before, e.After
		switch {
		case p.Suggested() && p.ByIDOnly():
			out.Reason = "only suggested: " + outcome.DescribeSuggestion(p.Heal, outcome.Quote)
		case !p.Sure():
			out.Reason = outcome.NotSure(p)
		}
	}
	return out
}

// unifiedDiff returns the unified diff of edits, by file.
func unifiedDiff(checkout fs.FS, edits map[string][]patch.Edit) (string, error) {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		before, err := fs.ReadFile(checkout, name)
		if err != nil {
			return "", Problem(err.Error())
		}
		after, err := patch.Apply(before, edits[name])
		if err != nil {
			return "", Problem(name + " changed while it was read: " + err.Error())
		}
		diff, err := patch.Unified(name, before, after)
		if err != nil {
			return "", err
		}
		out.WriteString(diff)
	}
	return out.String(), nil
}
