package store

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"unicode/utf8"
)

// Bounds of stored texts in bytes.
const (
	maxID    = 4 << 10 // test ids, locators, key fields
	maxText  = 64 << 10
	maxJSON  = 4 << 20
	maxInput = 16 << 20 // of one value read from a database file
)

// CleanID returns the form under which the store keeps a test id: valid UTF-8
// without NUL bytes, at most 4 KiB. A longer id keeps its beginning and ends in
// a digest of the whole, so that two long ids stay two. CleanID(CleanID(s)) is
// CleanID(s).
func CleanID(id string) string {
	if clean(id) == id && len(id) <= maxID {
		return id
	}
	text := clean(id)
	if len(text) <= maxID {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	tail := "…" + hex.EncodeToString(sum[:8])
	return clip(text, maxID-len(tail)) + tail
}

// cleanText is clean cut to at most max bytes.
func cleanText(s string, max int) string {
	if len(s) > max+utf8.UTFMax {
		s = s[:max+utf8.UTFMax] // a cut character falls to clip below
	}
	return clip(clean(s), max)
}

// clean replaces invalid UTF-8 and NUL bytes, which end a text in SQLite's C
// functions, by U+FFFD.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// clip cuts s to at most max bytes without splitting a character.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// finite reports whether f is a number that JSON and SQLite can hold.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
