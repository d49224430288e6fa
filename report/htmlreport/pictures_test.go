package htmlreport

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/browsertest"
)

// sampleElements has a picture of so many bytes for each name, and a page that says the
// locator of its event.
type sampleElements struct{ bytes int }

func (s sampleElements) Found(string) []byte { return make([]byte, s.bytes) }

func (s sampleElements) Lost(h engine.HealEvent) (*heal.Page, int, bool) {
	box := func(x, y, width, height float64) *engine.BoundingBox {
		return &engine.BoundingBox{X: x, Y: y, Width: width, Height: height}
	}
	return heal.NewPage([]heal.Element{
		{Parent: -1, Tag: "body", BBox: box(0, 0, 1280, 2000), Visible: true},
		{Parent: 0, Tag: "h1", OwnText: "Checkout " + h.Locator, BBox: box(20, 1000, 900, 40), Visible: true},
		{Parent: 0, Tag: "input", Name: "Voucher", BBox: box(20, 1060, 200, 24), Visible: true},
		{Parent: 0, Tag: "button", OwnText: h.Locator, BBox: box(20, 1100, 120, 24), Visible: true},
		{Parent: 0, Tag: "p", OwnText: "not shown", BBox: box(20, 1140, 200, 24)},
		{Parent: 0, Tag: "p", OwnText: "far away", BBox: box(20, 1900, 200, 24), Visible: true},
		{Parent: 0, Tag: "p", OwnText: "password: hunter2-hunter2", BBox: box(20, 1180, 300, 24), Visible: true},
		{Parent: -1, Tag: "body", BBox: box(0, 0, 300, 2000), Visible: true},
		{Parent: 7, Tag: "p", OwnText: "in a frame", BBox: box(20, 1060, 200, 24), Visible: true},
	}), 3, true
}

// pictured is a survey of healed locators with pictures.
func pictured(heals int, name func(i int) string) outcome.Survey {
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	in := outcome.SurveyInput{Now: now}
	for i := range heals {
		h := healEvent(fmt.Sprint("pays ", i), i, now)
		h.HealedLocator, h.Pictures = fmt.Sprint("#pay-", i), &engine.Pictures{Found: name(i)}
		in.Heals = append(in.Heals, h)
	}
	return outcome.NewSurvey(in)
}

func writeWith(tb testing.TB, s outcome.Survey, e Elements) string {
	tb.Helper()
	var out bytes.Buffer
	must(tb, Write(&out, s, outcome.Timeline{}, Options{Elements: e}))
	return out.String()
}

func TestALostElementIsDrawnBesideTheFoundOne(t *testing.T) {
	text := writeWith(t, pictured(1, func(int) string { return strings.Repeat("a", 32) + ".jpg" }), sampleElements{64})
	for _, want := range []string{`<svg class="lost"`, `<rect class="it" x="20" y="123" width="120" height="24"/>`, ">Voucher</text>", `src="data:image/jpeg;base64,AAAA`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, not := range []string{"not shown", "far away", "in a frame", "hunter2", "Other locators", "Pictures left out"} {
		if strings.Contains(text, not) {
			t.Errorf("it has %q", not)
		}
	}
	if text := writeWith(t, pictured(1, func(int) string { return "x" }), nil); strings.Contains(text, `class="pair"`) {
		t.Error("without elements there is a picture")
	}
}

func TestALostElementsPictureStandsInThePlaceOfItsDrawing(t *testing.T) {
	s := pictured(1, func(int) string { return "" })
	s.Heals[0].Pictures = &engine.Pictures{Lost: strings.Repeat("a", 32) + ".jpg"}
	text := writeWith(t, s, sampleElements{64})
	if strings.Count(text, `src="data:image/jpeg;base64,AAAA`) != 1 || !strings.Contains(text, "Lost: as it was when its test passed") {
		t.Error("there is no picture of the lost element")
	}
	for _, not := range []string{`<svg class="lost"`, "Found: as it was"} {
		if strings.Contains(text, not) {
			t.Errorf("it has %q", not)
		}
	}
}

func TestASnapshotIsNotShownAsThePage(t *testing.T) {
	s := pictured(1, func(int) string { return "x" })
	s.Heals[0].Pictures.Replayed = true
	if text := writeWith(t, s, sampleElements{64}); !strings.Contains(text, "Found: the trace's snapshot, without what the page loaded") || strings.Contains(text, "as it was on the page") {
		t.Error("it is said to be the page")
	}
}

// A database may be a stranger's.
func TestALearnedPageThatMakesNoSenseIsNoFault(t *testing.T) {
	far := &engine.BoundingBox{X: -1e308, Y: 1e308, Width: 1e308, Height: 1e308}
	for name, elements := range map[string][]heal.Element{
		"parents in a circle": {{Parent: 1, Tag: "a", BBox: far, Visible: true}, {Parent: 7, Tag: "b", BBox: far, OwnText: "x", Visible: true}},
		"no box":              {{Parent: -1, Tag: "a"}},
		"an empty box":        {{Parent: -1, Tag: "a", BBox: &engine.BoundingBox{X: 1, Y: 1}}},
	} {
		if d := drawElement(heal.NewPage(elements), 0); d != nil && (d.Lost.Width > drawnWidth+20 || len(d.Shapes) > maxShapes) {
			t.Errorf("%s: drawn as %+v", name, d)
		}
	}
}

func TestPicturesAreLeftOutOfAFileThatWouldBeTooLarge(t *testing.T) {
	text := writeWith(t, pictured(120, func(i int) string { return fmt.Sprint(i) }), sampleElements{40 << 10})
	if len(text) > maxBytes || len(text) < maxBytes-(60<<10) {
		t.Errorf("%d bytes", len(text))
	}
	shown := strings.Count(text, `class="pair"`)
	if want := fmt.Sprintf("Pictures left out, for a file of 2 MB: %d.", 120-shown); shown < 30 || !strings.Contains(text, want) {
		t.Errorf("%d pictures, and not %q", shown, want)
	}
	text = writeWith(t, pictured(5, func(int) string { return "one" }), sampleElements{64})
	if n := strings.Count(text, `class="pair"`); n != 1 || !strings.Contains(text, "Other locators whose picture is shown above: 4.") {
		t.Errorf("one picture of five events is shown %d times", n)
	}
}

func TestPicturesFitAPhone(t *testing.T) {
	browsertest.Browser(t)
	content, err := os.ReadFile(filepath.Join("testdata", "found.jpg"))
	must(t, err)
	for width, columns := range map[int]int{390: 1, 1200: 2} {
		page := open(t, []byte(writeWith(t, pictured(3, func(i int) string { return fmt.Sprint(i) }), fixedPicture(content))), playwright.BrowserNewPageOptions{Viewport: &playwright.Size{Width: width, Height: 900}})
		got := page.eval(t, `[document.documentElement.scrollWidth <= innerWidth, Array.from(document.images).every((i) => i.naturalWidth === 480 && i.width > 300),
			new Set(Array.from(document.querySelector(".pair").children, (f) => f.getBoundingClientRect().left)).size].join()`)
		if want := fmt.Sprintf("true,true,%d", columns); got != want {
			t.Errorf("at %d pixels: %v, want %s", width, got, want)
		}
		if len(page.heard) > 0 {
			t.Errorf("heard:\n%s", strings.Join(page.heard, "\n"))
		}
	}
}

// fixedPicture is the picture of every name.
type fixedPicture []byte

func (f fixedPicture) Found(string) []byte { return f }

func (f fixedPicture) Lost(h engine.HealEvent) (*heal.Page, int, bool) {
	return sampleElements{}.Lost(h)
}
