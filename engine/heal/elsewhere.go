package heal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

// home is where the lost element belongs: the same for all its candidates.
type home struct {
	framed  bool          // in what all pages of its site share
	equals  []int32       // see equalsOf
	key     string        // of its row, "" without equals; see keyOf
	steps   int           // to that row
	section string        // see sectionOf
	moved   engine.Change // of the page, where the new page is another one
}

// homeOf returns where the lost element belongs, read for its first candidate.
func (q *reading) homeOf() *home {
	if q.home == nil {
		h := &home{framed: q.old.inFrame(q.oi), equals: q.old.equalsOf(q.oi), section: q.old.sectionOf(q.oi), moved: q.otherPage()}
		if len(h.equals) > 1 {
			h.key, h.steps = q.old.keyOf(q.oi, h.equals, q.varies)
		}
		q.home = h
	}
	return q.home
}

// comparePages reports a candidate on another page: one with another main
// heading, or one that asks for a login.
func (q *reading) comparePages(m *meaning, ci int32) {
	switch h := q.homeOf(); {
	case q.asksForLogin(ci):
		m.elsewhere, m.login = true, true
		m.changes = append(m.changes, engine.Change{What: ChangedPage, Was: "", Now: "a login"})
	case q.anyPage || h.framed && q.page.inFrame(ci):
	case h.moved.What != "":
		m.elsewhere = true
		m.changes = append(m.changes, h.moved)
	}
}

// otherPage returns what shows that the new page is another one than the old: its
// title, or its main heading, whose words stand nowhere on it. It is empty for
// nothing.
func (q *reading) otherPage() engine.Change {
	if q.otherTitle() {
		return engine.Change{What: ChangedPage, Was: q.old.title, Now: q.page.title}
	}
	was, is := q.old.mainHeading, q.page.mainHeading
	if was < 0 || is < 0 || was == q.oi || q.old.contains(q.oi, was) {
		return engine.Change{}
	}
	a, b := q.old.phrases[q.old.nodes[was].text].text, q.page.phrases[q.page.nodes[is].text].text
	if !q.diff(a, b).replaced() || q.page.sayAnywhere(contentWords(a)) {
		return engine.Change{}
	}
	return engine.Change{What: ChangedPage, Was: a, Now: b}
}

// otherTitle reports whether the pages' titles have no word in common. Numbers in
// a title count messages and the like, and a title of nothing but words that differ
// from run to run tells no page.
func (q *reading) otherTitle() bool {
	letters := func(title string) []string {
		return slices.DeleteFunc(contentWords(title), func(w string) bool { return strings.IndexFunc(w, unicode.IsLetter) < 0 })
	}
	a, b := letters(q.old.title), letters(q.page.title)
	d := diffWords(a, b)
	varies := !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(q.varies, w) })
	return len(a) > 0 && len(b) > 0 && len(d.removed) == len(a) && !varies
}

// asksForLogin reports whether a candidate stands in a form, or else close to, a
// password field while the lost element was on a page without any.
func (q *reading) asksForLogin(ci int32) bool {
	p := q.page
	if q.old.password || !p.password {
		return false
	}
	form := ci
	for form >= 0 && !strings.EqualFold(p.elements[form].Tag, "form") {
		form = p.nodes[form].parent
	}
	if form < 0 {
		form = p.ancestor(ci, 2)
	}
	for i := form; i < p.nodes[form].end; i++ {
		if p.isPassword(i) {
			return true
		}
	}
	return false
}

// ancestor returns the element so many steps above i.
func (p *Page) ancestor(i int32, steps int) int32 {
	for ; steps > 0 && p.nodes[i].parent >= 0; steps-- {
		i = p.nodes[i].parent
	}
	return i
}

// compareRows tells a candidate from its equals by the words of their rows.
func (q *reading) compareRows(m *meaning, ci int32) {
	h, nows := q.homeOf(), q.page.equalsOf(ci)
	switch {
	case len(h.equals) < 2 && len(nows) < 2:
		m.told = m.sense != senseSilent
		return
	case len(h.equals) < 2: // others came: it is the one whose row the old page knew
		key, _ := q.page.keyOf(ci, nows, nil)
		m.told = key != "" && q.old.sayAnywhere(contentWords(key))
		return
	case h.key == "":
		return
	}
	most := h.steps
	if len(nows) > 1 {
		most = len(q.page.nodes)
	}
	row, _ := q.page.rowOf(ci, nows, most)
	if q.page.says(row, ci, h.key) {
		m.told = true
		return
	}
	if len(nows) > 1 || !q.page.sayAnywhere(contentWords(h.key)) {
		now, _ := q.page.keyOf(ci, nows, nil)
		m.elsewhere = true
		m.changes = append(m.changes, engine.Change{What: ChangedRow, Was: h.key, Now: now})
	}
}

// says reports whether a text with the same words stands in a row.
func (p *Page) says(row, except int32, text string) bool {
	words := contentWords(text)
	for l := range p.leavesOf(row, except) {
		if diffWords(words, contentWords(p.ownText(l).text)).same() {
			return true
		}
	}
	return false
}

// compareSections reports a candidate in another section: one that the old page did
// not have and whose name has other words, or what all pages of the site share.
func (q *reading) compareSections(m *meaning, ci int32) {
	h, is := q.homeOf(), q.page.sectionOf(ci)
	switch {
	case h.section != "" && !h.framed && q.page.inFrame(ci):
	case h.section == "" || is == "" || !q.diff(h.section, is).replaced() || q.old.sayAnywhere(contentWords(is)):
		return
	}
	m.elsewhere = true
	m.changes = append(m.changes, engine.Change{What: ChangedSection, Was: h.section, Now: is})
}
