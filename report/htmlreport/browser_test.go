package htmlreport

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/golden"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

// look is a report open in a browser, and what happened there that must not.
type look struct {
	playwright.Page
	heard []string
}

func open(t *testing.T, report []byte, o playwright.BrowserNewPageOptions) *look {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	must(t, os.WriteFile(name, report, 0o644))
	page, err := browsertest.Browser(t).NewPage(o)
	must(t, err)
	t.Cleanup(func() { _ = page.Close() })
	l := &look{Page: page}
	page.OnConsole(func(m playwright.ConsoleMessage) { l.heard = append(l.heard, "console: "+m.Text()) })
	page.OnPageError(func(err error) { l.heard = append(l.heard, "error: "+err.Error()) })
	page.OnDialog(func(d playwright.Dialog) { l.heard = append(l.heard, "dialog: "+d.Message()); _ = d.Dismiss() })
	page.OnRequest(func(r playwright.Request) {
		if u, err := url.Parse(r.URL()); err != nil || u.Path != name {
			l.heard = append(l.heard, "request: "+r.URL())
		}
	})
	_, err = page.Goto("file://" + name)
	must(t, err)
	return l
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (l *look) eval(t *testing.T, script string) any {
	t.Helper()
	v, err := l.Evaluate(script)
	must(t, err)
	return v
}

func TestHostileTextsDoNothingInABrowser(t *testing.T) {
	page := open(t, writeAttacked(t, attacks()), playwright.BrowserNewPageOptions{})
	// Open everything and point at everything that tells something.
	page.eval(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
	for _, row := range []string{"#list li:nth-child(1) svg.strip", "#list li:nth-child(200) svg.strip"} {
		must(t, page.Locator(row).Hover(playwright.LocatorHoverOptions{Timeout: playwright.Float(10_000)}))
	}
	if got := page.eval(t, `typeof window.owned`); got != "undefined" {
		t.Errorf("owned is %v", got)
	}
	if len(page.heard) > 0 {
		t.Errorf("heard:\n%s", strings.Join(page.heard, "\n"))
	}
}

// shownNames are the tests of the list that take room on the page.
const shownNames = `Array.from(document.querySelectorAll("#list > li")).filter((li) => li.getClientRects().length).map((li) => li.querySelector(".id").textContent)`

func TestTheListIsSearchedAndSortedByKeyboard(t *testing.T) {
	page := open(t, writeSuite(t, 300, 60), playwright.BrowserNewPageOptions{})
	shown := func() any {
		return page.eval(t, shownNames+`.slice(0, 2).join("|")`)
	}
	must(t, page.Keyboard().Press("/"))
	must(t, page.Keyboard().Type("CART member"))
	if got := shown(); got != "" {
		t.Errorf("search shows %v, no test has both words", got)
	}
	must(t, page.Keyboard().Press("ControlOrMeta+a"))
	must(t, page.Keyboard().Type("login case 29"))
	if got, want := shown(), "e2e/login.spec.ts › member › shows case 129 [chromium]|e2e/login.spec.ts › member › shows case 229 [chromium]"; got != want {
		t.Errorf("search shows %v", got)
	}
	if got := page.eval(t, `document.getElementById("found").textContent`); got != "5 of 300" {
		t.Errorf("found says %v", got)
	}
	must(t, page.Keyboard().Press("ControlOrMeta+a"))
	must(t, page.Keyboard().Press("Delete"))
	_, err := page.Locator("#sort").SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice("ms")})
	must(t, err)
	slowest := page.eval(t, `document.querySelector(".wide tbody .id").textContent`)
	if got := shown().(string); !strings.HasPrefix(got, slowest.(string)+"|") {
		t.Errorf("sorted by duration %v is first, not %v", got, slowest)
	}
	if len(page.heard) > 0 {
		t.Errorf("heard:\n%s", strings.Join(page.heard, "\n"))
	}
}

