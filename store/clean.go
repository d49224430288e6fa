package store

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
)

// Bounds of stored texts in bytes.
const (
	MaxID    = 4 << 10 // test ids, locators, key fields
	MaxText  = 64 << 10
	MaxJSON  = 4 << 20
	MaxInput = 16 << 20 // of one value read from a database file
)

// CleanID returns the form under which the store keeps what names something: a
// locator, a branch, an environment. Its rule is that of test ids.
func CleanID(id string) string { return string(engine.NewTestID(id)) }

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
