package live

import (
	"slices"
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
	frames, tail := h.splitFrames()
	own := h.now.own && d.start == 0
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
		if own {
			h.event.HealedLocator = strings.Join(append(slices.Clone(frames), selector), " >> ")
		}
		return at
	}
	for _, selector := range append(h.authorForms(tail), stableSelectors(h.event.Healed, h.test.options.TestIDAttribute)...) {
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
	e := h.event
	e.Locator = tail.String()
	var out []string
	for _, s := range selectors.AuthorForms(e) {
		out = append(out, s.String())
	}
	return out
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
