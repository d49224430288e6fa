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
	MaxID    = 4 << 10 // test ids, locators, key fields
	MaxText  = 64 << 10
	MaxJSON  = 4 << 20
	MaxInput = 16 << 20 // of one value read from a database file
)

// CleanID returns the form under which the store keeps a test id: valid UTF-8
// without NUL bytes, at most 4 KiB. A longer id keeps its beginning and ends in
// a digest of the whole, so that two long ids stay two. CleanID(CleanID(s)) is
// CleanID(s).
func CleanID(id string) string {
	if Clean(id) == id && len(id) <= MaxID {
		return id
	}
	text := Clean(id)
	if len(text) <= MaxID {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	tail := "…" + hex.EncodeToString(sum[:8])
	return Clip(text, MaxID-len(tail)) + tail
}

// CleanText is clean cut to at most max bytes.
func CleanText(s string, max int) string {
	if len(s) > max+utf8.UTFMax {
		s = s[:max+utf8.UTFMax] // a cut character falls to clip below
	}
	return Clip(Clean(s), max)
}

// Clean replaces invalid UTF-8 and NUL bytes, which end a text in SQLite's C
// functions, by U+FFFD.
func Clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Clip cuts s to at most max bytes without splitting a character.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// Finite reports whether f is a number that JSON and SQLite can hold.
func Finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// MaxDerived bounds what is kept of one thing that was worked out, in bytes.
const MaxDerived = 8 << 20
