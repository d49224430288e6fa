package selfmend_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/selfmend"
)

// testdata/playwright-selfmend.json was written by Playwright 1.60's own JSON
// reporter: two projects, one retry, attachments as selfmend makes them.
func TestReadHealsOfARealReport(t *testing.T) {
	f, err := os.Open("testdata/playwright-selfmend.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, notices := selfmend.ReadHeals("report.json", f)
	if len(notices) != 0 {
		t.Errorf("notices %v", notices)
	}
	for i, e := range events {
		if e.Timestamp < 1.7e9 || e.Source != "report.json" {
			t.Errorf("event %d: timestamp %v, source %q", i, e.Timestamp, e.Source)
		}
		events[i].Timestamp = 0
	}
	pays := engine.HealEvent{
		TestID:  "shop/checkout.spec.ts › checkout › as a guest › pays with a card › without an account",
		Locator: ".btn-primary", API: "locator", Confidence: 0.97, Outcome: engine.OutcomeHealed,
		HealedLocator: `[data-testid="submit-btn"]`, Source: "report.json",
		Site: &engine.Site{File: "shop/checkout.spec.ts", Line: 8, Column: 9},
	}
	byRole := pays
	byRole.API, byRole.Locator, byRole.Confidence = "", `page.getByRole("button", { name: "Pay" })`, 1
	byRole.HealedLocator = `role=button[name="Pay now"]`
	below := engine.HealEvent{
		TestID:  "shop/checkout.spec.ts › checkout › as a guest › refuses two equal buttons",
		Locator: `page.locator("form").getByText("Delete")`, Confidence: 0.71, Outcome: engine.OutcomeRefused,
		Reason: "below-threshold", Source: "report.json",
		Site: &engine.Site{File: "shop/checkout.spec.ts", Line: 13, Column: 9},
	}
	none := below
	none.API, none.Locator, none.Confidence, none.Reason = "getByTestId", "gone", 0, "no-candidates"
	want := append(in("chromium", pays, byRole, below, none, below, none), in("firefox", pays, byRole, below, below)...)
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// in returns the events as those of one project.
func in(project string, events ...engine.HealEvent) []engine.HealEvent {
	out := make([]engine.HealEvent, 0, len(events))
	for _, e := range events {
		e.Extra = map[string]json.RawMessage{"project": json.RawMessage(`"` + project + `"`)}
		out = append(out, e)
	}
	return out
}

// reportWith returns a report whose one test carries the attachments.
func reportWith(attachments ...string) string {
	return `{"config":{"rootDir":"/x"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[` +
		`{"title":"works","file":"a.spec.ts","line":3,"column":1,"tests":[{"results":[{"startTime":"2026-03-01T10:00:00.250Z","attachments":[` +
		strings.Join(attachments, ",") + `]}]}]}]}],"errors":[]}`
}

func attachment(body string) string {
	return fmt.Sprintf(`{"name":"selfmend-heal","contentType":"application/json","body":%q}`, base64.StdEncoding.EncodeToString([]byte(body)))
}

func TestReadHealsLeavesBadAttachmentsOut(t *testing.T) {
	good := attachment(`{"originalSelector":"page.locator(#a)","healedTarget":"#b","score":0.95}`)
	for _, c := range []struct{ name, attachment, want string }{
		{"no body", `{"name":"selfmend-heal","path":"/tmp/x"}`, `the attachment has no body in the report`},
		{"no base64", `{"name":"selfmend-heal","body":"%%"}`, `the attachment is not base64`},
		{"no JSON", attachment(`hello`), `the attachment: not JSON at byte 1: invalid character 'h' looking for beginning of value`},
		{"another kind", attachment(`{"kind":"maybe","originalSelector":"page.locator(#a)"}`), `kind "maybe" is neither "healed" nor "refused"`},
		{"score as text", attachment(`{"originalSelector":"page.locator(#a)","score":"1"}`), `the attachment: score: want a number, got string`},
		{"too large", attachment(strings.Repeat(" ", 1<<20)), `the attachment is larger than 1 MiB`},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, notices := selfmend.ReadHeals("r.json", strings.NewReader(reportWith(good, c.attachment, good)))
			want := []engine.Notice{{File: "r.json", Severity: engine.SeverityWarning,
				Reason: `heal event left out: test "a.spec.ts › works": ` + c.want}}
			if diff := cmp.Diff(want, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if len(events) != 2 || events[0].Timestamp != 1772359200.25 {
				t.Errorf("events %+v", events)
			}
		})
	}
}

func TestReadHealsChecksValues(t *testing.T) {
	events, notices := selfmend.ReadHeals("r.json", strings.NewReader(reportWith(
		attachment(`{"originalSelector":"page.locator(#a)","score":1.5}`), attachment(`{"originalSelector":"","score":1}`))))
	var reasons []string
	for _, n := range notices {
		reasons = append(reasons, n.Reason)
	}
	want := []string{`heal event left out: field "confidence" is 1.5; want a ratio from 0 to 1`, `heal event left out: field "locator" is missing or empty`}
	if diff := cmp.Diff(want, reasons); len(events) != 0 || diff != "" {
		t.Errorf("%d events, reasons (-want +got):\n%s", len(events), diff)
	}
}

func TestReadHealsUsesWhatIsThereOfABrokenReport(t *testing.T) {
	good := attachment(`{"originalSelector":"page.locator(#a)","healedTarget":"#b","score":0.95}`)
	whole := reportWith(good)
	suite := whole[strings.Index(whole, `{"title"`):strings.Index(whole, `],"errors"`)]
	stopped := "reading the Playwright JSON report stopped: "
	for _, c := range []struct {
		name, text string
		events     int
		want       string
	}{
		{"cut in the second suite", `{"suites":[` + suite + `,` + suite[:len(suite)-9], 1, stopped + "the file ends in the middle of the JSON"},
		{"cut behind the suites", `{"suites":[` + suite + `]`, 1, stopped + "the file ends in the middle of the JSON"},
		{"a suite of another shape", `{"suites":[` + suite + `,{"specs":7},` + suite + `]}`, 2, "a suite of the Playwright JSON report was left out: specs: want a list, got number"},
		{"no JSON", `<xml/>`, 0, stopped + "not JSON at byte 1: invalid character '<' looking for beginning of value"},
		{"a list", `[]`, 0, stopped + `it is no Playwright JSON report: want "{" at byte 1`},
		{"another JSON file", `{"version":1,"entries":{}}`, 0, stopped + `it is no Playwright JSON report: it has no "suites"`},
		{"empty", ``, 0, stopped + "the file ends in the middle of the JSON"},
		{"nested too deep", `{"suites":[` + strings.Repeat(`{"suites":[`, 200) + strings.Repeat(`]}`, 200) + `]}`, 0, stopped + "suites are nested more than 100 deep"},
		{"a suite that is too large", `{"suites":[` + suite + `,{"title":"` + strings.Repeat("x", 40<<20) + `"}]}`, 1, stopped + "one suite is larger than 32 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, notices := selfmend.ReadHeals("r.json", strings.NewReader(c.text))
			if len(events) != c.events || len(notices) != 1 || notices[0].Reason != c.want {
				t.Errorf("%d events, notices %v; want %d and %q", len(events), notices, c.events, c.want)
			}
		})
	}
}

