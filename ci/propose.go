package ci

import (
	"cmp"
	"context"
	"crypto/sha1" // git names a blob by it
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
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
	for _, h := range r.heals {
		if found, ok := r.index.Find(h.TestID); ok && isLookedFor(h) {
			settled[found.ID] = append(settled[found.ID], h)
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

// isLookedFor reports whether a healer says that a locator's element is not there, or is not
// known: what its name became elsewhere says nothing of this one then. One of which nothing
// was learned may only have another name, but for its texts, of which nobody knows what they are.
func isLookedFor(h engine.HealEvent) bool {
	if h.Outcome != engine.OutcomeRefused || h.Reason != engine.ReasonNoFingerprint {
		return h.Outcome == engine.OutcomeRefused
	}
	old, err := locator.Of(h)
	return err != nil || len(old.AskedTexts()) > 0
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

// passedTests returns the tests that passed, each with the heals of the locators that were
// found broken in it. The same test in several environments counts as one: an event seldom
// says which it comes from.
func (r *run) passedTests() []patch.PassedTest {
	type name struct{ file, suite, class, title string }
	nameOf := func(r engine.TestResult) name { return name{r.File, r.Suite, r.Class, r.Name} }
	heals := map[name][]engine.HealEvent{}
	for _, h := range r.heals {
		if h.Ahead {
			continue
		}
		test := name{title: h.TestID.Title()}
		if found, ok := r.index.Find(h.TestID); ok {
			test = nameOf(found)
		}
		heals[test] = append(heals[test], h)
	}
	var passed []patch.PassedTest
	for _, result := range r.collected.results {
		if result.Final().Status == engine.StatusPassed {
			passed = append(passed, patch.PassedTest{Test: result, Heals: slices.Concat(heals[nameOf(result)], heals[name{title: result.Name}])})
		}
	}
	return passed
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
