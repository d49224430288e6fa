package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// validRoles are the roles that Playwright accepts in a role attribute.
var validRoles = words(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
	combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid
	gridcell group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar menuitem
	menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio radiogroup region row
	rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab
	table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`)

// tagRoles are the roles that elements have by themselves.
var tagRoles = map[atom.Atom]string{
	atom.Article: "article", atom.Aside: "complementary", atom.Blockquote: "blockquote", atom.Button: "button", atom.Caption: "caption",
	atom.Code: "code", atom.Datalist: "listbox", atom.Dd: "definition", atom.Del: "deletion", atom.Details: "group", atom.Dfn: "term",
	atom.Dialog: "dialog", atom.Dt: "term", atom.Em: "emphasis", atom.Fieldset: "group", atom.Figure: "figure",
	atom.H1: "heading", atom.H2: "heading", atom.H3: "heading", atom.H4: "heading", atom.H5: "heading", atom.H6: "heading",
	atom.Hr: "separator", atom.Html: "document", atom.Ins: "insertion", atom.Li: "listitem", atom.Main: "main", atom.Mark: "mark",
	atom.Math: "math", atom.Menu: "list", atom.Meter: "meter", atom.Nav: "navigation", atom.Ol: "list", atom.Optgroup: "group",
	atom.Option: "option", atom.Output: "status", atom.P: "paragraph", atom.Progress: "progressbar", atom.Strong: "strong",
	atom.Sub: "subscript", atom.Sup: "superscript", atom.Svg: "img", atom.Table: "table", atom.Tbody: "rowgroup",
	atom.Textarea: "textbox", atom.Tfoot: "rowgroup", atom.Thead: "rowgroup", atom.Time: "time", atom.Tr: "row", atom.Ul: "list",
}

var inputRoles = map[string]string{
	"button": "button", "checkbox": "checkbox", "image": "button", "number": "spinbutton", "radio": "radio", "range": "slider",
	"reset": "button", "submit": "button", "file": "button", "hidden": "",
}

// Role returns the ARIA role of an element, "" for none.
func (d *Document) Role(n *html.Node) string {
	f := d.facts[n]
	if f == nil {
		return ""
	}
	if f.role == nil {
		f.role = new(d.role(n))
	}
	return *f.role
}

func (d *Document) role(n *html.Node) string {
	explicit := explicitRole(n)
	switch explicit {
	case "":
		return d.implicitRole(n)
	case "none", "presentation":
		if globalAria(n) || focusable(n) { // such a role does not count there
			return d.implicitRole(n)
		}
	}
	return explicit
}

func explicitRole(n *html.Node) string {
	for _, role := range strings.Fields(Attr(n, "role")) {
		if validRoles[role] {
			return role
		}
	}
	return ""
}

func (d *Document) implicitRole(n *html.Node) string {
	switch n.DataAtom {
	case atom.A, atom.Area:
		return when(Has(n, "href"), "link")
	case atom.Header:
		return when(!inSection(n), "banner")
	case atom.Footer:
		return when(!inSection(n), "contentinfo")
	case atom.Form:
		return when(hasAriaLabel(n), "form")
	case atom.Section:
		return when(hasAriaLabel(n), "region")
	case atom.Img:
		if Has(n, "alt") && Attr(n, "alt") == "" && Attr(n, "title") == "" && !globalAria(n) && !Has(n, "tabindex") {
			return "presentation"
		}
		return "img"
	case atom.Input:
		return d.inputRole(n)
	case atom.Select:
		if size := Attr(n, "size"); Has(n, "multiple") || size != "" && size != "0" && size != "1" {
			return "listbox"
		}
		return "combobox"
	case atom.Td:
		if table := Closest(n, atom.Table); table != nil && strings.HasSuffix(explicitRole(table), "grid") {
			return "gridcell"
		}
		return "cell"
	case atom.Th:
		if strings.HasPrefix(Attr(n, "scope"), "row") {
			return "rowheader"
		}
		return "columnheader"
	}
	if n.Data == "search" {
		return "search"
	}
	return tagRoles[n.DataAtom]
}

func (d *Document) inputRole(n *html.Node) string {
	t := InputType(n)
	switch t {
	case "search":
		if Has(n, "list") {
			return "combobox"
		}
		return "searchbox"
	case "email", "tel", "text", "url":
		if list := d.ByID(n, Attr(n, "list")); list != nil && list.DataAtom == atom.Datalist {
			return "combobox"
		}
	}
	if role, ok := inputRoles[t]; ok {
		return role
	}
	return "textbox"
}

// The parts of a page whose headers and footers are no landmarks.
var (
	sectionTags  = words(`article aside main nav section`)
	sectionRoles = words(`article complementary main navigation region`)
)

// inSection reports whether a header or footer belongs to a part of the page.
func inSection(n *html.Node) bool {
	for up := range n.Ancestors() {
		if sectionRoles[Attr(up, "role")] || sectionTags[up.Data] && !Has(up, "role") {
			return true
		}
	}
	return false
}

func hasAriaLabel(n *html.Node) bool { return Has(n, "aria-label") || Has(n, "aria-labelledby") }

var globalAttributes = strings.Fields(`aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect
	aria-flowto aria-grabbed aria-hidden aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription`)

func globalAria(n *html.Node) bool {
	return slices.ContainsFunc(globalAttributes, func(name string) bool { return Has(n, name) })
}

func focusable(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Details, atom.Select, atom.Textarea, atom.Input:
		return !Disabled(n)
	case atom.A, atom.Area:
		return Has(n, "href") || Has(n, "tabindex")
	}
	return Has(n, "tabindex")
}

// Disabled reports whether a form control is switched off, by itself or by a
// <fieldset> around it.
func Disabled(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Option, atom.Optgroup:
	default:
		return strings.EqualFold(Attr(n, "aria-disabled"), "true")
	}
	if Has(n, "disabled") || strings.EqualFold(Attr(n, "aria-disabled"), "true") {
		return true
	}
	for below, up := n, n.Parent; up != nil && !IsShadowRoot(up); below, up = up, up.Parent {
		if up.DataAtom == atom.Fieldset && Has(up, "disabled") && below.DataAtom != atom.Legend {
			return true
		}
	}
	return false
}

// Hidden reports whether the markup takes an element from the page, so that no
// role finds it: by hidden, type, an inline style, aria-hidden or a closed
// <details>, its own or that of an element around it, or by a shadow root that
// does not show it.
func (d *Document) Hidden(n *html.Node) bool {
	if n == nil || n.Type != html.ElementNode {
		return false
	}
	f := d.facts[n]
	if f == nil {
		return true
	}
	if !f.hiddenKnown {
		f.hiddenKnown = true
		up := d.facts[n.Parent]
		f.subtreeHidden = hiddenItself(n) || inClosedDetails(n) || d.notSlotted(n) || d.Hidden(d.slots[n]) || d.Hidden(n.Parent) && up != nil && up.subtreeHidden
		f.hidden = f.subtreeHidden || Has(n, HiddenAttribute) && !Unsized(n)
	}
	return f.hidden
}

// Unsized reports whether a browser found that an element takes no room.
func Unsized(n *html.Node) bool { return Attr(n, HiddenAttribute) == "size" }

// hiddenItself reports whether an element hides itself and what is in it.
func hiddenItself(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Datalist:
		return true
	case atom.Input:
		if InputType(n) == "hidden" {
			return true
		}
	case atom.Dialog:
		if !Has(n, "open") {
			return true
		}
	}
	style := strings.ToLower(strings.ReplaceAll(Attr(n, "style"), " ", ""))
	return Has(n, "hidden") || strings.EqualFold(Attr(n, "aria-hidden"), "true") ||
		strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// inClosedDetails reports whether n is directly in a closed <details>, which shows
// only its <summary>.
func inClosedDetails(n *html.Node) bool {
	up := n.Parent
	return up != nil && up.DataAtom == atom.Details && !Has(up, "open") && n.DataAtom != atom.Summary
}

func when(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

// notSlotted reports whether an element's parent shows a shadow root instead of
// it.
func (d *Document) notSlotted(n *html.Node) bool {
	return d.shadows[n.Parent] != nil && d.slots[n] == nil && !IsShadowRoot(n)
}
