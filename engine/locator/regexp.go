package locator

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// hasRegexpForm reports whether a text is /source/flags, as Playwright tells it.
func hasRegexpForm(body string) bool {
	return strings.HasPrefix(body, "/") && strings.LastIndexByte(body, '/') > 0
}

// isScriptRegexp reports whether a text in that form is a regular expression of JavaScript,
// as far as its flags say.
func isScriptRegexp(body string) bool {
	source, flags := splitRegexp(body)
	for i, flag := range flags {
		if !strings.ContainsRune("dgimsuvy", flag) || strings.ContainsRune(flags[:i], flag) {
			return false
		}
	}
	return source != "" && utf8.ValidString(source)
}

// splitRegexp splits /source/flags.
func splitRegexp(body string) (source, flags string) {
	end := strings.LastIndexByte(body, '/')
	return body[1:end], body[end+1:]
}

// escapedInRegexp matches an escape of a regular expression.
var escapedInRegexp = lazyregexp.New(`(?s)\\.`)

// plainRegexp returns a regular expression without the escapes that it needs only in
// the source of JavaScript or in a selector: of slashes, quotes and angle brackets.
func plainRegexp(body string) string {
	return escapedInRegexp.ReplaceAllStringFunc(body, func(escaped string) string {
		if strings.ContainsAny(escaped[1:], "/\"'`>") {
			return escaped[1:]
		}
		return escaped
	})
}

// pattern is a regular expression that looks for one text and nothing else: /^save$/i.
type pattern struct {
	text       string
	start, end bool   // it begins with ^, ends with $
	flags      string // i or none
}

// signs are what has a meaning in a regular expression.
const signs = `\.+*?()|[]{}^$`

// readPattern reads a regular expression in the form /source/flags, false for one that
// may find more than one text, besides small and capital letters.
func readPattern(body string) (pattern, bool) {
	source, flags := splitRegexp(body)
	p := pattern{flags: flags}
	source, p.start = strings.CutPrefix(source, "^")
	if rest, ok := strings.CutSuffix(source, "$"); ok && !strings.HasSuffix(rest, `\`) {
		source, p.end = rest, true
	}
	var text strings.Builder
	for i := 0; i < len(source); i++ {
		if source[i] == '\\' && i+1 < len(source) && strings.IndexByte(signs+"/-\"'`>", source[i+1]) >= 0 {
			i++
		} else if strings.IndexByte(signs, source[i]) >= 0 {
			return pattern{}, false
		}
		text.WriteByte(source[i])
	}
	p.text = text.String()
	return p, p.text != "" && (flags == "" || flags == "i")
}

// String returns the regular expression in the form /source/flags.
func (p pattern) String() string {
	var b strings.Builder
	b.WriteByte('/')
	if p.start {
		b.WriteByte('^')
	}
	for i := range len(p.text) {
		if strings.IndexByte(signs, p.text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p.text[i])
	}
	if p.end {
		b.WriteByte('$')
	}
	return b.String() + "/" + p.flags
}

// withText returns the same regular expression for another text: in small letters, where
// the old one is and capitals make no difference.
func (p pattern) withText(text string) pattern {
	if p.flags == "i" && p.text == strings.ToLower(p.text) {
		text = strings.ToLower(text)
	}
	p.text = text
	return p
}

// pattern returns the regular expression of a part, false when it has none that looks for
// one text, or looks for a test id, of which one may stand for many.
func (p Part) pattern() (pattern, bool) {
	if !p.Regexp || p.Kind == KindTestID {
		return pattern{}, false
	}
	return readPattern(p.Value)
}

// Plain returns the part of plain text that finds what p finds by a regular expression: of
// the name of a role, /save/i as loose text and /^Save$/ as exact text. Other texts may hold
// line breaks, which count as spaces for plain text only. It returns p itself when it has no
// regular expression, and false when there is no such text.
func (p Part) Plain() (Part, bool) {
	pattern, ok := p.pattern()
	switch {
	case !p.Regexp:
		return p, true
	case !ok, p.Kind != KindRole, pattern.text != strings.Join(strings.Fields(pattern.text), " "):
		return p, false
	case pattern.flags == "i" && !pattern.start && !pattern.end:
		p.Match = MatchLoose
	case pattern.flags == "" && pattern.start && pattern.end:
		p.Match = MatchExact
	default:
		return p, false
	}
	p.Regexp, p.Value = false, pattern.text
	return p, true
}

