package ci

import (
	"cmp"
	"context"
	"crypto/sha1" // git names a blob by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store"
)

// propose works out an edit for every healed or suggested locator, and for every other
// use of its element, and offers those that are sure enough.
func (r *run) propose(ctx context.Context) error {
	proposer := patch.New(r.source)
	if len(r.heals) > 0 {
		proposer.SetPassed(r.passedTests())
	}
	r.outcome.Named = map[engine.TestID]engine.TestID{}
	said, err := r.readVetoes(ctx)
	if err != nil {
		return err
	}
	for _, h := range r.heals {
		if h.Outcome == engine.OutcomeRefused {
			if text := said.against(h); text != "" {
				h.Reason, h.Veto = engine.ReasonVetoed, text
			}
			r.outcome.Refused = append(r.outcome.Refused, h)
		}
		if found, ok := r.index.Find(h.TestID); ok && found.ID != h.TestID {
			r.outcome.Named[h.TestID] = found.ID
		}
	}
	result := func(id engine.TestID) *engine.TestResult {
		if found, ok := r.index.Find(id); ok {
			return &found
		}
		return nil
	}
	suite := patch.Suite{
		Heals: r.heals, Same: heal.SameElement, Result: result,
		Failed: func(id engine.TestID) bool {
			t := result(id)
			return t != nil && t.Final().Status.Failing() && !r.forTrial
		},
		Editable: func(file string) bool { return Editable(r.outcome.Path(file), r.cfg.EditPaths) },
	}
	if r.learned != nil { // without a database only what the sources say is known of other uses
		suite.Known = func(locators []string) ([]engine.Fingerprint, error) {
			return store.KnownUses(ctx, r.learned, locators)
		}
	}
	if r.outcome.Proposals, err = proposer.ProposeAll(r.heals, suite); err != nil {
		return err
	}
	r.outcome.Proposals = proposer.AddSuggestions(r.outcome.Proposals, r.renamedLists(), suite)
	r.suggestEdits(said)
	return nil
}

// maxRenamedLists bounds the suggestions for lists in one run: each is looked for in the sources.
const maxRenamedLists = 500

// renamedLists returns suggestions for the locators of failed tests that no healer looks for,
// as they find a list: the errors name them, other lost locators of the run show what became
// of the name, and nothing is proposed for them yet.
func (r *run) renamedLists() []engine.HealEvent {
	if len(r.heals) == 0 {
		return nil
	}
	settled := map[engine.TestID][]engine.HealEvent{}
	for _, p := range r.outcome.Proposals {
		if found, ok := r.index.Find(p.Heal.TestID); ok && (p.Edit != nil || !p.Heal.Ahead) {
			settled[found.ID] = append(settled[found.ID], p.Heal)
		}
	}
	renamings := patch.NewRenamings(r.heals)
	var list []engine.HealEvent
	for _, t := range r.collected.results {
		if !t.Final().Status.Failing() || len(list) == maxRenamedLists {
			continue
		}
		named := outcome.NamedLocator(t)
		if named == "" || slices.ContainsFunc(settled[t.ID], func(h engine.HealEvent) bool { return outcome.IsNamed(h, named) }) {
			continue
		}
		if h, ok := renamings.Suggest(t, named); ok {
			list = append(list, h)
		}
	}
	return list
}

// vetoes is what people said against elements.
type vetoes struct {
	all   []store.Veto
	index *identity.Index
}

// readVetoes returns the vetoes that are known, where something could have been vetoed.
func (r *run) readVetoes(ctx context.Context) (v vetoes, err error) {
	if r.learned == nil || len(r.heals) == 0 {
		return vetoes{}, nil
	}
	v.index = r.index
	v.all, err = r.learned.Vetoes(ctx, "")
	return v, err
}

