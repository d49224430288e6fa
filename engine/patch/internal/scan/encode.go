package scan

import "strings"

// Encode returns value as a literal in the notation of t, a String of src: with the
// same quotes and prefix. It returns false when the notation cannot hold the value,
// which must have no control characters.
func Encode(src []byte, t Token, value string) (string, bool) {
	literal := string(src[t.Start:t.End])
	body, ok := encodeBody(literal, t.Lit, value)
	return literal[:t.Lit.Prefix] + body + literal[len(literal)-t.Lit.Suffix:], ok
}

// Inner returns the bytes [start,end) of a String of src with its value without the
// white space around: what can be edited of a literal that spans lines. It returns
// false when they are on several lines or contain escapes.
func Inner(src []byte, t Token) (start, end int, ok bool) {
	body := string(src[t.Start+t.Lit.Prefix : t.End-t.Lit.Suffix])
	text := strings.TrimSpace(body)
	if text == "" || strings.ContainsAny(text, "\r\n\\") || text != strings.TrimSpace(t.Lit.Value) {
		return 0, 0, false
	}
	start = t.Start + t.Lit.Prefix + strings.Index(body, text)
	return start, start + len(text), true
}

// encodeBody returns value as it is written between the quotes of a literal.
func encodeBody(literal string, lit Literal, value string) (string, bool) {
	end := literal[len(literal)-lit.Suffix:]
	quote := end[:1]
	body, ok := value, true
	switch lit.Form {
	case Plain, TriplePy:
		body = newEscaper(quote).Replace(value)
	case BracePlain:
		body = strings.NewReplacer("{", "{{", "}", "}}").Replace(newEscaper(quote).Replace(value))
	case Template:
		body = strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", "\\${").Replace(value)
	case RawGo:
		ok = !strings.Contains(value, "`")
	case RawPython, RawTriple:
		ok = !strings.Contains(value, quote) && !strings.HasSuffix(value, `\`)
	case Verbatim:
		body = strings.ReplaceAll(value, `"`, `""`)
	case RawCSharp:
		ok = !strings.Contains(value, end) && !strings.HasPrefix(value, quote) &&
			!strings.HasSuffix(value, quote) && !strings.ContainsAny(value, "{}")
	default:
		ok = false
	}
	return body, ok && value != "" && !strings.ContainsAny(value, "\n\r")
}

func newEscaper(quote string) *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, quote, `\`+quote)
}
