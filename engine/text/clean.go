package text

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds what [Line] reads of a text, in bytes.
const maxLine = 16 << 10

// firstMark is the first combining mark of Unicode.
const firstMark = '\u0300'

// maxMarks is how many combining marks one letter keeps: enough for every
// living script, too few to paint over the lines around it.
const maxMarks = 4

// Line returns s as [Clean] does, on one line, with each run of white space as
// one space. It reads at most 16 KiB.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(Cut(s, maxLine))), " ")
}

// Clean returns s as text that shows what it holds and does nothing:
//
//   - Invalid UTF-8 becomes U+FFFD.
//   - Terminal sequences (ECMA-48, in 7-bit and 8-bit form) are removed, also
//     when a report writer dropped or replaced their escape character.
//   - Line ends of every kind become \n. Overstruck letters ("_\bx") are printed
//     once.
//   - Any other control character but \n and \t becomes its picture ("␀").
//   - Characters that hide or reorder text are named ("⟨U+202E⟩"). Joiners, soft
//     hyphens and byte order marks are removed: they mean nothing alone.
//   - A letter keeps at most four combining marks.
//
// Clean(Clean(s)) is Clean(s). Clean escapes nothing: what has a meaning in
// Markdown, HTML or a job log is up to whoever writes that.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	c := cleaner{in: s, out: make([]byte, 0, len(s))}
	for c.pos < len(s) {
		if n := plainLen(s[c.pos:]); n > 0 {
			c.copyPlain(n)
			continue
		}
		if n := escapeLen(s[c.pos:]); n > 0 {
			c.pos += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[c.pos:])
		c.pos += n
		c.write(r)
	}
	return string(c.out)
}

// isClean reports whether s needs no cleaning: nearly every text does not.
func isClean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f || c == '[' {
			return false
		}
	}
	return true
}

// plainLen returns how many bytes at the start of s are printable ASCII or \n or
// \t: the fast way through most of a text.
func plainLen(s string) int {
	n := 0
	for n < len(s) && (s[n] >= ' ' && s[n] < 0x7f || s[n] == '\n' || s[n] == '\t') {
		n++
	}
	return n
}

// cleaner writes the cleaned form of in to out.
type cleaner struct {
	in    string
	pos   int // in in, behind the character that is written
	out   []byte
	marks int // combining marks at the end of out

	// maimed is set once out holds a "[" or U+FFFD, without which it holds no
	// maimed sequence.
	maimed bool
}

// copyPlain adds the next n bytes, which are plain.
func (c *cleaner) copyPlain(n int) {
	c.marks = 0
	end := c.pos + n
	if !c.maimed {
		n = strings.IndexByte(c.in[c.pos:end], '[')
		c.maimed = n >= 0
		if n < 0 {
			n = end - c.pos
		}
		c.out = append(c.out, c.in[c.pos:c.pos+n]...)
		c.pos += n
	}
	for c.pos < end {
		c.out = append(c.out, c.in[c.pos])
		c.pos++
		c.dropMaimedSequence()
	}
}

// write adds r, or what stands for it when it would not be seen.
func (c *cleaner) write(r rune) {
	if r < firstMark || !unicode.In(r, unicode.Mn, unicode.Me) {
		c.marks = 0
	} else if c.marks++; c.marks > maxMarks {
		return
	}
	switch {
	case r == '\n' || r == '\t':
		c.out = append(c.out, byte(r))
	case r == '\r':
		if !strings.HasPrefix(c.in[c.pos:], "\n") {
			c.out = append(c.out, '\n')
		}
	case r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
		c.out = append(c.out, '\n')
	case r == '\b' && c.overstrike():
	case r < ' ':
		c.out = utf8.AppendRune(c.out, '␀'+r)
	case r == 0x7f:
		c.out = utf8.AppendRune(c.out, '␡')
	case r == '\u200c' || r == '\u200d' || r == '\u00ad' || r == '\ufeff':
	case IsHidden(r):
		c.out = fmt.Appendf(c.out, "⟨U+%04X⟩", r)
	default:
		c.out = utf8.AppendRune(c.out, r)
		c.maimed = c.maimed || r == utf8.RuneError
	}
}

