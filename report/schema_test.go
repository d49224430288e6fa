package report_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
)

const surveySchema = "../docs/schema/breadcrumb.survey.v1.json"

func surveyJSON(t *testing.T, s outcome.Survey) any {
	t.Helper()
	var text bytes.Buffer
	if err := report.SurveyJSON(&text, s); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestSurveyJSONFitsItsPublishedSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(surveySchema)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]outcome.Survey{"full": survey(), "empty": outcome.NewSurvey(outcome.SurveyInput{})} {
		if err := schema.Validate(surveyJSON(t, s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := surveyJSON(t, survey()).(map[string]any)
	delete(broken, "top_locators")
	if schema.Validate(broken) == nil {
		t.Error("a survey without top_locators fits")
	}
}

// The keys of the tools before Breadcrumb, which scripts read.
func TestSurveyJSONHasTheSeedsKeys(t *testing.T) {
	document := surveyJSON(t, survey()).(map[string]any)
	for _, key := range []string{"generated_at", "period_days", "summary", "healing_events", "flaky_tests", "top_locators"} {
		if _, ok := document[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	want := []string{"failing", "flaky", "healed", "stable", "total"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(document["summary"].(map[string]any)))); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestBadgeSaysTheWorstThatHolds(t *testing.T) {
	for _, c := range []struct {
		counts outcome.SurveyCounts
		runs   int
		want   string
	}{
		{outcome.SurveyCounts{}, 0, "no runs"},
		{outcome.SurveyCounts{Total: 5, Stable: 2, Flaky: 2, Failing: 1}, 9, "1 failing"},
		{outcome.SurveyCounts{Total: 5, Stable: 3, Flaky: 2}, 9, "2 flaky"},
		{outcome.SurveyCounts{Total: 1500, Stable: 1400, Healed: 100}, 9, "1,500 stable"},
	} {
		var out bytes.Buffer
		if err := report.Badge(&out, outcome.Survey{Runs: c.runs, Counts: c.counts}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out.Bytes(), []byte("browser tests: "+c.want+"<")) {
			t.Errorf("want %q in %s", c.want, out.String())
		}
	}
}
