package outcome_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// failed is a test that blocks with an error.
func failed(id engine.TestID, message, text string) flaky.Failure {
	return flaky.Failure{Result: engine.TestResult{ID: id, Name: string(id), Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: message, Text: text}}}}
}

// timedOut is a test that waited for a locator in vain.
func timedOut(id engine.TestID, locator string) flaky.Failure {
	const error = "TimeoutError: locator.fill: Timeout 10000ms exceeded."
	return failed(id, error, error+"\nCall log:\n  - waiting for "+locator+"\n")
}

// lost is what became of a locator that a test lost.
func lost(id engine.TestID, locator string, o engine.HealOutcome) patch.Proposal {
	return patch.Proposal{Heal: engine.HealEvent{TestID: id, Locator: locator, HealedLocator: "#new", Outcome: o, Trace: "trace.zip"}, Locator: "#new"}
}

// summary is a cause in short: its kind and how many tests it stops.
func summaries(causes []outcome.Cause) (short []string) {
	for _, c := range causes {
		short = append(short, fmt.Sprintf("%s %d", c.Kind, len(c.Failures)+len(c.Missing)))
	}
	return short
}

func TestFortyFailingTestsOfThreeCausesAreThreeEntries(t *testing.T) {
	var run outcome.Run
	for i := range 40 {
		id := engine.TestID(fmt.Sprintf("tests/a.spec.ts › test %d", i))
		switch {
		case i < 20:
			run.Verdict.Blocking = append(run.Verdict.Blocking, timedOut(id, "getByLabel('E-mail')"))
			run.Proposals = append(run.Proposals, lost(id, `internal:label="E-mail"i`, engine.OutcomeHealed))
		case i < 32:
			run.Verdict.Blocking = append(run.Verdict.Blocking, failed(id, "Error: expect(locator).toHaveText(expected) failed",
				fmt.Sprintf("Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('#total')\nExpected: %q\nReceived: \"0\"\n", id)))
		default:
			run.Verdict.Blocking = append(run.Verdict.Blocking, failed(id, fmt.Sprintf("Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/%d", i), ""))
		}
	}
	if diff := cmp.Diff([]string{"infrastructure 8", "lost-locator 20", "error 12"}, summaries(run.Causes())); diff != "" {
		t.Error(diff)
	}
	first := run.Causes()[1]
	if len(first.Lost.Tests) != 20 || len(first.Lost.Proposals) != 20 || first.Lines[1] != "waiting for getByLabel('E-mail')" {
		t.Errorf("%d tests, %d proposals, %q", len(first.Lost.Tests), len(first.Lost.Proposals), first.Lines)
	}
}

