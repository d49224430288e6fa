package testcode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// addSteps adds the definitions of steps: When('…', …) at the top of a file, and the
// methods behind @When('…').
func (b *Bodies) addSteps(s *source.File, id Identity) {
	for open := range s.Tokens {
		if s.Text(open) != "(" || !stepNames[s.Text(open-1)] || s.IsMember(open-1) {
			continue
		}
		at, ok := source.Span{}, false
		switch {
		case s.Text(open-2) == "@":
			at, ok = decoratedMember(s, open)
		case s.Parent[open] < 0 && s.ArgumentCount(open) > 1:
			at, ok = s.SpanOf(open, s.End(open)), true
		}
		if ok {
			b.Add(id.Scenario != nil && id.Scenario.runs(s, open+1), at)
		}
	}
}

var stepNames = scan.WordSet("Given When Then And But Step defineStep")

// decoratedMember returns the member of a class behind a decorator whose arguments open
// at open.
func decoratedMember(s *source.File, open int) (source.Span, bool) {
	for j, n := s.Next(open), 0; j < len(s.Tokens) && n < 60; j, n = s.Next(j), n+1 {
		switch {
		case s.Tokens[j].Closes:
			return source.Span{}, false
		case s.Text(j) == "{":
			return s.SpanOf(open, s.End(j)), true
		}
	}
	return source.Span{}, false
}

// runs reports whether the scenario runs the steps whose pattern is token i. In doubt it
// does.
func (c *Scenario) runs(s *source.File, i int) bool {
	if !c.Known {
		return true
	}
	text := s.Text(i)
	ran, ok := c.ran[text]
	if !ok {
		re, err := regexp.Compile(stepPattern(s, i))
		ran = err != nil || slices.ContainsFunc(c.Steps, re.MatchString)
		c.ran[text] = ran
	}
	return ran
}

// stepPattern returns the regular expression that token i, the pattern of a step, stands
// for; "" matches anything.
func stepPattern(s *source.File, i int) string {
	if value, ok := s.Literal(i); ok {
		return "^" + expressionPattern(value) + "$"
	}
	text := s.Text(i)
	end := strings.LastIndexByte(text, '/')
	switch {
	case s.Kind(i) != scan.Regex || end < 1:
		return ""
	case strings.Contains(text[end:], "i"):
		return "(?i)" + text[1:end]
	}
	return text[1:end]
}

// expressionPattern returns the regular expression of a Cucumber expression
// (https://github.com/cucumber/cucumber-expressions).
func expressionPattern(expression string) string {
	words := strings.Split(expression, " ")
	for i, word := range words {
		parts := []string{word}
		if !strings.Contains(word, "{") && !strings.Contains(word, `\`) {
			parts = strings.Split(word, "/")
		}
		for j, part := range parts {
			parts[j] = wordPattern(part)
		}
		words[i] = "(?:" + strings.Join(parts, "|") + ")"
	}
	return strings.Join(words, " ")
}

var expressionPiece = lazyregexp.New(`\\.|\{[^{}]*\}|\([^()]*\)`)

// wordPattern is expressionPattern for a word, or what follows a parameter with spaces.
func wordPattern(word string) string {
	var b strings.Builder
	at := 0
	for _, m := range expressionPiece.FindAllStringIndex(word, -1) {
		b.WriteString(regexp.QuoteMeta(word[at:m[0]]))
		piece := word[m[0]:m[1]]
		switch piece[0] {
		case '\\':
			b.WriteString(regexp.QuoteMeta(piece[1:]))
		case '(':
			b.WriteString("(?:" + regexp.QuoteMeta(piece[1:len(piece)-1]) + ")?")
		default:
			b.WriteString(parameterPattern(piece[1 : len(piece)-1]))
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(word[at:]))
	return b.String()
}

// parameterPattern returns what a parameter of a Cucumber expression matches; one of the
// project's own matches anything.
func parameterPattern(name string) string {
	switch name {
	case "int":
		return `-?\d+`
	case "float":
		return `-?\d*\.?\d+`
	case "word":
		return `\S+`
	case "string":
		return `(?:"[^"]*"|'[^']*')`
	}
	return ".*"
}
