package locator

import (
	"regexp"
	"strings"
)

// positional matches the pseudo-classes and XPath steps that name an element
// by its place among its siblings.
var positional = regexp.MustCompile(`:(?:nth|first|last|only)-(?:last-)?(?:child|of-type)(?:\([^)]*\))?|:nth-match\([^)]*\)|\[\d+\]|\[(?:position|last)\(\)[^\]]*\]|^\(?/?html\b|^/html\b`)

// cssNames matches ids, classes and attribute values in a CSS selector.
var cssNames = regexp.MustCompile(`[#.]((?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*[\w-]+\s*[~|^$*]?=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]\s]+))`)

// combinators matches what joins two compound selectors, quotes apart.
var combinators = regexp.MustCompile(`\s*[>+~]\s*|\s+`)

// cssEscape matches an escaped character; hexadecimal escapes stay as they are.
var cssEscape = regexp.MustCompile(`\\([^0-9a-fA-F])`)

var quotedRun = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// unstable says why a new CSS or XPath body must not be proposed, "" when it
// may. What the author's own old body already has is the author's choice.
func unstable(p, old Part) string {
	for _, place := range positional.FindAllString(p.Value, -1) {
		if p.Kind != old.Kind || !strings.Contains(old.Value, place) {
			return "the healed locator names the element by its position"
		}
	}
	for _, m := range cssNames.FindAllStringSubmatch(p.Value, -1) {
		name := cssEscape.ReplaceAllString(m[1]+m[2]+m[3]+m[4], "$1")
		if Generated(name) && !strings.Contains(old.Value, name) {
			return "the healed locator rests on the generated name " + show(name)
		}
	}
	if p.Kind == KindCSS && isPath(p.Value) && !isPath(old.Value) {
		return "the healed locator is a path of tags"
	}
	return ""
}

// isPath reports whether a CSS body is a chain of bare tags, or so long a
// chain that it describes the page's layout.
func isPath(body string) bool {
	steps := combinators.Split(strings.TrimSpace(quotedRun.ReplaceAllString(body, `""`)), -1)
	return len(steps) > 4 || len(steps) > 1 && !strings.ContainsAny(body, "#.[:")
}

// show quotes hostile text for a reason: on one line, cut, printable.
func show(text string) string {
	const most = 80
	runes := []rune(text)
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	for i, r := range runes {
		if hidden(r) {
			runes[i] = ' '
		}
	}
	return `"` + string(runes) + `"`
}

var attrOnly = regexp.MustCompile(`^\[\s*([\w-]+)\s*=\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]$|^#([A-Za-z_][\w-]*)$`)

// loneAttr reads a CSS body that asks for one attribute's whole value.
func loneAttr(body string) (name, value string, ok bool) {
	m := attrOnly.FindStringSubmatch(body)
	switch {
	case m == nil:
		return "", "", false
	case m[4] != "":
		return "id", m[4], true
	}
	return m[1], m[2] + m[3], true
}
