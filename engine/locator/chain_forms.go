package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// maxChainForms bounds the selectors of ChainForms: each may be tried in a browser.
const maxChainForms = 24

// ChainForms returns h.Locator with one part changed, in the author's form, to what the
// healed element or an ancestor of it is now: of getByTestId('todo').nth(1) the test id, of
// '.todos li >> nth=0' the classes, of getByTestId('todo').getByRole('checkbox') the test id
// of the ancestor. The last part is changed only where CSS names an ancestor in it: the rest
// is for AuthorForms. above are the ancestors, the nearest first. None was tried.
func ChainForms(h engine.HealEvent, above []engine.Fingerprint) []Selector {
	old, err := Of(h)
	if err != nil || slices.ContainsFunc(old.Parts, func(p Part) bool { return p.Kind == KindAnd || p.Kind == KindOr }) {
		return nil
	}
	c := chain{heal: h, old: old}
	own := len(old.Parts) - 1
	for own >= 0 && narrowing[old.Parts[own].Kind] {
		own--
	}
	if own < 0 {
		return nil
	}
	c.nameElement(own, h.Healed, h.Original, above)
	around := classesAround(h.Original)
	for at := own - 1; at >= 0 && old.Parts[at].Kind != KindFrame; at-- {
		if p := old.Parts[at]; p.Kind == KindCSS && plainIdent.MatchString(p.Value) {
			continue // a tag: what is around an element is renamed, not made of something else
		}
		for _, f := range above { // what came for a class says more than a test id that was there before
			if len(around) == 0 {
				break
			}
			for _, p := range (replacer{heal: engine.HealEvent{Healed: f, Original: withClasses(around)}}).renamedForms(c.old.Parts[at]) {
				c.add(at, p)
			}
		}
		for i, f := range above {
			c.nameElement(at, f, engine.Fingerprint{}, above[i+1:])
		}
	}
	return c.forms
}

// narrowing are the kinds of parts that choose among the elements that were found so far.
var narrowing = map[Kind]bool{KindNth: true, KindVisible: true, KindHasText: true, KindHasNotText: true, KindHas: true, KindHasNot: true}

// chain collects the forms of one chain.
type chain struct {
	heal  engine.HealEvent
	old   Selector
	forms []Selector
}

// nameElement adds the forms in which part at names an element. original is what was
// learned of it, as far as that is known, and above are its ancestors.
func (c *chain) nameElement(at int, f, original engine.Fingerprint, above []engine.Fingerprint) {
	written := c.old.Parts[at]
	if narrowing[written.Kind] || written.Regexp {
		return
	}
	e := c.heal
	e.Healed, e.Original = f, original
	prefix := c.old
	prefix.Parts = c.old.Parts[:at+1]
	r := replacer{heal: e, old: prefix, attr: testIDAttribute(e, prefix)}
	var named []Part
	for _, hook := range rankedHooks(e, r.attr) {
		if p, ok := r.fitCandidate(written, hook); ok {
			named = append(named, p)
		}
	}
	named = append(named, r.renamedForms(written)...)
	if at < len(c.old.Parts)-1 {
		for _, p := range named {
			c.add(at, p)
		}
	}
	for _, p := range append([]Part{written}, named...) {
		for _, s := range renamedAncestors(prefix.WithPart(at, p), above, c.heal.Original) {
			c.add(at, s.Last())
		}
	}
}

// add adds the chain with another part. A name with a number that the written one has not
// may be that of one element of a list, of which the chain asks for the first.
func (c *chain) add(at int, p Part) {
	const digits = "0123456789"
	first := at+1 < len(c.old.Parts) && c.old.Parts[at+1].Kind == KindNth && c.old.Parts[at+1].Value == "0"
	if first && strings.ContainsAny(p.Value, digits) && !strings.ContainsAny(c.old.Parts[at].Value, digits) {
		return
	}
	s := c.old.WithPart(at, p)
	text := s.String()
	if len(c.forms) < maxChainForms && text != c.old.String() && !slices.ContainsFunc(c.forms, func(f Selector) bool { return f.String() == text }) {
		c.forms = append(c.forms, s)
	}
}

// renamedAncestors returns a selector whose last part is CSS with another name in the place
// of the one id or class by which that names an ancestor of the element, and which no
// ancestor has now: each that an ancestor has, first those that none of the element's had as
// it was learned. above are the ancestors, the nearest first.
func renamedAncestors(old Selector, above []engine.Fingerprint, learned engine.Fingerprint) []Selector {
	if old.Last().Kind != KindCSS {
		return nil
	}
	written := old.Last()
	list, ok := compoundsOf(written.Value)
	if !ok {
		return nil
	}
	ids, classes := namesOf(above)
	classes = newFirst(classes, classesAround(learned))
	type lostName struct {
		cssName
		now []string
	}
	var lost []lostName
	for _, c := range list[:len(list)-1] {
		for _, kind := range []struct {
			asked []cssName
			now   []string
		}{{c.ids, ids}, {c.classes, classes}} {
			for _, at := range kind.asked {
				if !slices.Contains(kind.now, at.name) {
					lost = append(lost, lostName{cssName{at.name, c.start + at.start}, kind.now})
				}
			}
		}
	}
	if len(lost) != 1 {
		return nil
	}
	var out []Selector
	at := lost[0]
	for _, name := range at.now {
		if hasName(list, name) || !plainIdent.MatchString(name) || Generated(name) || passingClass.MatchString(name) {
			continue
		}
		if p, ok := written.withValue(written.Value[:at.start] + name + written.Value[at.start+len(at.name):]); ok {
			out = append(out, old.WithPart(len(old.Parts)-1, p))
		}
	}
	return out
}

// namesOf returns the ids and classes of some elements, each once.
func namesOf(elements []engine.Fingerprint) (ids, classes []string) {
	for _, f := range elements {
		id, _ := f.Attributes.Get("id")
		class, _ := f.Attributes.Get("class")
		for _, name := range strings.Fields(id) {
			if !slices.Contains(ids, name) {
				ids = append(ids, name)
			}
		}
		for _, name := range strings.Fields(class) {
			if !slices.Contains(classes, name) {
				classes = append(classes, name)
			}
		}
	}
	return ids, classes
}

// classesAround returns the classes that the ancestors of a learned element had.
func classesAround(learned engine.Fingerprint) (names []string) {
	for _, name := range learned.Region {
		if class, ok := strings.CutPrefix(name, "c:"); ok {
			names = append(names, class)
		}
	}
	return names
}

func withClasses(names []string) engine.Fingerprint {
	return engine.Fingerprint{Attributes: engine.Attributes{{Name: "class", Value: strings.Join(names, " ")}}}
}

// newFirst returns names with those first that are not among the known ones: what another
// name became was not there before.
func newFirst(names, known []string) []string {
	var came, stayed []string
	for _, name := range names {
		if slices.Contains(known, name) {
			stayed = append(stayed, name)
		} else {
			came = append(came, name)
		}
	}
	return append(came, stayed...)
}

// hasName reports whether any of the compounds asks for an id or class of a name.
func hasName(list []compound, name string) bool {
	return slices.ContainsFunc(list, func(c compound) bool {
		return slices.ContainsFunc(slices.Concat(c.ids, c.classes), func(at cssName) bool { return at.name == name })
	})
}
