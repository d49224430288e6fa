package trace

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// versions are those of Playwright that testdata has traces of, with the
// version of the format that each writes.
var versions = map[string]int{"1.52.0": 7, "1.60.0": 8, "1.63.0": 9, "1.65.1": 10}

const newestPlaywright = "1.65.1"

func TestEveryElementThatAPassingTestUsesIsRecovered(t *testing.T) {
	for version, format := range versions {
		calls := 0
		for name, trace := range realTraces(t, version, "v1") {
			said := version
			if format == 7 {
				said = "" // 1.52 does not say
			}
			if trace.Failed || trace.Version != format || trace.Playwright != said || trace.Language != "javascript" {
				t.Errorf("%s: failed %v, version %d, Playwright %s, %s", name, trace.Failed, trace.Version, trace.Playwright, trace.Language)
			}
			for _, c := range trace.Calls {
				calls++
				checkTarget(t, name, c)
			}
		}
		t.Logf("Playwright %s: %d elements recovered", version, calls)
		if calls < 8 {
			t.Errorf("Playwright %s: only %d calls", version, calls)
		}
	}
}

// checkTarget checks that a call's element is what its selector finds.
func checkTarget(t *testing.T, name string, c *Call) {
	t.Helper()
	learned, ok := c.Target()
	if !ok {
		t.Errorf("%s: no element of %s %s", name, c.Method, c.Selector)
		return
	}
	if c.Site == nil || c.Site.Line < 1 || c.Site.Column < 1 {
		t.Errorf("%s: %s is called at %+v", name, c.Selector, c.Site)
	}
	s, at := c.markedTarget()
	_, tail, err := c.document(s.phase)
	if err != nil {
		t.Fatal(err)
	}
	p := c.trace.page(s)
	found, err := p.find(tail, c.trace.testID)
	marked, shown := p.of[p.root.at(at)]
	if err != nil || !shown || !slices.Contains(found, marked) {
		t.Errorf("%s: %s finds %v (%v), the trace marks %d", name, c.Selector, found, err, marked)
	}
	old, err := heal.ReadState(learned.State)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, ok := old.Find(learned.Fingerprint); !ok {
		t.Errorf("%s: %s is not in the page that was learned with it", name, c.Selector)
	}
}

