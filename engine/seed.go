package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// SeedJSON returns the fingerprint byte for byte as the seed's
// json.dumps(fingerprint.to_dict()) writes it: its keys in its order, ", " and
// ": " between them, everything outside ASCII escaped, numbers as Python's
// repr. Our own optional fields follow the seed's and are left out when empty.
// A box that is not finite is an error, because JSON has no such number.
func (f Fingerprint) SeedJSON() ([]byte, error) {
	box, err := seedBox(f.BBox)
	if err != nil {
		return nil, fmt.Errorf("write fingerprint: %w", err)
	}
	f.BBox = nil
	f.DOMPath, f.Siblings = append([]string{}, f.DOMPath...), append([]string{}, f.Siblings...)
	text, err := compact(f)
	if err != nil {
		return nil, fmt.Errorf("write fingerprint: %w", err)
	}
	const key = `"bbox":` // no text holds it: quotes in texts are escaped
	return respell(bytes.Replace(text, []byte(key+"null"), []byte(key+box), 1)), nil
}

// compact is json.Marshal without its escapes for HTML.
func compact(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// seedBox returns a box with Python's spelling of its numbers.
func seedBox(b *BoundingBox) (string, error) {
	if b == nil {
		return "null", nil
	}
	for _, n := range []float64{b.X, b.Y, b.Width, b.Height} {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return "", fmt.Errorf("unsupported value: %v in the box", n)
		}
	}
	return fmt.Sprintf(`{"x":%s,"y":%s,"width":%s,"height":%s}`, pyFloat(b.X), pyFloat(b.Y), pyFloat(b.Width), pyFloat(b.Height)), nil
}

// pyFloat spells a finite number as Python's repr: the shortest digits that
// read back the same, with an exponent below 1e-4 and from 1e16 on.
func pyFloat(n float64) string {
	if size := math.Abs(n); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(n, 'e', -1, 64)
	}
	if n == math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// respell turns compact JSON into the spelling of Python's json.dumps: a space
// after commas and colons, and nothing but ASCII.
func respell(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	quoted := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case quoted && c == '\\':
			out = append(out, c, text[i+1])
			i += 2
			continue
		case c >= 0x7f: // Python escapes DEL too
			r, size := utf8.DecodeRune(text[i:])
			out = appendEscaped(out, r)
			i += size
			continue
		case c == '"':
			quoted = !quoted
		}
		out = append(out, c)
		if !quoted && (c == ',' || c == ':') {
			out = append(out, ' ')
		}
		i++
	}
	return out
}

// appendEscaped appends \uXXXX, or a surrogate pair of them.
func appendEscaped(out []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// NormalizeText returns text as the seed stores it, which is Python's
// " ".join(text.strip().lower().split()): lower case, white space collapsed to
// single spaces, none at the ends.
func NormalizeText(text string) string {
	// Python lowers by Unicode's full mapping, which differs in these two letters.
	if strings.ContainsAny(text, "İΣ") {
		text = cases.Lower(language.Und).String(text)
	} else {
		text = strings.ToLower(text)
	}
	// To Python's split the four information separators are white space too.
	space := func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
	return strings.Join(strings.FieldsFunc(text, space), " ")
}
