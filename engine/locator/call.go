package locator

import (
	"regexp"
	"strconv"
	"strings"
)

// Language names a language tests are written in.
type Language string

// The languages that Print writes. JavaScript is TypeScript to it.
const (
	TypeScript Language = "typescript"
	JavaScript Language = "javascript"
	Python     Language = "python"
	Java       Language = "java"
	CSharp     Language = "csharp"
	Go         Language = "go"
)

// getters are the names of the calls that look for one value.
var getters = map[Kind]string{
	KindTestID: "getByTestId", KindLabel: "getByLabel", KindPlaceholder: "getByPlaceholder",
	KindAlt: "getByAltText", KindTitle: "getByTitle", KindText: "getByText",
}

// callKinds maps the folded names of getBy… calls to what they look for.
var callKinds = func() map[string]Kind {
	kinds := map[string]Kind{"getbyrole": KindRole}
	for kind, name := range getters {
		kinds[Fold(name)] = kind
	}
	return kinds
}()

// CallKind returns what the method called name looks for: KindCSS for locator (any
// selector), KindFrame for frameLocator, the kind of a getBy… call, or "".
func CallKind(name string) Kind {
	switch folded := Fold(name); folded {
	case "locator":
		return KindCSS
	case "framelocator":
		return KindFrame
	default:
		return callKinds[folded]
	}
}

// Fold returns the name of a method or option in small letters, without underscores
// and C#'s Async: get_by_role, getByRole and GetByRole are the same.
func Fold(name string) string {
	folded := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if len(folded) > len("async") {
		folded = strings.TrimSuffix(folded, "async")
	}
	return folded
}

var (
	callHead = regexp.MustCompile(`^(?:await\s+)?((?:[A-Za-z_$][\w$]*(?:\(\))?\s*\.\s*)*?)((?i:locator|frame_?locator|get_?by_?[a-z]+(?:_[a-z]+)*))\s*\(`)
	callNext = regexp.MustCompile(`^\s*\.\s*([A-Za-z_]\w*)\s*`)
)

// parseCalls reads a chain of locator calls in any of the languages. It returns
// false when the text is anything else, or an argument is not a plain string.
func parseCalls(text string) (Selector, bool) {
	m := callHead.FindStringSubmatch(text)
	if m == nil {
		return Selector{}, false
	}
	s := Selector{notation: notationCall, root: m[1], lang: guessLanguage(text, m[2])}
	name, rest := m[2], text[len(m[0])-1:]
	for {
		var args string
		if strings.HasPrefix(rest, "(") {
			end := findUnmatched(rest[1:], "")
			if end < 0 {
				return Selector{}, false
			}
			args, rest = rest[1:end+1], rest[end+2:]
		}
		parts, ok := callParts(name, args)
		if !ok {
			return Selector{}, false
		}
		s.Parts = append(s.Parts, parts...)
		if strings.Trim(rest, "; ") == "" {
			return s, true
		}
		next := callNext.FindStringSubmatch(rest)
		if next == nil {
			return Selector{}, false
		}
		name, rest = next[1], rest[len(next[0]):]
	}
}

// guessLanguage returns the language of a call, going by its spelling. When it
// could be several, it is TypeScript.
func guessLanguage(text, name string) Language {
	switch {
	case strings.Contains(name, "_"):
		return Python
	case name[0] >= 'A' && name[0] <= 'Z':
		if strings.Contains(text, "playwright.") {
			return Go
		}
		return CSharp
	case strings.Contains(text, "AriaRole."), strings.Contains(text, "Options()"):
		return Java
	}
	return TypeScript
}

// callParts returns the selector parts of one call.
func callParts(name, args string) ([]Part, bool) {
	a := readArguments(args)
	switch folded := Fold(name); folded {
	case "filter":
		return filterParts(strings.TrimSpace(args), a)
	case "and", "or":
		return nestedCall(Kind(folded), args)
	case "nth":
		n := strings.TrimSpace(args)
		_, err := strconv.Atoi(n)
		return []Part{nthPart(n)}, err == nil
	}
	if a.unread {
		return nil, false
	}
	switch folded := Fold(name); folded {
	case "locator", "framelocator":
		return locatorParts(folded == "framelocator", a)
	case "first":
		return []Part{nthPart("0")}, args == ""
	case "last":
		return []Part{nthPart("-1")}, args == ""
	case "contentframe":
		return []Part{framePart}, args == ""
	case "getbyrole":
		return roleParts(a)
	default:
		kind, ok := callKinds[folded]
		if !ok || !a.plain {
			return nil, false
		}
		return []Part{newPart(kind, a.first, a.match())}, true
	}
}