func TestReadHealsMayBeLargerThanASuite(t *testing.T) {
	large := `{"title":"` + strings.Repeat("x", 20<<20) + `"}`
	events, notices := selfmend.ReadHeals("r.json", strings.NewReader(`{"suites":[`+large+`,`+large+`,`+large+`]}`))
	if len(events) != 0 || len(notices) != 0 {
		t.Errorf("events %v, notices %v", events, notices)
	}
}

func TestReadHealsTellsNestedSuitesApart(t *testing.T) {
	spec := `"specs":[{"title":"t","file":"a.ts","tests":[{"projectName":"p","results":[{"attachments":[` +
		attachment(`{"originalSelector":"page.locator(#a)"}`) + `]}]},{"results":[{"attachments":[` +
		attachment(`{"originalSelector":"page.locator(#a)"}`) + `]}]}]}]`
	nested := func(title string) string {
		return `{"title":"` + title + `",` + spec + `,"suites":[{"title":"inner",` + spec + `}]}`
	}
	events, _ := selfmend.ReadHeals("r.json", strings.NewReader(`{"suites":[{"title":"a.ts","suites":[`+nested("x")+`,`+nested("y")+`]}]}`))
	var got []string
	for _, e := range events {
		got = append(got, string(e.TestID)+string(" ")+string(e.Extra["project"]))
	}
	want := []string{
		`a.ts › x › t "p"`, `a.ts › x › t `, `a.ts › x › inner › t "p"`, `a.ts › x › inner › t `,
		`a.ts › y › t "p"`, `a.ts › y › t `, `a.ts › y › inner › t "p"`, `a.ts › y › inner › t `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
}

func TestReadHealsIsSilentWithoutSelfmend(t *testing.T) {
	events, notices := selfmend.ReadHeals("r.json", strings.NewReader("\uFEFF"+reportWith(`{"name":"trace","path":"x.zip"}`)))
	if len(events) != 0 || len(notices) != 0 {
		t.Errorf("events %v, notices %v", events, notices)
	}
}

func TestReadHealsBoundsTheNumberOfEvents(t *testing.T) {
	good := attachment(`{"originalSelector":"page.locator(#a)","healedTarget":"#b","score":0.95}`)
	events, notices := selfmend.ReadHeals("r.json", strings.NewReader(reportWith(good+strings.Repeat(","+good, 20_000))))
	if len(events) != 20_000 || len(notices) != 1 || !strings.HasSuffix(notices[0].Reason, "the report holds more than 20000 heal events") {
		t.Errorf("%d events, notices %v", len(events), notices)
	}
}

func TestSelfmendSelectors(t *testing.T) {
	for _, c := range []struct{ selector, api, locator string }{
		{`page.locator(#login-btn)`, "locator", `#login-btn`},
		{`page.locator(.a, .b > c)`, "locator", `.a, .b > c`},
		{`page.locator(li:has(a))`, "locator", `li:has(a)`},
		{`page.getByTestId(pay)`, "getByTestId", `pay`},
		{`page.getByText(Say "hi", {you})`, "getByText", `Say "hi", {you}`},
		{`page.getByRole(button)`, "getByRole", `button`},
		{`page.getByRole(button,{"name":"Pay <now>","exact":true})`, "", `page.getByRole("button", { exact: true, name: "Pay <now>" })`},
		{`page.locator(li) >> nth(2) >> getByRole(link,{"name":"\"x\""})`, "", `page.locator("li").nth(2).getByRole("link", { name: "\"x\"" })`},
		{`page.locator(li) >> first()`, "", `page.locator("li").first()`},
		{`page.locator(li) >> filter({"hasText":"Tea"}) >> last()`, "", `page.locator("li").filter({ hasText: "Tea" }).last()`},
		// what cannot be told for certain stays as it is
		{`page.locator(li) >> filter(<object#0>)`, "", `page.locator(li) >> filter(<object#0>)`},
		{`page.locator(li,<object#1>)`, "", `page.locator(li,<object#1>)`},
		{`page.getByText(<object#0>)`, "", `page.getByText(<object#0>)`},
		{`page.getByText({})`, "", `page.getByText({})`},
		{`page.locator(a,{"has":{"x":1}})`, "", `page.locator(a,{"has":{"x":1}})`},
		{`page.locator(a >> b)`, "", `page.locator(a >> b)`},
		{`page.evaluate(alert)`, "", `page.evaluate(alert)`},
		{`page.nth(1)`, "", `page.nth(1)`},
		{`page.locator()`, "", `page.locator()`},
		{`frame.locator(#a)`, "", `frame.locator(#a)`},
		{`page.locator(#a`, "", `page.locator(#a`},
	} {
		t.Run(c.selector, func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"originalSelector": c.selector, "healedTarget": "#b", "score": 1})
			if err != nil {
				t.Fatal(err)
			}
			events, notices := selfmend.ReadHeals("r.json", strings.NewReader(reportWith(attachment(string(body)))))
			if len(events) != 1 {
				t.Fatalf("notices %v", notices)
			}
			if e := events[0]; e.API != c.api || e.Locator != c.locator {
				t.Errorf("api %q, locator %q; want %q, %q", e.API, e.Locator, c.api, c.locator)
			}
		})
	}
}

