package scan

import "strings"

// Encode returns value as a literal in the notation of t, a String of src:
// same quotes, same prefix. It reports false when the notation cannot hold
// the value, which is assumed to be free of control characters.
func Encode(lang Language, src []byte, t Token, value string) (string, bool) {
	literal := string(src[t.Start:t.End])
	open, end := literal[:t.Lit.Prefix], literal[len(literal)-t.Lit.Suffix:]
	quote := end[:1]
	body, ok := value, true
	switch t.Lit.Form {
	case Plain:
		body = escaper(quote).Replace(value)
	case BracePlain:
		body = strings.NewReplacer("{", "{{", "}", "}}").Replace(escaper(quote).Replace(value))
	case Template:
		body = strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", "\\${").Replace(value)
	case RawGo:
		ok = !strings.Contains(value, "`")
	case RawPython, RawTriple:
		ok = !strings.Contains(value, quote) && !strings.HasSuffix(value, `\`)
	case TriplePy:
		body = escaper(quote).Replace(value)
	case Verbatim:
		body = strings.ReplaceAll(value, `"`, `""`)
	case RawCSharp:
		ok = !strings.Contains(value, end) && !strings.HasPrefix(value, quote) &&
			!strings.HasSuffix(value, quote) && !strings.ContainsAny(value, "{}")
	default:
		ok = false
	}
	if strings.ContainsAny(value, "\n\r") || value == "" {
		return "", false
	}
	if lang == Java && t.Lit.Form == TextBlock {
		return "", false
	}
	return open + body + end, ok
}

func escaper(quote string) *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, quote, `\`+quote)
}
