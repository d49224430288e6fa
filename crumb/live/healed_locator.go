package live

import (
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	selectors "github.com/breadcrumb/action/engine/locator"
)

const (
	addressTime     = 2 * time.Second
	maxSelectorText = 80 // characters of a text or name that an element is addressed by
)

// findsAloneScript holds in the page when a selector finds the one element and no other.
const findsAloneScript = "(found, [page, index]) => found.length === 1 && found[0] === page.nodes[index]"

// pathScript returns a CSS path to an element; through open shadow roots, which
// Playwright's CSS looks into.
const pathScript = `(page, index) => {
  let path = "";
  for (let element = page.nodes[index]; element && element.localName !== "html";) {
    let n = 1;
    for (let left = element.previousElementSibling; left; left = left.previousElementSibling) n += left.localName === element.localName;
    const above = element.parentNode, shadow = above instanceof ShadowRoot;
    path = CSS.escape(element.localName) + ":nth-of-type(" + n + ")" + path;
    element = shadow ? above.host : element.parentElement;
    if (element && element.localName !== "html") path = (shadow ? " " : " > ") + path;
  }
  return path;
}`

// findAddress returns a fresh locator that finds the page's element i and nothing
// else, and notes its selector; nil when there is none. The first of these that
// finds it alone is taken: what the author would write in the place of
// the lost locator, the element's hooks from the most to the least stable, its
// path.
func (h *healing) findAddress(i int) Locator {
	d, local := h.now.documentOf(i)
	_, tail := h.splitFrames()
	tried := map[string]bool{}
	try := func(selector string) Locator {
		if selector == "" || tried[selector] {
			return nil
		}
		tried[selector] = true
		at := d.frame.Find(selector)
		if !h.findsAlone(d, at, local) {
			return nil
		}
		h.event.HealedLocator = h.locate(d, local, selector)
		return at
	}
	var renamed []string
	for _, s := range selectors.ChainForms(h.within(tail), h.now.page.Above(i, d.start)) {
		renamed = append(renamed, s.String())
	}
	for _, selector := range append(h.authorForms(tail), stableSelectors(h.event.Healed, h.test.options.TestIDAttribute)...) {
		if at := try(selector); at != nil {
			h.countRenamed(d, local, renamed, len(tail.Parts) > 1)
			return at
		}
	}
	for _, selector := range renamed {
		if at := try(selector); at != nil {
			return at
		}
	}
	path, err := callWithin(addressTime, func() (any, error) { return d.handle.Evaluate(pathScript, local) })
	if text, ok := path.(string); err == nil && ok {
		return try(text)
	}
	return nil
}

// countRenamed notes the first of the author's own selectors with a renamed part that
// finds the element alone, where its address may not be written in the place of the lost
// locator: that is a chain, or the call may take nothing but CSS.
func (h *healing) countRenamed(d document, local int, renamed []string, chain bool) {
	if healed, err := selectors.Parse(h.event.HealedLocator); err != nil || healed.Last().Kind == selectors.KindCSS && !chain {
		return
	}
	for _, selector := range renamed {
		if d.findsAlone(d.frame.Find(selector), local) {
			h.event.Matches = append(h.event.Matches, engine.Match{Locator: h.locate(d, local, selector), Count: 1})
			return
		}
	}
}

// findsAlone is document.findsAlone; it also looks once more whether the lost
// locator finds something, so that this is known of the moment before the replay.
func (h *healing) findsAlone(d document, at Locator, i int) bool {
	var both sync.WaitGroup
	both.Go(func() { h.found = h.locatorMatches() })
	alone := d.findsAlone(at, i)
	both.Wait()
	return alone
}

// findsAlone reports whether a locator finds element i of the document alone.
func (d document) findsAlone(at Locator, i int) bool {
	same, err := callWithin(addressTime, func() (any, error) { return at.EvaluateAll(findsAloneScript, []any{d.handle, i}) })
	yes, _ := same.(bool)
	return err == nil && yes
}

const enterFrame = " >> internal:control=enter-frame >> "

// Bounds of how a way into another frame is looked for.
const (
	wayTime  = 2 * addressTime
	maxWays  = 100
	maxDepth = 3 // frames within each other
)

// locate returns what finds element i of a document from where the lost locator begins,
// given a selector that finds it in the document: by the lost locator's own way, or into
// another frame by one that was proven to lead there. It is "" when none is known.
func (h *healing) locate(d document, i int, selector string) string {
	if h.now.own && d.start == 0 {
		frames, _ := h.splitFrames()
		return strings.Join(append(frames, selector), " >> ")
	}
	way := wayInto{healing: h, to: d, element: i, end: h.test.options.Now().Add(wayTime)}
	return way.from(d, selector, maxDepth)
}

