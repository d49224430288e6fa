package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// generatedNames match ids, classes and test ids that a framework or a build
// generates, so that they change with the next render or release.
var generatedNames = []*lazyregexp.Regexp{
	lazyregexp.New(`:[rR][0-9a-z]*:|«r[0-9a-z]*»|^_r_[0-9a-z]+_$|_r_[0-9a-z]+_`), // React useId, 18 to 19.1
	lazyregexp.New(`(?i)(^|[-_ ])(radix|headlessui|react-aria|react-select|rc_select|downshift|floating-ui|reach|bits|reka|melt|ark|zag|kobalte|base-ui)[-_:]`),
	lazyregexp.New(`(?i)^(ember|ext-gen|ext-comp-|yui_|gwt-uid-|ui-id-|uid-?|aria-?|isc_|x-auto-|tippy-|cdk-|dijit_|jqg|auto-id-|autoid|id-?)\d`),
	lazyregexp.New(`(?i)^(mui|mat|mdc|cdk|el-id|input|v|p|pn_id|pv_id|ng|kendo|chakra|mantine|rc|fluent|vaadin|ion)([-_][a-z]+)*[-_]{1,2}:?[0-9]+(-[0-9]+)*([-_](label|input|panel|content|trigger|menu))?$`),
	lazyregexp.New(`^sc-[A-Za-z0-9]+|^jss\d+|^css-[a-z0-9]{4,}(-|$)|^emotion-\d|^svelte-[a-z0-9]{5,}|^(ng-tns-|_ng(content|host)-)|^jsx-\d+|^tss-[a-z0-9]+|^makeStyles-|^chakra-.*-:|^mantine-[a-z0-9]{6,}|^data-v-[0-9a-f]+|^select2-.+-(container|results|[a-z0-9]{2,4})$`),
	lazyregexp.New(`_[A-Za-z0-9+/]{5,}_\d+$|__[A-Za-z0-9_-]*[A-Za-z0-9]{5,}$`), // CSS modules: _button_x7ab2_12, Login_button__x7Ab2
	lazyregexp.New(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
	lazyregexp.New(`\d{5,}`),
}

var hexRun = lazyregexp.New(`(?i)(^|[-_:.])([0-9a-f]{8,})($|[-_:.])`)

// Generated reports whether an id, class or test id looks generated.
func Generated(name string) bool {
	for i, re := range generatedNames {
		if !re.MatchString(name) {
			continue
		}
		if i != cssModuleRule || !isBEM(name) {
			return true
		}
	}
	if m := hexRun.FindStringSubmatch(name); m != nil && strings.ContainsAny(m[2], "0123456789") && strings.ContainsAny(strings.ToLower(m[2]), "abcdef") {
		return true
	}
	return looksRandom(name) || slices.ContainsFunc(strings.FieldsFunc(name, isJoint), isRandomSegment)
}

func isJoint(r rune) bool { return strings.ContainsRune("-_:. /", r) }

// isRandomSegment reports whether a segment of a name is one of Math.random() or of a
// hash in small letters: long, and few of its pairs of letters are such as words have.
// One with digits inside needs fewer letters than one without.
func isRandomSegment(segment string) bool {
	if len(segment) < 7 || !smallAndDigits.MatchString(segment) {
		return false
	}
	pairs, usual := 0, 0
	for i := 0; i+1 < len(segment); i++ {
		if pair := segment[i : i+2]; isSmall(pair[0]) && isSmall(pair[1]) {
			pairs++
			if strings.Contains(usualPairs, pair) {
				usual++
			}
		}
	}
	if digitInside.MatchString(segment) {
		return usual*5 < pairs*2 || pairs < 2
	}
	return len(segment) >= 9 && usual*4 < pairs
}

func isSmall(c byte) bool { return c >= 'a' && c <= 'z' }

var (
	smallAndDigits = lazyregexp.New(`^[a-z0-9]+$`)
	digitInside    = lazyregexp.New(`[a-z]\d+[a-z]|\d[a-z]+\d`)
)

// usualPairs are the pairs of letters that are frequent in words of European languages,
// and in what names of elements are shortened to.
const usualPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur " +
	"ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia " +
	"am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag if av da do bu cu bo sc ap ck gr pi sp up au ba bi bt tn rm lt lb rd og ub ob sk sl ip od " +
	"oc um gi ga go va vo ue ua lu ru ju ja jo ki ka ei eu ff tt pp nn mm rr cc dd bb gg ft ks ws ys ds dr cr cl fl gl br qu xt tm ht"

const cssModuleRule = 5

// isBEM reports whether a name is BEM's block__element, not a hashed name of a CSS
// module: the last segment of a hash has digits or capitals in it.
func isBEM(name string) bool {
	i := strings.LastIndex(name, "__")
	return i >= 0 && !looksHashed(name[i+2:])
}

// looksHashed reports whether text has digits, or capitals every few letters.
func looksHashed(text string) bool {
	humps := 0
	for i := 1; i < len(text); i++ {
		if text[i] >= 'A' && text[i] <= 'Z' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			humps++
		}
	}
	return strings.ContainsAny(text, "0123456789") || humps*3 >= len(text)
}

