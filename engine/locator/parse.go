package locator

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxLength bounds the locators that are read, in bytes. Nobody writes longer ones.
const maxLength = 4096

// Of returns the locator that h was raised for. When it is only the argument of a
// getBy… call, h.API names the call.
func Of(h engine.HealEvent) (Selector, error) {
	s, err := Parse(h.Locator)
	if err != nil {
		return s, err
	}
	return argumentOf(s, h.API), nil
}

// Parse reads a locator in Playwright's engine notation
// (https://playwright.dev/docs/other-locators), the seed's (`test-id=x`), or as
// the call that any of the five languages writes: `getByTestId("x")`.
func Parse(text string) (Selector, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Selector{}, errors.New("the locator is empty")
	case len(text) > maxLength:
		return Selector{}, fmt.Errorf("the locator is longer than %d bytes", maxLength)
	}
	if s, ok := parseCalls(text); ok {
		return s, nil
	}
	var s Selector
	for _, raw := range splitChain(text) {
		if raw == "" {
			return Selector{}, errors.New("the locator has an empty part")
		}
		s.Parts = append(s.Parts, parsePart(raw))
	}
	return s, nil
}

// argumentOf returns what a getBy… call looks for when s is only its argument, which
// reads as CSS. Any other selector is returned as it is.
func argumentOf(s Selector, api string) Selector {
	kind, ok := callKinds[Fold(api)]
	if !ok || len(s.Parts) != 1 || s.notation == notationCall || s.Parts[0].Kind != KindCSS ||
		strings.HasPrefix(s.Parts[0].Raw, "css=") {
		return s
	}
	value := s.Parts[0].Raw
	if kind == KindRole {
		if !isRole(value) {
			return s
		}
		return Selector{Parts: []Part{rolePart(value, "", false, MatchUnset)}}
	}
	return Selector{Parts: []Part{newPart(kind, value, MatchUnset)}, notation: notationArgument}
}

