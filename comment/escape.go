package comment

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxInput bounds how much of one hostile text is read, in bytes. Far less is
// shown.
const maxInput = 64 << 10

// empty is shown in place of an empty name.
const empty = "(empty)"

// clean returns s as [text.Clean] makes it, with our marker's name broken.
func clean(s string) string {
	return strings.ReplaceAll(text.Clean(text.Cut(s, maxInput)), markerName, "breadcrumb: comment")
}

// cleanLine returns s cleaned, on one line without runs of white space, and at most
// width characters long.
func cleanLine(s string, width int) string {
	return text.Shorten(strings.Join(strings.Fields(clean(s)), " "), width)
}

// codeSpan returns s as an inline code span of at most width characters. Inside it
// nothing is markup and nothing is linked: GitHub skips mentions, references,
// emoji and math in code. The span opens and closes with more backticks than s
// has in a row (CommonMark 0.31 §6.1).
func codeSpan(s string, width int) string {
	s = cleanLine(s, width)
	if s == "" {
		return empty
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fencedBlock returns text as a fenced block with the language info, closed and with a
// line ending. The fence is longer than any run of backticks inside.
func fencedBlock(info, text string) string {
	text = strings.TrimRight(text, "\n")
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + info + "\n" + text + "\n" + ticks + "\n"
}

// htmlCode returns s as a <code> element of at most width characters, for the
// inside of <summary>, where Markdown is not read.
func htmlCode(s string, width int) string {
	s = cleanLine(s, width)
	if s == "" {
		return empty
	}
	return "<code>" + html.EscapeString(s) + "</code>"
}

// linkSpan returns a link with the code span text to url, or the span alone when url
// is empty. The url must come from links.
func linkSpan(span, url string) string {
	if url == "" {
		return span
	}
	return "[" + span + "](" + url + ")"
}

// prose returns a sentence of at most width characters. Plain words stay plain;
// whatever could be markup, a mention, a reference or a link becomes a code
// span, as a careful writer would set it. Words between single backticks are
// one span.
func prose(s string, width int) string {
	s = cleanLine(s, width)
	if s == "" {
		return ""
	}
	var out sentence
	if strings.Count(s, "`")%2 != 0 || strings.Contains(s, "``") {
		out.addWords(s)
		return out.String()
	}
	for i, part := range strings.Split(s, "`") {
		if i%2 == 1 {
			out.addCode(part)
		} else {
			out.addWords(part)
		}
	}
	return out.String()
}

// sentence builds prose.
type sentence struct{ strings.Builder }

// addCode adds a code span. Two spans never touch: they would read as one.
func (out *sentence) addCode(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if strings.HasSuffix(out.String(), "`") {
		out.WriteByte(' ')
	}
	out.WriteString(codeSpan(s, len(s)))
}

// addWords adds words, keeping a space at either end of s. A few plain words between
// two risky ones join their span: <a b="c d"> stays whole.
func (out *sentence) addWords(s string) {
	words := strings.Split(s, " ")
	for i := 0; i < len(words); {
		if i > 0 && out.Len() > 0 {
			out.WriteByte(' ')
		}
		end := out.riskyLen(words[i:])
		if end == 0 {
			out.WriteString(words[i])
			i++
			continue
		}
		span := strings.Join(words[i:i+end], " ")
		core := strings.TrimRight(span, ".,;:")
		if core == "" {
			core = span
		}
		out.addCode(core)
		out.WriteString(span[len(core):])
		i += end
	}
}

// joinWithin is how many plain words may stand between two risky ones of a span.
const joinWithin = 3

// riskyLen returns how many of the first words belong in one code span.
func (out *sentence) riskyLen(words []string) int {
	if looksLikeSHA(strings.TrimRight(words[0], ".,;:")) { // two commits in a list are two spans
		return 1
	}
	end := 0
	for i, word := range words {
		if i > end+joinWithin {
			break
		}
		if word != "" && !isPlainWord(word, i == 0 && out.Len() == 0) {
			end = i + 1
		} else if i == 0 {
			break
		}
	}
	if strings.Count(strings.Join(words[:end], " "), `"`)%2 == 1 { // a quotation stays whole
		if closing := slices.IndexFunc(words[end:], func(word string) bool { return strings.Contains(word, `"`) }); closing >= 0 {
			end += closing + 1
		}
	}
	return end
}

// isPlainWord reports whether a word needs no code span: letters, or digits, with
// ordinary punctuation around them. first says that it begins the text, where
// "1." would open a list.
func isPlainWord(word string, first bool) bool {
	if isSign(strings.TrimRight(word, ",;")) || len(word) <= 3 && strings.Trim(word, `,.;:()"'%`) == "" {
		return !first
	}
	core := strings.TrimRight(strings.TrimLeft(word, `("'`), `.,;:!?)"'%…`)
	if core == "" || first && allDigits(core) && core != word {
		return false
	}
	if strings.Contains(strings.ToLower(core), "www") { // GitHub links "www." together with a code span after it
		return false
	}
	if !isPlainCore(core) || looksLikeReference(core) {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(core, isNoASCIIWord), looksLikeSHA)
}

// isJoint reports whether r joins the parts of a word.
func isJoint(r rune) bool { return r == '-' || r == '\'' || r == '’' }

// isNoASCIIWord reports whether a forge's patterns take r as the end of a word: they
// know ASCII's letters alone, so that "deadbeefا" holds a commit for them.
func isNoASCIIWord(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// isSign reports whether word is one sign that reads as a dash or an arrow.
func isSign(word string) bool {
	switch word {
	case "-", "–", "—", "·", "→", "…", "›", "×", "≈", "%":
		return true
	}
	return false
}

// isPlainCore reports whether every character of core is a letter, mark or digit,
// an apostrophe or hyphen inside a word, or a point or comma inside a number,
// and no letter touches a digit: a forge may link "ABC123" or "ABC-123".
func isPlainCore(core string) bool {
	runes := []rune(core)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	for i, r := range runes {
		before, after := at(i-1), at(i+1)
		switch {
		case unicode.IsLetter(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Mc, r):
			if unicode.IsDigit(before) || unicode.IsDigit(after) {
				return false
			}
		case unicode.IsDigit(r):
		case r == '\'' || r == '’':
			if !unicode.IsLetter(before) || !unicode.IsLetter(after) {
				return false
			}
		case r == '-':
			inWord := unicode.IsLetter(before) && unicode.IsLetter(after)
			inDate := unicode.IsDigit(before) && unicode.IsDigit(after)
			if !inWord && !inDate {
				return false
			}
		case r == '.' || r == ',':
			if !unicode.IsDigit(before) || !unicode.IsDigit(after) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// looksLikeSHA reports whether GitHub could link part as a commit: seven or more
// hexadecimal digits.
func looksLikeSHA(part string) bool {
	return len(part) >= 7 && strings.Trim(part, "0123456789abcdefABCDEF") == ""
}

// looksLikeReference reports whether core has the form of a ticket, such as
// "JIRA-abc": a hyphen after two capitals or more, or an advisory's name in any case.
func looksLikeReference(core string) bool {
	if strings.Contains(strings.ToUpper(core), "GHSA-") {
		return true
	}
	parts := strings.FieldsFunc(core, isJoint)
	for _, part := range parts[:len(parts)-1] {
		if len(part) > 1 && part == strings.ToUpper(part) && part != strings.ToLower(part) {
			return true
		}
	}
	return false
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// plainWidth bounds a line of a commit message, in characters.
const plainWidth = 400

// skips matches the words in brackets that keep a commit from starting workflows.
var skips = lazyregexp.New(`(?i)\[(skip|ci|no|actions) `)

// references matches what GitHub links in a commit message.
var references = lazyregexp.New(`(?i)(@|#(?:[0-9])|GH-|://)`)

// CommitLine returns hostile text for one line of a commit message: cleaned, short,
// and broken wherever it would close an issue, notify somebody or keep
// workflows from starting.
func CommitLine(s string) string {
	s = cleanLine(s, plainWidth)
	s = skips.ReplaceAllStringFunc(s, func(m string) string { return "(" + m[1:] })
	return references.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + " " + m[1:] })
}