// against returns in words who vetoed the element that an event names or, where it names
// none, an element for its locator; "" for nobody.
func (v vetoes) against(h engine.HealEvent) string {
	if len(v.all) == 0 || h.Outcome == engine.OutcomeRefused && h.Reason != engine.ReasonVetoed && h.Reason != engine.ReasonNoFingerprint {
		return ""
	}
	test, lost, signature := h.TestID, engine.StoredLocator(h.Locator, h.Occurrence), ""
	if found, ok := v.index.Find(h.TestID); ok {
		test = found.ID
	}
	if h.Healed.Tag != "" {
		signature = heal.SignatureOf(h.Healed)
	}
	for _, veto := range slices.Backward(v.all) {
		ofTest := veto.TestID == "" || veto.TestID == test || veto.TestID == h.TestID
		if !ofTest || veto.Locator != lost || signature != "" && veto.Signature != signature {
			continue
		}
		who, what := "", "its likeliest element was vetoed"
		if veto.Who != "" {
			who = " by " + veto.Who
		}
		if signature == "" {
			what = "nothing is known of it since the likeliest element was vetoed"
		}
		return fmt.Sprintf("%s%s on %s; to undo that: `breadcrumb forget --undo-veto %s`, or `/breadcrumb undo %[4]s` in a comment",
			what, who, veto.At.UTC().Format(time.DateOnly), veto.ID())
	}
	return ""
}

// refuse takes the edits away whose element somebody vetoed, be it for one of the tests
// that share it, and those that follow from them.
func (v vetoes) refuse(run *outcome.Run) {
	why := map[int]string{}           // by the first proposal of an edit
	cause := map[patch.Cause]string{} // by the heal
	for i, p := range run.Proposals {
		if text := v.against(p.Heal); text != "" && !p.Follows() {
			first := i
			if p.SameAs > 0 {
				first = p.SameAs - 1
			}
			why[first], why[i] = text, text
		}
	}
	for i, p := range run.Proposals {
		if text := why[i]; text != "" && !p.Follows() {
			cause[patch.CauseOf(p.Heal)] = text
		}
	}
	for i, p := range run.Proposals {
		text := cmp.Or(why[i], cause[p.Cause])
		if p.SameAs > 0 {
			text = cmp.Or(text, why[p.SameAs-1])
		}
		if text != "" {
			run.Proposals[i] = p.WithoutEdit(text)
			run.Proposals[i].Heal.Veto = text
		}
	}
	run.Vetoed = slices.DeleteFunc(slices.Clone(run.Edits), func(e outcome.OfferedEdit) bool { return run.Proposals[e.Proposal].Heal.Veto == "" })
	run.Edits = slices.DeleteFunc(run.Edits, func(e outcome.OfferedEdit) bool { return run.Proposals[e.Proposal].Heal.Veto != "" })
}

// passedTests returns the tests that passed, each with the locators that were
// found broken in it. The same test in several environments counts as one: an
// event seldom says which it comes from.
func (r *run) passedTests() []patch.PassedTest {
	type name struct{ file, suite, class, title string }
	nameOf := func(r engine.TestResult) name { return name{r.File, r.Suite, r.Class, r.Name} }
	broken := map[name][]string{}
	for _, h := range r.heals {
		if h.Ahead {
			continue
		}
		test := name{title: h.TestID.Title()}
		if found, ok := r.index.Find(h.TestID); ok {
			test = nameOf(found)
		}
		broken[test] = append(broken[test], h.Locator)
	}
	var passed []patch.PassedTest
	for _, result := range r.collected.results {
		if result.Final().Status == engine.StatusPassed {
			passed = append(passed, patch.PassedTest{Test: result, Healed: slices.Concat(broken[nameOf(result)], broken[name{title: result.Name}])})
		}
	}
	return passed
}

// suggestEdits sets the outcome's suggestions: the edits that are sure enough, each once,
// sorted by file and place.
func (r *run) suggestEdits(said vetoes) {
	run := r.outcome
	texts := map[string][]byte{}
	for i, p := range run.Proposals {
		if p.SameAs > 0 || !p.Sure() {
			continue
		}
		text, ok := texts[p.Edit.File]
		if !ok {
			text, _ = fs.ReadFile(r.source, p.Edit.File) // a file that is gone by now has no old text
			texts[p.Edit.File] = text
		}
		if s, ok := newSuggestion(run, i, text); ok {
			run.Edits = append(run.Edits, s)
		}
	}
	slices.SortStableFunc(run.Edits, func(a, b outcome.OfferedEdit) int {
		return cmp.Or(cmp.Compare(a.Edit.File, b.Edit.File), cmp.Compare(a.Edit.Start, b.Edit.Start))
	})
	setIDs(run.Edits)
	said.refuse(run)
	setBundles(run)
	run.Unedited = uneditedElements(run)
}

