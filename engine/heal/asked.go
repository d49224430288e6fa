package heal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

// ChangedLocator says that an element does not say what the locator asks for.
const ChangedLocator = "locator"

// compareAsked reports a candidate that does not say what the locator asks of its
// element. A test that asks for "Save" means that, whatever was learned of it.
func (q *reading) compareAsked(ci int32) (engine.Change, bool) {
	for _, a := range q.asked {
		if !a.Around && !q.answers(a.Text, func(words []string) bool { return q.page.saidIn(ci, words) }) {
			return engine.Change{What: ChangedLocator, Was: a.Text, Now: first(q.page.sayings(ci)).text}, true
		}
	}
	return engine.Change{}, false
}

// moreSteps is how many steps farther from a candidate than from the lost element a
// text may stand that the locator asks for around it.
const moreSteps = 3

// compareAskedAround reports a candidate in another row or card than the locator asks
// for.
func (q *reading) compareAskedAround(m *meaning, ci int32) {
	for _, a := range q.asked {
		if !a.Around {
			continue
		}
		said := func(words []string) bool { return q.page.stepsTo(ci, words, MaxElements) >= 0 }
		if q.align != nil {
			if steps := q.old.stepsTo(q.oi, contentWords(a.Text), MaxElements); steps >= 0 {
				said = func(words []string) bool { return q.page.stepsTo(ci, words, steps+moreSteps) >= 0 }
			} else {
				said = q.page.sayAnywhere
			}
		}
		if !q.answers(a.Text, said) {
			m.elsewhere = true
			m.changes = append(m.changes, engine.Change{What: ChangedRow, Was: a.Text})
			return
		}
	}
}

// answers reports whether a text that the locator asks for is said: all its words, but
// for those that differ from run to run and those that a lesson put others in the place
// of, or that have a synonym.
func (q *reading) answers(text string, said func(words []string) bool) bool {
	words := slices.DeleteFunc(contentWords(text), func(w string) bool {
		return !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
	if len(words) == 0 || said(words) {
		return true
	}
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(q.varies, w) })
	if len(words) == 0 || said(words) {
		return true
	}
	for _, s := range q.synonyms {
		if i := slices.Index(words, s.Was); i >= 0 {
			if renamed := slices.Replace(slices.Clone(words), i, i+1, s.Now); said(renamed) {
				return true
			}
		}
	}
	for _, l := range q.lessons {
		for _, c := range l.Changed {
			d := diffWords(words, contentWords(c.Was))
			if len(d.removed) == 0 && said(contentWords(c.Now)) {
				return true
			}
		}
	}
	return false
}

// saidIn reports whether an element, or one in it, says all the words.
func (p *Page) saidIn(i int32, words []string) bool {
	say := func(text string) bool { return len(diffWords(words, contentWords(text)).removed) == 0 }
	if slices.ContainsFunc(p.sayings(i), func(s saying) bool { return say(s.text) }) {
		return true
	}
	for j := i + 1; j < min(p.nodes[i].end, i+maxRow); j++ {
		if n := &p.nodes[j]; n.text != 0 && say(p.phrases[n.text].text) || n.name != 0 && say(p.phrases[n.name].text) {
			return true
		}
	}
	return false
}

// stepsTo returns how many steps above element i the nearest element is that says all
// the words, itself or in another element than i, at most so many; -1 for none that is
// not the whole page.
func (p *Page) stepsTo(i int32, words []string, most int) int {
	for steps, up := 1, p.nodes[i].parent; up >= 0 && steps <= most; steps, up = steps+1, p.nodes[up].parent {
		if n := &p.nodes[up]; n.tag == tagBody || n.tag == tagHTML || n.tag == tagMain {
			break
		}
		if p.saidIn(up, words) {
			return steps
		}
	}
	return -1
}
