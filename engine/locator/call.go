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

// callKinds maps folded getBy… names to what they look for.
var callKinds = map[string]Kind{
	"getbyrole": KindRole, "getbytestid": KindTestID, "getbylabel": KindLabel,
	"getbyplaceholder": KindPlaceholder, "getbyalttext": KindAlt,
	"getbytitle": KindTitle, "getbytext": KindText,
}

// CallKind returns what the locator method called name looks for: KindCSS for
// locator (any selector), a getBy… kind, KindFrame for frameLocator, or "".
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

// Fold returns a method or option name without case, underscores and C#'s
// Async: get_by_role, getByRole and GetByRole fold alike.
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

// parseCalls reads a chain of locator calls as any of the languages writes it.
// It reports false for everything that is not wholly such a chain of plain
// string arguments.
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
			end := closing(rest)
			if end < 0 {
				return Selector{}, false
			}
			args, rest = rest[1:end], rest[end+1:]
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

// guessLanguage tells the languages apart by their spelling. What fits several
// counts as TypeScript.
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

// callParts returns the parts one call stands for.
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
		return []Part{{Kind: KindFrame, Raw: "internal:control=enter-frame"}}, args == ""
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
		inner.Parts = append(inner.Parts, Part{Kind: KindFrame, Raw: "internal:control=enter-frame"})
	}
	return inner.Parts, true
}

// closing returns the index of the bracket that closes text[0], or -1.
func closing(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
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
		case c == ')' || c == '}' || c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// arguments are those of one printed call: the first one decoded, and the
// options that are strings or booleans by folded name.
type arguments struct {
	first   string
	plain   bool // the first argument is a string literal
	unread  bool // there is more than was read
	options map[string]string
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
	scaffold      = regexp.MustCompile(`new\s+[\w.]+|\bnew\b|playwright\.\w+|\.set\b|[\s{}(),.;]`)
	printedOption = regexp.MustCompile(`(?i)(?:set)?(name|exact|has_?(?:not_?)?text|checked|disabled|selected|expanded|include_?hidden|level|pressed)\s*[:=(]\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(?:playwright\.(?:Bool|Int)\()?(true|false|\d))`)
)

// readArguments reads the printed arguments of a locator call.
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
	a.unread = scaffold.ReplaceAllString(printedOption.ReplaceAllString(text, ""), "") != ""
	return a
}
