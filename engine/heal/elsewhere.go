package heal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

// comparePages reports a candidate on another page: one with another main
// heading, or one that asks for a login.
func (q *reading) comparePages(m *meaning, ci int32) {
	was, is := q.old.mainHeading(), q.page.mainHeading()
	switch {
	case q.asksForLogin(ci):
		m.elsewhere, m.login = true, true
		m.changes = append(m.changes, engine.Change{What: ChangedPage, Was: "", Now: "a login"})
	case q.anyPage || q.old.inFrame(q.oi) && q.page.inFrame(ci):
	case q.otherTitle():
		m.elsewhere = true
		m.changes = append(m.changes, engine.Change{What: ChangedPage, Was: q.old.title(), Now: q.page.title()})
	case was >= 0 && is >= 0 && was != q.oi && !q.old.contains(q.oi, was):
		a, b := q.old.phrases[q.old.nodes[was].text].text, q.page.phrases[q.page.nodes[is].text].text
		if q.diff(a, b).replaced() && !q.page.sayAnywhere(contentWords(a)) {
			m.elsewhere = true
			m.changes = append(m.changes, engine.Change{What: ChangedPage, Was: a, Now: b})
		}
	}
}

// asksForLogin reports whether a candidate stands in a form, or else close to, a
// password field while the lost element was on a page without any.
func (q *reading) asksForLogin(ci int32) bool {
	if q.old.passwordIn(0, int32(len(q.old.nodes))) {
		return false
	}
	form := ci
	for p := q.page; form >= 0 && !strings.EqualFold(p.elements[form].Tag, "form"); {
		form = p.nodes[form].parent
	}
	if form < 0 {
		form = q.page.ancestor(ci, 2)
	}
	return q.page.passwordIn(form, q.page.nodes[form].end)
}

// otherTitle reports whether the pages' titles have no word in common. Numbers in
// a title count messages and the like, and a title of nothing but words that differ
// from run to run tells no page.
func (q *reading) otherTitle() bool {
	letters := func(title string) []string {
		return slices.DeleteFunc(contentWords(title), func(w string) bool { return strings.IndexFunc(w, unicode.IsLetter) < 0 })
	}
	a, b := letters(q.old.title()), letters(q.page.title())
	d := diffWords(a, b)
	varies := !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(q.varies, w) })
	return len(a) > 0 && len(b) > 0 && len(d.removed) == len(a) && !varies
}

// compareRows tells a candidate from its equals by the words of their rows.
func (q *reading) compareRows(m *meaning, ci int32) {
	olds, nows := q.old.equalsOf(q.oi), q.page.equalsOf(ci)
	if len(olds) < 2 && len(nows) < 2 {
		m.told = m.sense != senseSilent
		return
	}
	if len(olds) < 2 { // others came: it is the one whose row the old page knew
		key, _ := q.page.keyOf(ci, nows, nil)
		m.told = key != "" && q.old.sayAnywhere(contentWords(key))
		return
	}
	key, steps := q.old.keyOf(q.oi, olds, q.varies)
	if key == "" {
		return
	}
	most := steps
	if len(nows) > 1 {
		most = len(q.page.nodes)
	}
	row, _ := q.page.rowOf(ci, nows, most)
	if q.page.says(row, ci, key) {
		m.told = true
		return
	}
	if now, _ := q.page.keyOf(ci, nows, nil); len(nows) > 1 || !q.page.sayAnywhere(contentWords(key)) {
		m.elsewhere = true
		m.changes = append(m.changes, engine.Change{What: ChangedRow, Was: key, Now: now})
	}
}

// compareSections reports a candidate in another section: one that the old page did
// not have and whose name has other words, or what all pages of the site share.
func (q *reading) compareSections(m *meaning, ci int32) {
	was, is := q.old.sectionOf(q.oi), q.page.sectionOf(ci)
	switch {
	case was != "" && !q.old.inFrame(q.oi) && q.page.inFrame(ci):
	case was == "" || is == "" || !q.diff(was, is).replaced() || q.old.sayAnywhere(contentWords(is)):
		return
	}
	m.elsewhere = true
	m.changes = append(m.changes, engine.Change{What: ChangedSection, Was: was, Now: is})
}

// sameAround reports whether the text around a candidate is that around the lost
// element and around none of the candidate's equals, where nothing but the lost
// element's fingerprint is known.
func (q *reading) sameAround(ci int32) bool {
	around := &q.old.phrases[q.o.around]
	as := func(j int32) bool { return around.equal(&q.page.phrases[q.page.nodes[j].around]) }
	return around.text != "" && as(ci) &&
		!slices.ContainsFunc(q.page.equalsOf(ci), func(j int32) bool { return j != ci && as(j) })
}
