package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// seedFields is the seed's to_dict, in its order.
type seedFields struct {
	Tag        string          `json:"tag"`
	Text       string          `json:"text"`
	Attributes Attributes      `json:"attributes"`
	DOMPath    []string        `json:"dom_path"`
	Siblings   []string        `json:"siblings"`
	Locator    string          `json:"locator"`
	TestID     string          `json:"test_id"`
	BBox       json.RawMessage `json:"bbox"`
}

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
	seed, err := compact(seedFields{
		f.Tag, f.Text, f.Attributes, append([]string{}, f.DOMPath...), append([]string{}, f.Siblings...), f.Locator, f.TestID, box,
	})
	if err != nil {
		return nil, fmt.Errorf("write fingerprint: %w", err)
	}
	own, err := compact(ownFields{
		f.Role, f.Name, f.Label, f.Neighbours, f.Href, f.Visible, f.OwnText, f.Heading, f.Around, f.Region, f.Place, f.Site, f.Page,
	})
	if err != nil {
		return nil, fmt.Errorf("write fingerprint: %w", err)
	}
	if len(own) > len("{}") {
		seed = append(append(seed[:len(seed)-1], ','), own[1:]...)
	}
	return respell(seed), nil
}

// ownFields are a fingerprint's fields that the seed does not know.
type ownFields struct {
	Role       string   `json:"role,omitempty"`
	Name       string   `json:"name,omitempty"`
	Label      string   `json:"label,omitempty"`
	Neighbours []string `json:"neighbours,omitempty"`
	Href       string   `json:"href,omitempty"`
	Visible    *bool    `json:"visible,omitempty"`
	OwnText    string   `json:"own_text,omitempty"`
	Heading    string   `json:"heading,omitempty"`
	Around     string   `json:"around,omitempty"`
	Region     []string `json:"region,omitempty"`
	Place      *Place   `json:"place,omitempty"`
	Site       *Site    `json:"site,omitempty"`
	Page       string   `json:"page,omitempty"`
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
func seedBox(b *BoundingBox) (json.RawMessage, error) {
	if b == nil {
		return json.RawMessage("null"), nil
	}
	for _, n := range []float64{b.X, b.Y, b.Width, b.Height} {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("unsupported value: %v in the box", n)
		}
	}
	return fmt.Appendf(nil, `{"x":%s,"y":%s,"width":%s,"height":%s}`, pyFloat(b.X), pyFloat(b.Y), pyFloat(b.Width), pyFloat(b.Height)), nil
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
