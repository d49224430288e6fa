// Package token turns what a page says into hashes that are quick to compare:
// words, classes, parts of identifiers.
package token

import "strings"

// Seeds keep tokens of different kinds apart: the word "nav" is not the tag nav.
var (
	Word  = Hash(Seed, "w:")
	Attr  = Hash(Seed, "a:")
	Class = Hash(Seed, "c:")
	Tag   = Hash(Seed, "t:")
	Role  = Hash(Seed, "r:")
	ID    = Hash(Seed, "i:")
	Label = Hash(Seed, "l:")
)

// appendParts appends a hash for each part of an identifier-like value:
// "loginButton-2x" gives login, button and 2x. Single characters are left out.
func AppendParts(parts []uint64, seed uint64, value string) []uint64 {
	value = Cut(value, 100)
	h, n := seed, 0
	flush := func() {
		if n > 1 {
			parts = append(parts, h)
		}
		h, n = seed, 0
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		upper := c >= 'A' && c <= 'Z'
		if upper && i > 0 && (isLower(value[i-1]) || isDigit(value[i-1])) {
			flush()
		}
		if upper {
			c += 'a' - 'A'
		}
		if !isLower(c) && !isDigit(c) {
			flush()
			continue
		}
		h, n = (h^uint64(c))*fnvPrime, n+1
	}
	flush()
	return parts
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stableClass returns a class without the hash a build tool added to it:
// "Button_root__x3Yz9" gives "Button_root". A class that is all hash gives "".
func StableClass(class string) string {
	cut := strings.LastIndexAny(class, "-_")
	if !looksHashed(class[cut+1:]) {
		return class
	}
	if cut < 0 {
		return ""
	}
	return strings.TrimRight(class[:cut], "-_")
}

// looksHashed reports whether s is five or more letters and digits mixed in a
// way people do not write: a digit between letters, or upper case after lower
// case beside a digit.
func looksHashed(s string) bool {
	if len(s) < 5 {
		return false
	}
	digits, letters, changes := 0, 0, 0
	for i := 0; i < len(s); i++ {
		digit := isDigit(s[i])
		if digit {
			digits++
		} else {
			letters++
		}
		if i > 0 && digit != isDigit(s[i-1]) {
			changes++
		}
	}
	return digits > 0 && letters > 0 && changes >= 2
}