// wayInto is a search for a selector that leads from one frame into another.
type wayInto struct {
	*healing
	to      document
	element int
	end     time.Time
	tried   int
}

// from completes a selector that leads from a document to the element, so that it leads
// there from where the lost locator begins, through so many frames more.
func (w *wayInto) from(at document, selector string, depth int) string {
	if at.frame == w.Base {
		return selector
	}
	if depth == 0 {
		return ""
	}
	for _, above := range w.now.documents {
		for _, owner := range w.framesIn(above) {
			for _, s := range w.ownerSelectors(above, owner) {
				if w.tried++; w.tried > maxWays || w.test.options.Now().After(w.end) {
					return ""
				}
				longer := s + enterFrame + selector
				if !w.to.findsAlone(above.frame.Find(longer), w.element) {
					continue
				}
				if way := w.from(above, longer, depth-1); way != "" {
					return way
				}
				break // another way to the same frame leads no further
			}
		}
	}
	return ""
}

// framesIn returns the indices in the page of a document's frame elements.
func (w *wayInto) framesIn(d document) (owners []int) {
	for i := d.start; i < w.now.page.Len(); i++ {
		if of, _ := w.now.documentOf(i); of.frame != d.frame {
			break
		}
		if tag := w.now.page.Element(i).Tag; tag == "iframe" || tag == "frame" {
			owners = append(owners, i)
		}
	}
	return owners
}

// ownerSelectors returns selectors that may find a frame element alone in its document,
// what the author would write before others.
func (w *wayInto) ownerSelectors(d document, owner int) []string {
	var list []string
	written := w.now.page.Written(owner)
	if s, err := selectors.Parse(w.key.locator); err == nil {
		for i, p := range s.Parts {
			if p.Kind == selectors.KindFrame && i > 0 {
				lost := engine.HealEvent{TestID: w.event.TestID, Locator: selectors.Selector{Parts: s.Parts[i-1 : i]}.String(), Site: w.event.Site, Healed: written}
				for _, form := range selectors.AuthorForms(lost) {
					list = append(list, form.String())
				}
			}
		}
	}
	list = append(list, stableSelectors(written, w.test.options.TestIDAttribute)...)
	path, err := callWithin(addressTime, func() (any, error) { return d.handle.Evaluate(pathScript, owner-d.start) })
	if text, ok := path.(string); err == nil && ok && text != "" {
		list = append(list, text)
	}
	return list
}

// splitFrames splits the lost locator into the parts that step into frames and the
// rest.
func (h *healing) splitFrames() (frames []string, tail selectors.Selector) {
	s, err := selectors.Parse(h.key.locator)
	if err != nil {
		return nil, selectors.Selector{}
	}
	at := 0
	for i, p := range s.Parts {
		if p.Kind == selectors.KindFrame {
			at = i + 1
		}
	}
	if at > 0 {
		frames = []string{selectors.Selector{Parts: s.Parts[:at]}.String()}
	}
	return frames, selectors.Selector{Parts: s.Parts[at:]}
}

// authorForms returns the selectors that say in the author's form what the healed
// element is, the last part of a chain within the others.
func (h *healing) authorForms(tail selectors.Selector) []string {
	if tail.IsZero() {
		return nil
	}
	var out []string
	for _, s := range selectors.AuthorForms(h.within(tail)) {
		out = append(out, s.String())
	}
	return out
}

// within returns the event as that of a locator in the element's own document.
func (h *healing) within(tail selectors.Selector) engine.HealEvent {
	e := h.event
	e.Locator = tail.String()
	return e
}

// stableSelectors returns selectors that may find an element alone, the stablest first.
func stableSelectors(f engine.Fingerprint, testIDAttribute string) []string {
	var list []string
	byAttribute := func(names ...string) {
		for _, name := range names {
			value, ok := f.Attributes.Get(name)
			if ok && value != "" && len(value) <= maxSelectorText && !selectors.Generated(value) {
				list = append(list, "["+name+"="+cssString(value)+"]")
			}
		}
	}
	byAttribute(testIDAttribute, "data-testid", "data-test-id", "data-test", "data-qa", "data-cy")
	if f.Role != "" && f.Name != "" && len(f.Name) <= maxSelectorText {
		list = append(list, "internal:role="+f.Role+"[name="+cssString(f.Name)+"s]")
	}
	byAttribute("placeholder", "aria-label", "alt", "title", "id", "name")
	if f.Text != "" && len(f.Text) <= maxSelectorText {
		list = append(list, "internal:text="+cssString(f.Text)+"i")
	}
	return list
}

// cssString quotes a value for CSS and for Playwright's own engines.
func cssString(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `, "\r", `\d `, "\f", `\c `).Replace(value) + `"`
}
