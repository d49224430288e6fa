package live

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

//go:embed collect.js
var collectScript string

// The scripts that run in pages. ObserveScript gets what a locator matches and
// returns nothing unless that is one element; collectAll keeps the elements
// beside their description, so that one of them can be recognised later.
//
// markScript does the same in two steps: it marks what a locator matches and has the page
// read after its next frame, when the action still waits for the element to stand still;
// readScript returns what was read, and hurryScript has it read at once. Should an event of
// the action come first, the page is read then, before its own handlers see the event.
//
// ObserveScript and PageScript are for a [SelfReading] that can have a page read by nothing
// else.
var (
	ObserveScript = "(found, attribute) => found.length === 1 ? (" + collectScript + ")(attribute, found[0]).text : ''"
	PageScript    = "(attribute) => (" + collectScript + ")(attribute, null).text"
	collectAll    = "(attribute) => (" + collectScript + ")(attribute, null)"
	markScript    = `(found, [attribute, key]) => {
  if (found.length !== 1) return false;
  const target = found[0], collect = ` + collectScript + `;
  const events = ["pointerover", "mouseover", "pointermove", "mousemove", "pointerdown", "mousedown", "touchstart", "keydown", "focusin", "beforeinput", "input", "click", "pagehide"];
  const marked = document[Symbol.for(key)] = {};
  marked.text = new Promise((tell) => {
    marked.read = () => {
      for (const type of events) removeEventListener(type, marked.read, true);
      tell(target.isConnected ? collect(attribute, target).text : "");
      marked.read = () => {};
    };
  });
  for (const type of events) addEventListener(type, marked.read, true);
  requestAnimationFrame(() => setTimeout(() => marked.read()));
  return true;
}`
	readScript = `async (key) => {
  const marked = document[Symbol.for(key)], text = marked ? await marked.text : "";
  delete document[Symbol.for(key)];
  return text;
}`
	hurryScript     = "(key) => { const marked = document[Symbol.for(key)]; if (marked) marked.read(); }"
	maxViewBytes    = 16 << 20
	observeTime     = 500 * time.Millisecond // that an action waits for its observation
	answerTime      = 20 * time.Second       // that an observation is waited for in the background
	otherFramesTime = 5 * time.Second        // for the other frames of its page
)

// unanswered stands in a learned page for a frame that did not tell what is in
// it: what is lost must not be found there later, it may have been there before.
const (
	unansweredTag = "unanswered-frame"
	unanswered    = `{"target":-1}` + "\n" + `[{"p":-1,"t":"` + unansweredTag + `","a":[],"v":0}]`
)

// pageAddress returns what tells the page from the others of its site, "" for one
// without an address.
func pageAddress(p Page) string { return addressOf(p.URL()) }

func addressOf(link string) string {
	if u, err := url.Parse(link); err == nil && u.Host != "" {
		return engine.PageAddress(u.Path, u.RawQuery, u.Fragment)
	}
	return ""
}

var errSlow = errors.New("the page did not answer in time")

// callWithin calls f and waits for it so long. A page in the middle of a navigation
// or with an open dialog answers late, and no test may wait for that.
func callWithin(limit time.Duration, f func() (any, error)) (any, error) {
	type answer struct {
		value any
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-time.After(limit):
		return nil, errSlow
	}
}

// view is what collect.js tells of one document.
type view struct {
	target   int // index of the element looked at, -1 for none
	elements []heal.Element
}

// about is the first line of what collect.js tells.
type about struct {
	Target int    `json:"target"` // -1 for none; whether the page has as many is not known
	At     string `json:"at"`     // the document's address, "" in a frame
	// Document tells the document from all others, "" where it was read by a script.
	Document string `json:"document"`
}

func readAbout(text string) (a about, err error) {
	line, _, _ := strings.Cut(text, "\n")
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return about{Target: -1}, fmt.Errorf("read page: %w", err)
	}
	return a, nil
}

// readAt returns the address of the page that a document was read on; known is false where
// only a frame was read and the page showed another address before than after it.
func readAt(text, before string, p Page) (address string, known bool) {
	if a, err := readAbout(text); err == nil && a.At != "" {
		return addressOf(a.At), true
	}
	after := pageAddress(p)
	return after, before == after
}

// readView reads the answer of collect.js, which a hostile page may have forged.
func readView(text string) (view, error) {
	a, err := readAbout(text)
	if err != nil {
		return view{}, err
	}
	target := a.Target
	_, list, _ := strings.Cut(text, "\n")
	elements, err := heal.ReadElements([]byte(list))
	if err != nil {
		return view{}, err
	}
	if target >= len(elements) {
		target = -1
	}
	return view{target, elements}, nil
}

// joinViews puts documents one after the other, as roots beside each other.
func joinViews(views []view) []heal.Element {
	if len(views) == 1 {
		return views[0].elements
	}
	var all []heal.Element
	for _, v := range views {
		start := len(all)
		for _, e := range v.elements {
			if e.Parent >= 0 {
				e.Parent += start
			}
			all = append(all, e)
		}
	}
	return all
}
