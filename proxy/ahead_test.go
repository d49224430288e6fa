package proxy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"
)

// One click on a redesigned page, which is closed right after it. What else was learned of
// the page and is lost there is told, but for what stands in a frame.
func TestOneLossTellsWhatItsPageLostBesides(t *testing.T) {
	findBrowser(t)
	folder, html, site := openShop(t)
	visit := func(name string, do func(playwright.Page)) {
		t.Run(name, func(t *testing.T) {
			page, err := launch(t).NewPage()
			must(t, err)
			_, err = page.Goto(site.URL + "/account")
			must(t, err)
			do(page)
			start := time.Now()
			must(t, page.Close())
			if waited := time.Since(start); waited > 2*closeTime {
				t.Errorf("the page took %v to close", waited)
			}
		})
	}
	visit("learned", func(p playwright.Page) {
		must(t, p.Locator("#city").Fill("Lyon"))
		must(t, p.Locator("#save").Click())
		must(t, p.Locator("#save").Click()) // the element that is lost
		must(t, p.Locator(".add").Nth(0).Click())
		must(t, p.FrameLocator("iframe[name=help]").Locator("#ask").Click())
	})
	if got := readEvents(t, folder+"/heals.ndjson"); len(got) > 0 {
		t.Fatalf("events of what was found: %v", got)
	}
	html.Store(newShop())
	timeout := 4000.0
	visit("lost", func(p playwright.Page) {
		must(t, p.Locator("#save").Click(playwright.LocatorClickOptions{Timeout: &timeout}))
	})
	var got []string
	for _, e := range readEvents(t, folder+"/heals.ndjson") {
		id, _ := e.Healed.Attributes.Get("id")
		got = append(got, fmt.Sprint(e.Outcome, " ahead ", e.Ahead, " ", e.Locator, " ", id))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"healed ahead false #save store", "suggested ahead true #city town"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
