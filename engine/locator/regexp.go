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
