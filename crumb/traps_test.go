package crumb_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

// trap is a pair of pages that was written to deceive. Answer is where the element
// that Locator finds on the old page is on the new one, nil where it is gone.
type trap struct {
	Kind, Name, Locator, Old, New string
	Answer                        *string
}

// Where a trap's page is shown.
const (
	inPage   = "page"
	inFrame  = "frame"
	inShadow = "shadow root"
)

// howManyTraps are tried; one in four stands in a frame or in a shadow root.
const howManyTraps = 40

// leastHealed of them are healed, so that a healer that does nothing is no success.
const leastHealed = 5

// watchTrap notes every control that something is done to, by its markup or as
// "answer", moves the page into a shadow root where told, and returns what fits
// into the lost element, "" for one that is clicked. It fails where the page has no
// answer.
const watchTrap = `([locator, answer, shadow]) => {
  const right = answer && document.querySelector(answer), lost = document.querySelector(locator);
  if (answer && !right) throw new Error("nothing is at " + answer);
  const field = lost && lost.matches("input:not([type=submit], [type=button], [type=checkbox], [type=radio]), textarea");
  const text = !field ? "" : lost.type === "date" ? "2026-01-07" : lost.type === "email" ? "a@b.org" : "7";
  if (shadow) {
    const host = document.createElement("trap-page");
    host.attachShadow({mode: "open"}).append(...document.body.childNodes);
    document.body.append(host);
  }
  const controls = "a, button, input, select, textarea, label, summary, option, [role], [tabindex], [onclick]";
  window.touched = [];
  for (const type of ["click", "dblclick", "input", "change"]) addEventListener(type, (event) => {
    const hit = event.composedPath()[0], control = hit.closest(controls) || hit;
    const same = right && (control === right || right.contains(hit) || control.contains(right) || control.control === right);
    window.touched.push(same ? "answer" : type + " of " + control.outerHTML.slice(0, 200));
    if (control.tagName === "A") event.preventDefault();
  }, true);
  addEventListener("submit", (event) => event.preventDefault(), true);
  return text;
}`

// No trap makes a test go on with another control than the one it lost.
func TestNoTrapIsActedOn(t *testing.T) {
	traps := readTraps(t)
	browsertest.Browser(t)
	t.Parallel()
	tally := &trapTally{counts: map[engine.HealOutcome]int{}}
	t.Run("pairs", func(t *testing.T) {
		for i, c := range traps {
			where := inPage
			switch i % 8 {
			case 3:
				where = inFrame
			case 7:
				where = inShadow
			}
			t.Run(fmt.Sprintf("%s: %s in a %s", c.Kind, c.Name, where), func(t *testing.T) {
				t.Parallel()
				patiently(t, func(p patience) string { return c.try(t, where, p, tally) })
			})
		}
	})
	t.Logf("of %d traps: %d healed, %d suggested, %d refused", len(traps),
		tally.counts[engine.OutcomeHealed], tally.counts[engine.OutcomeSuggested], tally.counts[engine.OutcomeRefused])
	if tally.counts[engine.OutcomeHealed] < leastHealed {
		t.Errorf("only %d traps are healed", tally.counts[engine.OutcomeHealed])
	}
}

// trapTally counts outcomes from several tests at once.
type trapTally struct {
	mu     sync.Mutex
	counts map[engine.HealOutcome]int
}

// readTraps returns pairs of the shared corpus, of each kind some, or skips.
func readTraps(t *testing.T) []trap {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "shared", "corpus", "traps", "dev.ndjson"))
	if err != nil {
		t.Skipf("the traps are not here: %v", err)
	}
	defer file.Close()
	var kinds []string
	byKind := map[string][]trap{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c trap
		must(t, json.Unmarshal(lines.Bytes(), &c))
		if c.Kind == stillFound {
			continue
		}
		if !slices.Contains(kinds, c.Kind) {
			kinds = append(kinds, c.Kind)
		}
		byKind[c.Kind] = append(byKind[c.Kind], c)
	}
	must(t, lines.Err())
	var traps []trap
	for n := 0; len(traps) < howManyTraps; n++ {
		before := len(traps)
		for _, kind := range kinds {
			if n < len(byKind[kind]) && len(traps) < howManyTraps {
				traps = append(traps, byKind[kind][n])
			}
		}
		if len(traps) == before {
			t.Fatalf("only %d traps", before)
		}
	}
	return traps
}

// stillFound is a kind whose locators the new page still has: nothing is lost.
const stillFound = "23 reworded, same unique id"

// try learns a trap's old page and acts on its new one. It returns what came of a
// busy machine; an action on a wrong control fails the test.
func (c trap) try(t *testing.T, where string, patient patience, tally *trapTally) string {
	t.Helper()
	raw, giveBack := borrowPage(t)
	defer giveBack()
	folder := t.TempDir()
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
	_, text := c.show(t, raw, where, c.Old, nil)
	act := func() error { return c.act(t, raw, where, text, options) }
	var err error
	measurePace(func() { err = act() })
	must(t, err)

	frame, _ := c.show(t, raw, where, c.New, c.Answer)
	options.Timeout = patient.timeout()
	err = act()
	touched, problem := frame.Evaluate("() => window.touched")
	must(t, problem)
	got := events(t, options.Events)
	for _, control := range touched.([]any) {
		if control != "answer" {
			t.Errorf("TOUCHED ANOTHER CONTROL: %v\n%s", control, formatEvents(got))
		}
	}
	if len(got) != 1 {
		return fmt.Sprintf("%d events, error %v", len(got), err)
	}
	acted := len(touched.([]any)) > 0
	if healed := got[0].Outcome == engine.OutcomeHealed; healed != acted || healed != (err == nil) {
		return fmt.Sprintf("acted %v, error %v\n%s", acted, err, formatEvents(got))
	}
	tally.mu.Lock()
	defer tally.mu.Unlock()
	tally.counts[got[0].Outcome]++
	return ""
}

// show shows a page and watches it. It returns the frame that the page is in, and
// what to fill into the element that the locator finds, "" for one to click.
func (c trap) show(t *testing.T, raw playwright.Page, where, content string, answer *string) (frame playwright.Frame, text string) {
	t.Helper()
	frame = raw.MainFrame()
	if where == inFrame {
		must(t, raw.SetContent(`<!doctype html><h1>Around</h1><iframe name="trap" width="1200" height="600"></iframe>`))
		if frame = raw.Frame(playwright.PageFrameOptions{Name: playwright.String("trap")}); frame == nil {
			t.Fatal("the page has no frame")
		}
	}
	must(t, frame.SetContent(content))
	at := ""
	if answer != nil {
		at = *answer
	}
	value, err := frame.Evaluate(watchTrap, []any{c.Locator, at, where == inShadow})
	must(t, err)
	return frame, value.(string)
}

// act does what a test does with its element: it fills a field and clicks anything
// else.
func (c trap) act(t *testing.T, raw playwright.Page, where, text string, options crumb.Options) error {
	t.Helper()
	page, err := crumb.Wrap(raw, options)
	must(t, err)
	defer crumb.CloseWrapper(page)
	target := page.Locator(c.Locator)
	if where == inFrame {
		target = page.FrameLocator("iframe").Locator(c.Locator)
	}
	if text != "" {
		return target.Fill(text)
	}
	return target.Click()
}
