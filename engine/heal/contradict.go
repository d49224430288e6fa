package heal

import (
	"github.com/breadcrumb/action/engine"
	"strings"
	"unicode"
)

// contradict refuses a heal that what the pages say speaks against. Trees that
// learned from redesigns cannot know these: there nobody replaced Follow by
// Unfollow, or the row of one person by that of another.
func (q *query) contradict(d *Decision) {
	if d.Outcome != engine.OutcomeHealed {
		return
	}
	ci := int32(d.Best.Index)
	c := &q.page.nodes[ci]
	said, says := &q.old.phrases[q.o.best], &q.page.phrases[c.best]
	if opposite(said.text, says.text) || q.align != nil && (q.otherRow(ci) || q.asksForLogin(ci)) {
		d.Outcome, d.Reason = engine.OutcomeRefused, engine.ReasonOtherMeaning
	}
}

// maxKin is how many elements that are called the same are told apart.
const maxKin = 50

// otherRow reports whether an element that only its row told from others, such
// as the Edit of one person, is offered another row's: of what told its own from
// the others nothing is left on the page.
func (q *query) otherRow(ci int32) bool {
	if q.o.sameKey < 2 {
		return false
	}
	row, steps := q.old.rowOf(q.oi, len(q.old.nodes))
	own := q.old.rowWords(row, q.oi)
	for n, i := 0, int32(0); i < int32(len(q.old.nodes)) && n < maxKin; i++ {
		if other := &q.old.nodes[i]; i == q.oi || other.key != q.o.key || !other.visible {
			continue
		}
		n++
		for w := range q.old.rowWords(q.old.above(i, steps), i) {
			delete(own, w)
		}
	}
	if len(own) == 0 {
		return false
	}
	now, _ := q.page.rowOf(ci, steps)
	return len(q.page.rowWords(now, ci)) > 0 && !q.page.says(own)
}

// says reports whether any of the words stands anywhere on the page.
func (p *Page) says(words map[string]bool) bool {
	for i := range p.elements {
		e := &p.elements[i]
		for _, text := range [...]string{e.OwnText, e.Name, e.Label} {
			for w := range wordsOf(text) {
				if words[w] {
					return true
				}
			}
		}
	}
	return false
}

// rowOf returns the outermost element, at most so many steps above, that holds
// nothing else called like element i, and how many steps it is above.
func (p *Page) rowOf(i int32, most int) (row int32, steps int) {
	row = i
	for up := p.nodes[i].parent; up >= 0 && steps < most && !p.holdsKin(up, i); up = p.nodes[up].parent {
		row = up
		steps++
	}
	return row, steps
}

// above returns the element so many steps above i.
func (p *Page) above(i int32, steps int) int32 {
	for ; steps > 0 && p.nodes[i].parent >= 0; steps-- {
		i = p.nodes[i].parent
	}
	return i
}

// holdsKin reports whether a subtree holds another visible element of i's key.
func (p *Page) holdsKin(root, i int32) bool {
	for j := root; j < p.nodes[root].end; j++ {
		if j != i && p.nodes[j].key == p.nodes[i].key && p.nodes[j].visible {
			return true
		}
	}
	return false
}

// rowWords returns the words of a row that are not element i's own.
func (p *Page) rowWords(row, i int32) map[string]bool {
	words := wordsOf(p.elements[row].Text)
	for w := range wordsOf(p.elements[i].Text) {
		delete(words, w)
	}
	return words
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
	}
	return words
}

// asksForLogin reports whether a candidate stands in a form, or else close to, a
// password field while the lost element was on a page without any.
func (q *query) asksForLogin(ci int32) bool {
	if q.old.passwordIn(0, int32(len(q.old.nodes))) {
		return false
	}
	form := ci
	for p := q.page; form >= 0 && !strings.EqualFold(p.elements[form].Tag, "form"); {
		form = p.nodes[form].parent
	}
	if form < 0 {
		form = q.page.above(ci, 2)
	}
	return q.page.passwordIn(form, q.page.nodes[form].end)
}

// passwordIn reports whether a password field is visible among elements.
func (p *Page) passwordIn(from, end int32) bool {
	for i := from; i < end; i++ {
		if typ, _ := p.elements[i].Attributes.Get("type"); p.nodes[i].visible && strings.EqualFold(typ, "password") {
			return true
		}
	}
	return false
}
