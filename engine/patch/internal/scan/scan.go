package scan

import (
	"bytes"
	"strings"
)

// maxDepth bounds nested interpolation and markup, so that hostile text cannot
// exhaust the stack.
const maxDepth = 100

// Scan returns the tokens of src. The error, when there is one, is an *Error;
// the tokens before it are returned with it.
func Scan(lang Language, src []byte) ([]Token, error) {
	s := &scanner{src: src, lang: lang, tokens: make([]Token, 0, len(src)/5)}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		s.at = 3
	}
	if lang.isScript() && bytes.HasPrefix(src[s.at:], []byte("#!")) {
		s.lineComment()
	}
	if lang == Java {
		s.refuseSyntaxEscape()
	}
	s.scanCode(false)
	if s.err == nil && len(s.open) > 0 {
		s.failAt(s.open[len(s.open)-1].at, "a bracket is not closed")
	}
	if s.err != nil {
		return s.tokens, s.err
	}
	return s.tokens, nil
}

func (l Language) isScript() bool { return l == TypeScript || l == TSX }

// scanner holds the state of one Scan.
type scanner struct {
	src    []byte
	lang   Language
	at     int
	tokens []Token
	open   []bracket
	depth  int
	last   int // index of the last token that is not a comment, plus one
	closed bracket
	err    *Error
}

// bracket is an open bracket and what it means for a slash after its end.
type bracket struct {
	kind    byte
	at      int
	control bool // ( of if, while, for, with
	value   bool // { of an object literal
}

func (s *scanner) failAt(at int, reason string) {
	if s.err == nil {
		s.err = &Error{at, reason}
	}
	s.at = len(s.src)
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

func (s *scanner) startsWith(prefix string) bool {
	return len(s.src)-s.at >= len(prefix) && string(s.src[s.at:s.at+len(prefix)]) == prefix
}

// emitToken appends a token from start to the current place.
func (s *scanner) emitToken(kind Kind, start int) *Token {
	s.at = min(s.at, len(s.src))
	s.tokens = append(s.tokens, Token{Kind: kind, Start: start, End: s.at})
	if kind != Comment {
		s.last = len(s.tokens)
	}
	return &s.tokens[len(s.tokens)-1]
}

// scanCode scans code to the end of the text or, when nested, to the brace that
// closes the field it stands in. That brace is left for the caller.
func (s *scanner) scanCode(nested bool) {
	base := len(s.open)
	lineStart := true
	for s.at < len(s.src) && s.err == nil {
		c := s.src[s.at]
		switch {
		case c == '\n':
			lineStart = true
			s.at++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			s.at++
			continue
		case nested && len(s.open) == base && s.endsField(c):
			return
		}
		if !s.scanComment(c, lineStart) && !s.scanLiteral(c) && !s.scanWord(c) {
			s.scanPunct(c)
		}
		lineStart = false
	}
	if nested && s.err == nil {
		s.failAt(len(s.src), "an interpolated string is not closed")
	}
}

// endsField reports whether c ends the code of an interpolation. Python and C#
// have a format after a colon.
func (s *scanner) endsField(c byte) bool {
	switch {
	case c == '}':
		return true
	case s.lang == CSharp:
		return c == ':' && s.peek(1) != ':'
	case s.lang == Python:
		return c == ':' || c == '!' && s.peek(1) != '=' || c == '=' && endsPythonField(s.src[s.at+1:])
	}
	return false
}

// endsPythonField reports whether an f-string's self-documenting = ends the field.
func endsPythonField(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) > 0 && (rest[0] == '}' || rest[0] == '!' || rest[0] == ':')
}

