package locator

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// The ranks of Playwright's selector generator, best first
// (packages/injected/src/selectorGenerator.ts). CSS by alt, title or aria-label
// takes the rank of the getBy… call that reads the attribute.
const (
	rankTestID      = 1
	rankOtherTestID = 2
	rankRoleName    = 100
	rankPlaceholder = 120
	rankLabel       = 140
	rankAlt         = 160
	rankText        = 180
	rankTitle       = 200
	rankID          = 500
	rankRole        = 510
	rankName        = 520
	rankPath        = 10000000
)

// hook is one way to find an element by its fingerprint.
type hook struct {
	rank  int
	attr  string // the attribute that it uses, "" for role, label and text
	value string
	part  Part // a getBy… call, or CSS when there is none
	start bool // value is only the start of a text, which ends in what varies
}

// IsTestIDAttribute reports whether an attribute is one that projects keep test ids in.
func IsTestIDAttribute(name string) bool { return testAttr.MatchString(name) }

// maxText bounds the texts and names that make a locator, in characters.
const maxText = 80

var testAttr = lazyregexp.New(`^data-(test|testid|test-id|test_id|qa|cy|e2e|pw|automation-id|hook|selenium)$`)

// rankedHooks returns the stable hooks of a healed element, best first. testIDAttr is
// the attribute that getByTestId reads in this project.
func rankedHooks(h engine.HealEvent, testIDAttr string) []hook {
	var out []hook
	f, known := h.Healed, historyOf(h.Original)
	add := func(rank int, attr, value string, p Part) {
		if value == "" || len([]rune(value)) > maxText || Writable(value) != "" {
			return
		}
		c := hook{rank, attr, value, p, false}
		if why := known.volatileReason(value, h.Locator); why != "" && rank != rankTestID && rank != rankOtherTestID && rank != rankID && rank != rankName {
			start := known.stableStart(value)
			if start == "" || p.Kind == KindCSS || p.Kind == KindText && !strings.Contains(start, " ") && known.goesOn(value) {
				return
			}
			c.attr, c.value, c.part, c.start = "", start, p.withStart(start), true
		}
		out = append(out, c)
	}
	for _, a := range f.Attributes {
		if rank, part, ok := byAttribute(f, a, testIDAttr); ok && !known.volatileAttribute(a.Name, a.Value) {
			add(rank, a.Name, a.Value, part)
		}
	}
	name := withoutIcons(accessibleName(f))
	if role := roleOf(f); isRole(role) && role != "none" && role != "presentation" && name != "" {
		add(rankRoleName, "", name, rolePart(role, name, true, MatchLoose))
	}
	aria, _ := f.Attributes.Get("aria-label") // getByLabel reads it, too
	label := withoutIcons(cmp.Or(f.Label, aria))
	add(rankLabel, "", label, newPart(KindLabel, label, MatchLoose))
	if text := withoutIcons(textOf(f)); len(text) > 1 && !strings.EqualFold(f.Tag, "select") {
		add(rankText, "", text, newPart(KindText, text, MatchLoose))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank < out[j].rank })
	return out
}

// withoutIcons drops the signs of an icon font around a text. They are private
// characters, which nobody can read in a test and a loose match does not need.
func withoutIcons(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.Is(unicode.Co, r) || unicode.IsSpace(r) })
}

// stableStart returns what a text says before the data that is other data in another
// run, "" when that is too little to know an element by.
func (known history) stableStart(text string) string {
	_, start, _ := known.volatile(text)
	cut := strings.TrimRightFunc(text[:start], func(r rune) bool { return !unicode.IsLetter(r) })
	longest := 0
	words, _ := wordsOf(cut)
	for _, w := range words {
		longest = max(longest, len(w))
	}
	if longest < 3 {
		return ""
	}
	return cut
}

// goesOn reports whether words follow what is other data in another run, so that what
// stands before is the middle of a sentence.
func (known history) goesOn(text string) bool {
	_, _, end := known.volatile(text)
	return strings.ContainsFunc(text[end:], unicode.IsLetter)
}

// withStart returns p as the loose look for the start of its text.
func (p Part) withStart(start string) Part {
	if p.Kind == KindRole {
		return rolePart(p.Role, start, true, MatchLoose)
	}
	return newPart(p.Kind, start, MatchLoose)
}

// byAttribute returns one attribute of f as a hook, false when it is none.
func byAttribute(f engine.Fingerprint, a engine.Attribute, testIDAttr string) (int, Part, bool) {
	css := Part{Kind: KindCSS, Raw: cssAttr(a.Name, a.Value, '"')}
	css.Value = css.Raw
	stable := a.Value != "" && !Generated(a.Value)
	switch {
	case a.Name == testIDAttr:
		return rankTestID, newPart(KindTestID, a.Value, MatchUnset), stable
	case testAttr.MatchString(a.Name):
		return rankOtherTestID, css, stable
	case a.Name == "placeholder":
		return rankPlaceholder, newPart(KindPlaceholder, a.Value, MatchLoose), isTagAmong(f.Tag, "input textarea")
	case a.Name == "alt":
		return rankAlt, newPart(KindAlt, a.Value, MatchLoose), isTagAmong(f.Tag, "applet area img input")
	case a.Name == "title":
		return rankTitle, newPart(KindTitle, a.Value, MatchLoose), true
	case a.Name == "aria-label":
		return rankRoleName, css, true
	case a.Name == "id":
		return rankID, css, stable
	case a.Name == "name":
		return rankName, css, stable && !sharesName(f) &&
			isTagAmong(f.Tag, "button form fieldset frame iframe input keygen object output select textarea map meta param")
	}
	return 0, Part{}, false
}

