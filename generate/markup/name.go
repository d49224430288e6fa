package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Name returns the accessible name of an element, as getByRole compares it.
func (d *Document) Name(n *html.Node) Text {
	f := d.facts[n]
	if f == nil {
		return Text{}
	}
	if f.name == nil {
		f.name = &Text{Sure: true} // what asks for its own name gets none
		if !unnamed[d.Role(n)] {
			r := naming{d: d, seen: map[*html.Node]bool{}}
			f.name = r.text(r.alternative(n, top))
		}
	}
	return *f.name
}

// unnamed are the roles that must not have a name.
var unnamed = words(`caption code definition deletion emphasis generic insertion mark paragraph presentation strong subscript
	suggestion superscript term time none`)

// namedByContent are the roles that take their name from what is inside.
var namedByContent = words(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio
	option radio row rowheader switch tab tooltip treeitem`)

// namedByValue are the roles of controls that give their value to the name of a
// label or a button around them.
var namedByValue = words(`textbox combobox listbox progressbar scrollbar slider spinbutton meter searchbox`)

// namedByParent are the roles that always give their text to a name around them,
// as elements without a role do. With lists, tables and landmarks it depends.
var namedByParent = words(`generic caption code contentinfo definition deletion emphasis insertion list listitem mark none
	paragraph presentation region row rowgroup section strong subscript superscript table term time`)

// blockTags are the elements that a browser puts on lines of their own, or on
// none, by itself.
var blockTags = words(`address article aside blockquote br button dd details div dl dt fieldset figcaption figure footer form
	h1 h2 h3 h4 h5 h6 header hr input legend li main nav ol option p pre section select summary table tbody td textarea
	tfoot th thead tr ul`)

// naming computes one name.
type naming struct {
	d    *Document
	seen map[*html.Node]bool
	open bool // a part is not known
}

// gap stands in a name for what is not known, and between two texts where the
// layout may or may not put a space. No text of a page has it.
const gap = "\x00"

// text returns a name with its gaps.
func (r *naming) text(name string) *Text {
	if len(name) > maxText || r.d.work <= 0 {
		name, r.open = name[:min(len(name), maxText)]+gap, true
	}
	t := Text{Value: collapse(strings.ReplaceAll(name, gap, "")), Sure: !strings.Contains(name, gap), Open: r.open}
	if !t.Sure {
		for piece := range strings.SplitSeq(name, gap) {
			t.Pieces = append(t.Pieces, collapse(piece))
		}
	}
	return &t
}

// relation is why a text is asked for.
type relation int

const (
	top        relation = iota // the element's own name
	inside                     // as a part of what is named by its content
	referenced                 // by aria-labelledby, or inside of what is
	labelling                  // as a label, or inside of one
	native                     // as a <legend>, <figcaption>, or inside of one
)

// unknown notes that a part of the name is not known, and returns what stands for it.
func (r *naming) unknown() string { r.open = true; return gap }

// alternative returns the text that stands for an element.
func (r *naming) alternative(n *html.Node, why relation) string {
	if r.d.work--; r.d.work < 0 {
		return r.unknown()
	}
	if r.seen[n] {
		return ""
	}
	if r.d.Hidden(n) {
		r.seen[n] = true
		if why == referenced && !ignored(n) { // a hidden referent counts, with what is in it
			return r.unknown()
		}
		return ""
	}
	if refs := r.d.references(n); len(refs) > 0 && why != referenced {
		if name := r.joinNames(refs, referenced); strings.TrimSpace(name) != "" {
			return name
		}
	}
	if why != top && why != native && namedByValue[r.d.Role(n)] {
		r.seen[n] = true
		return r.unknown() // its value changes
	}
	if label := Attr(n, "aria-label"); strings.TrimSpace(label) != "" {
		r.seen[n] = true
		return label
	}
	if name, final := r.nameByMarkup(n, why); final {
		r.seen[n] = true
		return name
	}
	return r.nameByContent(n, why)
}

func ignored(n *html.Node) bool {
	return n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Noscript || n.DataAtom == atom.Template
}

// joinNames returns the texts of several elements, one space between.
func (r *naming) joinNames(nodes []*html.Node, why relation) string {
	parts := make([]string, 0, len(nodes))
	for _, n := range nodes {
		parts = append(parts, r.alternative(n, why))
	}
	return strings.Join(parts, " ")
}

// references returns what aria-labelledby names.
func (d *Document) references(n *html.Node) []*html.Node {
	var found []*html.Node
	for _, id := range strings.Fields(Attr(n, "aria-labelledby")) {
		if m := d.ByID(n, id); m != nil && !slices.Contains(found, m) && len(found) < 16 {
			found = append(found, m)
		}
	}
	return found
}

// nameByMarkup returns the name that HTML itself gives, and whether nothing else
// counts.
func (r *naming) nameByMarkup(n *html.Node, why relation) (string, bool) {
	if role := r.d.Role(n); role == "presentation" || role == "none" {
		return "", false
	}
	switch n.DataAtom {
	case atom.Input:
		return r.nameInput(n, why), true
	case atom.Button:
		if labels := r.d.labels[n]; len(labels) > 0 {
			return r.joinNames(labels, labelling), true
		}
		return "", false
	case atom.Textarea, atom.Select:
		return r.nameControl(n, n.DataAtom == atom.Textarea), true
	case atom.Output:
		return firstOf(r.joinNames(r.d.labels[n], labelling), Attr(n, "title")), true
	case atom.Fieldset:
		return r.nameByTitle(n, atom.Legend), true
	case atom.Figure:
		return r.nameByTitle(n, atom.Figcaption), true
	case atom.Img, atom.Area:
		return firstOf(Attr(n, "alt"), Attr(n, "title")), true
	case atom.Table:
		caption := r.nameByTitle(n, atom.Caption)
		return caption, caption != ""
	}
	if n.Namespace == "svg" {
		if title := childWith(n, atom.Title); title != nil {
			return rawText(title), true
		}
		return "", true
	}
	return "", false
}

// childWith returns the first child with a tag, nil for none.
func childWith(n *html.Node, tag atom.Atom) *html.Node {
	for c := range n.ChildNodes() {
		if c.DataAtom == tag {
			return c
		}
	}
	return nil
}

func (r *naming) nameInput(n *html.Node, why relation) string {
	labels := r.d.labels[n]
	switch t := InputType(n); t {
	case "submit":
		return firstOf(Attr(n, "value"), "Submit")
	case "reset":
		return firstOf(Attr(n, "value"), "Reset")
	case "button":
		return firstOf(Attr(n, "value"), Attr(n, "title"))
	case "file", "image":
		if len(labels) > 0 && why != referenced {
			return r.joinNames(labels, labelling)
		}
		if t == "file" {
			return "Choose File"
		}
		return firstOf(Attr(n, "alt"), Attr(n, "title"), "Submit")
	case "text", "password", "search", "tel", "email", "url":
		return r.nameControl(n, true)
	}
	return r.nameControl(n, false)
}

// nameControl names a form control by its labels, title or placeholder.
func (r *naming) nameControl(n *html.Node, placeholder bool) string {
	if labels := r.d.labels[n]; len(labels) > 0 {
		r.seen[n] = true
		return r.joinNames(labels, labelling)
	}
	if title := Attr(n, "title"); title != "" || !placeholder {
		return title
	}
	return Attr(n, "placeholder")
}

// nameByTitle returns the text of the first child with a tag, or the title.
func (r *naming) nameByTitle(n *html.Node, tag atom.Atom) string {
	if c := childWith(n, tag); c != nil {
		return r.alternative(c, native)
	}
	return Attr(n, "title")
}

// nameByContent returns the name of an element by what is inside, or its title.
func (r *naming) nameByContent(n *html.Node, why relation) string {
	role := r.d.Role(n)
	r.seen[n] = true
	if namedByContent[role] || why != top && (why != inside || role == "" || namedByParent[role]) || n.DataAtom == atom.Summary {
		below := why
		if why == top {
			below = inside
		}
		if text := r.joinInner(n, below); strings.TrimSpace(text) != "" {
			return text
		}
	}
	if role != "presentation" && role != "none" {
		return Attr(n, "title")
	}
	return ""
}

// joinInner puts the texts inside of an element together. Whether a space stands
// between two of them depends on how they are laid out, so where it matters
// the name is not sure.
func (r *naming) joinInner(n *html.Node, why relation) string {
	if Has(n, "aria-owns") {
		r.unknown()
	}
	var b strings.Builder
	for _, c := range r.d.nameNodes(n) {
		if b.Len() > maxText {
			break
		}
		switch c.Type {
		case html.TextNode:
			b.WriteString(cutText(c.Data))
		case html.ElementNode:
			token := r.alternative(c, why)
			if blockTags[c.Data] || isSlot(c) {
				token = " " + token + " "
			} else if strings.TrimSpace(token) != "" {
				token = when(touching(b.String(), token), gap) + token + when(touching(token, following(c)), gap)
			}
			b.WriteString(token)
		}
	}
	return b.String()
}

// touching reports whether no white space is between two texts.
func touching(a, b string) bool {
	return a != "" && b != "" && strings.TrimRight(a, " \t\r\n\f") == a && strings.TrimLeft(b, " \t\r\n\f") == b
}

// following returns the text right behind an element, "x" for an element.
func following(n *html.Node) string {
	for c := n.NextSibling; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && c.Data != "":
			return c.Data
		case c.Type == html.ElementNode && !ignored(c):
			return "x"
		}
	}
	return ""
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

func cutText(s string) string {
	if len(s) > maxText {
		return s[:maxText+1]
	}
	return s
}
