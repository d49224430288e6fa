package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/report"
)

// pastStatuses spells statuses: P passed, F failed.
func pastStatuses(letters string) []engine.Status {
	var out []engine.Status
	for _, l := range letters {
		out = append(out, map[rune]engine.Status{'P': engine.StatusPassed, 'F': engine.StatusFailed}[l])
	}
	return out
}

func survey() outcome.Survey {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	in := outcome.SurveyInput{Now: now, Days: 30, Runs: 96}
	for id, letters := range map[string]string{
		"tests/cart.spec.ts › adds": "PPPPPPPPPP", "tests/cart.spec.ts › removes": "PPPPPPPPPP", "tests/menu.spec.ts › opens": "PPPP",
		"tests/login.spec.ts › signs in": "PPPFPPPPPP", "tests/search.spec.ts › finds nothing": "PFPFPPPFPF",
		"tests/test_price.py::test_price[eur]": "PPFPPPPPPP", "tests/test_price.py::test_price[usd]": "PPFPPFPPPP", "tests/test_price.py::test_price[jpy]": "PPPPPPPPPP",
		"tests/broken.spec.ts › broken": "FFFFFFFFFF", "tests/compare.spec.ts › compares": "PPPPPPPPPF",
	} {
		in.Histories = append(in.Histories, flaky.History{TestID: engine.TestID(id), Statuses: pastStatuses(letters)})
	}
	in.Errors = map[engine.TestID]string{
		"tests/broken.spec.ts › broken":        "TimeoutError: locator.click: Timeout <n>ms exceeded. ¦ getByRole('button', { name: 'Pay' }) ¦ test: pay();",
		"tests/compare.spec.ts › compares":     "TimeoutError: locator.click: Timeout <n>ms exceeded. ¦ locator('#compare')",
		"tests/search.spec.ts › finds nothing": "Error: page.goto: net::ERR_CONNECTION_REFUSED at <url>",
	}
	in.Steady = map[engine.TestID]bool{"tests/compare.spec.ts › compares": true}
	in.Broken = map[engine.TestID]flaky.Breakage{"tests/broken.spec.ts › broken": {Runs: 10, Since: "a1b2c3d"}}
	price := flaky.Entry{TestID: "tests/test_price.py::test_price[eur]", AutoUnquarantine: true, Since: now.AddDate(0, 0, -3), Commits: []string{"0a1b2c3d"},
		Reason: "failed then passed on 0a1b2c3 and 9f8e7d6; 2 of 80 runs flaked (estimated rate 2 %); not a burst; AssertionError: expected <n> at tests/test_price.py:40", Clean: 1, Release: 30}
	usd := price
	usd.TestID = "tests/test_price.py::test_price[usd]"
	in.Quarantine = []flaky.Entry{price, usd,
		{TestID: "tests/login.spec.ts › signs in", AutoUnquarantine: true, Since: now.AddDate(0, 0, -19), Commits: []string{"a1b2c3d", "d4e5f60"}, Clean: 9, Release: 28,
			Owner: "@acme/login", Reason: "failed then passed on a1b2c3d and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a burst; TimeoutError at tests/login.spec.ts:12"},
		{TestID: "tests/legacy.spec.ts › prints", Since: now.AddDate(0, -2, 0), Reason: "PROJ-7: the printer service is being replaced"},
	}
	heal := func(test, locator, to string, hours int) engine.HealEvent {
		return engine.HealEvent{TestID: engine.TestID(test), Locator: locator, HealedLocator: to, Outcome: engine.OutcomeHealed, Confidence: .93,
			Timestamp: float64(now.Add(-time.Duration(hours) * time.Hour).Unix())}
	}
	in.Heals = []engine.HealEvent{
		heal("tests/cart.spec.ts › adds", "#add", `[data-testid="add"]`, 50), heal("tests/cart.spec.ts › removes", "#add", `[data-testid="add"]`, 26),
		heal("tests/menu.spec.ts › opens", "div.checkout > form.payment-form:nth-child(3) > div.row.row--buttons > button.btn.btn-primary", "", 2),
	}
	in.Heals[2].Healed = engine.Fingerprint{Tag: "button", Text: "Menu"}
	gone := heal("tests/compare.spec.ts › compares", "#compare", "", 1)
	gone.Outcome, gone.Reason, gone.Original = engine.OutcomeRefused, engine.ReasonNoCandidates, engine.Fingerprint{Tag: "button", Text: "Compare prices"}
	in.Refused = []engine.HealEvent{gone}
	renamed := []engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}}
	for i, changed := range [][]engine.Change{renamed, nil, renamed} { // the last is an earlier attempt
		h := heal("tests/deploy.spec.ts › deploys", "text=Deploy to staging", "text=Deploy to production", i)
		h.Outcome, h.Reason, h.Changed, h.Confidence = engine.OutcomeSuggested, engine.ReasonOtherMeaning, changed, .62-float64(i)/100
		in.Suggested = append(in.Suggested, h)
	}
	return outcome.NewSurvey(in)
}

func TestSurvey(t *testing.T) {
	write := func(s outcome.Survey, o report.ConsoleOptions) string {
		var out bytes.Buffer
		if err := report.SurveyConsole(&out, s, o); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, width := range []int{60, 80, 120} {
		golden.Check(t, fmt.Sprintf("testdata/survey-%d.txt", width), write(survey(), report.ConsoleOptions{Width: width}))
	}
	golden.Check(t, "testdata/survey-80-color.txt", write(survey(), report.ConsoleOptions{Color: true}))
	golden.Check(t, "testdata/survey-empty.txt", write(outcome.NewSurvey(outcome.SurveyInput{Days: 7}), report.ConsoleOptions{}))
	var out bytes.Buffer
	if err := report.SurveyJSON(&out, survey()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/survey.json", out.String())
}

// The keys are those of the tools before Breadcrumb, and no list is null.
func TestSurveyJSONHasTheKeysOfItsForerunners(t *testing.T) {
	var out bytes.Buffer
	if err := report.SurveyJSON(&out, outcome.Survey{}); err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"generated_at", "period_days", "summary", "healing_events", "flaky_tests", "top_locators"} {
		if text, there := got[key]; !there || string(text) == "null" {
			t.Errorf("%s is %s", key, text)
		}
	}
	var summary map[string]int
	if err := json.Unmarshal(got["summary"], &summary); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"total": 0, "stable": 0, "healed": 0, "flaky": 0, "failing": 0}, summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestSurveyOfHostileTextsStaysHarmless(t *testing.T) {
	for _, text := range hostileTexts {
		s := survey()
		fill(reflect.ValueOf(&s).Elem(), text)
		for _, width := range []int{40, 80} {
			var out bytes.Buffer
			if err := report.SurveyConsole(&out, s, report.ConsoleOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\r\a\b\u202e\u2066") {
					t.Errorf("%.40q: line %q", text, line)
				}
				if uniseg.StringWidth(line) > width {
					t.Errorf("%.40q: line of %d cells is wider than %d: %q", text, uniseg.StringWidth(line), width, line)
				}
			}
		}
		var out bytes.Buffer
		if err := report.SurveyJSON(&out, s); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(out.Bytes()) || strings.Contains(out.String(), "##[") || strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Errorf("%.40q: JSON is not harmless", text)
		}
	}
}