// nestDeeper runs f one level deeper.
func (s *scanner) nestDeeper(f func()) {
	if s.depth++; s.depth > maxDepth {
		s.failAt(s.at, "nested too deeply")
		return
	}
	f()
	s.depth--
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// scanWord scans a name or a number.
func (s *scanner) scanWord(c byte) bool {
	sigil := c == '#' && s.lang.isScript() || c == '@' && s.lang == CSharp
	if !isWord(c) && (!sigil || !isWord(s.peek(1))) {
		return false
	}
	start := s.at
	number := c >= '0' && c <= '9'
	for s.at++; s.at < len(s.src); s.at++ {
		c := s.src[s.at]
		fraction := number && c == '.' && s.peek(1) >= '0' && s.peek(1) <= '9'
		if !isWord(c) && !fraction {
			break
		}
	}
	s.emitToken(Ident, start)
	return true
}

// scanComment scans a comment or a line of the preprocessor when one starts here.
func (s *scanner) scanComment(c byte, lineStart bool) bool {
	switch {
	case c == '#' && (s.lang == Python || s.lang == CSharp && lineStart):
		s.lineComment()
	case s.lang == Python || c != '/':
		return false
	case s.peek(1) == '/':
		s.lineComment()
	case s.peek(1) == '*':
		s.blockComment()
	default:
		return false
	}
	return true
}

func (s *scanner) lineComment() {
	start := s.at
	if i := bytes.IndexByte(s.src[s.at:], '\n'); i >= 0 {
		s.at += i
	} else {
		s.at = len(s.src)
	}
	if s.at > start && s.src[s.at-1] == '\r' {
		s.at--
	}
	s.emitToken(Comment, start)
}

func (s *scanner) blockComment() {
	start := s.at
	s.at += len("/*")
	if s.skipPast("*/", start, "a comment is not closed") {
		s.emitToken(Comment, start)
	}
}

// skipPast moves behind the next mark. Without one it fails at a place.
func (s *scanner) skipPast(mark string, opened int, reason string) bool {
	i := bytes.Index(s.src[s.at:], []byte(mark))
	if i < 0 {
		s.failAt(opened, reason)
		return false
	}
	s.at += i + len(mark)
	return true
}

// scanPunct scans a bracket or an operator.
func (s *scanner) scanPunct(c byte) {
	start := s.at
	switch c {
	case '(', '[', '{':
		s.open = append(s.open, bracket{c, start, c == '(' && s.afterControl(), c == '{' && s.valueBrace()})
		s.at++
		s.emitToken(Open, start).Opens = true
		return
	case ')', ']', '}':
		s.closeBracket(c)
		return
	case '/', '<':
		if s.lang.isScript() && (c == '/' && s.scanRegex() || c == '<' && s.scanMarkup()) {
			return
		}
	}
	s.at++
	if next := s.peek(0); c == '=' && (next == '>' || next == '=') || c == '?' && next == '.' || c == ':' && next == ':' {
		s.at++
	}
	s.emitToken(Punct, start)
}

func (s *scanner) closeBracket(c byte) {
	if len(s.open) == 0 || strings.IndexByte(")]}", c) != strings.IndexByte("([{", s.open[len(s.open)-1].kind) {
		s.failAt(s.at, "a bracket closes that was not opened")
		return
	}
	s.closed = s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	start := s.at
	s.at++
	s.emitToken(Close, start).Closes = true
}

// tokenBefore returns the nth last token that is not a comment, 0 being the last.
func (s *scanner) tokenBefore(n int) (Token, bool) {
	for i := s.last - 1; i >= 0; i-- {
		if s.tokens[i].Kind == Comment {
			continue
		}
		if n == 0 {
			return s.tokens[i], true
		}
		n--
	}
	return Token{}, false
}

func (s *scanner) textOf(t Token) string { return string(s.src[t.Start:t.End]) }

// beforeValue are the words after which a value starts, so that a slash opens
// a regular expression.
var beforeValue = WordSet("return typeof case in of delete void throw new else do await yield instanceof default export extends")

var controlWords = WordSet("if while for with")

// afterControl reports whether the parenthesis here belongs to if, while, for
// or with.
func (s *scanner) afterControl() bool {
	if !s.lang.isScript() {
		return false
	}
	t, ok := s.tokenBefore(0)
	if ok && t.Kind == Ident && s.textOf(t) == "await" {
		t, ok = s.tokenBefore(1)
	}
	return ok && t.Kind == Ident && controlWords[s.textOf(t)] && !s.memberName()
}

// memberName reports whether the last token is a property: x.if
func (s *scanner) memberName() bool {
	t, ok := s.tokenBefore(1)
	return ok && t.Kind == Punct && (s.textOf(t) == "." || s.textOf(t) == "?.")
}

// valueBrace reports whether the brace here opens an object literal.
func (s *scanner) valueBrace() bool {
	t, ok := s.tokenBefore(0)
	if !ok || !s.lang.isScript() {
		return false
	}
	switch t.Kind {
	case Open:
		return s.src[t.Start] != '{'
	case Punct:
		text := s.textOf(t)
		return text != "=>" && text != ";"
	case Ident:
		return beforeValue[s.textOf(t)] && s.textOf(t) != "else" && s.textOf(t) != "do" && !s.memberName()
	case Chunk:
		return true
	}
	return false
}

// valueNext reports whether a value can start here, so that a slash is a
// regular expression and an angle bracket is markup.
func (s *scanner) valueNext() bool {
	t, ok := s.tokenBefore(0)
	if !ok {
		return true
	}
	switch t.Kind {
	case Ident:
		return beforeValue[s.textOf(t)] && !s.memberName()
	case Open:
		return true
	case Chunk:
		return !t.Closes
	case Close:
		switch s.src[t.Start] {
		case ')':
			return s.closed.control
		case '}':
			return !s.closed.value
		}
		return false
	case Punct:
		return s.operatorWantsValue(t)
	}
	return false
}

// operatorWantsValue reports whether a value follows the operator t: true for all
// but postfix ++, -- and !.
func (s *scanner) operatorWantsValue(t Token) bool {
	c := s.src[t.Start]
	if c != '+' && c != '-' && c != '!' {
		return true
	}
	prev, ok := s.tokenBefore(1)
	if !ok || prev.End != t.Start {
		return true
	}
	if c == '!' {
		return (prev.Kind != Ident || beforeValue[s.textOf(prev)]) && prev.Kind != Close
	}
	return prev.Kind != Punct || s.src[prev.Start] != c
}

// scanRegex scans a regular expression literal when one can stand here.
func (s *scanner) scanRegex() bool {
	if !s.valueNext() {
		return false
	}
	class := false
	for i := s.at + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			start := s.at
			for i++; i < len(s.src) && isWord(s.src[i]); i++ {
			}
			s.at = i
			s.emitToken(Regex, start)
			return true
		}
	}
	return false
}
