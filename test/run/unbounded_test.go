package run

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

const (
	promoPage = `<h1>Checkout</h1>
<form><label for="%[1]s">Promo code</label> <input id="%[1]s" name="promo" placeholder="Promo code">
<label for="note">Note</label> <input id="note" name="note"> <button id="%[2]s" type="button">Pay now</button></form>
<output></output>
<script>
for (const field of document.querySelectorAll("input")) field.addEventListener("input", () => (document.querySelector("output").textContent += field.value));
for (const button of document.querySelectorAll("button")) button.addEventListener("click", () => (document.querySelector("output").textContent += "paid"));
</script>`
	latePage = `<h1>Checkout</h1><main></main><script>setTimeout(() => document.querySelector("main").innerHTML = %q, 6000);
document.addEventListener("input", (e) => (document.querySelector("output").textContent = e.target.value));</script>`
	gonePage = `<h1>Checkout</h1><form><label for="note">Note</label> <input id="note" name="note"></form><output></output>`
)

// newPromo serves a page with and, in its new release, without the names that tests know.
func newPromo(t *testing.T) (before, after *httptest.Server) {
	t.Helper()
	known := fmt.Sprintf(promoPage, "promo", "pay")
	serve := func(pages map[string]string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(pages[r.URL.Path])) // a browser that is gone needs none
		}))
		t.Cleanup(s.Close)
		return s
	}
	return serve(map[string]string{"/promo": known, "/late": known, "/gone": known}),
		serve(map[string]string{"/promo": fmt.Sprintf(promoPage, "promo-code", "pay-now"), "/late": fmt.Sprintf(latePage, known[:strings.Index(known, "<script>")]), "/gone": gonePage})
}

// Calls without a timeout, and with little time, are made by the worker as long as nothing was
// healed. Each test runs alone, so that it is the first that loses something.
func TestCallsWithoutATimeoutAreHealed(t *testing.T) {
	t.Parallel()
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := newSuite(t, version, "testdata/unbounded")
			before, after := newPromo(t)
			if ran := s.run(t, []string{"SHOP_URL=" + before.URL}); ran.code != 0 || len(ran.passed) != 6 {
				t.Fatalf("before: exit code %d, passed %v", ran.code, ran.passed)
			}
			for name, want := range map[string]struct {
				passes bool
				told   []string
			}{
				"fills":                     {true, []string{"fill healed #promo-code"}},
				"clicks":                    {true, []string{"click healed #pay-now"}},
				"dispatches an event":       {true, []string{"dispatchEvent healed #pay-now"}},
				"reads with little time":    {true, []string{"getAttribute healed #promo-code"}},
				"waits for what comes late": {true, nil},
				"fills what is gone":        {false, []string{"fill refused "}},
			} {
				told := len(s.events(t))
				ran := s.run(t, []string{"SHOP_URL=" + after.URL}, "-g", name+"$")
				var got []string
				for _, e := range s.events(t)[told:] {
					if e.Outcome != engine.OutcomeSuggested { // found ahead, for the other tests
						got = append(got, fmt.Sprintf("%s %s %s", e.Action, e.Outcome, e.HealedLocator))
					}
				}
				passed := ran.code == 0
				if diff := cmp.Diff(want.told, got); passed != want.passes || diff != "" {
					t.Errorf("%s: passed %t; told (-want +got):\n%s", name, passed, diff)
				}
			}
		})
	}
}
