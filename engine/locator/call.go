package locator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
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

var callHead = lazyregexp.New(`^(?:await\s+)?((?:[A-Za-z_$][\w$]*(?:\(\))?\s*\.\s*)*?)((?i:locator|frame_?locator|get_?by_?[a-z]+(?:_[a-z]+)*))\s*\(`)

// parseCalls reads a chain of locator calls in any of the languages. It returns false
// when the text is anything else. A chain with an argument that is not written out has
// one part, of KindOther.
func parseCalls(text string) (Selector, bool) {
	m := callHead.FindStringSubmatchIndex(text)
	if m == nil {
		return Selector{}, false
	}
	s := Selector{notation: notationCall, root: text[m[2]:m[3]], lang: guessLanguage(text, text[m[4]:m[5]])}
	r := &expressionReader{text: text, at: m[4], lang: s.lang}
	s.Parts = r.readChain()
	r.take(";")
	if r.failed || r.at < len(text) {
		s.Parts = []Part{{Kind: KindOther, Value: text, Raw: text}}
	}
	return s, true
}

var (
	inPython = lazyregexp.New(`\b(?:get_by_|frame_locator|content_frame|and_\(|or_\(|re\.compile\()|=(?:True|False)\b|\bhas(?:_not)?(?:_text)?=`)
	inJava   = lazyregexp.New(`AriaRole\.[A-Z]{2}|Options\(\)|Pattern\.compile\(`)
)

// guessLanguage returns the language of a chain of calls, going by the spelling of its
// first name and of what only one language has. When it could be several, it is
// TypeScript.
func guessLanguage(text, name string) Language {
	switch isUpper := name[0] >= 'A' && name[0] <= 'Z'; {
	case isUpper && (strings.Contains(text, "playwright.") || strings.Contains(text, "regexp.MustCompile(")):
		return Go
	case isUpper:
		return CSharp
	case inPython.MatchString(text):
		return Python
	case inJava.MatchString(text):
		return Java
	}
	return TypeScript
}

// readChain reads calls that are joined by dots: locator('#a').first().
func (r *expressionReader) readChain() []Part {
	var parts []Part
	for {
		name := r.readName()
		var args []argument
		if r.take("(") {
			args = r.readArguments(")")
		}
		more, ok := callParts(name, args)
		parts = append(parts, more...)
		r.failed = r.failed || !ok
		if r.failed || !r.take(".") {
			return parts
		}
	}
}

// callParts returns the selector parts of one call.
func callParts(name string, args []argument) ([]Part, bool) {
	folded := Fold(name)
	c := callOf(args)
	switch folded {
	case "nth":
		n, err := strconv.Atoi(c.first.text)
		return []Part{nthPart(strconv.Itoa(n))}, err == nil && len(args) == 1
	case "first":
		return []Part{nthPart("0")}, len(args) == 0
	case "last":
		return []Part{nthPart("-1")}, len(args) == 0
	case "visible":
		return []Part{{Kind: KindVisible, Value: "true", Raw: "visible=true"}}, len(args) == 0
	case "contentframe":
		return []Part{framePart}, len(args) == 0
	case "and", "or":
		return []Part{nestedPart(Kind(folded), c.first)}, c.first.kind == isLocator && len(args) == 1
	case "filter":
		return c.narrowing()
	case "locator", "framelocator":
		return c.locatorParts(folded == "framelocator")
	case "getbyrole":
		return c.roleParts()
	}
	kind, known := callKinds[folded]
	match, plain := c.match()
	return []Part{c.first.part(kind, match)}, known && plain && c.first.isTextual()
}

// locatorCall is the arguments of a locator call: the first one, and the others by
// their folded names.
type locatorCall struct {
	first   argument
	options map[string]argument
	strange bool // an argument has no name, or the same as another
}

func callOf(args []argument) locatorCall {
	c := locatorCall{options: map[string]argument{}}
	for i, a := range args {
		switch {
		case i == 0 && a.name == "" && a.kind != isOptions:
			c.first = a
		case a.kind == isOptions && a.name == "":
			for _, o := range a.options {
				c.add(o)
			}
		default:
			c.add(a)
		}
	}
	return c
}

