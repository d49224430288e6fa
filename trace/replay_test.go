package trace_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/trace"
	"github.com/breadcrumb/action/trace/browser"
)

// shared is the browser of all tests here.
var shared = sync.OnceValues(func() (*browser.Browser, error) {
	b, err := browser.Open(browsertest.Env)
	if err == nil {
		browsertest.AtEnd(func() { _ = b.Close() })
	}
	return b, err
})

func openBrowser(t *testing.T) *browser.Browser {
	t.Helper()
	if testing.Short() && !browsertest.Needed() {
		t.Skip("short tests have no browser")
	}
	b, err := shared()
	if err != nil {
		browsertest.Missing(t, err)
	}
	return b
}

// A second look at the real traces proposes what the first does, and each
// locator was counted by Playwright itself.
func TestASecondLookProvesWhatTheFirstFound(t *testing.T) {
	b := openBrowser(t)
	for _, version := range []string{trace.Oldest, trace.Newest} {
		learned := trace.Learn(t, version)
		var healed, missed, refused, counted int
		for name, read := range trace.RealTraces(t, version, "v2") {
			for _, c := range read.Calls {
				want, known := trace.Truth[read.TestID()][c.Selector]
				if !c.Lost() || !known {
					continue
				}
				lesson := learned[read.TestID()+c.Selector]
				s, err := c.Replay(t.Context(), &lesson, heal.Options{}, b)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				compareCounts(t, name+": "+c.Selector, c.Heal(&lesson, heal.Options{}).Event, s.Event, &counted)
				got, why := locator.Replacement(s.Event)
				switch {
				case s.Event.Outcome == engine.OutcomeRefused && want == "":
					refused++
				case s.Event.Outcome == engine.OutcomeRefused:
					missed++
					t.Logf("%s: %s is refused: %s (%.2f)", name, c.Selector, s.Event.Reason, s.Event.Confidence)
				case got.String() != want || why != "" || locator.ProofOf(s.Event, got) != locator.Unique:
					t.Errorf("%s: %s becomes %s (%s), want %s", name, c.Selector, got, why, want)
				default:
					healed++
				}
			}
		}
		t.Logf("Playwright %s: %d healed right, %d not; %d removed elements refused; %d locators counted alike", version, healed, missed, refused, counted)
		if missed*10 > healed+missed || version == trace.Newest && (healed < 25 || refused < 10) {
			t.Errorf("Playwright %s: %d healed, %d not, %d refused", version, healed, missed, refused)
		}
	}
}

// compareCounts compares what every locator that could be proposed finds on the failing
// snapshot, by our own reading of it and by Chromium.
func compareCounts(t *testing.T, name string, ours, theirs engine.HealEvent, alike *int) {
	t.Helper()
	for _, m := range ours.Matches {
		i := slices.IndexFunc(theirs.Matches, func(o engine.Match) bool { return o.Locator == m.Locator })
		switch {
		case i < 0:
		case theirs.Matches[i].Count != m.Count:
			t.Errorf("%s: %s finds %d, in Chromium %d", name, m.Locator, m.Count, theirs.Matches[i].Count)
		default:
			*alike++
		}
	}
}

// hurdle is a page where the snapshot alone does not tell enough.
type hurdle struct {
	name          string
	before, after string // bodies of the page while the test passed and when it failed
	style         string // of the page when it failed
	alone, seen   string // what is proposed without a browser and with one; "" for a refusal
}

const goods = `["H1",{},"Basket"],["P",{},"Two goods"],["BUTTON",{"id":"pay","class":"main"},"Pay now"],["BUTTON",{"id":"back"},"Go back"]`

var hurdles = []hurdle{
	{"what a style sheet hides is no candidate", goods,
		`["H1",{},"Basket"],["P",{},"Two goods"],["BUTTON",{"id":"pay-old","class":"main"},"Pay now"],["BUTTON",{"id":"back"},"Go back"]`,
		`#pay-old { display: none }`, "#pay-old", ""},
	{"of two that look alike one is hidden", goods,
		`["H1",{},"Basket"],["P",{},"Two goods"],["BUTTON",{"id":"pay-narrow","class":"main"},"Pay now"],["BUTTON",{"id":"pay-wide","class":"main"},"Pay now"],["BUTTON",{"id":"back"},"Go back"]`,
		`#pay-narrow { display: none }`, "", "#pay-wide"},
	{"what only a browser can look for is still there", goods,
		`["H1",{},"Basket"],["P",{},"Two goods"],["BUTTON",{"id":"pay-now","class":"main"},"Pay now"],["BUTTON",{"id":"back"},"Go back"]`,
		``, "#pay-now", ""},
}

func TestASecondLookSeesWhatASnapshotDoesNotTell(t *testing.T) {
	b := openBrowser(t)
	for _, h := range hurdles {
		t.Run(h.name, func(t *testing.T) {
			page := func(style, body string) string {
				return `["HTML",{},["HEAD",{},["STYLE",{},"` + style + `"]],["BODY",{},` + body + `]]`
			}
			passed := trace.TraceOf(t, trace.Click("call@1", "#pay", strings.Replace(page("", h.before), `"id":"pay"`, `"id":"pay","__playwright_target__":""`, 1), false))
			known, ok := passed.Calls[0].Target()
			if !ok {
				t.Fatal("nothing was learned")
			}
			selector := "#pay"
			if strings.HasPrefix(h.name, "what only a browser") {
				selector = `button:has-text("pay now")`
			}
			lost := trace.TraceOf(t, trace.Click("call@2", selector, page(h.style, h.after), true)).Calls[0]
			if got := proposed(lost.Heal(&known, heal.Options{})); got != h.alone {
				t.Errorf("without a browser %q, want %q", got, h.alone)
			}
			s, err := lost.Replay(t.Context(), &known, heal.Options{}, b)
			if got := proposed(s); err != nil || got != h.seen {
				t.Errorf("with a browser %q, want %q: %s %v", got, h.seen, s.Event.Reason, err)
			}
			if (s.Picture != nil) != (h.seen != "") {
				t.Errorf("proposed is %q, with a picture of %d bytes", h.seen, len(s.Picture))
			}
			secret := strings.Replace(h.after, "Two goods", "password: hunter2-hunter2", 1)
			lost = trace.TraceOf(t, trace.Click("call@3", selector, page(h.style, secret), true)).Calls[0]
			if s, err = lost.Replay(t.Context(), &known, heal.Options{}, b); err != nil || s.Picture != nil || proposed(s) != h.seen {
				t.Errorf("beside a secret: %q, %v, a picture of %d bytes", proposed(s), err, len(s.Picture))
			}
		})
	}
}

// proposed returns the locator that is proposed, "" for none.
func proposed(s trace.Suggestion) string {
	if s.Event.Outcome != engine.OutcomeHealed {
		return ""
	}
	next, why := locator.Replacement(s.Event)
	if why != "" {
		return ""
	}
	return next.String()
}
