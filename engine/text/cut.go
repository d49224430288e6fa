package text

import (
	"unicode"
	"unicode/utf8"
)

// Cut returns the first limit bytes of s, cut between characters, with "…"
// behind a cut.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:cutBoundary(s, limit)] + "…"
}

// First returns the first width characters of s, without a sign of the cut.
func First(s string, width int) string { return s[:offsetOf(s, width)] }

// Head returns the first width characters of s, with "…" behind a cut.
func Head(s string, width int) string {
	if end := offsetOf(s, width); end < len(s) {
		return s[:cutBoundary(s, end)] + "…"
	}
	return s
}

// Tail returns the last width characters of s, with "…" before a cut: what
// tells paths apart is their end.
func Tail(s string, width int) string {
	if runes := utf8.RuneCountInString(s); runes > width {
		start := offsetOf(s, runes-width)
		for start < len(s) && cutBoundary(s, start) != start {
			start++
		}
		return "…" + s[start:]
	}
	return s
}

// Shorten returns s in at most width characters, its middle replaced by "…":
// both ends of a name tell more than its middle.
func Shorten(s string, width int) string {
	if len(s) <= width || utf8.RuneCountInString(s) <= width {
		return s
	}
	tail := (width - 1) / 2
	end := s[offsetOf(s, utf8.RuneCountInString(s)-tail):]
	for end != "" && extendsBefore(end) {
		_, size := utf8.DecodeRuneInString(end)
		end = end[size:]
	}
	return s[:cutBoundary(s, offsetOf(s, width-1-tail))] + "…" + end
}

// offsetOf returns where character n of s begins, its length when it has fewer.
func offsetOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// maxCluster is how far a cut moves to keep a letter and its marks together, in
// bytes: marks without end would move it to the start.
const maxCluster = 32

// cutBoundary returns the last place at or before end where s may be cut: not
// inside a character and not between a letter and its marks.
func cutBoundary(s string, end int) int {
	cut := end
	for cut > end-utf8.UTFMax && cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	place := cut
	for place > 0 && place > cut-maxCluster && extendsBefore(s[place:]) {
		_, size := utf8.DecodeLastRuneInString(s[:place])
		place -= size
	}
	if place <= cut-maxCluster || extendsBefore(s[place:]) {
		return cut
	}
	return place
}

// extendsBefore reports whether s begins with what changes the character before it: a
// combining mark, a joiner or the colour of a skin.
func extendsBefore(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x300 && (unicode.Is(unicode.M, r) || r == '\u200d' || r >= 0x1f3fb && r <= 0x1f3ff)
}
