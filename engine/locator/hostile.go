package locator

import (
	"unicode"
	"unicode/utf8"
)

// maxValue bounds a value that may be written into somebody's source, in bytes.
const maxValue = 300

// writable says why value must not be written into source code, "" when it
// may: control characters and characters that hide or reorder text are how a
// page would smuggle something past the person who reads the diff.
func writable(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "the new locator is not valid UTF-8"
	case len(value) > maxValue:
		return "the new locator is too long to be written into a test"
	}
	for _, r := range value {
		if hidden(r) {
			return "the new locator holds control or invisible characters"
		}
	}
	return ""
}

// hidden reports whether r does not show as itself: controls, line and
// paragraph separators, formatting and bidirectional marks, and code points
// without a character.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError || r == '\u00ad' ||
		r >= 0xfe00 && r <= 0xfe0d || r >= 0xe0100 && r <= 0xe01ef
}
