package heal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// testIDs are the attributes that people give an element so that tests find it.
var testIDs = []string{"data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-pw"}

// provingNames are the attributes that prove identity.
var provingNames = slices.Concat(testIDs, []string{"id"})

// generated are ids that a program counted or drew.
var generated = lazyregexp.New(`(?i)^[:«]|:r?[0-9a-z]*:|[0-9a-f]{8,}|\d{4,}|^(ember|react-|radix|headlessui|mui-|mat-|cdk-|p-|ui-id)|^\d+$`)

// provenBy returns the attribute that proves candidate ci to be the lost element
// however it is called now, "" for none: a test id or an id that both have, that
// is the only one on its page and that no program counted.
func (q *reading) provenBy(ci int32) string {
	if q.o.kind != q.page.nodes[ci].kind || q.align == nil {
		return ""
	}
	for _, name := range provingNames {
		if v := q.sharedValue(ci, name); v != "" && !q.old.counted(q.oi, name, v) {
			return name
		}
	}
	return ""
}

// leadsTo returns the attribute by which candidate ci leads where the lost element
// led, "" for none: the target of a link, or the name of a field. It tells equals
// apart, and makes another name likely; it does not prove it, for one target may
// have a control to view and one to export.
func (q *reading) leadsTo(ci int32) string {
	if q.o.kind != q.page.nodes[ci].kind || q.align == nil {
		return ""
	}
	switch strings.ToLower(q.page.elements[ci].Tag) {
	case "a":
		if isTarget(q.sharedValue(ci, "href")) {
			return "href"
		}
	case "input", "textarea", "select":
		if v := q.sharedValue(ci, "name"); v != "" && q.o.typ == q.page.nodes[ci].typ && !q.old.counted(q.oi, "name", v) {
			return "name"
		}
	}
	return ""
}

// sharedValue returns the value of an attribute that the lost element and candidate
// ci have, and no other element of their pages; "" for none.
func (q *reading) sharedValue(ci int32, name string) string {
	was, _ := q.old.elements[q.oi].Attributes.Get(name)
	if was == "" {
		return ""
	}
	is, _ := q.page.elements[ci].Attributes.Get(name)
	if was != is || !q.old.only(q.oi, name, was) || !q.page.only(ci, name, is) {
		return ""
	}
	return was
}

// isTarget reports whether a link leads somewhere that is told apart from other
// places.
func isTarget(href string) bool {
	path := strings.TrimLeft(href, "./")
	return path != "" && path[0] != '#' && path[0] != '?' && !strings.HasPrefix(strings.ToLower(path), "javascript:")
}

// only reports whether no other element has this value of an attribute.
func (p *Page) only(i int32, name, value string) bool {
	for j := range p.elements {
		if v, ok := p.elements[j].Attributes.Get(name); ok && v == value && int32(j) != i && p.nodes[j].visible {
			return false
		}
	}
	return true
}

// counted reports whether a program counted or drew an element's id: it looks
// like that, or other elements have the same with another number.
func (p *Page) counted(i int32, name, value string) bool {
	if generated.MatchString(value) {
		return true
	}
	stem := withoutDigits(value)
	if stem == value {
		return false
	}
	for j := range p.elements {
		if v, ok := p.elements[j].Attributes.Get(name); ok && int32(j) != i && v != value && withoutDigits(v) == stem {
			return true
		}
	}
	return false
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// hookedBy returns what shows that an element without words is the lost one: the
// same words in its id, name or test id, the same handler or target, or the same
// text before it, which no other element of its kind has; "" for nothing.
func (q *reading) hookedBy(ci int32) string {
	old, now := q.old.elements[q.oi].Attributes, q.page.elements[ci].Attributes
	for _, a := range old[:min(len(old), engine.MaxAttributes)] {
		switch {
		case a.Value == "" || a.Name == "class" || a.Name == "style" || a.Name == "type":
		case slices.Contains([]string{"onclick", "onchange", "oninput", "href", "for", "src", "action"}, a.Name) || strings.HasPrefix(a.Name, "data-") || strings.HasPrefix(a.Name, "aria-"):
			if v, _ := now.Get(a.Name); v == a.Value && len(v) > 3 && q.old.only(q.oi, a.Name, v) && q.page.only(ci, a.Name, v) {
				return a.Name
			}
		}
		if hookNames(a.Name) && q.sameHook(a.Value, ci) {
			return a.Name
		}
	}
	if prev := &q.old.phrases[q.o.prev]; prev.text != "" && prev.equal(&q.page.phrases[q.page.nodes[ci].prev]) && !q.old.followsEqual(q.o) &&
		q.old.firstAfter(q.oi) && q.page.firstAfter(ci) {
		return "text before"
	}
	return ""
}

func hookNames(name string) bool {
	return name == "id" || name == "name" || slices.Contains(testIDs, name)
}

// sameHook reports whether one of a candidate's ids has all parts of an old one,
// and no other candidate of its kind has them.
func (q *reading) sameHook(old string, ci int32) bool {
	parts := hookParts(old)
	if len(strings.Join(parts, "")) < 2 {
		return false
	}
	if !q.page.hasParts(ci, parts) {
		return false
	}
	for _, j := range q.page.ofKind[q.page.nodes[ci].kind] {
		if j != ci && q.page.hasParts(j, parts) {
			return false
		}
	}
	for _, j := range q.old.ofKind[q.o.kind] {
		if j != q.oi && q.old.hasParts(j, parts) {
			return false
		}
	}
	return true
}

// hasParts reports whether one of an element's ids has all the parts.
func (p *Page) hasParts(i int32, parts []string) bool {
	return slices.ContainsFunc(p.elements[i].Attributes, func(a engine.Attribute) bool {
		if !hookNames(a.Name) {
			return false
		}
		have := hookParts(a.Value)
		if strings.Join(have, "") == strings.Join(parts, "") {
			return true
		}
		return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(have, part) })
	})
}

// hookParts returns the parts of an id in lower case.
func hookParts(value string) []string {
	var parts []string
	for part := range token.Parts(value) {
		parts = append(parts, strings.ToLower(part))
	}
	return parts
}

// followsEqual reports whether the text before an element is that of a control of its
// kind, which names that control and nothing after it.
func (p *Page) followsEqual(n *node) bool {
	return slices.ContainsFunc(p.ofKind[n.kind], func(j int32) bool { return p.nodes[j].text == n.prev })
}

// firstAfter reports whether element i is the first of its kind after the text
// before it.
func (p *Page) firstAfter(i int32) bool {
	n := &p.nodes[i]
	for _, j := range p.ofKind[n.kind] {
		if j < i && p.nodes[j].prev == n.prev {
			return false
		}
	}
	return true
}
