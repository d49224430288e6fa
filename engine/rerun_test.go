package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func lineOf(r engine.Rerun) string {
	r.Schema = engine.RerunSchema
	line, _ := json.Marshal(r)
	return string(line)
}

func TestRerunsStandAmongHealEvents(t *testing.T) {
	want := engine.Rerun{Schema: engine.RerunSchema, TestID: "a › b", Passed: true, Reruns: 2, Failed: 1, New: true, RunID: 7, RunAttempt: 1, Timestamp: 1772359200, FailsAfter: "a › c"}
	text := healedLine + "\n" + lineOf(want) + "\n" + strings.Replace(lineOf(want), `"reruns":2`, `"reruns":0`, 1) +
		"\n" + strings.Replace(lineOf(want), `"fails_after":"a`, `"fails_after":"\u0000a`, 1) +
		"\n" + strings.Replace(lineOf(want), `"failed":1`, `"failed":3`, 1) + "\n{\n" + refusedLine + "\n"
	cleaned := want
	cleaned.FailsAfter = "\uFFFDa › c"
	if diff := cmp.Diff([]engine.Rerun{want, cleaned}, engine.ReadReruns(strings.NewReader(text))); diff != "" {
		t.Errorf("reruns (-want +got):\n%s", diff)
	}
	events, notices := engine.ReadHeals("a", strings.NewReader(healedLine+"\n"+lineOf(want)+"\n"+refusedLine+"\n"))
	if len(events) != 2 || len(notices) > 0 {
		t.Errorf("%d events, notices %+v", len(events), notices)
	}
}

func FuzzReadReruns(f *testing.F) {
	f.Add(lineOf(engine.Rerun{TestID: "a", Reruns: 1}))
	f.Add(lineOf(engine.Rerun{TestID: "a", Reruns: 1, FailsAfter: "b"}))
	f.Add("{\r\n\uFEFF" + lineOf(engine.Rerun{TestID: "a", Passed: true, Reruns: 1, Timestamp: 1e9}))
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range engine.ReadReruns(strings.NewReader(text)) {
			if r.TestID == "" || r.Reruns < 1 || r.Schema != engine.RerunSchema || r.FailsAfter != engine.NewTestID(string(r.FailsAfter)) {
				t.Fatalf("rerun %+v", r)
			}
		}
	})
}