// truth says what the second release made of each locator: what finds it now, ""
// where its element was removed.
var truth = map[string]map[string]string{
	"account.spec.ts › Account › changes the address":          {"#email": "#mail-address"},
	"account.spec.ts › Account › changes the birthday":         {"#birthday": ""},
	"account.spec.ts › Account › changes the country":          {"#country": "#land"},
	"account.spec.ts › Account › changes the name":             {"#full-name": "#display-name"},
	"account.spec.ts › Account › changes the telephone number": {`internal:label="Telephone"s`: `internal:label="Telephone number"s`},
	"account.spec.ts › Account › deletes the account":          {"#delete-account": ""},
	"account.spec.ts › Account › goes to security":             {`internal:role=tab[name="Security"s]`: `internal:role=tab[name="Sign-in and security"s]`},
	"account.spec.ts › Account › saves":                        {"#save-profile": `[data-testid="save"]`},
	"account.spec.ts › Account › takes the newsletter":         {"#newsletter": `[data-testid="newsletter"]`},
	"account.spec.ts › Account › types a password":             {"#old-password": "#current-password"},
	"catalog.spec.ts › Catalogue › adds a clock":               {"#add-clock": ""},
	"catalog.spec.ts › Catalogue › adds a lamp":                {"#add-lamp": `[data-testid="add-lamp"]`},
	"catalog.spec.ts › Catalogue › adds a mug":                 {"#add-mug": `[data-testid="add-mug"]`},
	"catalog.spec.ts › Catalogue › adds a teapot":              {"#add-teapot": `[data-testid="add-teapot"]`},
	"catalog.spec.ts › Catalogue › applies filters":            {`internal:role=button[name="Apply filters"i]`: `internal:role=button[name="Apply"i]`},
	"catalog.spec.ts › Catalogue › compares":                   {"#compare": ""},
	"catalog.spec.ts › Catalogue › has gifts wrapped":          {"#gift-wrap": ""},
	"catalog.spec.ts › Catalogue › opens details":              {`internal:text="Details of the teapot"i`: `internal:text="More about the teapot"i`},
	"catalog.spec.ts › Catalogue › opens the chat":             {"#chat-open": ""},
	"catalog.spec.ts › Catalogue › picks a category":           {`internal:label="Category"i`: `internal:label="Department"i`},
	"catalog.spec.ts › Catalogue › searches":                   {"#search-box": "#find"},
	"catalog.spec.ts › Catalogue › shows what is in stock":     {"#in-stock": "#available"},
	"catalog.spec.ts › Catalogue › sorts":                      {`internal:testid=[data-testid="sort"s]`: `internal:testid=[data-testid="sort-order"s]`},
	"catalog.spec.ts › Catalogue › subscribes":                 {"#subscribe": "#news-subscribe"},
	"catalog.spec.ts › Catalogue › turns the page":             {".next-page": `[data-testid="next"]`},
	"catalog.spec.ts › Catalogue › types a mail address":       {`internal:attr=[placeholder="Your e-mail"s]`: `internal:attr=[placeholder="Your e-mail address"s]`},
	"catalog.spec.ts › Catalogue › wishes for a lamp":          {`internal:testid=[data-testid="wish-lamp"s]`: `internal:testid=[data-testid="wishlist-lamp"s]`},
	"editor.spec.ts › discards":                                {"#discard": ""},
	"editor.spec.ts › makes bold":                              {`internal:role=button[name="Bold"s]`: `internal:role=button[name="Bold text"s]`},
	"editor.spec.ts › makes italic":                            {`internal:role=button[name="Italic"i]`: ""},
	"editor.spec.ts › previews":                                {`//button[@id="preview"]`: `//*[@data-testid="preview"]`},
	"editor.spec.ts › publishes":                               {"#publish": "#publish-note"},
	"editor.spec.ts › writes a title":                          {"#title": "#headline"},
	"orders.spec.ts › cancels an order":                        {"#cancel-1042": `[data-testid="cancel-1042"]`},
	"orders.spec.ts › exports":                                 {"#export": `[data-testid="export"]`},
	"orders.spec.ts › filters by status":                       {"#status-filter": "#by-status"},
	"orders.spec.ts › opens an invoice":                        {`internal:role=link[name="Invoice 1041"s]`: `internal:role=link[name="Tax invoice 1041"s]`},
	"orders.spec.ts › opens the last order":                    {"#view-1043": ""},
	"orders.spec.ts › prints":                                  {"#print": ""},
	"widgets.spec.ts › leaves":                                 {"#confirm-yes": `[data-testid="leave"]`},
	"widgets.spec.ts › mutes":                                  {"#mute": ""},
	"widgets.spec.ts › pays":                                   {"#pay >> internal:control=enter-frame >> #pay-now": `#pay >> internal:control=enter-frame >> [data-testid="pay-now"]`},
	"widgets.spec.ts › turns the volume up":                    {"#volume-up": "#louder"},
	"widgets.spec.ts › types a card number":                    {"#pay >> internal:control=enter-frame >> #card-number": "#pay >> internal:control=enter-frame >> #pan"},
	"widgets.spec.ts › types the check digits":                 {"#pay >> internal:control=enter-frame >> #cvc": ""},
}

func TestLostElementsAreFoundAndRemovedOnesRefused(t *testing.T) {
	for version := range versions {
		learned := learn(t, version)
		var healed, missed, wrong, refused int
		for name, trace := range realTraces(t, version, "v2") {
			for _, c := range trace.Calls {
				if !c.Lost() {
					continue
				}
				want, known := truth[trace.TestID()][c.Selector]
				if !known {
					t.Errorf("%s: %s is lost and should not be", name, c.Selector)
				}
				lesson := learned[trace.TestID()+c.Selector]
				e := c.Heal(&lesson, heal.Options{}).Event
				got, why := locator.Replacement(e)
				switch {
				case e.Outcome == engine.OutcomeRefused && want == "":
					refused++
				case e.Outcome == engine.OutcomeRefused:
					missed++
					t.Logf("%s: %s is refused: %s (%.2f)", name, c.Selector, e.Reason, e.Confidence)
				case got.String() != want || why != "" || locator.ProofOf(e, got) != locator.Unique:
					wrong++
					t.Errorf("%s: %s becomes %s (%s), want %s", name, c.Selector, got, why, want)
				default:
					healed++
				}
			}
		}
		t.Logf("Playwright %s: %d healed right, %d not, %d wrong; %d removed elements refused", version, healed, missed, wrong, refused)
		if missed*10 > healed+missed {
			t.Errorf("Playwright %s: fewer than nine of ten are healed", version)
		}
		if version == newestPlaywright && (healed+missed < 25 || refused < 10) {
			t.Errorf("only %d broken locators and %d removed elements", healed+missed, refused)
		}
	}
}