// splitChain splits on >> outside of quotes, as Playwright does
// (packages/isomorphic/selectorParser.ts). In the unquoted text of text= a quote is a
// plain character.
func splitChain(text string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case (c == '"' || c == '\'' || c == '`') && !freeText.MatchString(text[start:i]):
			i = closingQuote(text, i)
		case c == '>' && strings.HasPrefix(text[i:], ">>"):
			parts = append(parts, strings.TrimSpace(text[start:i]))
			i++
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// freeText matches the start of an unquoted text= part.
var freeText = lazyregexp.New(`^\s*text\s*=.+$`)

var engineName = lazyregexp.New(`^([A-Za-z_0-9\-+:*]+)\s*=`)

// parsePart reads one part. One that it cannot read has KindOther.
func parsePart(raw string) Part {
	name, body := "", raw
	if m := engineName.FindStringSubmatch(raw); m != nil {
		name, body = m[1], raw[len(m[0]):]
	}
	p := Part{Kind: KindOther, Value: body}
	switch {
	case strings.HasPrefix(name, "internal:"):
		p = parseInternal(strings.TrimPrefix(name, "internal:"), body)
	case name != "":
		p = parseNamed(name, body)
	case isQuoted(raw):
		p = parseText(raw)
	case strings.HasPrefix(strings.TrimLeft(raw, "("), "//"), strings.HasPrefix(raw, ".."):
		p = Part{Kind: KindXPath, Value: raw}
	default:
		p = Part{Kind: KindCSS, Value: raw}
	}
	p.Raw = raw
	return p
}

// parseNamed reads the engines that people write by name. Those that are not
// Playwright's are of the seed, which does not say how strictly it compares.
func parseNamed(name, body string) Part {
	switch kind := Kind(name); name {
	case "css", "xpath", "nth", "id":
		return Part{Kind: kind, Value: body}
	case "data-testid", "data-test-id", "data-test":
		return Part{Kind: KindTestID, Value: body, Attr: name}
	case "test-id", "testid", "test_id":
		return Part{Kind: KindTestID, Value: unquoteCSS(body)}
	case "label", "placeholder":
		return Part{Kind: kind, Value: unquoteCSS(strings.TrimSpace(body))}
	case "text":
		return parseText(body)
	case "role":
		p := parseRole(body)
		if p.Named && p.Match == MatchLoose {
			p.Match = MatchWhole
		}
		return p
	case "visible":
		if body == "true" || body == "false" {
			return Part{Kind: kind, Value: body}
		}
	}
	return Part{Kind: KindOther, Value: body}
}

// parseNested reads a body that is a selector, as a JSON string. One that is nested
// deeper than people nest is not read.
func parseNested(kind Kind, body string) Part {
	var inner string
	if json.Unmarshal([]byte(body), &inner) != nil || strings.Count(body, `\\`) > maxNested {
		return Part{Kind: KindOther, Value: body}
	}
	if _, err := Parse(inner); err != nil {
		return Part{Kind: KindOther, Value: body}
	}
	return Part{Kind: kind, Value: inner}
}

// maxNested bounds the escaped backslashes of a nested selector, which double with
// each level.
const maxNested = 64

// parseInternal reads the engines that the getBy… calls compile to.
func parseInternal(name, body string) Part {
	switch name {
	case "role":
		return parseRole(body)
	case "text", "label", "has-text", "has-not-text":
		return parseQuotedText(Kind(name), body)
	case "testid", "attr":
		return parseAttribute(name, body)
	case "has", "has-not", "and", "or":
		return parseNested(Kind(name), body)
	case "control":
		if body == "enter-frame" {
			return Part{Kind: KindFrame}
		}
	}
	return Part{Kind: KindOther, Value: body}
}

// parseText reads the body of text=: a regular expression, a quoted text, which one
// text node has to be, or free text. Flags behind the quotes belong to free text.
func parseText(body string) Part {
	body = strings.TrimSpace(body)
	switch {
	case hasRegexpForm(body):
		return regexpPart(KindText, body)
	case isQuoted(body):
		return Part{Kind: KindText, Value: unquoteCSS(body), Match: MatchExact}
	}
	return Part{Kind: KindText, Value: body, Match: MatchLoose}
}

// parseQuotedText reads the body of one of Playwright's own engines: `"x"i` or `"x"s`
// with x as in JSON, or a regular expression. Without quotes it is no call's.
func parseQuotedText(kind Kind, body string) Part {
	match := MatchExact
	quoted := strings.TrimSuffix(body, "s")
	if hasRegexpForm(body) {
		return regexpPart(kind, body)
	}
	if loose, ok := strings.CutSuffix(body, "i"); ok {
		quoted, match = loose, MatchLoose
	}
	var value string
	if json.Unmarshal([]byte(quoted), &value) != nil {
		return Part{Kind: KindOther, Value: body}
	}
	return Part{Kind: kind, Value: value, Match: match}
}

func regexpPart(kind Kind, body string) Part {
	if !isScriptRegexp(body) {
		return Part{Kind: KindOther, Value: body}
	}
	return Part{Kind: kind, Value: plainRegexp(body), Regexp: true}
}

var attrKinds = map[string]Kind{"placeholder": KindPlaceholder, "alt": KindAlt, "title": KindTitle}

// parseAttribute reads `[placeholder="x"i]` and `[data-testid="x"s]`.
func parseAttribute(engine, body string) Part {
	other := Part{Kind: KindOther, Value: body}
	tag, conditions, ok := readAttributes(body)
	if !ok || tag != "" || len(conditions) != 1 || !conditions[0].isText() || conditions[0].regexp && !isScriptRegexp(conditions[0].value) {
		return other
	}
	c := conditions[0]
	p := Part{Kind: attrKinds[c.name], Value: c.value, Match: c.match(), Regexp: c.regexp}
	if engine == "testid" {
		if p.Match == MatchLoose {
			return other // no call makes it
		}
		p.Kind, p.Attr, p.Match = KindTestID, c.name, MatchUnset
	}
	if p.Kind == "" {
		return other
	}
	return p
}

// parseRole reads `button[name="Save"i][checked=true]`.
func parseRole(body string) Part {
	role, conditions, ok := readAttributes(body)
	if !ok || !isRole(role) {
		return Part{Kind: KindOther, Value: body}
	}
	p := Part{Kind: KindRole, Role: role}
	for _, c := range conditions {
		switch {
		case c.name != "name":
			p.Rest += c.raw
		case p.Named || !c.isText() || c.regexp && !isScriptRegexp(c.value):
			return Part{Kind: KindOther, Value: body}
		default:
			p.Named, p.Value, p.Match, p.Regexp = true, c.value, c.match(), c.regexp
		}
	}
	return p
}

// closingQuote returns where the quoted string that starts at a place ends, the length
// of text when it does not. A backslash escapes the next character.
func closingQuote(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i
		}
	}
	return len(text)
}

// isQuoted reports whether text stands in quotes as a whole, as far as its first and
// last characters say.
func isQuoted(text string) bool {
	return len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]
}

// unquoteCSS decodes a quoted string, in which a backslash stands for the character
// behind it. Text without quotes is returned as it is.
func unquoteCSS(text string) string {
	if !isQuoted(text) {
		return text
	}
	var b strings.Builder
	for i := 1; i < len(text)-1; i++ {
		if text[i] == '\\' && i+1 < len(text)-1 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
