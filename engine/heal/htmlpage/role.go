package htmlpage

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// roles are the roles elements have by themselves (HTML-AAM 1.0), named as
// Chromium's accessibility tree names them.
var roles = map[atom.Atom]string{
	atom.Button: "button", atom.Select: "combobox", atom.Textarea: "textbox", atom.Option: "option", atom.Summary: "button",
	atom.H1: "heading", atom.H2: "heading", atom.H3: "heading", atom.H4: "heading", atom.H5: "heading", atom.H6: "heading",
	atom.Nav: "navigation", atom.Main: "main", atom.Header: "banner", atom.Footer: "contentinfo", atom.Aside: "complementary",
	atom.Form: "form", atom.Ul: "list", atom.Ol: "list", atom.Li: "listitem", atom.Table: "table", atom.Tr: "row", atom.Td: "cell",
	atom.Th: "columnheader", atom.Thead: "rowgroup", atom.Tbody: "rowgroup", atom.Img: "image", atom.P: "paragraph", atom.Hr: "separator",
	atom.Dialog: "dialog", atom.Progress: "progressbar", atom.Article: "article", atom.Fieldset: "group", atom.Label: "LabelText",
	atom.Code: "code", atom.Strong: "strong", atom.Em: "emphasis", atom.Blockquote: "blockquote",
}

// inputRoles are the roles of <input> by type; the rest are text boxes.
var inputRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "file": "button", "checkbox": "checkbox",
	"radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox", "hidden": "",
}

// Role returns the explicit role of an element, or the one its tag implies; ""
// for none.
func Role(n *html.Node) string {
	if fields := strings.Fields(attribute(n, "role")); len(fields) > 0 {
		return fields[0]
	}
	switch n.DataAtom {
	case atom.A, atom.Area:
		if attribute(n, "href") != "" {
			return "link"
		}
		return "generic"
	case atom.Input:
		typ := strings.ToLower(attribute(n, "type"))
		if role, ok := inputRoles[typ]; ok {
			return role
		}
		return "textbox"
	}
	return roles[n.DataAtom]
}

func isButton(n *html.Node) bool { return Role(n) == "button" }

// namedByContent reports whether a role takes its name from what is inside.
func namedByContent(role string) bool {
	switch role {
	case "button", "link", "heading", "option", "tab", "menuitem", "checkbox", "radio", "switch", "cell", "columnheader", "rowheader", "treeitem", "tooltip":
		return true
	}
	return false
}

// skipped reports whether an element and what is inside is no part of the page
// a person sees.
func skipped(a atom.Atom) bool {
	switch a {
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Meta, atom.Link, atom.Title, atom.Base:
		return true
	}
	return false
}

// hidden reports whether markup alone hides an element.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "type":
			if n.DataAtom == atom.Input && strings.EqualFold(a.Val, "hidden") {
				return true
			}
		case "style":
			style := strings.ToLower(strings.ReplaceAll(cut(a.Val, 2000), " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}