func FuzzReadHeals(f *testing.F) {
	f.Add(reportWith(attachment(`{"kind":"refused","originalSelector":"page.getByRole(button,{\"name\":\"x\"})","bestScore":null}`)))
	f.Add(`{"suites":[{"suites":[{"specs":[{"tests":[]}]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		events, notices := selfmend.ReadHeals("a", strings.NewReader(text))
		if len(notices) > 52 {
			t.Fatalf("%d notices", len(notices))
		}
		for _, e := range events {
			roundTrip(t, e)
		}
	})
}

// roundTrip checks that an event survives being written and read.
func roundTrip(t *testing.T, e engine.HealEvent) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("write %+v: %v", e, err)
	}
	back, notices := engine.ReadHeals(e.Source, bytes.NewReader(text))
	if len(back) != 1 || len(notices) != 0 {
		t.Fatalf("%s reads as %d events, notices %v", text, len(back), notices)
	}
	sameJSON := cmp.Comparer(func(a, b json.RawMessage) bool {
		x, errX := json.Marshal(a)
		y, errY := json.Marshal(b)
		return errX == nil && errY == nil && bytes.Equal(x, y)
	})
	if diff := cmp.Diff(e, back[0], cmpopts.EquateEmpty(), sameJSON); diff != "" {
		t.Errorf("%s (-want +got):\n%s", text, diff)
	}
}

// A locator of any text must neither panic nor lose that text for certain.
func FuzzSelfmendSelector(f *testing.F) {
	f.Add(`page.locator(li) >> filter({"hasText":"Tea"}) >> nth(-1)`)
	f.Add(`page.getByRole(button,{"name":"a\u2028b"})`)
	f.Fuzz(func(t *testing.T, selector string) {
		body, err := json.Marshal(map[string]any{"originalSelector": selector, "score": 1})
		if err != nil {
			t.Skip()
		}
		events, notices := selfmend.ReadHeals("a", strings.NewReader(reportWith(attachment(string(body)))))
		if len(events)+len(notices) != 1 {
			t.Fatalf("%d events, notices %v", len(events), notices)
		}
	})
}
