package outcome

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// LostLocator is a locator that is no longer found, with what became of it, once for all
// the tests that look for it and all places that name it. Locators of which the same part got
// the same new name are one: .card .add and .tile .add, whose .add became .buy.
type LostLocator struct {
	Was, Now  string           // as people write it; Now is "" where nothing is known. Of several locators, the part
	Locators  int              // different ones
	Event     engine.HealEvent // the first; what is said of it is true of all
	Proposals []int            // indices in Run.Proposals, the first is of Event; none of a refusal
	Tests     []engine.TestID  // that met the loss, in the order of the events
	Calls     int              // that met it, in all its tests

	key string
}

// Often says how many locators are meant and how many calls met the loss: "3 locators · 12
// calls", without what is one or once for each test.
func (l LostLocator) Often() string {
	var often []string
	if l.Locators > 1 {
		often = append(often, text.Count(l.Locators, "locator", "locators"))
	}
	if l.Calls > len(l.Tests) {
		often = append(often, text.Count(l.Calls, "call", "calls"))
	}
	return strings.Join(often, " · ")
}

// CountLocators returns how many different locators were lost.
func CountLocators(lost []LostLocator) int {
	n := 0
	for _, l := range lost {
		n += l.Locators
	}
	return n
}

// LostLocators returns the locators that were lost, those with a proposal first, in the
// order of the run.
func (r Run) LostLocators() []LostLocator { return r.lostByTest().all }

// Healed returns the locators that were healed while the tests ran. What was worked out
// from the trace of a failed test or found ahead is none of them.
func (r Run) Healed() []LostLocator {
	return slices.DeleteFunc(r.healed(), func(l LostLocator) bool { return l.Event.Trace != "" })
}

// healed returns what Healed does and what traces of failed tests led to.
func (r Run) healed() []LostLocator {
	return slices.DeleteFunc(r.LostLocators(), func(l LostLocator) bool {
		return l.Event.Ahead || l.Event.Outcome != engine.OutcomeHealed || len(l.Proposals) == 0
	})
}

// CountHealed says how many locators were healed and in how many tests: "2 locators healed
// in 5 tests".
func CountHealed(locators, tests int) string {
	return text.Count(locators, "locator", "locators") + " healed in " + text.Count(tests, "test", "tests")
}

// lostIndex is the lost locators, and by test those that may have stopped it.
type lostIndex struct {
	all    []LostLocator
	at     map[string]int
	named  map[namedLoss]bool
	known  map[testLoss]bool
	byTest map[engine.TestID][]lostUse
}

// lostName is what a locator was and became.
type lostName struct{ was, now string }

type testLoss struct {
	lost int
	test engine.TestID
}

type namedLoss struct {
	lost int
	name lostName
}

// lostUse is a loss that a test did not survive.
type lostUse struct {
	lost  int // index of the lost locator
	event engine.HealEvent
}

func newLostIndex() lostIndex {
	return lostIndex{at: map[string]int{}, named: map[namedLoss]bool{}, known: map[testLoss]bool{}, byTest: map[engine.TestID][]lostUse{}}
}

func (r Run) lostByTest() lostIndex {
	x := newLostIndex()
	for i, p := range r.Proposals {
		if p.Follows() {
			continue
		}
		name := lostName{p.Old(), p.New()}
		part := name
		if p.Edit != nil {
			part = partOf(p, name)
		}
		l := x.add(r, p.Heal, name, part)
		x.all[l].Proposals = append(x.all[l].Proposals, i)
	}
	for _, h := range r.Refused {
		name := lostName{was: Lost(h)}
		x.add(r, h, name, name)
	}
	return x
}

// partOf returns what the one part was and became in which a locator and its edit differ,
// the whole names where more does.
func partOf(p patch.Proposal, whole lostName) lostName {
	was, now, ok := locator.Renamed(p.Heal.Locator, cmp.Or(p.Locator, p.Heal.HealedLocator))
	if !ok {
		return whole
	}
	return lostName{locator.Readable(was, patch.LanguageOf(p.Heal)), locator.Readable(now, patch.LanguageOf(p.Heal))}
}

// add adds an event to the lost locator of which the same part has the same name and fate,
// and returns that one's index. Two suggestions are the same whatever their match.
func (x *lostIndex) add(r Run, h engine.HealEvent, name, part lostName) int {
	offline, why := "", ""
	switch unsure := h; {
	case h.Outcome == engine.OutcomeRefused:
		why = Refusal(h)
	case patch.Proposal{Heal: h}.Suggested():
		unsure.Confidence, unsure.RunnerUp = 0, 0
		why = DescribeSuggestion(unsure, Quote)
	}
	switch {
	case h.Ahead:
		offline = "ahead"
	case h.Trace != "":
		offline = "trace"
	}
	key := strings.Join([]string{string(h.Outcome), offline, part.was, part.now, why}, "\x00")
	i, known := x.at[key]
	if !known {
		i = len(x.all)
		x.at[key] = i
		x.all = append(x.all, LostLocator{Was: name.was, Now: name.now, Event: h, key: key})
	}
	if named := (namedLoss{i, name}); !x.named[named] {
		x.named[named] = true
		if x.all[i].Locators++; x.all[i].Locators > 1 {
			x.all[i].Was, x.all[i].Now = part.was, part.now
		}
	}
	x.all[i].Calls += max(1, h.Count)
	test := h.TestID
	if named, ok := r.Named[test]; ok {
		test = named
	}
	if loss := (testLoss{i, test}); !x.known[loss] {
		x.known[loss] = true
		x.all[i].Tests = append(x.all[i].Tests, test)
	}
	if test != "" && !h.Ahead && (h.Outcome != engine.OutcomeHealed || h.Trace != "") {
		x.byTest[test] = append(x.byTest[test], lostUse{i, h})
	}
	return i
}

// IsNamed reports whether an error's text names the locator of an event.
func IsNamed(h engine.HealEvent, named string) bool {
	if rest, ok := strings.CutPrefix(named, "selector "); ok {
		named = strings.Trim(rest, `"'`)
	}
	if named == Lost(h) || locator.SameStored(named, h.Locator) {
		return true
	}
	whole, err := locator.Of(h)
	return err == nil && locator.SameStored(named, locator.Print(whole, locator.TypeScript))
}

// Is reports whether two lost locators are the same of one run.
func (l LostLocator) Is(other LostLocator) bool { return l.key == other.key }

// EditsOf returns the proposals of a lost locator that have an edit, each literal once, also
// where another lost locator has the same.
func (r Run) EditsOf(l LostLocator) []patch.Proposal {
	var edits []patch.Proposal
	known := map[int]bool{} // by the first proposal with the edit
	for _, i := range l.Proposals {
		p, first := r.Proposals[i], i
		if p.SameAs > 0 {
			first = p.SameAs - 1
		}
		if p.Edit != nil && !known[first] {
			known[first] = true
			edits = append(edits, p)
		}
	}
	return edits
}
