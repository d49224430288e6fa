package heal

import (
	"cmp"
	"math"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// kind is a group of tags for the same control: <button>, <input type=submit>
// and role=button are one kind, <a> and role=link another.
type kind uint64

// node is an element prepared for comparison. Its texts are indexes into the
// page's phrases, in which 0 is the empty text.
type node struct {
	parent, end                   int32 // end: index after the last descendant
	left                          int32 // sibling before, -1 for none
	depth, ordinal, nth, children int32 // ordinal among siblings, nth among those of its tag
	siblings                      int32 // children of the parent
	tag, role, typ                uint64
	kind                          kind
	nameKey                       uint64 // kind and what the element is called
	textKey                       uint64 // kind and its text
	pathHash                      uint64 // hash of the indexed path from the root
	visible, hasBox               bool
	box                           engine.BoundingBox

	text, own, name, called, best int32 // called: name, else label, title and the like; best: text, else called
	id, nameAttr, href, hrefTail  int32
	src, forAttr, value           int32
	prev, next, heading, around   int32 // texts before and after, heading above, text of the parent

	tokens, classes, context []uint32 // token ids, context from the ancestors
	tokenSum, contextSum     float32  // their weights
	other                    []uint64 // remaining attributes, name and value
	sameText, sameName       int32    // visible elements of the page with this textKey, key
	size                     int32    // elements in the subtree
	path                     []uint64 // tags below html, only where there is no tree
}

// Kinds of controls that are asked for by name.
var (
	kindField  = kind(token.Hash(token.Seed, "input"))
	kindButton = kind(token.Hash(token.Seed, "button"))
	kindLink   = kind(token.Hash(token.Seed, "a"))
)

// kindOf returns the group of an element; see kind.
func kindOf(tag, role, typ string) kind {
	group := tag
	switch {
	case tag == "button" || role == "button" || tag == "input" && isButtonType(typ):
		group = "button"
	case tag == "a" || role == "link":
		group = "a"
	case tag == "input" && (typ == "checkbox" || typ == "radio"):
		group = typ
	case tag == "input" || tag == "textarea":
		group = "input"
	case len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6':
		group = "h"
	}
	return kind(token.Hash(token.Seed, group))
}

func isButtonType(typ string) bool {
	return typ == "button" || typ == "submit" || typ == "reset" || typ == "image"
}

// fill sets what follows from the element alone.
func (b *builder) fill(n *node, e *Element) {
	tag := strings.ToLower(strings.TrimSpace(e.Tag))
	var a attributeView
	a.read(e.Attributes)
	n.tag, n.role = token.Hash(token.Seed, tag), token.Hash(token.Seed, e.Role)
	n.typ = token.Hash(token.Seed, strings.ToLower(a.typ))
	n.kind = kindOf(tag, e.Role, strings.ToLower(a.typ))
	n.visible = e.Visible
	if e.BBox != nil {
		n.box, n.hasBox = clampBox(*e.BBox), true
	}
	n.text, n.own, n.name = b.phrase(e.Text), b.phrase(e.OwnText), b.phrase(e.Name)
	n.called = n.name
	for _, other := range [...]string{e.Label, a.ariaLabel, a.placeholder, a.title, a.alt, a.value} {
		if n.called == 0 {
			n.called = b.phrase(other)
		}
	}
	n.best = cmp.Or(n.text, n.called)
	n.id, n.nameAttr, n.href = b.phrase(a.id), b.phrase(a.name), b.phrase(a.href)
	n.hrefTail = b.phrase(hrefTail(a.href))
	n.src, n.forAttr, n.value = b.phrase(a.src), b.phrase(a.forID), b.phrase(a.value)
	n.nameKey = token.Mix(uint64(n.kind), b.page.phrases[n.best].hash)
	n.textKey = token.Mix(uint64(n.kind), b.page.phrases[n.text].hash)
	b.fillTokens(n, e, tag)
}

// fillTokens sets the tokens of an element: words of its text and name, classes,
// parts of attribute values, tag and role.
func (b *builder) fillTokens(n *node, e *Element, tag string) {
	p := b.page
	b.beginList()
	for _, phrase := range [...]int32{n.text, n.called} {
		for _, w := range p.phrases[phrase].words {
			b.addToken(w)
		}
	}
	for _, a := range e.Attributes[:min(len(e.Attributes), engine.MaxAttributes)] {
		if a.Name != "style" && a.Name != "class" {
			for part := range token.Parts(a.Value) {
				b.addToken(token.HashLower(token.Attr, part))
			}
		}
		switch a.Name {
		case "id", "class", "href", "name", "style", "src", "for": // compared by themselves
		default:
			n.other = append(n.other, token.Mix(token.Hash(token.Seed, a.Name), token.Hash(token.Seed, token.Cut(a.Value, maxValueBytes))))
		}
	}
	b.addToken(token.Hash(token.Tag, tag))
	if e.Role != "" {
		b.addToken(token.Hash(token.Role, e.Role))
	}
	first := len(b.current)
	class, _ := e.Attributes.Get("class")
	for c := range token.Classes(token.Cut(class, maxValueBytes)) {
		b.addToken(token.Hash(token.Class, c))
	}
	n.tokens = b.finishList()
	n.classes = n.tokens[first:]
}

// attributeView is the attributes that are compared one by one.
type attributeView struct {
	id, name, typ, href, src, forID, value, placeholder, title, ariaLabel, alt string
}

func (v *attributeView) read(as engine.Attributes) {
	fields := [...]struct {
		name string
		to   *string
	}{
		{"id", &v.id}, {"name", &v.name}, {"type", &v.typ}, {"href", &v.href}, {"src", &v.src}, {"for", &v.forID}, {"value", &v.value},
		{"placeholder", &v.placeholder}, {"title", &v.title}, {"data-original-title", &v.title}, {"aria-label", &v.ariaLabel}, {"alt", &v.alt},
	}
	for _, a := range as[:min(len(as), engine.MaxAttributes)] {
		for i := range fields {
			if fields[i].name == a.Name {
				*fields[i].to = token.Cut(a.Value, maxValueBytes)
			}
		}
	}
}

// hrefTail returns the last path segment of a link, without query and fragment.
func hrefTail(href string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	href = strings.TrimRight(href, "/")
	return href[strings.LastIndexByte(href, '/')+1:]
}

// clampBox returns a box without numbers that would spoil arithmetic.
func clampBox(b engine.BoundingBox) engine.BoundingBox {
	for _, v := range [...]*float64{&b.X, &b.Y, &b.Width, &b.Height} {
		if math.IsNaN(*v) {
			*v = 0
		}
		*v = min(max(*v, -1e7), 1e7)
	}
	return b
}