func TestWhatOnlyResemblesIsNoCommonCause(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  outcome.Run
		want []string
	}{
		{"the same error at two locators", outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{timedOut("a", "locator('#a')"), timedOut("b", "locator('#b')")}}}, []string{"error 1", "error 1"}},
		{"the same words with other numbers", outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{failed("a", "assert 2 == 1", ""), failed("b", "assert 3 == 1", "")}}}, []string{"error 1", "error 1"}},
		{"the same matcher with other values", outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{
			failed("a", "expect(received).toBe(expected)", "expect(received).toBe(expected)\n\nExpected: 1\nReceived: 2"), failed("b", "expect(received).toBe(expected)", "expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4")}}}, []string{"error 1", "error 1"}},
		{"a lost locator and an error at another", outcome.Run{
			Verdict: flaky.Verdict{Blocking: []flaky.Failure{timedOut("a", "locator('#other')")}}, Proposals: []patch.Proposal{lost("a", "#a", engine.OutcomeSuggested)}}, []string{"error 1"}},
		{"a lost locator and an error of another kind", outcome.Run{
			Verdict: flaky.Verdict{Blocking: []flaky.Failure{failed("a", "Error: boom", "")}}, Proposals: []patch.Proposal{lost("a", "#a", engine.OutcomeSuggested)}}, []string{"error 1"}},
		{"a lost locator of another test", outcome.Run{
			Verdict: flaky.Verdict{Blocking: []flaky.Failure{timedOut("a", "locator('#a')")}}, Proposals: []patch.Proposal{lost("b", "#a", engine.OutcomeSuggested)}}, []string{"error 1"}},
		{"two lost locators and an error that names none", outcome.Run{
			Verdict:   flaky.Verdict{Blocking: []flaky.Failure{failed("a", "Timeout 5000ms exceeded", "")}},
			Proposals: []patch.Proposal{lost("a", "#a", engine.OutcomeSuggested), lost("a", "#b", engine.OutcomeSuggested)}}, []string{"error 1"}},
		{"a locator that was healed, so the test went on", outcome.Run{
			Verdict:   flaky.Verdict{Blocking: []flaky.Failure{timedOut("a", "locator('#a')")}},
			Proposals: []patch.Proposal{{Heal: engine.HealEvent{TestID: "a", Locator: "#a", Outcome: engine.OutcomeHealed}}}}, []string{"error 1"}},
	} {
		if diff := cmp.Diff(tt.want, summaries(tt.run.Causes())); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestALostLocatorIsFoundByHowErrorsWriteIt(t *testing.T) {
	for _, tt := range []struct{ locator, api, named string }{
		{"#email", "", "locator('#email')"},
		{"#email", "", `locator("#email")`},
		{"#email", "", `selector "#email"`},
		{"save", "getByTestId", "getByTestId('save')"},
		{`internal:role=button[name="Pay"i]`, "", `getByRole('button', { name: 'Pay' })`},
		{`internal:role=button[name="Pay"i]`, "", `get_by_role("button", name="Pay")`},
		{`#cart >> internal:text="Pay"i`, "", `locator('#cart').getByText('Pay')`},
	} {
		p := lost("tests/a.py::test_a", tt.locator, engine.OutcomeSuggested)
		p.Heal.API = tt.api
		run := outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{timedOut("a", tt.named)}}, Proposals: []patch.Proposal{p},
			Named: map[engine.TestID]engine.TestID{"tests/a.py::test_a": "a"}}
		if diff := cmp.Diff([]string{"lost-locator 1"}, summaries(run.Causes())); diff != "" {
			t.Errorf("%s is not %s: %s", tt.named, tt.locator, diff)
		}
	}
}

// Nothing that blocks is lost on the way, whatever the errors say.
// Where only the tests' output names what was waited for, tests that stopped there have one
// cause, and a lost locator is found by it.
func TestACauseTakesTheLocatorFromTheOutput(t *testing.T) {
	printed := func(id engine.TestID, message, waited string) flaky.Failure {
		f := failed(id, message, "")
		f.Result.Attempts[0].Waited = waited
		return f
	}
	const limit = "Exceeded timeout of 5000 ms for a test."
	run := outcome.Run{Proposals: []patch.Proposal{lost("a", `internal:label="E-mail"i`, engine.OutcomeHealed), lost("a", "#other", engine.OutcomeHealed)}}
	run.Verdict.Blocking = []flaky.Failure{
		printed("a", limit, "getByLabel('E-mail')"), printed("b", limit, "getByText('Pay')"), printed("c", limit, "getByText('Pay')"), printed("d", limit, ""),
		printed("e", "Expected: 1\nReceived: 2", "getByText('Pay')"),
	}
	causes := run.Causes()
	var got []string
	for _, c := range causes {
		got = append(got, fmt.Sprintf("%s %d: %s", c.Kind, len(c.Failures), strings.Join(c.Lines, " | ")))
	}
	want := []string{
		"error 2: " + limit + " | waiting for getByText('Pay')",
		"lost-locator 1: " + limit + " | waiting for getByLabel('E-mail')",
		"error 1: " + limit,
		"error 1: Expected: 1 | Received: 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	if signature := flaky.Signature(run.Verdict.Blocking[0].Result.Final()); strings.Contains(signature, "E-mail") {
		t.Errorf("the signature has what the output says: %s", signature)
	}
}

