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

// samples are what tests type, by class. They belong to nobody.
var samples = map[Class]string{
	ClassLogin: "ada.lovelace", ClassPassword: "correct horse battery", ClassEmail: "ada@example.com", ClassSearch: "tea", ClassText: "Sample text",
}

// typeSamples are what tests type into an <input> that takes only some texts
// (https://html.spec.whatwg.org/#dates-and-times).
var typeSamples = map[string]string{
	"tel": "+1 555 0100", "url": "https://example.com/", "color": "#336699", "date": "2026-03-14", "time": "15:09",
	"datetime-local": "2026-03-14T15:09", "month": "2026-03", "week": "2026-W11",
}

var integer = lazyregexp.New(`^-?[0-9]{1,9}$`)

// sampleText returns what a test types into a field, "" where no text is known to
// stay there as it was typed.
func sampleText(class Class, n *html.Node) string {
	t := markup.InputType(n)
	if n.Data == "textarea" {
		t = "textarea"
	}
	switch t {
	case "number":
		return sampleNumber(n, "1")
	case "range":
		return sampleNumber(n, "0")
	case "file", "submit", "image", "button", "reset", "checkbox", "radio", "hidden":
		return ""
	}
	text, ok := typeSamples[t]
	if !ok {
		text = samples[class]
	}
	if limit, err := strconv.Atoi(markup.Attr(n, "maxlength")); err == nil && limit >= 0 && limit < len(text) && typeSamples[t] == "" {
		text = strings.TrimSpace(text[:limit])
	}
	return text
}

// sampleNumber returns a number that a field takes and does not have already, the
// least where there is one, "" where none is known.
func sampleNumber(n *html.Node, otherwise string) string {
	least, most := markup.Attr(n, "min"), markup.Attr(n, "max")
	if least == "" {
		if most != "" {
			return "" // whether otherwise is below it is not known
		}
		least = otherwise
	}
	value, err := strconv.Atoi(least)
	if err != nil || !integer.MatchString(least) || strconv.Itoa(value) != least {
		return ""
	}
	if step := markup.Attr(n, "step"); least == markup.Attr(n, "value") && (step == "" || step == "1") && most == "" {
		return strconv.Itoa(value + 1)
	}
	return least
}

// setUse sets what a test does with an element.
func (r *reading) setUse(e *Element, n *html.Node) {
	if n.DataAtom == atom.A {
		r.useLink(e, n)
		return
	}
	if e.Disabled || markup.Has(n, "readonly") || runsScript(n) {
		return
	}
	switch e.Class {
	case ClassCheckbox, ClassRadio:
		switch {
		case n.DataAtom != atom.Input:
		case !markup.Has(n, "checked"):
			e.Check = Tick
		case e.Class == ClassCheckbox:
			e.Check = Untick
		}
	case ClassDropdown:
		if n.DataAtom == atom.Select && !markup.Has(n, "multiple") {
			e.Choose = r.chooseOption(n)
		}
	default:
		if n.DataAtom == atom.Input || n.DataAtom == atom.Textarea {
			e.Fill = sampleText(e.Class, n)
		}
	}
}

func (r *reading) useLink(e *Element, n *html.Node) {
	e.unsized = r.doc.Text(n).Value == ""
	to := r.linkTarget(n)
	href := markup.Attr(n, "href")
	if locator.Writable(href) != "" || to == nil {
		return
	}
	e.Href = href
	u, err := r.base.Parse(strings.TrimSpace(href))
	plain := err == nil && u.Fragment == "" && !strings.HasSuffix(href, "#")
	if r.depth == 0 && plain && !runsScript(n) && !e.unsized && markup.Attr(n, "target") == "" && !isDestructive(to) {
		e.target = to.String()
	}
}

// runsScript reports whether an element's own markup runs a script when it is
// used, which may submit or leave the page.
func runsScript(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "on") })
}

// chooseOption returns the value of the first option that can be chosen and is not
// chosen already, "" for none.
func (r *reading) chooseOption(n *html.Node) string {
	values := map[string]int{}
	var order []string
	chosen := ""
	for _, o := range r.doc.Elements {
		if o.DataAtom != atom.Option || markup.Closest(o, atom.Select) != n {
			continue
		}
		value := markup.Attr(o, "value")
		if !markup.Has(o, "value") {
			value = r.doc.Text(o).Value
		}
		values[value]++
		if markup.Has(o, "selected") || len(values) == 1 && chosen == "" {
			chosen = value
		}
		if !markup.Disabled(o) && !r.doc.Hidden(o) {
			order = append(order, value)
		}
	}
	for _, value := range order {
		if value != "" && value != chosen && values[value] == 1 && locator.Writable(value) == "" && strings.TrimSpace(value) == value {
			return value
		}
	}
	return ""
}