// learn returns what the traces of the first release teach, by test and locator.
func learn(t *testing.T, version string) map[string]heal.Learned {
	t.Helper()
	learned := map[string]heal.Learned{}
	for _, trace := range realTraces(t, version, "v1") {
		for _, c := range trace.Calls {
			if l, ok := c.Target(); ok {
				l.Fingerprint.TestID = engine.TestID(trace.TestID())
				learned[trace.TestID()+l.Fingerprint.Locator] = l
			}
		}
	}
	return learned
}

func TestWhatWasTypedIsInNothingThatIsKept(t *testing.T) {
	secrets := []string{"hunter2", "correct-horse", "ada@example", "4111"}
	for version := range versions {
		for _, release := range []string{"v1", "v2"} {
			for name, trace := range realTraces(t, version, release) {
				for _, c := range trace.Calls {
					var kept bytes.Buffer
					learned, _ := c.Target()
					encode(t, &kept, learned.Fingerprint)
					if learned.State != nil {
						old, err := heal.ReadState(learned.State)
						if err != nil {
							t.Fatal(err)
						}
						for i := range old.Len() {
							encode(t, &kept, old.Element(i))
						}
					}
					encode(t, &kept, c.Heal(&learned, heal.Options{}).Event)
					for _, secret := range secrets {
						if bytes.Contains(kept.Bytes(), []byte(secret)) {
							t.Errorf("%s %s: %s keeps %q", version, name, c.Selector, secret)
						}
					}
				}
			}
		}
	}
}

func encode(t *testing.T, b *bytes.Buffer, v any) {
	t.Helper()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		t.Fatal(err)
	}
}

func TestACallIsAtItsOwnLineOfThePageObject(t *testing.T) {
	trace := realTraces(t, newestPlaywright, "v1")["account-Account-changes-the-name-chromium"]
	if trace == nil {
		t.Fatal(slices.Sorted(maps.Keys(realTraces(t, newestPlaywright, "v1"))))
	}
	site := trace.Calls[0].Site
	if want := (engine.Site{File: "/tmp/harbour/suite/tests/pages/account-page.ts", Line: 11, Column: 43}); *site != want {
		t.Errorf("got %+v, want %+v", *site, want)
	}
}

// A test may fail on another page than the one it was on when it was learned:
// after a redirect, or before a step that is broken itself. Nothing on that page
// is the element.
func TestNothingOfAnotherPageIsTheLostElement(t *testing.T) {
	learned := learn(t, newestPlaywright)
	file := func(id string) string { name, _, _ := strings.Cut(id, " › "); return name }
	tried := 0
	for _, trace := range realTraces(t, newestPlaywright, "v2") {
		for _, c := range trace.Calls {
			if !c.Lost() || strings.Contains(c.Selector, "enter-frame") {
				continue
			}
			for _, known := range learned {
				if file(string(known.Fingerprint.TestID)) == file(trace.TestID()) {
					continue
				}
				tried++
				if e := c.Heal(&known, heal.Options{}).Event; e.Outcome == engine.OutcomeHealed {
					t.Errorf("%s: %s of %s becomes %v of %s (%.2f)", trace.TestID(), known.Fingerprint.Locator, known.Fingerprint.TestID,
						e.Healed.Attributes, e.PageURL, e.Confidence)
				}
			}
		}
	}
	t.Logf("%d lost elements looked for on other pages", tried)
}