// looksRandom reports whether a name changes often between letters and digits
// (weight 2) and from lower to upper case (weight 1). Words change rarely, tokens
// every few characters. Playwright counts in the same way.
func looksRandom(name string) bool {
	const lower, upper, digit = 1, 2, 3
	last, weight, letters := 0, 0, 0
	for _, r := range name {
		class := 0
		switch {
		case r >= 'a' && r <= 'z':
			class = lower
		case r >= 'A' && r <= 'Z':
			class = upper
		case r >= '0' && r <= '9':
			class = digit
		default:
			last = 0
			continue
		}
		letters++
		switch {
		case last == 0 || class == last || last == upper && class == lower:
		case last == lower && class == upper:
			weight++
		default:
			weight += 2
		}
		last = class
	}
	return letters >= 5 && weight*3 >= letters*2
}

// positional matches pseudo-classes and XPath steps that select an element by its
// position among its siblings.
var positional = lazyregexp.New(`:(?:nth|first|last|only)-(?:last-)?(?:child|of-type)(?:\([^)]*\))?|:nth-match\([^)]*\)|\[\d+\]|\[(?:position|last)\(\)[^\]]*\]|^\(?/?html\b|^/html\b`)

// cssNames matches ids, classes and attribute values in a CSS selector.
var cssNames = lazyregexp.New(`[#.]((?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*[\w-]+\s*[~|^$*]?=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]\s]+))`)

// combinators matches what joins two compound selectors outside of quotes.
var combinators = lazyregexp.New(`\s*[>+~]\s*|\s+`)

// cssEscape matches an escaped character; hexadecimal escapes stay as they are.
var cssEscape = lazyregexp.New(`\\([^0-9a-fA-F])`)

var quotedRun = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// unstableReason says why a new part must not be proposed, "" when it may. What the
// author's old selector has already is allowed.
func (known history) unstableReason(p, old Part) string {
	if pattern, ok := p.pattern(); ok {
		return known.volatileReason(pattern.text, old.Value)
	}
	switch {
	case p.Regexp:
		return ""
	case slices.Contains([]Kind{KindRole, KindLabel, KindPlaceholder, KindAlt, KindTitle, KindText, KindHasText, KindHasNotText}, p.Kind):
		return known.volatileReason(p.Value, old.Value)
	}
	if name, value, ok := AttributeOf(p); ok && known.volatileAttribute(name, value) && !strings.Contains(old.Value, value) {
		return "the healed locator rests on the " + name + " " + quoteShort(value) + ", which is another one in another run"
	}
	for _, place := range positional.FindAllString(p.Value, -1) {
		if p.Kind != old.Kind || !strings.Contains(old.Value, place) {
			return "the healed locator names the element by its position"
		}
	}
	for _, m := range cssNames.FindAllStringSubmatch(p.Value, -1) {
		name := cssEscape.ReplaceAllString(m[1]+m[2]+m[3]+m[4], "$1")
		if Generated(name) && !strings.Contains(old.Value, name) {
			return "the healed locator rests on the generated name " + quoteShort(name)
		}
		if m[1] != "" || name == "" { // an id or class
			continue
		}
		if why := known.volatileReason(name, old.Value); why != "" {
			return why
		}
	}
	for _, quoted := range quotedRun.FindAllString(p.Value, -1) { // :has-text("x"), //b[.="x"]
		text := cssEscape.ReplaceAllString(quoted[1:len(quoted)-1], "$1")
		if p.Kind == KindXPath && Generated(text) && !strings.Contains(old.Value, text) {
			return "the healed locator rests on the generated name " + quoteShort(text)
		}
		if why := known.volatileReason(text, old.Value); why != "" && p.Kind != KindID && p.Kind != KindTestID {
			return why
		}
	}
	if p.Kind == KindCSS && isPath(p.Value) && !isPath(old.Value) {
		return "the healed locator is a path of tags"
	}
	return ""
}

// isPath reports whether a CSS selector is a chain of tags without more, or so long
// that it describes the layout of the page.
func isPath(body string) bool {
	steps := combinators.Split(strings.TrimSpace(quotedRun.ReplaceAllString(body, `""`)), -1)
	return len(steps) > 4 || len(steps) > 1 && !strings.ContainsAny(body, "#.[:")
}

// quoteShort quotes hostile text for a message: printable, on one line, shortened.
func quoteShort(text string) string {
	const most = 80
	runes := []rune(text)
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	for i, r := range runes {
		if isHidden(r) {
			runes[i] = ' '
		}
	}
	return `"` + string(runes) + `"`
}
