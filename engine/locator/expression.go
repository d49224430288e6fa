package locator

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// argumentKind is what an argument of a locator call is.
type argumentKind int

const (
	isNothing  argumentKind = iota
	isText                  // a string literal
	isRegexp                // a regular expression: text is /source/flags
	isTruth                 // text is true or false
	isNumber                // a whole number
	isRoleName              // AriaRole.BUTTON
	isLocator               // a locator
	isOptions               // an object of options
	isFlags                 // flags of a regular expression, as in JavaScript
)

// argument is an argument of a locator call, or one of its options.
type argument struct {
	name    string // of an option
	kind    argumentKind
	text    string // decoded
	locator []Part
	options []argument
}

// isTextual reports whether a getBy… call can look for the argument.
func (a argument) isTextual() bool { return a.kind == isText || a.kind == isRegexp }

// part returns the part that looks for a text or regular expression. That of a role
// has the raw value only.
func (a argument) part(kind Kind, match Match) Part {
	if a.kind != isRegexp && kind != KindRole {
		return newPart(kind, a.text, match)
	}
	if a.kind != isRegexp {
		return Part{Kind: kind, Value: a.text, Match: match, Raw: attrString(a.text) + match.matchFlag()}
	}
	p := Part{Kind: kind, Value: a.text, Regexp: true, Raw: escapeRegexp(a.text)}
	switch kind {
	case KindTestID:
		p.Raw = "internal:testid=[data-testid=" + p.Raw + "]"
	case KindPlaceholder, KindTitle:
		p.Raw = "internal:attr=[" + string(kind) + "=" + p.Raw + "]"
	case KindAlt:
		p.Raw = "internal:attr=[alt=" + p.Raw + "]"
	case KindRole:
	default:
		p.Raw = "internal:" + string(kind) + "=" + p.Raw
	}
	return p
}

// inRegexp matches what Playwright escapes in a regular expression
// (escapeRegexForSelector in packages/isomorphic/stringUtils.ts), and escapes.
var inRegexp = lazyregexp.New("(?s)\\\\.|[\"'`]|>>")