// overstrike handles a backspace between two letters that a line printer sets
// on each other, for bold ("x\bx") or underlined ("_\bx"). It reports whether
// it is one.
func (c *cleaner) overstrike() bool {
	below, size := utf8.DecodeLastRune(c.out)
	above, n := utf8.DecodeRuneInString(c.in[c.pos:])
	if !unicode.IsPrint(below) || !unicode.IsPrint(above) || above != below && above != '_' && below != '_' {
		return false
	}
	if above == '_' {
		c.pos += n
	} else {
		c.out = c.out[:len(c.out)-size]
	}
	return true
}

// IsHidden reports whether r has no picture of its own: control and format
// characters (bidirectional controls and zero-width ones among them), line and
// paragraph separators, private use, characters that Unicode does not assign, and
// the letters and marks that it says to draw as nothing.
func IsHidden(r rune) bool {
	switch {
	case !unicode.IsGraphic(r):
		return true
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u17b4', r == '\u17b5',
		r == '\u2800', r == '\u3164', r == '\uffa0', r >= '\u180b' && r <= '\u180f':
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}

// The characters that introduce a sequence in 8-bit form, and its end.
const (
	c1DCS = 0x90 // device control string
	c1SOS = 0x98 // start of string
	c1CSI = 0x9b // control sequence
	c1ST  = 0x9c // string terminator
	c1OSC = 0x9d // operating system command
	c1PM  = 0x9e // privacy message
	c1APC = 0x9f // application program command
)

// escapeLen returns the length of the terminal sequence that s begins with, 0
// for none. Of a sequence without an end, the introducer is the sequence.
func escapeLen(s string) int {
	switch s[0] {
	case 0x1b:
		return 1 + escLen(s[1:])
	case 0xc2: // a C1 control character in UTF-8
		if len(s) > 1 {
			return c1Len(s[1], s[2:], 2)
		}
	case c1CSI: // a lone byte: the 8-bit form as such
		if n := csiLen(s[1:]); n > 0 {
			return 1 + n
		}
	}
	return 0
}

// escLen returns how much of what follows an escape character belongs to it.
func escLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '[':
		return 1 + csiLen(s[1:])
	case strings.IndexByte("]PX^_", s[0]) >= 0:
		return 1 + stringLen(s[1:])
	case s[0] == 'N' || s[0] == 'O': // a single shift, with the letter shifted
		return 1 + prefixLen(s[1:min(2, len(s))], '!', '~')
	}
	n := prefixLen(s, ' ', '/') // charset designations and the like
	if n < len(s) && s[n] >= '0' && s[n] <= '~' {
		return n + 1
	}
	return n
}

// c1Len returns the length of the sequence that the C1 character c of size bytes
// introduces, 0 when it introduces none.
func c1Len(c byte, rest string, size int) int {
	switch c {
	case c1CSI:
		return size + csiLen(rest)
	case c1DCS, c1SOS, c1OSC, c1PM, c1APC:
		return size + stringLen(rest)
	case c1ST:
		return size
	}
	return 0
}

// csiLen returns the length of what follows the introducer of a control
// sequence: parameters, intermediate characters and a final one. It is 0
// without a final one.
func csiLen(s string) int {
	n := prefixLen(s, '0', '?')
	n += prefixLen(s[n:], ' ', '/')
	if n == len(s) || s[n] < '@' || s[n] > '~' {
		return 0
	}
	return n + 1
}