func locatorParts(frame bool, a arguments) ([]Part, bool) {
	if !a.plain || len(a.options) > 0 {
		return nil, false
	}
	inner, err := Parse(a.first)
	if err != nil {
		return nil, false
	}
	if frame {
		inner.Parts = append(inner.Parts, framePart)
	}
	return inner.Parts, true
}

// findUnmatched returns where in text the first bracket closes that was not opened in
// it, or one of the bytes of stops stands outside of brackets; -1 for nowhere.
func findUnmatched(text, stops string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '`':
			i = closingQuote(text, i)
		case depth == 0 && strings.IndexByte(stops+")}]", c) >= 0:
			return i
		case strings.IndexByte("({[", c) >= 0:
			depth++
		case strings.IndexByte(")}]", c) >= 0:
			depth--
		}
	}
	return -1
}

// arguments are the arguments of one call.
type arguments struct {
	first   string            // the first one, decoded
	plain   bool              // the first one is a string literal
	unread  bool              // there is more than could be read
	options map[string]string // strings and booleans by folded name
}

func (a arguments) match() Match {
	switch a.options["exact"] {
	case "true":
		return MatchExact
	case "":
		return MatchLoose
	}
	return MatchUnset
}

var (
	printedString = regexp.MustCompile("^(?:\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`\\\\]*)`)\\s*(?:,|$)")
	printedRole   = regexp.MustCompile(`^\*?(?:playwright\.)?AriaRole\.?(\w+)\s*(?:,|$)`)
	callSyntax    = regexp.MustCompile(`new\s+[\w.]+|\bnew\b|playwright\.\w+|\.set\b|[\s{}(),.;]`)
	printedOption = regexp.MustCompile(`(?i)(?:set)?(name|exact|has_?(?:not_?)?text|checked|disabled|selected|expanded|include_?hidden|level|pressed)\s*[:=(]\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(?:playwright\.(?:Bool|Int)\()?(true|false|\d))`)
)

// readArguments reads the arguments of a locator call.
func readArguments(text string) arguments {
	a := arguments{options: map[string]string{}}
	text = strings.TrimSpace(text)
	if m := printedString.FindStringSubmatch(text); m != nil {
		a.first, a.plain = unquote(`'`+m[2]+`'`), true
		if m[1] != "" {
			a.first = unquote(`"` + m[1] + `"`)
		} else if m[3] != "" {
			a.first = m[3]
		}
		text = text[len(m[0]):]
	} else if m := printedRole.FindStringSubmatch(text); m != nil {
		a.first = m[1]
		text = text[len(m[0]):]
	}
	for _, m := range printedOption.FindAllStringSubmatch(text, -1) {
		value := strings.ToLower(m[4])
		if m[2] != "" {
			value = unquote(`"` + m[2] + `"`)
		} else if m[3] != "" {
			value = unquote(`'` + m[3] + `'`)
		}
		a.options[Fold(m[1])] = value
	}
	a.unread = callSyntax.ReplaceAllString(printedOption.ReplaceAllString(text, ""), "") != ""
	return a
}

var filterHas = regexp.MustCompile(`(?i)^(?:\{\s*|new\s+[\w.]+\(\)\s*\.\s*set|new\s*\(\)\s*\{\s*|(?:playwright\.)?\w+\{\s*)?(has|has_?not|visible)\s*[:=(]\s*`)

// filterParts reads the options of a filter call: one text, one locator, or whether
// the element is visible.
func filterParts(args string, a arguments) ([]Part, bool) {
	m := filterHas.FindStringSubmatch(args)
	if m == nil {
		return filterText(a)
	}
	value := args[len(m[0]):]
	end := findUnmatched(value, ",")
	if end < 0 {
		end = len(value)
	}
	end = len(strings.TrimSpace(value[:end]))
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

// nestedCall reads a locator that is an argument of another one.
func nestedCall(kind Kind, text string) ([]Part, bool) {
	inner, ok := parseCalls(strings.TrimSpace(text))
	if !ok {
		return nil, false
	}
	return []Part{{Kind: kind, Value: inner.engineText(), Raw: "internal:" + string(kind) + "=" + textString(inner.engineText())}}, true
}

// roleOptions are the conditions of a role besides its name, in the order in which
// Playwright writes them, with the names that its engine has for them.
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
