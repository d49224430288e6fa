package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	Seed     uint64 = 14695981039346656037
	fnvPrime uint64 = 1099511628211
)

// hashString returns the FNV-1a hash of s, starting from seed.
func Hash(seed uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		seed = (seed ^ uint64(s[i])) * fnvPrime
	}
	return seed
}

// hashMix joins two hashes into one; the order matters.
func Mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	return a * fnvPrime
}

// cutString returns at most n bytes of s, cut between runes.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// appendWords appends a hash for each run of letters and digits in text.
func AppendWords(words []uint64, seed uint64, text string) []uint64 {
	h, in := seed, false
	for _, r := range text {
		if r < utf8.RuneSelf && asciiWord[r] || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			h, in = (h^uint64(r))*fnvPrime, true
			continue
		}
		if in {
			words = append(words, h)
		}
		h, in = seed, false
	}
	if in {
		words = append(words, h)
	}
	return words
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// eachField calls f for each run of bytes that are not white space.
func EachField(s string, f func(string)) {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f")
		if s == "" {
			return
		}
		end := strings.IndexAny(s, " \t\r\n\f")
		if end < 0 {
			f(s)
			return
		}
		f(s[:end])
		s = s[end:]
	}
}

// eachPart calls f with the parts appendParts would hash.
func EachPart(value string, f func(string)) {
	value = Cut(value, 100)
	start := 0
	flush := func(end int) {
		if end-start > 1 {
			f(strings.ToLower(value[start:end]))
		}
		start = end
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case upper && i > 0 && (isLower(value[i-1]) || isDigit(value[i-1])):
			flush(i)
		case !upper && !isLower(c) && !isDigit(c):
			flush(i)
			start = i + 1
		}
	}
	flush(len(value))
}