// stringLen returns the length of the payload of an operating system command
// or another control string, up to and with its end. It is 0 when the payload
// does not end before the next line or the next sequence, so that nothing but a
// well-formed string hides a text.
func stringLen(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == '\a':
			return i + 1
		case s[i] == 0x1b && strings.HasPrefix(s[i:], "\x1b\\"):
			return i + 2
		case strings.HasPrefix(s[i:], "\u009c"):
			return i + len("\u009c")
		case s[i] < ' ' && s[i] != '\t', s[i] == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return 0
		}
	}
	return 0
}

// prefixLen returns how many bytes at the start of s lie between low and high.
func prefixLen(s string, low, high byte) int {
	n := 0
	for n < len(s) && s[n] >= low && s[n] <= high {
		n++
	}
	return n
}

// dropMaimedSequence removes a sequence from the end of the output whose escape
// character was lost on the way here: XML cannot hold one, so writers drop it
// ("[31m") and readers replace it ("\uFFFD[31m"). Colours and what
// resets them are known without it, other sequences only with a replacement.
func (c *cleaner) dropMaimedSequence() {
	end := len(c.out) - 1
	final := c.out[end]
	if final|0x20 < 'a' || final|0x20 > 'z' {
		return
	}
	if final == 'B' && c.dropCharset() {
		return
	}
	start := end
	for start > 0 && strings.IndexByte("0123456789;:<=>?", c.out[start-1]) >= 0 {
		start--
	}
	if start == 0 || c.out[start-1] != '[' {
		return
	}
	parameters := c.out[start:end]
	start--
	replaced := bytes.HasSuffix(c.out[:start], []byte("\uFFFD"))
	switch {
	case replaced && (len(parameters) > 0 || strings.IndexByte("mKJH", final) >= 0):
		c.out = c.out[:start-len("\uFFFD")]
	case final == 'm' && isColour(parameters) && !c.isNext(']') && !isSpelledOut(c.out[:start]):
		c.out = bytes.TrimSuffix(c.out[:start], []byte("#x1B")) // as pytest writes an escape character
	case final == 'm' && len(parameters) == 0 && bytes.HasSuffix(c.out[:start], []byte("(B")): // what tput sgr0 prints
		c.out = c.out[:start-len("(B")]
	}
}

// dropCharset removes "\uFFFD(B" from the end of the output, the choice of a
// character set, unless it reads as a bracket that opens a word.
func (c *cleaner) dropCharset() bool {
	const sequence = "\uFFFD(B"
	next, _ := utf8.DecodeRuneInString(c.in[c.pos:])
	if !bytes.HasSuffix(c.out, []byte(sequence)) || unicode.In(next, unicode.L, unicode.N) && !IsHidden(next) || next == ')' {
		return false
	}
	c.out = c.out[:len(c.out)-len(sequence)]
	return true
}

// isNext reports whether the next byte to be read is b.
func (c *cleaner) isNext(b byte) bool { return c.pos < len(c.in) && c.in[c.pos] == b }

// isColour reports whether the parameters between "[" and "m" are those of a
// colour: "31", "38;5;208", ">4;2". A bare "[m" or "[5000m" is a text.
func isColour(parameters []byte) bool {
	if len(parameters) > 0 && strings.IndexByte("<=>?", parameters[0]) >= 0 {
		parameters = parameters[1:]
	}
	for part := range strings.FieldsFuncSeq(string(parameters), func(r rune) bool { return r == ';' || r == ':' }) {
		if len(part) > 3 || prefixLen(part, '0', '9') != len(part) {
			return false
		}
	}
	return len(parameters) > 0 && prefixLen(string(parameters[:1]), '0', '9') == 1
}

// isSpelledOut reports whether before ends in an escape character as source code
// spells it: such a colour is a piece of a program, not of its output.
func isSpelledOut(before []byte) bool {
	return slices.ContainsFunc([]string{`\x1b`, `\x1B`, `\033`, `\e`, `\E`, `\u001b`, `\u001B`, `\u{1b}`},
		func(escape string) bool { return bytes.HasSuffix(before, []byte(escape)) })
}
