package generate

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/generate/markup"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Limits of what is tried with CSS.
const (
	maxAnchors = 4 // elements around the one that is looked for
	maxSteps   = 3 // of a path
)

// plainName matches tags and classes that stand in CSS as they are.
var plainName = lazyregexp.New(`^[a-z][a-z0-9-]*$`)

// byCSS returns ways that rest on the markup: an attribute, a class, one of
// them inside of an element with an id, and a short path from there. A longer
// path would break with the next change of the page.
func (r *reading) byCSS(n *html.Node) []locator.Selector {
	own := ownCSS(n)
	out := slices.Clone(own)
	for up, anchors := n.Parent, 0; up != nil && up.Type == html.ElementNode && anchors < maxAnchors; up = up.Parent {
		anchor := anchorCSS(up)
		if anchor == "" {
			continue
		}
		anchors++
		if plainName.MatchString(n.Data) {
			out = append(out, anchor+" "+n.Data)
		}
		for _, css := range own {
			out = append(out, anchor+" "+css)
		}
		if path := cssPath(n, up); path != "" {
			out = append(out, anchor+" > "+path)
		}
	}
	ways := make([]locator.Selector, len(out))
	for i, css := range out {
		ways[i] = locator.ByCSS(css)
	}
	return ways
}

// attributeCSS returns the selector of an attribute, "" for one that is missing, long
// or made up by a machine.
func attributeCSS(n *html.Node, name string) string {
	value := markup.Attr(n, name)
	if value == "" || !fitsLocator(value) || locator.Generated(value) {
		return ""
	}
	return locator.ByAttribute(name, value).Parts[0].Value
}

// ownCSS returns the selectors of an element's own attributes and classes.
func ownCSS(n *html.Node) []string {
	var out []string
	add := func(before, name string) {
		if css := attributeCSS(n, name); css != "" {
			out = append(out, before+css)
		}
	}
	add("", "id")
	add("", "name")
	if name := attributeCSS(n, "name"); name != "" && n.DataAtom == atom.Input {
		add(name, "value")
	}
	if href := markup.Attr(n, "href"); n.DataAtom == atom.A && len(href) > 1 && !strings.HasPrefix(href, "javascript:") {
		add("a", "href")
	}
	if n.DataAtom == atom.Input || n.DataAtom == atom.Button {
		add(n.Data, "type")
	}
	if plainName.MatchString(n.Data) {
		for _, class := range classes(n) {
			out = append(out, n.Data+"."+class)
		}
	}
	return out
}

// anchorCSS returns the selector of an element that others can be found in, ""
// for one without an id that is no landmark.
func anchorCSS(n *html.Node) string {
	id := attributeCSS(n, "id")
	switch {
	case id != "":
		return id
	case n.DataAtom == atom.Form || n.DataAtom == atom.Nav || n.DataAtom == atom.Header || n.DataAtom == atom.Footer || n.DataAtom == atom.Main || n.DataAtom == atom.Aside:
		if all := classes(n); len(all) > 0 {
			return n.Data + "." + all[0]
		}
		return n.Data
	}
	return ""
}

// classes returns the first classes of an element that may stand in CSS as they
// are and were not made up by a machine.
func classes(n *html.Node) []string {
	var out []string
	for _, c := range strings.Fields(markup.Attr(n, "class")) {
		if plainName.MatchString(c) && len(c) <= maxName && !locator.Generated(c) && !slices.Contains(out, c) && len(out) < 4 {
			out = append(out, c)
		}
	}
	return out
}

// cssPath returns the path from an element down to n, each step with its place,
// "" for a long one.
func cssPath(n, from *html.Node) string {
	var steps []string
	for ; n != nil && n != from; n = n.Parent {
		if !plainName.MatchString(n.Data) || len(steps) == maxSteps {
			return ""
		}
		steps = append(steps, n.Data+":nth-child("+strconv.Itoa(siblingIndex(n)+1)+")")
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}