// uneditedElements returns the suggested elements that no edit is offered for, each
// once. One that is not known cannot be told from others.
func uneditedElements(run *outcome.Run) []outcome.UneditedElement {
	offered := map[int]bool{}
	for _, e := range run.Edits {
		offered[e.Proposal] = true
	}
	var list []outcome.UneditedElement
	known := map[string]bool{}
	for i, p := range run.Proposals {
		first := i
		if p.SameAs > 0 {
			first = p.SameAs - 1
		}
		if !p.Suggested() || p.Follows() || offered[first] || p.Heal.Healed.Tag == "" || p.Heal.Veto != "" {
			continue
		}
		e := outcome.UneditedElement{Proposal: i, Test: p.Heal.TestID,
			Locator: engine.StoredLocator(p.Heal.Locator, p.Heal.Occurrence), Signature: heal.SignatureOf(p.Heal.Healed)}
		e.ID = shortID(strings.Join([]string{string(e.Test), e.Locator, e.Signature}, "\x00"))
		if !known[e.ID] {
			known[e.ID] = true
			list = append(list, e)
		}
	}
	return list
}

// newSuggestion returns the suggestion of the edit of proposal i in text, if the
// edit is still to be found there.
func newSuggestion(run *outcome.Run, i int, text []byte) (outcome.OfferedEdit, bool) {
	e := *run.Proposals[i].Edit
	if e.Start < 0 || e.End > len(text) || e.Start > e.End || string(text[e.Start:e.End]) != e.Old {
		return outcome.OfferedEdit{}, false
	}
	s := outcome.OfferedEdit{
		Proposal: i, Path: run.Path(e.File), Edit: e, Blob: BlobHash(text),
		Column: e.Start - 1 - strings.LastIndexByte(string(text[:e.Start]), '\n'),
	}
	if _, err := patch.VerifyEdit(e.File, text, e.Start, e.Old, e.New); err != nil {
		s.Unproven = err.Error()
	}
	h := run.Proposals[i].Heal
	s.Locator = engine.StoredLocator(h.Locator, h.Occurrence)
	if h.Healed.Tag != "" {
		s.Signature = heal.SignatureOf(h.Healed)
	}
	s.Changed = run.Proposals[i].Doubt
	if run.Proposals[i].Suggested() {
		s.Changed = outcome.DescribeSuggestion(h, outcome.Quote)
	}
	s.Was, s.Now = lessonOf(h)
	var same []patch.Proposal
	for j := range run.Proposals { // of many, each is large
		if p := &run.Proposals[j]; j == i || p.SameAs == i+1 {
			s.Tests, same = append(s.Tests, p.Heal.TestID), append(same, *p)
		}
	}
	s.Accepted = acceptedElements(same)
	slices.Sort(s.Tests)
	s.Tests = slices.Compact(s.Tests)
	return s, true
}

// acceptedElements returns what would be known of the elements of proposals with one
// edit by their new locators: in each test the uses that the edit changes become the
// first, second and so on of the new one.
func acceptedElements(proposals []patch.Proposal) []engine.Fingerprint {
	proposals = slices.Clone(proposals)
	slices.SortStableFunc(proposals, func(a, b patch.Proposal) int { return cmp.Compare(a.Heal.Occurrence, b.Heal.Occurrence) })
	uses := map[engine.TestID]int{}
	var elements []engine.Fingerprint
	for _, p := range proposals {
		if p.Locator == "" || len(elements) == maxAccepted {
			continue
		}
		if f, ok := heal.AcceptedElement(p.Heal, engine.StoredLocator(p.Locator, uses[p.Heal.TestID])); ok {
			uses[p.Heal.TestID]++
			elements = append(elements, f)
		}
	}
	return elements
}

// maxAccepted is of how many uses of an edited literal the elements are known at most.
const maxAccepted = 20

// lessonOf returns the lesson of accepting an edit, as heal.Lesson has it in texts; of a
// heal it is by which words it differs. What the person is not shown whole teaches nothing.
func lessonOf(h engine.HealEvent) (was, now string) {
	taught, ok := heal.LessonOf(h)
	if !ok || len(h.Changed) > outcome.MaxChanges ||
		slices.ContainsFunc(h.Changed, func(c engine.Change) bool { return len(c.Was) > maxTaught || len(c.Now) > maxTaught }) {
		return "", ""
	}
	if was, now = taught.Texts(); len(was) > store.MaxWords || len(now) > store.MaxWords {
		return "", ""
	}
	return was, now
}

