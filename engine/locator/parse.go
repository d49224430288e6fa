package locator

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine"
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

// splitChain splits on >> outside of quotes, as Playwright does. In the unquoted
// text of text= a quote is a plain character.
func splitChain(text string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case (c == '"' || c == '\'' || c == '`') && !isFreeText(text[start:i]):
			i = closingQuote(text, i)
		case c == '>' && strings.HasPrefix(text[i:], ">>"):
			parts = append(parts, strings.TrimSpace(text[start:i]))
			i++
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// isFreeText reports whether before starts an unquoted text= part.
func isFreeText(before string) bool {
	body, ok := strings.CutPrefix(strings.TrimSpace(before), "text=")
	return ok && strings.TrimSpace(body) != ""
}

var engineName = regexp.MustCompile(`^([A-Za-z_0-9\-+:*]+)=`)

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
		p = Part{Kind: KindText, Value: unquote(raw), Match: MatchExact}
	case strings.HasPrefix(strings.TrimLeft(raw, "("), "//"), strings.HasPrefix(raw, ".."):
		p = Part{Kind: KindXPath, Value: raw}
	default:
		p = Part{Kind: KindCSS, Value: raw}
	}
	p.Raw = raw
	return p
}

// parseNamed reads the engines that people write by name.
func parseNamed(name, body string) Part {
	switch kind := Kind(name); name {
	case "css", "xpath", "nth":
		return Part{Kind: kind, Value: body}
	case "id":
		return Part{Kind: kind, Value: unquote(body)}
	case "data-testid", "data-test-id", "data-test":
		return Part{Kind: KindTestID, Value: unquote(body), Attr: name}
	case "test-id", "testid", "test_id":
		return Part{Kind: KindTestID, Value: unquote(body)}
	case "text", "label", "placeholder":
		return parseText(kind, body)
	case "role":
		return parseRole(body)
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
		return parseText(Kind(name), body)
	case "testid", "attr":
		return parseAttr(name, body)
	case "has", "has-not", "and", "or":
		return parseNested(Kind(name), body)
	case "control":
		if body == "enter-frame" {
			return Part{Kind: KindFrame}
		}
	}
	return Part{Kind: KindOther, Value: body}
}

// parseText reads `"x"i`, `"x"s`, a regular expression, or free text.
func parseText(kind Kind, body string) Part {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "/") {
		return Part{Kind: kind, Value: body, Regexp: true}
	}
	value, flag, ok := cutQuoted(body)
	switch {
	case !ok:
		return Part{Kind: kind, Value: body, Match: MatchUnset}
	case flag == "i":
		return Part{Kind: kind, Value: value, Match: MatchLoose}
	case flag == "s" || flag == "":
		return Part{Kind: kind, Value: value, Match: MatchExact}
	}
	return Part{Kind: KindOther, Value: body}
}

var attrBody = regexp.MustCompile(`(?s)^\[([^=\]]+)=(.*)\]$`)

var attrKinds = map[string]Kind{"placeholder": KindPlaceholder, "alt": KindAlt, "title": KindTitle}

// parseAttr reads `[placeholder="x"i]` and `[data-testid="x"s]`.
func parseAttr(engine, body string) Part {
	m := attrBody.FindStringSubmatch(body)
	if m == nil {
		return Part{Kind: KindOther, Value: body}
	}
	kind := attrKinds[m[1]]
	if engine == "testid" {
		kind = KindTestID
	}
	p := parseText(kind, m[2])
	if kind == "" || p.Kind == KindOther {
		return Part{Kind: KindOther, Value: body}
	}
	if kind == KindTestID {
		p.Attr, p.Match = m[1], MatchUnset
	}
	return p
}

var roleHead = regexp.MustCompile(`^([a-z]+)`)

// parseRole reads `button[name="Save"i][checked=true]`.
func parseRole(body string) Part {
	role := roleHead.FindString(body)
	if !isRole(role) {
		return Part{Kind: KindOther, Value: body}
	}
	p := Part{Kind: KindRole, Role: role}
	conditions, ok := splitConditions(body[len(role):])
	if !ok {
		return Part{Kind: KindOther, Value: body}
	}
	for _, condition := range conditions {
		value, named := strings.CutPrefix(condition, "name=")
		if !named {
			p.Rest += "[" + condition + "]"
			continue
		}
		name := parseText(KindRole, value)
		if name.Kind == KindOther || p.Named {
			return Part{Kind: KindOther, Value: body}
		}
		p.Named, p.Value, p.Match, p.Regexp = true, name.Value, name.Match, name.Regexp
		if isQuoted(value) {
			p.Match = MatchUnset // the seed leaves the flag out
		}
	}
	return p
}

// splitConditions returns the content of each [...] of text, and whether all of it
// could be read.
func splitConditions(text string) (out []string, whole bool) {
	start := -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '/' && i > 0 && text[i-1] == '=':
			if i = closingQuote(text, i); i == len(text) {
				return out, false
			}
		case c == '[' && start < 0:
			start = i + 1
		case c == ']' && start >= 0:
			out = append(out, strings.TrimSpace(text[start:i]))
			start = -1
		}
	}
	return out, start < 0
}

// cutQuoted splits `"x"flag` into the decoded x and the flag.
func cutQuoted(text string) (value, flag string, ok bool) {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return "", "", false
	}
	end := closingQuote(text, 0)
	if end == len(text) {
		return "", "", false
	}
	return unquote(text[:end+1]), strings.TrimSpace(text[end+1:]), true
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

func isQuoted(text string) bool {
	_, flag, ok := cutQuoted(text)
	return ok && flag == ""
}

// unquote decodes a quoted string; text without quotes is returned as it is.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' || text[len(text)-1] != text[0] {
		return text
	}
	var decoded string
	if text[0] == '"' && json.Unmarshal([]byte(text), &decoded) == nil {
		return decoded
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
