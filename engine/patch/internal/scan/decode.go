package scan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode returns the value of what stands between the quotes of a literal, or of a part of
// one, and whether that is known.
func Decode(lang Language, form Form, body string) (string, bool) {
	switch form {
	case RawGo:
		return strings.ReplaceAll(body, "\r", ""), true
	case RawPython, RawTriple:
		return unixLines(body), true
	case Verbatim:
		return strings.ReplaceAll(body, `""`, `"`), true
	case BracePlain:
		body = strings.NewReplacer("{{", "{", "}}", "}").Replace(body)
	case BraceOther:
		return "", false
	case RawCSharp:
		value, ok := body, !strings.Contains(body, "\n")
		if !ok {
			value, ok = rawLines(body)
		}
		return value, ok && !strings.ContainsAny(body, "{}")
	case TextBlock:
		var ok bool
		if body, ok = textBlock(body); !ok {
			return "", false
		}
	case Template, TriplePy:
		body = unixLines(body)
	}
	if strings.IndexByte(body, '\\') < 0 {
		return body, true
	}
	if lang == Go {
		value, err := strconv.Unquote(`"` + body + `"`)
		return value, err == nil
	}
	return resolveEscapes(lang, body)
}

// unixLines normalises line ends as JavaScript and Python do in literals.
func unixLines(body string) string {
	return strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
}

var simpleEscapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '\\': '\\', '\'': '\'', '"': '"',
}

// resolveEscapes resolves backslash escapes, and returns false for one that it does not
// know.
func resolveEscapes(lang Language, body string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			i++
			continue
		}
		if i+1 >= len(body) {
			return "", false
		}
		text, n, ok := resolveEscape(lang, body[i+1:])
		if !ok {
			return "", false
		}
		b.WriteString(text)
		i += 1 + n
	}
	return b.String(), true
}

// resolveEscape resolves one escape. rest starts behind the backslash, and n is the number
// of bytes that it takes.
func resolveEscape(lang Language, rest string) (text string, n int, ok bool) {
	c := rest[0]
	if plain, known := simpleEscapes[c]; known {
		return string(plain), 1, true
	}
	script := lang.isScript()
	switch {
	case c == 'v' && lang != Java:
		return "\v", 1, true
	case c == 'x' && (script || lang == Python):
		return codePoint(rest[1:], 2, 1)
	case c == 'u' && script && strings.HasPrefix(rest, "u{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 || end > 8 {
			return "", 0, false
		}
		text, _, ok = codePoint(rest[2:], end-2, 0)
		return text, end + 1, ok
	case c == 'u':
		return utf16Escape(rest)
	case c == 'U' && (lang == Python || lang == CSharp):
		return codePoint(rest[1:], 8, 1)
	case c == '\n' && (script || lang == Python):
		return "", 1, true
	case c >= '0' && c <= '9', c == 'N', c == 'x', c == 'a', c == 'e', c == '\r':
		return "", 0, false
	case script:
		_, size := utf8.DecodeRuneInString(rest)
		return rest[:size], size, true
	case lang == Python:
		_, size := utf8.DecodeRuneInString(rest)
		return `\` + rest[:size], size, true
	}
	return "", 0, false
}

// codePoint reads a number of hexadecimal digits; extra is added to their length.
func codePoint(rest string, digits, extra int) (string, int, bool) {
	if digits <= 0 || len(rest) < digits {
		return "", 0, false
	}
	v, err := strconv.ParseUint(rest[:digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) || v > utf8.MaxRune {
		return "", 0, false
	}
	return string(rune(v)), digits + extra, true
}

// utf16Escape reads uXXXX, or a surrogate pair of two.
func utf16Escape(rest string) (string, int, bool) {
	if text, n, ok := codePoint(rest[1:], 4, 1); ok {
		return text, n, true
	}
	if len(rest) < 11 || rest[5:7] != `\u` {
		return "", 0, false
	}
	high, err1 := strconv.ParseUint(rest[1:5], 16, 16)
	low, err2 := strconv.ParseUint(rest[7:11], 16, 16)
	if err1 != nil || err2 != nil || high>>10 != 0xd800>>10 || low>>10 != 0xdc00>>10 {
		return "", 0, false
	}
	return string(rune(0x10000 + (high&0x3ff)<<10 + low&0x3ff)), 11, true
}

// textBlock returns the value of a Java text block
// (https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.10.6):
// the lines after the first, without the indentation that they share with the
// closing quotes and without spaces at their ends.
func textBlock(body string) (string, bool) {
	first, rest, ok := strings.Cut(unixLines(body), "\n")
	if !ok || strings.Trim(first, " \t\f") != "" {
		return "", false
	}
	lines := strings.Split(rest, "\n")
	shared := -1
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t\f"))
		if (indent < len(line) || i == len(lines)-1) && (shared < 0 || indent < shared) {
			shared = indent
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line[min(shared, len(line)):], " \t\f")
	}
	return strings.Join(lines, "\n"), true
}

// rawLines returns the value of a C# raw string of several lines
// (https://learn.microsoft.com/dotnet/csharp/language-reference/tokens/raw-string):
// the lines between the quotes, without the white space before the last ones.
func rawLines(body string) (string, bool) {
	lines := strings.Split(unixLines(body), "\n")
	last := len(lines) - 1
	indent := lines[last]
	if last < 2 || strings.Trim(lines[0]+indent, " \t") != "" {
		return "", false
	}
	for i, line := range lines[1:last] {
		rest, ok := strings.CutPrefix(line, indent)
		if !ok && strings.Trim(line, " \t") != "" {
			return "", false
		}
		lines[i+1] = rest
	}
	return strings.Join(lines[1:last], "\n"), true
}