// The script lists the runs of a test that is green now as the page does those of others.
func TestTheScriptGroupsRunsByErrorAsThePageDoes(t *testing.T) {
	test, runs := missed()
	groups, more := groupMisses(test, runs, links{})
	var want []any
	for _, g := range groups {
		want = append(want, g.Error+" in "+g.In, float64(len(g.Runs)))
	}
	page := open(t, write(t, outcome.Survey{}, outcome.Timeline{Runs: runs, Tests: []outcome.TimelineTest{test}}), playwright.BrowserNewPageOptions{})
	must(t, page.Locator("#list summary").Click(playwright.LocatorClickOptions{Timeout: playwright.Float(10_000)}))
	must(t, page.Locator("#list details .key").WaitFor(playwright.LocatorWaitForOptions{Timeout: playwright.Float(10_000)}))
	got := page.eval(t, `Array.from(document.querySelectorAll("#list details > p.error, #list details > ol"), (e) => e.localName === "ol" ? e.children.length : e.textContent)`)
	var numbers []any
	for _, v := range got.([]any) {
		if n, whole := v.(int); whole {
			v = float64(n)
		}
		numbers = append(numbers, v)
	}
	if diff := cmp.Diff(want, numbers); diff != "" {
		t.Errorf("groups (-page +script):\n%s", diff)
	}
	if got, want := page.eval(t, `document.querySelector("#list details .key").textContent`), fmt.Sprintf("and %d more, in the strip above", more); got != want {
		t.Errorf("the rest is %v, want %s", got, want)
	}
}

func TestATestIsFoundByEveryStateThatIsTrueOfIt(t *testing.T) {
	s, tl := suite(4, 20)
	for i := range tl.Tests {
		tl.Tests[i].Cells = slices.Repeat([]outcome.Cell{outcome.CellPassed}, 20)
	}
	tl.Tests[1].Cells[19], tl.Tests[3].Cells[19] = outcome.CellFailed, outcome.CellFailed
	s.Failing = []outcome.FailingTest{{TestID: tl.Tests[1].TestID, Broken: "broken since a1b2c3d (3 runs)"}, {TestID: tl.Tests[3].TestID}}
	s.Unstable, s.Heals, s.Quarantine = nil, nil, []flaky.Entry{entry(string(tl.Tests[1].TestID), s.Generated), entry(string(tl.Tests[2].TestID), s.Generated)}
	page := open(t, write(t, s, tl), playwright.BrowserNewPageOptions{})
	for state, want := range map[string]string{"failing": "case 3|case 1", "broken": "case 1", "quarantined": "case 1|case 2", "stable": "case 0"} {
		_, err := page.Locator("#state").SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice(state)})
		must(t, err)
		got := page.eval(t, shownNames+`.map((name) => /case \d+/.exec(name)[0]).join("|")`)
		if got != want {
			t.Errorf("%s shows %v, want %s", state, got, want)
		}
	}
	if got := page.eval(t, `document.querySelector("#list [data-is~=broken] .facts").textContent`); !strings.HasPrefix(got.(string), "failing · broken since a1b2c3d (3 runs) · in quarantine") {
		t.Errorf("the broken one says %v", got)
	}
}

func TestOnPaperTextHasOneSizeAndNothingToClick(t *testing.T) {
	page := open(t, writeSuite(t, 60, 40), playwright.BrowserNewPageOptions{})
	must(t, page.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}))
	got := page.eval(t, `["body", ".entries p:not([class])", ".id"].map((s) => getComputedStyle(document.querySelector(s)).fontSize).join(" ")`)
	if want := "12px 12px 10.5px"; got != want {
		t.Errorf("sizes are %v, want %s", got, want)
	}
	must(t, page.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint, ColorScheme: playwright.ColorSchemeDark}))
	if got, want := page.eval(t, `getComputedStyle(document.querySelector("thead th")).color`), "rgb(89, 99, 110)"; got != want {
		t.Errorf("quiet text of a dark screen is printed %v, want %s", got, want)
	}
	for _, hidden := range []string{"details:not([open])", "form", "nav"} {
		if got := page.eval(t, `getComputedStyle(document.querySelector("`+hidden+`")).display`); got != "none" {
			t.Errorf("%s is printed: %v", hidden, got)
		}
	}
}

// A phone shows each column without scrolling sideways.
func TestAPhoneShowsEveryColumn(t *testing.T) {
	for _, width := range []int{390, 360} {
		page := open(t, writeSuite(t, 300, 120), playwright.BrowserNewPageOptions{Viewport: &playwright.Size{Width: width, Height: 800}})
		got := page.eval(t, `Array.from(document.querySelectorAll("html, .wide"), (e) => e.scrollWidth - e.clientWidth).filter((cut) => cut > 0).join(" ")`)
		if n := page.eval(t, `document.querySelectorAll(".wide").length`); n == 0 {
			t.Fatal("the report has no table")
		}
		if got != "" {
			t.Errorf("at %d pixels these are cut: %v", width, got)
		}
	}
}

