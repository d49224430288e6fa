// Package redact takes secrets out of what a test run says, before it is stored
// or shown: an error text reaches a comment that everybody reads, and a database
// that is kept for months.
//
// It knows the forms that tokens are issued in, values that stand under a name
// such as password, headers and addresses that carry credentials, and the values
// that it is given. What only a person could know to be secret stays.
package redact

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Mask stands in the place of a secret, as in the logs of GitHub Actions.
const Mask = "***"

// Text returns s with a mask in the place of every secret that can be told by its
// form or by the name it stands under. Text(Text(s)) is Text(s).
func Text(s string) string {
	lower := strings.ToLower(s)
	named := rule{hints: secretNames}.mayMatch(lower)
	for _, r := range rules {
		if r.named && named || r.mayMatch(lower) {
			s = r.replace(s)
		}
	}
	for _, r := range tokenForms {
		if r.mayMatch(s) {
			s = r.replace(s)
		}
	}
	return s
}

// Property returns the value of a named property: a mask where the name says that it
// is a secret, else Text of it.
func Property(name, value string) string {
	if sample := name + "=a1b2c3d4"; Text(sample) != sample {
		return Mask
	}
	return Text(value)
}

// Values are secrets that are known as such: those that the runner masks.
type Values []string

// minValue is how long a known secret must be, in bytes: a shorter one is a part
// of too many words.
const minValue = 4

// NewValues returns the secrets and the forms in which they are written elsewhere:
// in an address, in JSON, in a Basic header. Each line of a secret counts, because
// a log is masked by lines.
func NewValues(secrets ...string) Values {
	var all Values
	for _, secret := range secrets {
		for _, value := range append(strings.Split(secret, "\n"), secret) {
			if value = strings.TrimSpace(value); len(value) < minValue {
				continue
			}
			all = append(all, value, quoting.Replace(value), escapeURL(value), strings.ReplaceAll(escapeURL(value), "%20", "+"),
				base64.StdEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)))
		}
	}
	// The longest first: one may be a part of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// quoting is how a text is written between double quotes.
var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Text returns s with a mask in the place of each of the values.
func (v Values) Text(s string) string {
	for _, value := range v {
		s = strings.ReplaceAll(s, value, Mask)
	}
	return s
}

// escapeURL returns a text as an address holds it (RFC 3986, section 2.1). The engine
// does without net/url, which reaches further than to addresses.
func escapeURL(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
