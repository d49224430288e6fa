package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// AuthorForms returns the selectors that say in the form of h.Locator's last part what
// the healed element is, the best first. None was tried.
func AuthorForms(h engine.HealEvent) []Selector {
	old, err := Of(h)
	if err != nil {
		return nil
	}
	r := replacer{heal: h, old: old, attr: testIDAttribute(h, old)}
	var out []Selector
	same, hasSame := r.sameAttribute(old.Last())
	for _, c := range rankedHooks(h, r.attr) {
		if hasSame && c.rank > rankOtherTestID {
			out, hasSame = append(out, old.WithPart(len(old.Parts)-1, same)), false
		}
		if p, ok := r.fitCandidate(old.Last(), c); ok {
			out = append(out, old.WithPart(len(old.Parts)-1, p))
		}
	}
	if hasSame {
		out = append(out, old.WithPart(len(old.Parts)-1, same))
	}
	for _, p := range r.renamedForms(old.Last()) {
		out = append(out, old.WithPart(len(old.Parts)-1, p))
	}
	return out
}

// renamedForms returns the CSS of a written part with what was renamed of the healed
// element: its tag, and the one class that it lost, as each class that it has got.
func (r replacer) renamedForms(written Part) []Part {
	if written.Kind != KindCSS {
		return nil
	}
	c, ok := lastCompound(written.Value)
	if !ok {
		return nil
	}
	class, _ := r.heal.Healed.Attributes.Get("class")
	now := strings.Fields(class)
	lost := slices.DeleteFunc(slices.Clone(c.classes), func(at cssName) bool { return slices.Contains(now, at.name) })
	tag := r.heal.Healed.Tag
	retag := c.tag.name != "" && tag != "" && !strings.EqualFold(c.tag.name, tag)
	if !retag {
		tag = c.tag.name
	}
	var bodies []string
	switch {
	case len(lost) == 0 && retag:
		bodies = append(bodies, c.with(tag, cssName{}, ""))
	case len(lost) == 1:
		for _, name := range r.newClasses(c, now) {
			bodies = append(bodies, c.with(tag, lost[0], name))
		}
	}
	var out []Part
	for _, body := range bodies {
		if p, ok := written.withValue(strings.TrimSuffix(written.Value, c.text) + body); ok {
			out = append(out, p)
		}
	}
	return out
}

// sameAttribute returns the CSS of a written part with the id or the other attribute by which
// it names the element as that is now: of '#total' '#sum', of 'input[name=mail]'
// 'input[name=email]'.
func (r replacer) sameAttribute(written Part) (Part, bool) {
	c, ok := lastCompound(written.Value)
	if written.Kind != KindCSS || !ok {
		return Part{}, false
	}
	name, was, at := "id", "", 0
	if len(c.ids) == 1 {
		was, at = c.ids[0].name, c.ids[0].start
	} else if m := oneAttribute.FindStringSubmatchIndex(c.text); m != nil {
		name, was, at = c.text[m[2]:m[3]], c.text[m[4]:m[5]], m[4]
	}
	now, has := r.heal.Healed.Attributes.Get(name)
	if was == "" || !has || now == was || !plainIdent.MatchString(now) || Generated(now) || historyOf(r.heal.Original).volatileAttribute(name, now) {
		return Part{}, false
	}
	return written.withValue(strings.TrimSuffix(written.Value, c.text) + c.text[:at] + now + c.text[at+len(was):])
}

// oneAttribute matches a compound of a tag and one attribute that stays what it is.
var oneAttribute = lazyregexp.New(`^[A-Za-z]*\[(id|name)=["']?([A-Za-z_][\w-]*)["']?\]$`)

// newClasses returns the classes that the healed element has got since it was learned and
// that may name it.
func (r replacer) newClasses(c compound, now []string) []string {
	before, _ := r.heal.Original.Attributes.Get("class")
	return slices.DeleteFunc(slices.Clone(now), func(name string) bool {
		return slices.Contains(strings.Fields(before), name) || slices.ContainsFunc(c.classes, func(at cssName) bool { return at.name == name }) ||
			!plainIdent.MatchString(name) || Generated(name) || passingClass.MatchString(name)
	})
}

// passingClass matches classes that say how an element looks or what state it is in, not
// which one it is.
var passingClass = lazyregexp.New(`^(?:(?:is|has|js|ng|v|no)-.*|active|current|selected|open|opened|closed|hidden|visible|show|shown|disabled|enabled|focus(?:ed)?|hover|loading|dirty|pristine|touched|valid|invalid|first|last|odd|even|clearfix|container|row|col|wrapper|flex|grid|block|inline|relative|absolute|fixed|sticky|rounded|border|shadow|small|large|primary|secondary|left|right|center|fade|in|out)$|^(?:[a-z]{1,3}|text|font|flex|grid|col|row|gap|space|items|justify|align|display|float|order|border|rounded|shadow|width|height|min|max|top|left|right|bottom|hover|focus|dark|offset)-(?:[a-z]{1,3}|\d\S*|auto|full|center|start|end|between|around|left|right|bold|sm|md|lg|xl|muted|white|black)$|:`)

// cssName is a name in a compound selector, from byte start of its text.
type cssName struct {
	name  string
	start int
}

// compound is a compound selector: button.primary[type=submit], from byte start of its
// selector.
type compound struct {
	text         string
	start        int
	tag          cssName
	classes, ids []cssName
}

// lastCompound returns the last compound of a CSS selector, false when the selector is a
// list or cannot be told apart.
func lastCompound(css string) (compound, bool) {
	list, ok := compoundsOf(css)
	if !ok {
		return compound{}, false
	}
	return list[len(list)-1], true
}

// compoundsOf returns the compounds of a CSS selector, the element's own last, false when
// the selector is a list or cannot be told apart.
func compoundsOf(css string) ([]compound, bool) {
	list := []compound{{}}
	depth := 0
	for i := 0; i < len(css); i++ {
		c := &list[len(list)-1]
		switch css[i] {
		case '\\':
			return nil, false
		case '"', '\'':
			i = closingQuote(css, i)
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				return nil, false
			}
		case ' ', '>', '+', '~':
			if depth == 0 {
				c.text = css[c.start:i]
				list = append(list, compound{start: i + 1})
			}
		case '.', '#':
			name := nameAfter.FindString(css[min(i+1, len(css)):])
			if depth > 0 || name == "" {
				continue
			}
			if at := (cssName{name, i + 1 - c.start}); css[i] == '.' {
				c.classes = append(c.classes, at)
			} else {
				c.ids = append(c.ids, at)
			}
		}
	}
	last := &list[len(list)-1]
	last.text = css[min(last.start, len(css)):]
	last.tag.name = nameAfter.FindString(last.text)
	return list, depth == 0 && last.text != ""
}

var nameAfter = lazyregexp.New(`^[A-Za-z_][\w-]*`)

// with returns the text of the compound with another tag, where it has one, and with
// another name in the place of one class.
func (c compound) with(tag string, class cssName, name string) string {
	text := c.text
	if name != "" {
		text = text[:class.start] + name + text[class.start+len(class.name):]
	}
	return tag + strings.TrimPrefix(text, c.tag.name)
}
