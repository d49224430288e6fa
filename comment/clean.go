package comment

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/text"
)

// maxInput bounds how much of one hostile text is looked at, in bytes. What is
// shown of it is far shorter.
const maxInput = 64 << 10

// maxMarks is how many combining marks one letter keeps: enough for every
// living script, too few to paint over the lines around it.
const maxMarks = 4

// clean returns s as valid UTF-8 that shows what it holds: escape sequences of
// terminals are gone, line endings are \n, control characters are pictures,
// characters that steer or hide text are named, and our marker's name is
// broken. Only \n and \t are left of the control characters.
func clean(s string) string {
	s = stripANSI(text.Cut(s, maxInput))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	for _, r := range s { // an invalid byte ranges as U+FFFD
		if r >= ' ' && r < 0x7f {
			marks = 0
			b.WriteRune(r)
			continue
		}
		if !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Me, r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			continue
		}
		writeVisible(&b, r)
	}
	return strings.ReplaceAll(b.String(), markerName, "breadcrumb: comment")
}

// writeVisible writes r, or what stands for it when it would not be seen.
func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029':
		b.WriteByte('\n')
	case r < 0x20:
		b.WriteRune('␀' + r)
	case r == 0x7f:
		b.WriteRune('␡')
	case r == '\u200c' || r == '\u200d' || r == '\u00ad' || r == '\ufeff':
		// joiners, soft hyphen, byte order mark: they hold no meaning alone
	case hidden(r):
		fmt.Fprintf(b, "⟨U+%04X⟩", r)
	default:
		b.WriteRune(r)
	}
}

// hidden reports whether r has no picture of its own: control and format
// characters (bidirectional controls and zero-width ones among them), private
// use, and the letters and marks that Unicode says to draw as nothing.
func hidden(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return true
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u17b4', r == '\u17b5',
		r == '\u2800', r == '\u3164', r == '\uffa0', r == '\u180b', r == '\u180c', r == '\u180d':
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}

// stripANSI removes terminal escape sequences: CSI, OSC, and colour codes whose
// escape character a report writer already dropped ("[31m").
func stripANSI(s string) string {
	if !strings.ContainsAny(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := ansiLen(s[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// ansiLen returns the length of the escape sequence that s begins with, 0 for
// none.
func ansiLen(s string) int {
	switch {
	case s[0] == '[':
		return bareColourLen(s)
	case s[0] != '\x1b' || len(s) < 2:
		return 0
	case s[1] == ']':
		return oscLen(s)
	case s[1] == '[':
		return csiLen(s)
	}
	return 0
}

// csiLen returns the length of a control sequence, ESC [ parameters letter.
func csiLen(s string) int {
	end := 2 + parametersLen(s[2:])
	if end == len(s) || s[end] < '@' || s[end] > '~' {
		return 0
	}
	return end + 1
}

// bareColourLen returns the length of "[31m"; "[5m]" and "[m" are texts.
func bareColourLen(s string) int {
	end := 1 + parametersLen(s[1:])
	if end == 1 || end == len(s) || s[end] != 'm' || strings.HasPrefix(s[end+1:], "]") {
		return 0
	}
	return end + 1
}

// maxParameters bounds the parameters of a control sequence, in bytes, so that
// looking for one stays cheap.
const maxParameters = 32

func parametersLen(s string) int {
	end := 0
	for end < len(s) && end < maxParameters && (s[end] >= '0' && s[end] <= '9' || s[end] == ';' || s[end] == '?') {
		end++
	}
	return end
}

// oscLen returns the length of an operating system command: to its BEL or ST,
// or ESC ] alone when it has no end on its line.
func oscLen(s string) int {
	end := 2 + strings.IndexAny(s[2:], "\a\x1b\n")
	switch {
	case end < 2 || s[end] == '\n':
		return 2
	case s[end] == '\a':
		return end + 1
	case strings.HasPrefix(s[end:], "\x1b\\"):
		return end + 2
	}
	return end
}

// line returns s cleaned, on one line without runs of white space, and at most
// width characters long.
func line(s string, width int) string {
	return shorten(strings.Join(strings.Fields(clean(s)), " "), width)
}

// shorten returns s with its middle replaced by … when it is longer than width
// characters: both ends of a name or a path tell more than its middle.
func shorten(s string, width int) string {
	if len(s) <= width {
		return s
	}
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := (width - 1) / 2
	head := width - 1 - tail
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}
