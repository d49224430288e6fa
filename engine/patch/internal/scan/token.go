// Package scan reads source text of five languages into tokens: enough to know
// what is a string literal, what is a comment and which brackets belong
// together, and nothing more.
//
// Tokens never overlap and come in order. A string with interpolation is a
// run of tokens: its first chunk opens a bracket, its last one closes it, and
// the code between is scanned as code. Whatever does not scan cleanly is an
// error, because an edit of a file that was misread is a wrong edit.
package scan

import (
	"fmt"
	"strings"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens. White space is not a token.
const (
	Ident   Kind = iota // names, keywords, numbers
	Punct               // one operator character, or one of => ?. :: ==
	Open                // ( [ {
	Close               // ) ] }
	String              // a whole string literal without interpolation
	Chunk               // a piece of an interpolated string, see Token.Opens
	Char                // a character literal
	Comment             // a comment, or a preprocessor line of C#
	Regex               // a regular expression literal
	Markup              // JSX: tags, attributes and text
)

// Token is one piece of source text, bytes [Start,End).
type Token struct {
	Kind       Kind
	Start, End int
	Lit        Literal // of a String
	Opens      bool    // Open, or the first Chunk of a string
	Closes     bool    // Close, or the last Chunk of a string
}

// Literal is how a string literal is written and what it says.
type Literal struct {
	Form    Form
	Prefix  int // bytes before the content
	Suffix  int // bytes after it
	Value   string
	Decoded bool // Value is known; false for bytes and escapes we do not read
}

// Form is the notation of a string literal.
type Form uint8

// The forms of string literals.
const (
	Plain      Form = iota // quotes and backslash escapes
	Template               // JavaScript's `…`
	RawGo                  // Go's `…`
	RawPython              // r'…'
	TriplePy               // """…""" with escapes
	RawTriple              // r"""…"""
	TextBlock              // Java's """…"""
	Verbatim               // C#'s @"…"
	RawCSharp              // C#'s """…"""
	BracePlain             // f'…' and $"…" without a field: escapes, braces doubled
	BraceOther             // every other literal that doubles its braces
)

// Language is a language Scan reads.
type Language uint8

// The languages. JSX and TSX read markup as well.
const (
	TypeScript Language = iota
	TSX
	Python
	Java
	CSharp
	Go
)

// Error is the place at which a text stops being source of its language.
type Error struct {
	Offset int // byte offset
	Reason string
}

// Error returns the reason and the offset.
func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// WordSet returns the set of the words in a list.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
