package report

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/text"
)

const (
	maxCleaned = 16 << 10 // bytes of one text that are looked at
	maxMarks   = 4        // combining marks one letter keeps
)

// ansi matches terminal sequences (ECMA-48), also with a C1 introducer: CSI,
// then the string sequences such as OSC with their payload, then any other.
var ansi = regexp.MustCompile(
	"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
		"|(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\a\x1b\u009c\n]*(?:\a|\x1b\\\\|\u009c)" +
		"|\x1b[ -/]*[0-~]?")

// bareColour matches a colour code whose escape character the report lost, as
// XML cannot hold it. With a "]" behind it, it is a text such as "rate[5m]".
var bareColour = regexp.MustCompile(`\[\d{1,3}(?:;\d{1,3})*m\]?`)

// Clean returns text fit for one place on a terminal or in a job log: valid
// UTF-8 on one line, at most 16 KiB, without terminal sequences, control
// characters, invisible and bidirectional controls, and without "##[" anywhere
// or "::" at its start, by which the Actions runner knows a workflow command.
func Clean(s string) string {
	s = text.Cut(s, maxCleaned)
	s = stripANSI(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(visible(s)), " ")
	return defuseStart(defuse(s))
}

// CleanLines returns text of many lines, such as source code, without terminal
// sequences, control characters and invisible and bidirectional controls. Its
// spaces, tabs and line feeds stay as they are.
func CleanLines(text string) string {
	text = ansi.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, text)
}

func stripANSI(text string) string {
	text = ansi.ReplaceAllString(text, "")
	return bareColour.ReplaceAllStringFunc(text, func(code string) string {
		if strings.HasSuffix(code, "]") {
			return code
		}
		return ""
	})
}

// visible returns text without characters that nobody sees; white space and
// line ends become spaces.
func visible(text string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		mark := unicode.Is(unicode.M, r)
		if !mark {
			marks = 0
		}
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return -1
		case mark:
			if marks++; marks > maxMarks {
				return -1
			}
		}
		return r
	}, text)
}

// defuse breaks every "##[", which the runner looks for anywhere in a line.
func defuse(text string) string {
	return strings.ReplaceAll(text, "##[", "# #[")
}

// defuseStart breaks a "::" at the start, where the runner looks for a command.
func defuseStart(text string) string {
	if strings.HasPrefix(text, "::") {
		return ": " + text[1:]
	}
	return text
}
