package ci

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/store"
)

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
	if p := run.Proposals[i]; p.Suggested() && p.ByIDOnly() {
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
		if e.Changed == "" || q.page == "" || e.Bundle != "" && e.Bundle != e.ID {
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
