package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the text of an element and of all in it as getByText and
// getByLabel compare it: texts put together as they are, hidden ones too.
func (d *Document) Text(n *html.Node) Text {
	f := d.facts[n]
	if f == nil {
		return Text{Sure: true}
	}
	if f.collapsed == nil {
		t := d.text(n)
		f.collapsed = &Text{Value: collapse(t.Value), Sure: t.Sure}
	}
	return *f.collapsed
}

func (d *Document) text(n *html.Node) Text {
	f := d.facts[n]
	if f == nil || unmatched(n) {
		return Text{Sure: true}
	}
	if f.text == nil {
		f.text = new(d.collectText(n))
	}
	return *f.text
}

func (d *Document) collectText(n *html.Node) Text {
	if n.DataAtom == atom.Input {
		t := InputType(n)
		return Text{Value: cutText(when(t == "submit" || t == "button", Attr(n, "value"))), Sure: true}
	}
	var b strings.Builder
	sure := true
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			b.WriteString(cutText(c.Data))
		case html.ElementNode:
			inner := d.text(c)
			sure = sure && inner.Sure
			b.WriteString(inner.Value)
		}
		if b.Len() > maxText {
			return Text{Value: b.String()[:maxText], Sure: false}
		}
	}
	return Text{Value: b.String(), Sure: sure}
}

// unmatched reports whether no text inside of an element ever matches.
func unmatched(n *html.Node) bool { return ignored(n) || Closest(n, atom.Head) != nil }

// labelTexts returns the texts that getByLabel compares for an element.
func (d *Document) labelTexts(n *html.Node) []Text {
	nodes := d.references(n)
	if len(nodes) == 0 {
		if label := Attr(n, "aria-label"); strings.TrimSpace(label) != "" {
			return []Text{{Value: collapse(label), Sure: true}}
		}
		nodes = d.labels[n]
	}
	texts := make([]Text, 0, len(nodes))
	for _, label := range nodes {
		texts = append(texts, d.Text(label))
	}
	return texts
}

// Label returns what the first label of an element says before or after the
// controls in it: a part of the text that getByLabel compares.
func (d *Document) Label(n *html.Node) Text {
	texts := d.labelTexts(n)
	if len(texts) == 0 {
		return Text{Sure: true}
	}
	if labels := d.labels[n]; len(labels) > 0 && !hasAriaLabel(n) {
		texts[0].Value = collapse(textAround(labels[0]))
	}
	return texts[0]
}

// textAround returns the text of a label up to a control with a text of its own, or
// that after it.
func textAround(label *html.Node) string {
	control := findInside(label, func(n *html.Node) bool {
		return n.DataAtom == atom.Select || n.DataAtom == atom.Textarea || n.DataAtom == atom.Button || n.DataAtom == atom.Datalist
	})
	var before, after strings.Builder
	into := &before
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c == control:
				into = &after
			case c.Type == html.TextNode:
				into.WriteString(cutText(c.Data))
			case !ignored(c) && into.Len() <= maxText:
				walk(c)
			}
		}
	}
	walk(label)
	return firstOf(before.String(), after.String())
}