func TestEveryFailureIsInOneCause(t *testing.T) {
	messages := []string{"", "boom", "\x00", "Locator: #a", "net::ERR_CONNECTION_RESET", "waiting for locator('#a')", "Timeout", "Error:\n  - waiting for selector", "expected 1"}
	run := outcome.Run{Verdict: flaky.Verdict{Missing: []engine.TestID{"m"}, Notices: []engine.Notice{{Reason: "cut off"}, {Reason: "empty"}}}}
	for i := range 500 {
		id := engine.TestID(fmt.Sprint("test ", i%200))
		run.Verdict.Blocking = append(run.Verdict.Blocking, failed(id, messages[i%len(messages)], messages[i*7%len(messages)]))
		run.Proposals = append(run.Proposals, lost(id, "#a", []engine.HealOutcome{engine.OutcomeHealed, engine.OutcomeSuggested, ""}[i%3]))
		run.Refused = append(run.Refused, engine.HealEvent{TestID: id, Locator: "#b", Outcome: engine.OutcomeRefused})
	}
	n := 0
	for _, c := range run.Causes() {
		n += len(c.Failures) + len(c.Missing)
		if c.Kind == outcome.CauseReport {
			n++
		}
	}
	if n != 503 {
		t.Errorf("%d entries of 503 are in a cause", n)
	}
}

func BenchmarkCauses(b *testing.B) {
	var run outcome.Run
	for i := range 10_000 {
		run.Verdict.Blocking = append(run.Verdict.Blocking, timedOut(engine.TestID(fmt.Sprint("test ", i)), fmt.Sprintf("locator('#a%d')", i%50)))
	}
	b.ReportAllocs()
	for b.Loop() {
		run.Causes()
	}
}

func TestMissingTestsSayWhyTheyProbablyAre(t *testing.T) {
	const trace = "ImportError while importing test module '/repo/tests/test_cart.py'.\nTraceback:\ntests/test_cart.py:4: in <module>\n" +
		"E     File \"/repo/tests/test_cart.py\", line 4\nE       def test_add(\nE                   ^\nE   SyntaxError: '(' was never closed"
	collection := failed("tests/test_cart.py", "collection failure", trace)
	for _, c := range []struct {
		name     string
		verdict  flaky.Verdict
		probably string
	}{
		{"a module that pytest could not collect", flaky.Verdict{Blocking: []flaky.Failure{collection}}, "Probably because tests/test_cart.py did not load"},
		{"an error outside the tests", flaky.Verdict{Notices: []engine.Notice{{Reason: "Playwright reports an error " + engine.OutsideTests + ": SyntaxError"}}}, "Probably because a file did not load"},
		{"a test that fails says nothing of others", flaky.Verdict{Blocking: []flaky.Failure{failed("tests/a.spec.ts › adds 1.5", "SyntaxError: no JSON", "")}}, "Perhaps a file did not load"},
		{"nor does one without a file", flaky.Verdict{Blocking: []flaky.Failure{failed("adds 1.5 to 2", "no", "")}}, "Perhaps a file did not load"},
		{"nothing to go by", flaky.Verdict{}, "or the run was narrowed (`--grep`, `-g`, `-k`, `test.only`, named files)"},
	} {
		c.verdict.Missing = []engine.TestID{"tests/b.spec.ts › b"}
		causes := outcome.Run{Verdict: c.verdict}.Causes()
		found := ""
		for _, cause := range causes {
			if cause.Kind == outcome.CauseMissing {
				found = cause.Lines[0]
			}
		}
		if !strings.Contains(found, c.probably) {
			t.Errorf("%s: %q", c.name, found)
		}
	}
	if lines := outcome.ErrorLines(collection.Result); len(lines) != 1 || lines[0] != "did not load: SyntaxError: '(' was never closed" {
		t.Errorf("%q", lines)
	}
}
