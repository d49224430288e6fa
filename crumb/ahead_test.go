package crumb_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
)

// aheadSuite is what the tests of a suite do on the shop.
var aheadSuite = map[string]func(*crumb.Page) error{
	"discards":       click("#discard"),
	"discards again": click("#discard"), // the element that the first one loses
	"moves":          func(p *crumb.Page) error { return p.Locator("#city").Fill("Lyon") },
	"buys":           click("#add-mug"),
	"writes":         func(p *crumb.Page) error { return p.Locator("#note").Fill("Ring twice") }, // is gone
	"chats":          click("#chat"),                                                             // stays
	"asks":           func(p *crumb.Page) error { return p.Locator("[name=email]").Fill("a@b.org") },
}

// One test of a suite meets a redesign, and the click on what it lost takes the page away.
// What all others lost there is suggested at once, and nothing else.
func TestOneLossTellsWhatItsPageLostBesides(t *testing.T) {
	t.Parallel()
	redesign := strings.NewReplacer(`id="discard"`, `id="reset" onclick="document.body.remove()"`, `for="city"`, `for="town"`, `id="city"`, `id="town"`,
		`id="add-mug"`, `data-testid="mug"`, `<label for="note">Note to the driver</label> <textarea id="note" name="note"></textarea>`, ``)
	patiently(t, func(patience patience) string {
		s := newSite(t, map[string]string{"/": shop})
		folder := t.TempDir()
		options := crumb.Options{DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
		for test, do := range aheadSuite {
			options.TestID = test
			p := wrapped(t, options, s.URL)
			must(t, do(p))
			must(t, p.Close())
		}
		if got := events(t, options.Events); len(got) > 0 {
			t.Fatalf("a green suite has events: %v", got)
		}
		s.set("/", redesign.Replace(shop))
		options.Timeout = patience.timeout()
		var heard []string
		options.OnHeal = func(e engine.HealEvent) { heard = append(heard, fmt.Sprint(e.TestID, " ", e.Ahead)) }
		for _, test := range []string{"discards", "discards again"} { // the page is looked at once
			options.TestID = test
			p := wrapped(t, options, s.URL)
			if err := aheadSuite["discards"](p); err != nil {
				return err.Error()
			}
			must(t, p.Close())
		}
		var got []string
		for _, e := range events(t, options.Events) {
			if e.Ahead && (e.Site == nil || e.Original.Page == "" || e.Confidence < 0.5) {
				t.Errorf("an event that nothing can be made of: %+v", e)
			}
			got = append(got, fmt.Sprint(e.TestID, " ", e.Outcome, " ", e.Reason, " ", e.Locator))
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"buys suggested ahead #add-mug", "discards again healed  #discard", "discards healed  #discard", "moves suggested ahead #city"}, got); diff != "" {
			return "events (-want +got):\n" + diff
		}
		slices.Sort(heard)
		if diff := cmp.Diff([]string{"buys true", "discards again false", "discards false", "moves true"}, heard); diff != "" {
			t.Errorf("OnHeal heard (-want +got):\n%s", diff)
		}
		return ""
	})
}
