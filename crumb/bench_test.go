package crumb_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/sqlite"
)

// BenchmarkAction compares a click on a wrapped page with the same click on
// Playwright's own, in turns on one page of 200 elements, at the median. The
// first click on each locator learns it; every tenth click is such a one.
func BenchmarkAction(b *testing.B) {
	s := newSite(b, map[string]string{"/": bigPage(200)})
	raw := rawPage(b)
	page, err := crumb.Wrap(raw, crumb.Options{TestID: b.Name(), DB: filepath.Join(b.TempDir(), "crumbs.db")})
	must(b, err)
	_, err = page.Goto(s.URL)
	must(b, err)
	var plain, healing, learning []time.Duration
	timed := func(list *[]time.Duration, click func() error) {
		start := time.Now()
		must(b, click())
		*list = append(*list, time.Since(start))
	}
	for i := 0; b.Loop(); i++ {
		selector := fmt.Sprintf("#item-%d button", i/10%40)
		option := playwright.LocatorClickOptions{Timeout: playwright.Float(30000)}
		timed(&plain, func() error { return raw.Locator(selector).Click(option) })
		list := &healing
		if i%10 == 0 && i < 400 {
			list = &learning
		}
		timed(list, func() error { return page.Locator(selector).Click() })
	}
	b.ReportMetric(ms(plain), "ms-raw")
	b.ReportMetric(ms(healing), "ms-wrapped")
	b.ReportMetric(ms(learning), "ms-learning")
	b.ReportMetric(ms(append(healing, learning...))-ms(plain), "ms-overhead")
}

// BenchmarkFirstClick compares the first click on a locator, which looks at the page, and
// a second one with the same clicks on Playwright's own page, in turns on one page of 1,200
// elements, at the median.
func BenchmarkFirstClick(b *testing.B) {
	s := newSite(b, map[string]string{"/": bigPage(1200)})
	raw := rawPage(b)
	page, err := crumb.Wrap(raw, crumb.Options{TestID: b.Name(), DB: filepath.Join(b.TempDir(), "crumbs.db"), Timeout: learningTime})
	must(b, err)
	_, err = page.Goto(s.URL)
	must(b, err)
	var plain, first, second []time.Duration
	timed := func(list *[]time.Duration, p playwright.Page, row int) {
		start := time.Now()
		must(b, p.Locator(fmt.Sprintf("#item-%d button", row)).Click(playwright.LocatorClickOptions{Timeout: playwright.Float(learningTime)}))
		*list = append(*list, time.Since(start))
	}
	for b.Loop() {
		must(b, page.Scope(fmt.Sprint("round ", len(first)))) // which has learned nothing
		for row := range 30 {
			for turn := range 2 {
				if (row+turn)%2 == 0 {
					timed(&plain, raw, row)
				} else {
					timed(&first, page, row)
					timed(&second, page, row)
				}
			}
		}
	}
	b.ReportMetric(ms(plain), "ms-raw")
	b.ReportMetric(ms(first)/ms(plain), "first/raw")
	b.ReportMetric(ms(second)/ms(plain), "second/raw")
}

// healsOfALoop is how many heals of each kind are timed in a loop: one that waits takes
// seconds, and a median needs several.
const healsOfALoop = 5

// BenchmarkHeal is a heal all in, from the timeout to the locator to replay on:
// of an action that waited for a second or more, and of one that did not, so
// that what was learned had to be read after it.
func BenchmarkHeal(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := bigPage(n)
			s := newSite(b, map[string]string{"/": before})
			options := crumb.Options{TestID: b.Name(), DB: filepath.Join(b.TempDir(), "crumbs.db"), Events: filepath.Join(b.TempDir(), "heals.ndjson")}
			learning := wrapped(b, options, s.URL)
			must(b, learning.Click("#item-7 button"))
			must(b, learning.Close())
			s.set("/", strings.ReplaceAll(before, `id="item-7"`, `id="thing-7"`))
			page := wrapped(b, options, s.URL)
			times := map[bool][]time.Duration{} // by whether the action waited for long
			for b.Loop() {
				for n := range 2 * healsOfALoop {
					waited := n%2 == 0
					took, err := crumb.HealNow(page, "#item-7 button", waited)
					must(b, err)
					times[waited] = append(times[waited], took)
				}
			}
			for waited, unit := range map[bool]string{true: "", false: "-short-wait"} {
				b.ReportMetric(ms(times[waited]), "ms-median"+unit)
				b.ReportMetric(float64(times[waited][0].Microseconds())/1000, "ms-least"+unit)
			}
		})
	}
}