// textOf returns the text of f. It was recorded in small letters; an equal name shows
// its case.
func textOf(f engine.Fingerprint) string {
	if name := strings.Join(strings.Fields(f.Name), " "); strings.EqualFold(name, f.Text) {
		return name
	}
	return f.Text
}

// isTagAmong reports whether a tag is one of tags, or was not recorded.
func isTagAmong(tag, tags string) bool {
	return tag == "" || slices.Contains(strings.Fields(tags), strings.ToLower(tag))
}

// sharesName reports whether f belongs to a group of elements with one name.
func sharesName(f engine.Fingerprint) bool {
	kind, _ := f.Attributes.Get("type")
	return kind == "radio" || kind == "checkbox"
}

// accessibleName returns the name of f. When it was not recorded, that is its
// aria-label, or its text if the role takes its name from the text.
func accessibleName(f engine.Fingerprint) string {
	if f.Name != "" {
		return strings.Join(strings.Fields(f.Name), " ")
	}
	if label, ok := f.Attributes.Get("aria-label"); ok && label != "" {
		return label
	}
	switch roleOf(f) {
	case "button", "link", "heading", "tab", "menuitem", "option":
		return f.Text
	}
	return ""
}

var tagRoles = map[string]string{
	"button": "button", "select": "combobox", "textarea": "textbox", "img": "img", "nav": "navigation",
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
	"option": "option", "li": "listitem", "ul": "list", "ol": "list", "table": "table",
}

var inputRoles = map[string]string{
	"": "textbox", "text": "textbox", "email": "textbox", "tel": "textbox", "url": "textbox",
	"search": "searchbox", "checkbox": "checkbox", "radio": "radio", "range": "slider",
	"number": "spinbutton", "button": "button", "submit": "button", "reset": "button", "image": "button",
}

// roleOf returns the role of f, by the mapping of HTML when it was not recorded
// (https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings).
func roleOf(f engine.Fingerprint) string {
	if f.Role != "" {
		return f.Role
	}
	if role, ok := f.Attributes.Get("role"); ok {
		return role
	}
	switch tag := strings.ToLower(f.Tag); tag {
	case "a":
		if _, ok := f.Attributes.Get("href"); ok || f.Href != "" {
			return "link"
		}
		return ""
	case "input":
		if _, ok := f.Attributes.Get("list"); ok {
			return "combobox"
		}
		kind, _ := f.Attributes.Get("type")
		return inputRoles[strings.ToLower(kind)]
	case "select":
		_, multiple := f.Attributes.Get("multiple")
		if _, size := f.Attributes.Get("size"); multiple || size {
			return "listbox"
		}
		return "combobox"
	default:
		return tagRoles[tag]
	}
}

var kindRanks = map[Kind]int{
	KindTestID: rankTestID, KindRole: rankRole, KindPlaceholder: rankPlaceholder, KindLabel: rankLabel,
	KindAlt: rankAlt, KindText: rankText, KindTitle: rankTitle, KindID: rankID,
}

// rankOf returns the rank of a healed part, so that no derived hook is put above
// the one that replay preferred.
func rankOf(p Part) int {
	name := ""
	if p.Kind == KindCSS {
		name, _, _ = onlyAttribute(p.Value)
	}
	switch {
	case p.Kind == KindRole && p.Named:
		return rankRoleName
	case name == "data-testid":
		return rankTestID
	case testAttr.MatchString(name):
		return rankOtherTestID
	case name == "id":
		return rankID
	case name == "name":
		return rankName
	}
	return cmp.Or(kindRanks[p.Kind], rankPath)
}

// Candidates returns the selectors in Playwright's notation that may find the element
// that an event names as healed, the most stable first. None was tried. A text or name
// is in the list twice: for a loose and for an exact match; of one that ends in what
// differs from run to run only the start is there. testIDAttr is the attribute that
// getByTestId reads.
func Candidates(h engine.HealEvent, testIDAttr string) []Selector {
	var out []Selector
	for _, c := range rankedHooks(h, testIDAttr) {
		out = append(out, Selector{Parts: []Part{c.part.withTestIDAttribute(testIDAttr)}})
		if exact, ok := c.part.exactPart(); ok && !c.start {
			out = append(out, Selector{Parts: []Part{exact}})
		}
	}
	return out
}

// exactPart returns the part with an exact match, false when it has no text.
func (p Part) exactPart() (Part, bool) {
	switch p.Kind {
	case KindRole:
		return rolePart(p.Role, p.Value, p.Named, MatchExact), p.Named
	case KindLabel, KindText, KindPlaceholder, KindTitle, KindAlt:
		return newPart(p.Kind, p.Value, MatchExact), true
	}
	return Part{}, false
}