// withPatternText returns p with a regular expression for another text, false when it has
// none that looks for one text.
func (p Part) withPatternText(text string) (Part, bool) {
	old, ok := p.pattern()
	if !ok || strings.TrimSpace(text) == "" {
		return p, false
	}
	was, is := escapeRegexp(p.Value), old.withText(text).String()
	if strings.Count(p.Raw, was) != 1 {
		return p, false
	}
	p.Raw, p.Value = strings.Replace(p.Raw, was, escapeRegexp(is), 1), plainRegexp(is)
	return p, p.readsBack()
}

// ReadPattern returns what a regular expression in the source code of a language looks for
// in the form /source/flags of JavaScript, false when text is anything else.
func ReadPattern(text string, lang Language) (string, bool) {
	r := &expressionReader{text: text, lang: lang}
	a := r.readValue()
	return a.text, !r.failed && r.at == len(text) && a.kind == isRegexp
}

// RewritePattern returns the source code of a regular expression with the text of another
// one: a literal of JavaScript, or the string that another language compiles. Both are
// given as ReadPattern returns them, and must differ in nothing but the text that they look
// for. It returns false when source is not written as was.
func RewritePattern(source, was, is string) (string, bool) {
	old, plain := readPattern(was)
	next, ok := readPattern(is)
	if !plain || !ok || old.start != next.start || old.end != next.end || old.flags != next.flags || Writable(next.text) != "" {
		return "", false
	}
	from, _ := splitRegexp(was)
	to, _ := splitRegexp(is)
	if hasRegexpForm(source) {
		_, flags := splitRegexp(source)
		made := "/" + escapeSlashes(to) + "/" + flags
		again, ok := ReadPattern(made, TypeScript)
		return made, ok && again == is
	}
	inline, ok := strings.CutSuffix(source, from)
	return inline + to, ok && (inline == "" || inline == "(?i)")
}

// regexpFlags are the flags of JavaScript for the names that the other languages have
// for them.
var regexpFlags = map[string]string{
	"IGNORECASE": "i", "MULTILINE": "m", "DOTALL": "s", "I": "i", "M": "m", "S": "s", // Python
	"CASE_INSENSITIVE": "i",                                                   // Java, with MULTILINE and DOTALL
	"IgnoreCase":       "i", "Multiline": "m", "Singleline": "s", "None": "-", // C#
}

// readFlags reads the names of flags, of which the first has been read, with | between
// them.
func (r *expressionReader) readFlags(name string) argument {
	flags := ""
	for {
		flag := regexpFlags[name]
		r.failed = r.failed || flag == ""
		flags += strings.Trim(flag, "-")
		if !r.take("|") {
			return argument{kind: isFlags, text: flags}
		}
		for name = r.readName(); r.take("."); {
			name = r.readName()
		}
	}
}

// compiled returns the regular expression that a function makes of a source and flags.
// Go writes its flags into the source.
func (r *expressionReader) compiled(args []argument) argument {
	if len(args) == 0 || len(args) > 2 || args[0].kind != isText || len(args) == 2 && args[1].kind != isFlags {
		r.failed = true
		return argument{}
	}
	source, flags := args[0].text, ""
	if len(args) == 2 {
		flags = args[1].text
	}
	if inline, rest, ok := strings.Cut(strings.TrimPrefix(source, "(?"), ")"); ok && strings.HasPrefix(source, "(?") && strings.Trim(inline, "ims") == "" {
		source, flags = rest, flags+inline
	}
	return regexpArgument(source, flags)
}

func regexpArgument(source, flags string) argument {
	sorted := []byte(flags)
	slices.Sort(sorted)
	return argument{kind: isRegexp, text: plainRegexp("/" + source + "/" + string(slices.Compact(sorted)))}
}

// flagNames returns the names that a language has for flags, each behind a separator.
func flagNames(flags, before, separator string, names map[rune]string) string {
	var out []string
	for _, flag := range flags {
		if name := names[flag]; name != "" {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return before + strings.Join(out, separator)
}

// escapeSlashes escapes the slashes that would end a regular expression of JavaScript.
func escapeSlashes(source string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source):
			b.WriteByte(c)
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			b.WriteByte('\\')
		}
		b.WriteByte(source[i])
	}
	return b.String()
}
