package locator

import (
	"regexp"
	"strings"
)

var filterHas = regexp.MustCompile(`(?i)^(?:\{\s*|new\s+[\w.]+\(\)\s*\.\s*set|new\s*\(\)\s*\{\s*|(?:playwright\.)?\w+\{\s*)?(has|has_?not|visible)\s*[:=(]\s*`)

// filterParts reads the options of a filter call: one text, one locator or
// whether it is visible.
func filterParts(args string, a arguments) ([]Part, bool) {
	m := filterHas.FindStringSubmatch(args)
	if m == nil {
		return filterText(a)
	}
	value := args[len(m[0]):]
	end := argumentEnd(value)
	if strings.Trim(value[end:], " })") != "" {
		return nil, false
	}
	value = value[:end]
	switch Fold(m[1]) {
	case "visible":
		value = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(value, "playwright.Bool("), ")"))
		return []Part{{Kind: KindVisible, Value: value, Raw: "visible=" + value}}, value == "true" || value == "false"
	case "has":
		return nestedCall(KindHas, value)
	}
	return nestedCall(KindHasNot, value)
}

func filterText(a arguments) ([]Part, bool) {
	if len(a.options) != 1 || a.first != "" || a.unread {
		return nil, false
	}
	if text, ok := a.options["hastext"]; ok {
		return []Part{newPart(KindHasText, text, MatchLoose)}, true
	}
	text, ok := a.options["hasnottext"]
	return []Part{newPart(KindHasNotText, text, MatchLoose)}, ok
}

// nestedCall reads the locator that another one is narrowed by.
func nestedCall(kind Kind, text string) ([]Part, bool) {
	inner, ok := parseCalls(strings.TrimSpace(text))
	if !ok {
		return nil, false
	}
	return []Part{nestedPart(kind, inner.engine())}, true
}

// argumentEnd returns the length of the argument that text begins with: up to a
// comma or to the bracket of the call around it.
func argumentEnd(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ')' || c == '}' || c == ']' || c == ','):
			return len(strings.TrimSpace(text[:i]))
		case c == ')' || c == '}' || c == ']':
			depth--
		}
	}
	return len(strings.TrimSpace(text))
}

// roleOptions are the conditions of a role beside its name, in the order that
// Playwright writes them, with the name that its engine has for each.
var roleOptions = []struct{ folded, engine string }{
	{"checked", "checked"}, {"disabled", "disabled"}, {"selected", "selected"}, {"expanded", "expanded"},
	{"includehidden", "include-hidden"}, {"level", "level"}, {"pressed", "pressed"},
}

func roleParts(a arguments) ([]Part, bool) {
	role := strings.ToLower(a.first)
	name, named := a.options["name"]
	known := 0
	for _, option := range []string{"name", "exact"} {
		if _, ok := a.options[option]; ok {
			known++
		}
	}
	rest := ""
	for _, o := range roleOptions {
		if value, ok := a.options[o.folded]; ok {
			rest += "[" + o.engine + "=" + value + "]"
			known++
		}
	}
	if !isRole(role) || known != len(a.options) {
		return nil, false
	}
	p := rolePart(role, name, named, a.match())
	p.Rest = rest
	p.Raw += rest
	return []Part{p}, true
}