func (c *locatorCall) add(a argument) {
	name := Fold(a.name)
	if a.kind == isRegexp { // C# names the option after its type
		name = strings.TrimSuffix(name, "regex")
	}
	_, twice := c.options[name]
	c.strange = c.strange || twice || name == ""
	c.options[name] = a
}

// match returns how the call compares, false when it has other options than exact.
func (c locatorCall) match() (Match, bool) {
	exact, given := c.options["exact"]
	switch {
	case c.strange || len(c.options) > 1 || given != (len(c.options) == 1) || given && exact.kind != isTruth:
		return MatchUnset, false
	case exact.text == "true":
		return MatchExact, true
	}
	return MatchLoose, true
}

// narrowingOptions are the options that narrow a locator, in the order in which
// Playwright applies them.
var narrowingOptions = []struct {
	folded string
	kind   Kind
}{{"hastext", KindHasText}, {"hasnottext", KindHasNotText}, {"has", KindHas}, {"hasnot", KindHasNot}, {"visible", KindVisible}}

// narrowing returns the parts of the options that narrow a locator.
func (c locatorCall) narrowing() ([]Part, bool) {
	var parts []Part
	for _, o := range narrowingOptions {
		value, given := c.options[o.folded]
		if !given {
			continue
		}
		switch {
		case o.kind == KindVisible && value.kind == isTruth:
			parts = append(parts, Part{Kind: o.kind, Value: value.text, Raw: "visible=" + value.text})
		case (o.kind == KindHas || o.kind == KindHasNot) && value.kind == isLocator:
			parts = append(parts, nestedPart(o.kind, value))
		case (o.kind == KindHasText || o.kind == KindHasNotText) && value.isTextual():
			parts = append(parts, value.part(o.kind, MatchLoose))
		default:
			return nil, false
		}
	}
	return parts, !c.strange && len(parts) == len(c.options) && len(parts) > 0 && c.first.kind == isNothing
}

func (c locatorCall) locatorParts(frame bool) ([]Part, bool) {
	inner, err := Parse(c.first.text)
	if c.first.kind != isText || err != nil || inner.notation == notationCall {
		return nil, false
	}
	parts := inner.Parts
	if frame {
		return append(parts, framePart), len(c.options) == 0
	}
	if len(c.options) == 0 {
		return parts, true
	}
	c.first = argument{}
	more, ok := c.narrowing()
	return slices.Concat(parts, more), ok
}

// nestedPart returns the part of a locator that is an argument of another one.
func nestedPart(kind Kind, inner argument) Part {
	text := Selector{Parts: inner.locator}.engineText()
	return Part{Kind: kind, Value: text, Raw: "internal:" + string(kind) + "=" + textString(text)}
}

// roleOptions are the conditions of a role besides its name, in the order in which
// Playwright writes them, with the names that its engine has for them.
var roleOptions = []struct{ folded, engine string }{
	{"checked", "checked"}, {"disabled", "disabled"}, {"selected", "selected"}, {"expanded", "expanded"},
	{"includehidden", "include-hidden"}, {"level", "level"}, {"pressed", "pressed"},
}

func (c locatorCall) roleParts() ([]Part, bool) {
	role := strings.ToLower(c.first.text)
	if c.first.kind != isText && c.first.kind != isRoleName || !isRole(role) || c.strange {
		return nil, false
	}
	name, named := c.options["name"]
	rest := ""
	for _, o := range roleOptions {
		if value, ok := c.options[o.folded]; ok {
			rest += "[" + o.engine + "=" + value.text + "]"
			delete(c.options, o.folded)
			if value.kind != isTruth && value.kind != isNumber && value.text != "mixed" {
				return nil, false
			}
		}
	}
	delete(c.options, "name")
	match, ok := c.match()
	if !ok || named && !name.isTextual() {
		return nil, false
	}
	p := rolePart(role, "", false, MatchUnset)
	if named {
		p = name.part(KindRole, match)
		p.Role, p.Named = role, true
		p.Raw = "internal:role=" + role + "[name=" + p.Raw + "]"
	}
	p.Rest = rest
	p.Raw += rest
	return []Part{p}, true
}