// maxTaught is how long a text may be that teaches, in bytes.
const maxTaught = 80

// setIDs gives every suggestion its id: a hash of path, old and new text and
// test, and of a number where all four are equal.
func setIDs(suggestions []outcome.OfferedEdit) {
	seen := map[string]int{}
	for i := range suggestions {
		s := &suggestions[i]
		key := strings.Join([]string{s.Path, s.Edit.Old, s.Edit.New, string(s.Tests[0])}, "\x00")
		seen[key]++
		if n := seen[key]; n > 1 {
			key += fmt.Sprintf("\x00%d", n)
		}
		s.ID = shortID(key)
	}
}

// setBundles puts the edits that follow from one heal into one bundle with it, and
// removes those whose heal has no edit that is offered.
func setBundles(run *outcome.Run) {
	ids := map[patch.Cause]string{} // of the offered edit of each heal
	for _, e := range run.Edits {
		for i, p := range run.Proposals {
			if (i == e.Proposal || p.SameAs == e.Proposal+1) && !p.Follows() {
				ids[patch.CauseOf(p.Heal)] = e.ID
			}
		}
	}
	follows := func(e outcome.OfferedEdit) bool { return run.Proposals[e.Proposal].Follows() }
	run.Edits = slices.DeleteFunc(run.Edits, func(e outcome.OfferedEdit) bool { return follows(e) && ids[run.Proposals[e.Proposal].Cause] == "" })
	led := map[string]bool{} // the edits that others follow
	for i := range run.Edits {
		if e := &run.Edits[i]; follows(*e) {
			e.Bundle = ids[run.Proposals[e.Proposal].Cause]
			led[e.Bundle] = true
		}
	}
	for i := range run.Edits {
		if e := &run.Edits[i]; led[e.ID] {
			e.Bundle = e.ID
		}
	}
	bundleSuggestions(run)
}

// bundleSuggestions puts the suggested edits that a person decides by the same question into
// one bundle: the same words become the same others on one page, and the same speaks against it.
func bundleSuggestions(run *outcome.Run) {
	type question struct{ page, changed, was, now string }
	first := map[question]int{}
	into := map[string]string{} // a bundle's id to that of the bundle it is now part of
	for i := range run.Edits {
		e := &run.Edits[i]
		q := question{run.Proposals[e.Proposal].Heal.PageURL, e.Changed, e.Edit.Old, e.Edit.New}
		at, again := first[q]
		if e.Changed == "" || e.Bundle != "" && e.Bundle != e.ID {
			continue
		}
		if !again {
			first[q] = i
			continue
		}
		lead := &run.Edits[at]
		lead.Bundle, e.Bundle = lead.ID, lead.ID
		into[e.ID] = lead.ID
	}
	for i := range run.Edits {
		if e := &run.Edits[i]; into[e.Bundle] != "" {
			e.Bundle = into[e.Bundle]
		}
	}
}

func shortID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:4])
}

// Editable reports whether the file at a path from the repository's top may be
// edited.
func Editable(path string, globs []string) bool {
	if !patch.Editable(path) {
		return false
	}
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return ok && err == nil
	})
}

// BlobHash returns git's name for a file with this text.
func BlobHash(text []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// fileEdits are the suggested edits of one file.
type fileEdits struct {
	name  string // in the checkout folder
	path  string // from the repository's top
	edits []patch.Edit
}

// ofHeals returns the edits that heals have, which need no look at what changed.
func ofHeals(suggestions []outcome.OfferedEdit) []outcome.OfferedEdit {
	return slices.DeleteFunc(slices.Clone(suggestions), func(s outcome.OfferedEdit) bool { return s.Changed != "" })
}

// groupByFile groups suggestions, which come sorted by file, by their files.
func groupByFile(suggestions []outcome.OfferedEdit) []fileEdits {
	var files []fileEdits
	for _, s := range suggestions {
		if n := len(files); n == 0 || files[n-1].name != s.Edit.File {
			files = append(files, fileEdits{name: s.Edit.File, path: s.Path})
		}
		last := &files[len(files)-1]
		last.edits = append(last.edits, s.Edit)
	}
	return files
}