func ms(times []time.Duration) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

// bigPage returns a page of about n elements.
func bigPage(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><body><h1>Stock</h1><main>")
	for i := range n / 5 {
		fmt.Fprintf(&b, `<div id="item-%d" class="row"><h2>Article %d</h2><p>In store since week %d</p><span class="price">$%d.00</span><button type="button">Order %d</button></div>`, i, i, i%52, i%90, i)
	}
	b.WriteString("</main></body>")
	return b.String()
}

// BenchmarkFirstLoss compares the first heal on a page, which is looked at for what else was
// learned there, with a second one. Of each page 40 locators are known, all lost, and of
// other pages as many as stand in the name.
func BenchmarkFirstLoss(b *testing.B) {
	for _, n := range []int{0, 5000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before, syllables := bigPage(1000), []string{"ma", "lo", "ri", "ten", "pu", "sol", "ve"}
			for row := range 40 { // each says something of its own
				before = strings.Replace(before, fmt.Sprintf(">Order %d<", row), fmt.Sprintf(">Order %s%s<", syllables[row/7], syllables[row%7]), 1)
			}
			s := newSite(b, map[string]string{})
			options := crumb.Options{DB: filepath.Join(b.TempDir(), "crumbs.db"), Events: filepath.Join(b.TempDir(), "heals.ndjson"), Timeout: learningTime}
			paths := []string{"/account", "/basket", "/cart", "/desk", "/edit"}
			for _, path := range paths {
				s.set(path, before)
				options.TestID = path
				p := wrapped(b, options, s.URL+path)
				for row := range 40 {
					must(b, p.Click(fmt.Sprintf("#item-%d button", row)))
				}
				must(b, p.Close())
				s.set(path, strings.ReplaceAll(before, `id="item-`, `id="thing-`))
			}
			fillDatabase(b, options, n)
			times := map[bool][]time.Duration{} // by whether it is the first
			for b.Loop() {
				for _, path := range paths {
					options.TestID = path
					p := wrapped(b, options, s.URL+path)
					for _, first := range []bool{true, false} {
						took, err := crumb.HealNow(p, "#item-7 button", true)
						must(b, err)
						times[first] = append(times[first], took)
					}
					must(b, p.Close())
				}
				if len(times[true]) > len(paths) {
					b.Fatal("a page is looked at once: set -benchtime=1x")
				}
			}
			b.ReportMetric(ms(times[true]), "ms-first")
			b.ReportMetric(ms(times[false]), "ms-again")
			b.ReportMetric(float64(len(lostEvents(b, options.Events))), "lost")
			b.ReportMetric(float64(len(events(b, options.Events))-len(lostEvents(b, options.Events))), "ahead")
		})
	}
}

// fillDatabase adds what tests of other pages learned.
func fillDatabase(tb testing.TB, options crumb.Options, n int) {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), options.DB, sqlite.Options{})
	must(tb, err)
	known, err := db.Fingerprints(tb.Context(), "", 1)
	must(tb, err)
	list := make([]engine.Fingerprint, n)
	for i := range list {
		list[i] = known.List[0]
		list[i].TestID, list[i].Page, list[i].PageAddress = engine.TestID(fmt.Sprint("other ", i)), "/other", "/other"
	}
	must(tb, db.SaveFingerprints(tb.Context(), list, nil, time.Unix(1.7e9, 0)))
	must(tb, db.Save(tb.Context()))
	must(tb, db.Close())
}
