package locator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// newPart returns a part in the notation that the getBy… calls compile to.
func newPart(kind Kind, value string, match Match) Part {
	p := Part{Kind: kind, Value: value, Match: match}
	switch kind {
	case KindTestID:
		p.Match = MatchUnset
		p.Raw = `internal:testid=[data-testid=` + attrString(value) + `s]`
	case KindLabel, KindText, KindHasText, KindHasNotText:
		p.Raw = "internal:" + string(kind) + "=" + textString(value) + match.matchFlag()
	case KindPlaceholder, KindTitle:
		p.Raw = fmt.Sprintf("internal:attr=[%s=%s%s]", kind, attrString(value), match.matchFlag())
	case KindAlt:
		p.Raw = fmt.Sprintf("internal:attr=[alt=%s%s]", attrString(value), match.matchFlag())
	default:
		p.Raw = value
	}
	return p
}

func rolePart(role, name string, named bool, match Match) Part {
	p := Part{Kind: KindRole, Role: role, Value: name, Named: named, Raw: "internal:role=" + role}
	if named {
		p.Match = match
		p.Raw += "[name=" + attrString(name) + match.matchFlag() + "]"
	}
	return p
}

// framePart steps into the frame that is selected.
var framePart = Part{Kind: KindFrame, Raw: "internal:control=enter-frame"}

func nthPart(n string) Part { return Part{Kind: KindNth, Value: n, Raw: "nth=" + n} }

func (m Match) matchFlag() string {
	if m == MatchExact {
		return "s"
	}
	return "i"
}

// withValue returns p with another value, in the notation of p. It returns false when
// that notation cannot hold the value.
func (p Part) withValue(value string) (Part, bool) {
	old := p.Value
	p.Value = value
	if value == "" {
		return p, false
	}
	switch p.Kind {
	case KindCSS, KindXPath:
		prefix, prefixed := strings.CutSuffix(p.Raw, old)
		if !prefixed {
			return p, false
		}
		p.Raw = prefix + value
		return p, p.readsBack()
	}
	name, body, named := strings.Cut(p.Raw, "=")
	isText := p.Kind == KindText && strings.TrimSpace(name) == "text" && !isQuoted(strings.TrimSpace(body)) // quotes are signs like others
	if named && isText {
		p.Raw = name + "=" + value
		return p, value == strings.TrimSpace(value) && p.readsBack()
	}
	if named && !isQuoted(p.Raw) && !strings.HasPrefix(name, "internal:") && !strings.ContainsAny(body, "\"'[") {
		p.Raw = name + "=" + value
		return p, freeValue(value) && p.readsBack()
	}
	return p.requoteValue(old)
}

// requoteValue replaces the one quoted string in p.Raw.
func (p Part) requoteValue(old string) (Part, bool) {
	if p.Kind == KindRole && !p.Named {
		return p, false
	}
	start := 0
	if i := strings.Index(p.Raw, "name="); p.Kind == KindRole && i > 0 {
		start = i
	}
	i := strings.IndexAny(p.Raw[start:], `"'`)
	if i < 0 {
		return p, false
	}
	start += i
	end := closingQuote(p.Raw, start)
	if end == len(p.Raw) {
		return p, false
	}
	before := p
	before.Value = old
	p.Raw = p.Raw[:start] + quoteValue(p, p.Raw[start]) + p.Raw[end+1:]
	before.Raw = before.Raw[:start] + quoteValue(before, before.Raw[start]) + before.Raw[end+1:]
	return p, before.readsBack() && p.readsBack()
}

// readsBack reports whether p.Raw is read as p.
func (p Part) readsBack() bool {
	parts := splitChain(p.Raw)
	return len(parts) == 1 && parsePart(parts[0]).matches(p)
}

// quoteValue quotes the value of a part: as JSON in the engines of Playwright that
// read it so, else as in CSS.
func quoteValue(p Part, quote byte) string {
	if quote == '"' && strings.HasPrefix(p.Raw, "internal:") && slices.Contains([]Kind{KindText, KindLabel, KindHasText, KindHasNotText}, p.Kind) {
		return textString(p.Value)
	}
	return string(quote) + strings.NewReplacer(`\`, `\\`, string(quote), `\`+string(quote)).Replace(p.Value) + string(quote)
}

// freeValue reports whether value can follow `engine=` without quotes.
func freeValue(value string) bool {
	return value != "" && value == strings.TrimSpace(value) &&
		!strings.ContainsAny(value, "\"'`\\/[]") && !strings.Contains(value, ">>")
}

// attrString quotes value as Playwright's attribute selectors read it.
func attrString(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// textString quotes value as JSON, without escaping HTML.
func textString(value string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return attrString(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cssString quotes value for a CSS attribute selector
// (https://www.w3.org/TR/css-syntax-3/#consume-string-token).
func cssString(value string, quote byte) string {
	var b strings.Builder
	b.WriteByte(quote)
	for _, r := range value {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\%x `, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(quote)
	return b.String()
}

// xpathString quotes value for XPath 1.0, which knows no escapes.
func xpathString(value string) (string, bool) {
	switch {
	case !strings.Contains(value, `"`):
		return `"` + value + `"`, true
	case !strings.Contains(value, `'`):
		return `'` + value + `'`, true
	}
	return "", false
}

var plainIdent = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// cssAttr returns the CSS of an attribute's value, `#x` for plain ids.
func cssAttr(name, value string, quote byte) string {
	if name == "id" && plainIdent.MatchString(value) {
		return "#" + value
	}
	return "[" + name + "=" + cssString(value, quote) + "]"
}

// ByRole returns the selector of an ARIA role with an accessible name, "" for
// any name.
func ByRole(role, name string, match Match) Selector {
	return Selector{Parts: []Part{rolePart(role, name, name != "", match)}}
}

// ByText returns the selector of one of the kinds that look for a text or an
// attribute's value: KindLabel, KindPlaceholder, KindAlt, KindTitle, KindText,
// KindHasText.
func ByText(kind Kind, value string, match Match) Selector {
	return Selector{Parts: []Part{newPart(kind, value, match)}}
}

// ByTestID returns the selector of a test id in an attribute.
func ByTestID(attribute, value string) Selector {
	return Selector{Parts: []Part{newPart(KindTestID, value, MatchUnset).withTestIDAttribute(attribute)}}
}

// withTestIDAttribute returns the part of a test id with the attribute that has it.
func (p Part) withTestIDAttribute(testIDAttr string) Part {
	if p.Kind == KindTestID {
		p.Attr = testIDAttr
		p.Raw = `internal:testid=[` + testIDAttr + `=` + attrString(p.Value) + `s]`
	}
	return p
}

// ByAttribute returns the CSS selector of an attribute's value, #x for plain
// ids.
func ByAttribute(name, value string) Selector { return ByCSS(cssAttr(name, value, '"')) }

// ByCSS returns a CSS selector.
func ByCSS(css string) Selector {
	return Selector{Parts: []Part{{Kind: KindCSS, Value: css, Raw: css}}}
}

// Nth returns the selector of the nth element that s finds, counted from 0.
func (s Selector) Nth(n int) Selector {
	return Selector{Parts: slices.Concat(s.Parts, []Part{nthPart(strconv.Itoa(n))})}
}

// Inside returns the selector that looks for s inside of what outer finds.
func (s Selector) Inside(outer Selector) Selector {
	return Selector{Parts: slices.Concat(outer.Parts, s.Parts)}
}

// Frame returns the selector that steps into the frame that s finds.
func (s Selector) Frame() Selector {
	return Selector{Parts: slices.Concat(s.Parts, []Part{framePart})}
}
