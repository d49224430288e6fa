package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/report"
)

func jsonReport(t *testing.T, run outcome.Run) (string, report.Document) {
	t.Helper()
	var out bytes.Buffer
	if err := report.JSON(&out, run); err != nil {
		t.Fatal(err)
	}
	var doc report.Document
	dec := json.NewDecoder(bytes.NewReader(out.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return out.String(), doc
}

func TestJSON(t *testing.T) {
	text, doc := jsonReport(t, failingRun())
	golden.Check(t, "testdata/fail.json", text)
	if doc.Schema != "breadcrumb.report/v1" || doc.Verdict != "fail" {
		t.Errorf("schema %q, verdict %q", doc.Schema, doc.Verdict)
	}
	if _, doc := jsonReport(t, passingRun()); doc.Verdict != "pass" {
		t.Errorf("verdict %q, want pass", doc.Verdict)
	}
}

func TestJSONOfAnEmptyRunHasEveryListAndNoNull(t *testing.T) {
	text, _ := jsonReport(t, outcome.Run{})
	if strings.Contains(text, "null") {
		t.Errorf("null in %s", text)
	}
	for _, key := range []string{"reports", "blocking", "missing", "excused", "flaky", "healed", "refused", "quarantine_changes", "quarantine", "notices"} {
		if !strings.Contains(text, `"`+key+`": []`) {
			t.Errorf("no empty list %q in %s", key, text)
		}
	}
}

func TestJSONTellsEveryNoticeOnce(t *testing.T) {
	blocking := engine.Notice{File: "a.xml", Severity: engine.SeverityBlocking, Reason: "cut off"}
	onlyInVerdict := engine.Notice{Severity: engine.SeverityBlocking, Reason: "there is not one test result"}
	warning := engine.Notice{File: "b.ndjson", Line: 3, Severity: engine.SeverityWarning, Reason: "left out"}
	_, doc := jsonReport(t, outcome.Run{
		Verdict: flaky.Verdict{Notices: []engine.Notice{blocking, onlyInVerdict}},
		Notices: []engine.Notice{warning, blocking},
	})
	want := []report.Notice{
		{Severity: "blocking", File: "a.xml", Reason: "cut off"},
		{Severity: "blocking", Reason: "there is not one test result"},
		{Severity: "warning", File: "b.ndjson", Line: 3, Reason: "left out"},
	}
	if diff := cmp.Diff(want, doc.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestJSONSurvivesWhatIsNoNumber(t *testing.T) {
	_, doc := jsonReport(t, outcome.Run{
		Counts:    outcome.Counts{Tests: 1, DurationMS: math.Inf(1)},
		Proposals: []patch.Proposal{{Confidence: math.NaN()}},
		Refused:   []engine.HealEvent{{Confidence: math.NaN(), RunnerUp: math.Inf(-1)}},
		Changes:   []flaky.Change{{FlipRate: math.NaN()}},
	})
	if doc.Counts.DurationMS != 0 || doc.Healed[0].Confidence != 0 || doc.Refused[0].RunnerUp != 0 || doc.QuarantineChanges[0].FlipRate != 0 {
		t.Errorf("got %+v", doc)
	}
}

func TestJSONCutsErrorTexts(t *testing.T) {
	long := strings.Repeat("ä", 10_000)
	_, doc := jsonReport(t, outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{{Result: failing("t", "", 0, long, long)}}}})
	for _, text := range []string{doc.Blocking[0].Message, doc.Blocking[0].Text} {
		if len(text) > 8<<10+len("…") || !strings.HasSuffix(text, "ä…") {
			t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-5:])
		}
	}
}

func TestJSONKeepsAnExcuse(t *testing.T) {
	_, doc := jsonReport(t, failingRun())
	if len(doc.Excused) != 1 || doc.Excused[0].Excuse != "in quarantine since 2026-02-03: flip rate 0.44 over the last 10 executions (Flaky)" {
		t.Errorf("excused %+v", doc.Excused)
	}
}
