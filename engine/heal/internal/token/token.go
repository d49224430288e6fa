// Package token turns what a page says into hashes that are quick to compare:
// words, classes, parts of identifiers.
package token

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Seed is the hash of nothing, from which other hashes start.
	Seed  uint64 = 14695981039346656037
	prime uint64 = 1099511628211
)

// Seeds keep tokens of different kinds apart: the word "nav" is not the tag nav.
var (
	Word  = Hash(Seed, "w:")
	Attr  = Hash(Seed, "a:")
	Class = Hash(Seed, "c:")
	Tag   = Hash(Seed, "t:")
	Role  = Hash(Seed, "r:")
)

// Hash returns the FNV-1a hash of s, starting from seed.
func Hash(seed uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		seed = (seed ^ uint64(s[i])) * prime
	}
	return seed
}

// HashLower is Hash of s with its ASCII letters in lower case.
func HashLower(seed uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		seed = (seed ^ uint64(c)) * prime
	}
	return seed
}

// Mix joins two hashes into one; the order matters.
func Mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	return a * prime
}

// Common returns how many of a's hashes are in b.
func Common(a, b []uint64) int {
	both := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			both++
		}
	}
	return both
}

// Cut returns at most n bytes of s, cut between runes.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// AppendWords appends a hash for each run of letters and digits in text.
func AppendWords(words []uint64, text string) []uint64 {
	h, in := Word, false
	for _, r := range text {
		if r < utf8.RuneSelf && isWordByte(byte(r)) || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			h, in = (h^uint64(r))*prime, true
			continue
		}
		if in {
			words = append(words, h)
		}
		h, in = Word, false
	}
	if in {
		words = append(words, h)
	}
	return words
}

// Fields returns the parts of s between white space as HTML knows it.
func Fields(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == '\f' })
}

// Parts returns the parts of an identifier-like value: "loginButton-2x" gives
// login, Button and 2x. Single characters are left out.
func Parts(value string) iter.Seq[string] {
	value = Cut(value, 100)
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(value); i++ {
			next := i
			switch {
			case i == len(value):
			case isUpper(value[i]) && i > 0 && (isLower(value[i-1]) || isDigit(value[i-1])):
			case !isWordByte(value[i]):
				next = i + 1
			default:
				continue
			}
			if i-start > 1 && !yield(value[start:i]) {
				return
			}
			start = next
		}
	}
}

// Classes returns the classes of a class attribute without the hashes that a
// build tool added: "Button_root__x3Yz9" is "Button_root". A class that is
// nothing but a hash is left out.
func Classes(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for class := range Fields(value) {
			cut := max(strings.LastIndexByte(class, '-'), strings.LastIndexByte(class, '_'))
			if looksHashed(class[cut+1:]) {
				class = strings.TrimRight(class[:max(0, cut)], "-_")
			}
			if class != "" && !yield(class) {
				return
			}
		}
	}
}

// looksHashed reports whether s is five or more letters and digits mixed in a
// way people do not write: it goes from letters to digits and back.
func looksHashed(s string) bool {
	if len(s) < 5 {
		return false
	}
	changes := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			changes++
		}
	}
	return changes >= 2
}

func isUpper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool    { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isWordByte(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