func TestTheLegendShowsColours(t *testing.T) {
	page := open(t, writeSuite(t, 60, 40), playwright.BrowserNewPageOptions{})
	if got := page.eval(t, `Math.min(...Array.from(document.querySelectorAll(".legend path"), (p) => p.getBoundingClientRect().width)) >= 8`); got != true {
		t.Error("a mark of the legend is thinner than 8 pixels")
	}
}

func TestAccessibilityHasNoSeriousFinding(t *testing.T) {
	folder, err := browsertest.Folder()
	must(t, err)
	axe, err := os.ReadFile(filepath.Join(folder, "axe-4.11.0.js"))
	if err != nil {
		browsertest.Missing(t, err)
	}
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
		page := open(t, writeSuite(t, 60, 40), playwright.BrowserNewPageOptions{ColorScheme: scheme, Viewport: &playwright.Size{Width: 360, Height: 800}})
		page.eval(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
		page.eval(t, string(axe))
		found := page.eval(t, `axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact))
			.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary).join("; ")))`)
		if diff := cmp.Diff([]any{}, found); diff != "" {
			t.Errorf("%v (-want +got):\n%s", *scheme, diff)
		}
		if got := page.eval(t, `document.documentElement.scrollWidth <= 360`); got != true {
			t.Errorf("%v: wider than 360 pixels", *scheme)
		}
	}
}

func TestLooksLikeItsPictures(t *testing.T) {
	for _, c := range []struct {
		name   string
		width  int
		scheme *playwright.ColorScheme
	}{
		{"light", 1200, playwright.ColorSchemeLight},
		{"dark", 1200, playwright.ColorSchemeDark},
		{"narrow", 360, playwright.ColorSchemeLight},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := open(t, writeSuite(t, 300, 120), playwright.BrowserNewPageOptions{ColorScheme: c.scheme, Viewport: &playwright.Size{Width: c.width, Height: 900}})
			got, err := page.Screenshot()
			must(t, err)
			name := filepath.Join("testdata", c.name+".png")
			if golden.Update() {
				must(t, os.WriteFile(name, got, 0o644))
			}
			want, err := os.ReadFile(name)
			must(t, err)
			if d := unlike(t, got, want); d > 0.05 {
				kept := filepath.Join(os.TempDir(), "report-"+c.name+".png")
				must(t, os.WriteFile(kept, got, 0o644))
				t.Errorf("%.3f unlike %s; see %s, -update accepts it", d, name, kept)
			}
		})
	}
}

// unlike is how much two pictures differ, ratio in [0,1]: the mean difference of
// blocks of 16 pixels, because fonts are not the same everywhere.
func unlike(t *testing.T, a, b []byte) float64 {
	t.Helper()
	x, y := decoded(t, a), decoded(t, b)
	if x.Bounds() != y.Bounds() {
		return 1
	}
	const side = 16
	sum, n := 0.0, 0
	for top := 0; top+side <= x.Bounds().Dy(); top += side {
		for left := 0; left+side <= x.Bounds().Dx(); left += side {
			r := image.Rect(left, top, left+side, top+side)
			sum += math.Abs(brightness(x, r) - brightness(y, r))
			n++
		}
	}
	return sum / float64(n)
}

func decoded(t *testing.T, text []byte) image.Image {
	t.Helper()
	p, err := png.Decode(bytes.NewReader(text))
	must(t, err)
	return p
}

func brightness(p image.Image, in image.Rectangle) float64 {
	sum := uint64(0)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			sum += uint64(r) + uint64(g) + uint64(b)
		}
	}
	return float64(sum) / float64(3*0xffff*in.Dx()*in.Dy())
}

// What a person waits for 5,000 tests over 100 and 300 runs: from opening the file to
// the first drawn frame.
func BenchmarkOpen5000Tests(b *testing.B) {
	for _, runs := range []int{100, 300} {
		b.Run(fmt.Sprintf("%d-runs", runs), func(b *testing.B) { openReport(b, runs) })
	}
}

func openReport(b *testing.B, runs int) {
	b.Helper()
	name := filepath.Join(b.TempDir(), "report.html")
	s, t := suite(5000, runs)
	if err := os.WriteFile(name, write(b, s, t), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		page, err := browsertest.Browser(b).NewPage()
		if err == nil {
			_, err = page.Goto("file://" + name)
		}
		if err == nil {
			_, err = page.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
		}
		if err != nil {
			b.Fatal(err)
		}
		_ = page.Close()
	}
}