// escapeRegexp returns a regular expression as Playwright writes it into a selector.
// Those with the flags u and v stay, in which other escapes are errors.
func escapeRegexp(body string) string {
	source, flags := splitRegexp(body)
	body = "/" + escapeSlashes(source) + "/" + flags
	if strings.ContainsAny(flags, "uv") {
		return body
	}
	return inRegexp.ReplaceAllStringFunc(body, func(found string) string {
		switch {
		case found[0] == '\\':
			return found
		case found == ">>":
			return `\>\>`
		}
		return `\` + found
	})
}

// expressionReader reads the expressions that locators are written in, in any of the
// languages. Once it failed it stays failed.
type expressionReader struct {
	text   string
	at     int
	depth  int
	lang   Language
	failed bool
}

func (r *expressionReader) skipSpaces() {
	rest := r.text[r.at:]
	r.at += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
}

// take moves behind a sign and the spaces around it, and reports whether it was there.
func (r *expressionReader) take(sign string) bool {
	r.skipSpaces()
	if !strings.HasPrefix(r.text[r.at:], sign) {
		return false
	}
	r.at += len(sign)
	r.skipSpaces()
	return true
}

// takeWord is take for a word, which has to end there.
func (r *expressionReader) takeWord(word string) bool {
	at := r.at
	if r.readName() == word {
		r.skipSpaces()
		return true
	}
	r.at = at
	return false
}

var nameStart = lazyregexp.New(`^[A-Za-z_$][\w$]*`)

// readName reads a name, "" for none.
func (r *expressionReader) readName() string {
	r.skipSpaces()
	name := nameStart.FindString(r.text[r.at:])
	r.at += len(name)
	return name
}

var optionName = lazyregexp.New(`^([A-Za-z_$][\w$]*)\s*[:=]\s*`)

// maxDepth bounds how deep arguments stand inside of each other.
const maxDepth = 12

// readArguments reads arguments or options up to a closing bracket.
func (r *expressionReader) readArguments(end string) []argument {
	var args []argument
	r.depth++
	defer func() { r.depth-- }()
	for r.depth < maxDepth && !r.failed {
		if r.take(end) {
			return args
		}
		name := ""
		if m := optionName.FindStringSubmatch(r.text[r.at:]); m != nil {
			name = m[1]
			r.at += len(m[0])
		}
		a := r.readValue()
		a.name = name
		args = append(args, a)
		if !r.take(",") && !strings.HasPrefix(r.text[r.at:], end) {
			break
		}
	}
	r.failed = true
	return nil
}

var number = lazyregexp.New(`^-?\d{1,9}`)

// readValue reads one argument.
func (r *expressionReader) readValue() argument {
	r.skipSpaces()
	rest := r.text[r.at:]
	if n := number.FindString(rest); n != "" {
		r.at += len(n)
		return argument{kind: isNumber, text: n}
	}
	switch {
	case rest == "":
	case stringStart.MatchString(rest):
		return argument{kind: isText, text: r.readString()}
	case rest[0] == '/':
		return r.readScriptRegexp()
	case r.take("{"):
		return argument{kind: isOptions, options: r.readArguments("}")}
	case r.take("&"), r.take("*"): // Go's pointers
		return r.readValue()
	default:
		return r.readNamed()
	}
	r.failed = true
	return argument{}
}

var ariaRole = lazyregexp.New(`^(?:playwright\.)?AriaRole\.?(\w+)`)

// readNamed reads a value that starts with a name: a constant, a call, an object.
func (r *expressionReader) readNamed() argument {
	if m := ariaRole.FindStringSubmatch(r.text[r.at:]); m != nil {
		r.at += len(m[0])
		return argument{kind: isRoleName, text: m[1]}
	}
	if r.takeWord("new") {
		return r.readNew()
	}
	start := r.at
	path := r.readName()
	for !r.failed && path != "" {
		switch {
		case path == "true", path == "false", path == "True", path == "False":
			return argument{kind: isTruth, text: strings.ToLower(path)}
		case regexpFlags[lastName(path)] != "" && path != lastName(path):
			return r.readFlags(lastName(path))
		case CallKind(lastName(path)) != "": // page.getByText(…)
			r.at = start + len(path) - len(lastName(path))
			return argument{kind: isLocator, locator: r.readChain()}
		case strings.HasPrefix(r.text[r.at:], "("):
			return r.readFunction(path)
		case strings.HasPrefix(r.text[r.at:], "{"):
			r.take("{")
			return argument{kind: isOptions, options: r.readArguments("}")}
		case !strings.HasPrefix(r.text[r.at:], "."):
			r.failed = true
		default:
			r.at++
			path = path + "." + nameStart.FindString(r.text[r.at:])
			r.at = start + len(path)
		}
	}
	r.failed = true
	return argument{}
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// readNew reads what stands behind new: C#'s and Java's objects of options, C#'s Regex.
func (r *expressionReader) readNew() argument {
	name := r.readName()
	for r.take(".") {
		name = r.readName()
	}
	if r.take("(") {
		if args := r.readArguments(")"); name == "Regex" {
			return r.compiled(args)
		} else if len(args) > 0 {
			r.failed = true
		}
	}
	out := argument{kind: isOptions}
	if r.take("{") {
		out.options = r.readArguments("}")
	}
	for r.take(".") { // .setName("x")
		option, ok := strings.CutPrefix(r.readName(), "set")
		if !ok || !r.take("(") {
			r.failed = true
			break
		}
		args := r.readArguments(")")
		if len(args) != 1 {
			r.failed = true
			break
		}
		args[0].name = option
		out.options = append(out.options, args[0])
	}
	return out
}

// readFunction reads a call of one of the functions that make a value.
func (r *expressionReader) readFunction(path string) argument {
	r.take("(")
	args := r.readArguments(")")
	name := lastName(path)
	if (name == "Bool" || name == "Int" || name == "String") && (path == "playwright."+name || r.lang == Go && strings.Count(path, ".") == 1) && len(args) == 1 {
		return args[0]
	}
	switch path {
	case "re.compile", "Pattern.compile", "regexp.MustCompile":
		return r.compiled(args)
	}
	r.failed = true
	return argument{}
}

// readScriptRegexp reads a regular expression of JavaScript: /source/flags.
func (r *expressionReader) readScriptRegexp() argument {
	inner := attributeReader{text: r.text, at: r.at}
	body := inner.readRegexp()
	if inner.failed {
		r.failed = true
		return argument{}
	}
	r.at = inner.at
	return regexpArgument(splitRegexp(body))
}
