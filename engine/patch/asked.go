package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// question is what a function asks of a text before it looks for it: whether it begins with
// another, is empty or equal. A new text of which the answer is the same changes nothing.
type question func(text string) bool

// questions are the folded names of what is asked with another text.
var questions = map[string]func(text, other string) bool{
	"startswith": strings.HasPrefix, "hasprefix": strings.HasPrefix, "endswith": strings.HasSuffix, "hassuffix": strings.HasSuffix,
	"contains": strings.Contains, "includes": strings.Contains,
	"equals": func(text, other string) bool { return text == other }, "equalsignorecase": strings.EqualFold,
}

// emptiness are the folded names of what asks whether a text is empty.
var emptiness = scan.WordSet("isempty isblank isnullorempty isnullorwhitespace")

// questionOf returns what a use asks of the text, false where it is something else.
func questionOf(u values.Use) (question, bool) {
	s, before, after := u.In, u.First-1, u.Last+1
	if other, ok := s.Literal(after + 3); ok && s.IsMember(after+1) && s.Text(after+2) == "(" && s.Text(after+4) == ")" {
		return questionWith(s.Text(after+1), other) // text.startsWith("//")
	}
	if s.IsMember(after+1) && s.Text(after+2) == "(" && s.Text(after+3) == ")" && emptiness[locator.Fold(s.Text(after+1))] {
		return isBlank, true // text.isEmpty()
	}
	if ask, ok := questionBehind(s, before, after); ok {
		return ask, true
	}
	if ask, ok := comparison(s, before, after); ok {
		return ask, true
	}
	ends := s.Text(after)
	if isNegated := s.Text(before) == "!" || s.Text(before) == "not"; isNegated && (ends == ")" || ends == ":" || ends == "&" || ends == "|" || ends == "and" || ends == "or") {
		return isBlank, true
	}
	return nil, false
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

func questionWith(name, other string) (question, bool) {
	ask, ok := questions[locator.Fold(name)]
	return func(text string) bool { return ask(text, other) }, ok
}

// questionBehind returns what a call asks that takes the text between two tokens:
// "x".equals(text), strings.HasPrefix(text, "//"), string.IsNullOrEmpty(text).
func questionBehind(s *source.File, before, after int) (question, bool) {
	callee := s.Callee(before)
	if callee < 0 || !s.IsMember(callee) {
		return nil, false
	}
	receiver, name := s.ReceiverEnd(callee), s.Text(callee)
	if emptiness[locator.Fold(name)] && s.Text(after) == ")" && locator.Fold(s.Text(receiver)) == "string" {
		return isBlank, true
	}
	if other, ok := s.Literal(receiver); ok && s.Text(after) == ")" && strings.HasPrefix(locator.Fold(name), "equals") {
		return questionWith(name, other)
	}
	if other, ok := s.Literal(after + 1); ok && s.Text(receiver) == "strings" && s.Text(after) == "," && s.Text(after+2) == ")" {
		return questionWith(name, other)
	}
	return nil, false
}

// nothing are the words for no value.
var nothing = map[string]bool{"null": true, "undefined": true, "None": true, "nil": true}

// comparison returns what is asked by comparing the text between two tokens with a literal or
// with no value: text == null, text is not None, "x" === text. Java compares no texts so.
func comparison(s *source.File, before, after int) (question, bool) {
	end := after
	for isSign(s, end) || s.Text(end) == "is" || end > after && s.Text(end) == "not" {
		end++
	}
	begin := before
	for isSign(s, begin) {
		begin--
	}
	for _, sides := range [2]struct{ from, to, other int }{{after, end, end}, {begin + 1, before + 1, begin}} {
		var sign strings.Builder
		for i := sides.from; i < sides.to; i++ {
			sign.WriteString(s.Text(i))
		}
		switch sign.String() {
		case "==", "===", "!=", "!==", "is", "isnot":
		default:
			continue
		}
		if nothing[s.Text(sides.other)] {
			return isBlank, true
		}
		if other, ok := s.Literal(sides.other); ok && s.Dialect.Scan != scan.Java {
			return questionWith("equals", other)
		}
	}
	return nil, false
}

func isSign(s *source.File, i int) bool {
	text := s.Text(i)
	return text != "" && strings.Trim(text, "=!") == ""
}
