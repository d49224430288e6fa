package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/replay"
)

func TestAWrittenHistoryReadsBack(t *testing.T) {
	runs := []flaky.Run{
		{Commit: "a", Tests: 2, Ran: func(int) bool { return true }, Observations: []flaky.Observation{
			{Test: 1, Attempts: []engine.Status{"failed", "error", "skipped", "passed"}, Signatures: []string{"E1"}, Healed: true}}},
		{Commit: "b", Sources: []string{"pr-7"}, Queued: true, Tests: 1, Ran: func(t int) bool { return t == 0 }},
	}
	var text bytes.Buffer
	if err := replay.WriteHistory(&text, []engine.TestID{"x › <y>", "z"}, runs, []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	want := []replay.Line{
		{SHA: "a", Branch: "main", Attempt: 1, Tests: 2, Absent: []int{}, Names: map[string]string{"0": "x › <y>", "1": "z"},
			Results: []replay.Result{{Test: 1, Attempts: "FESP", Error: "E1", Healed: true}}},
		{Run: 1, SHA: "b", Branch: "pr-7", Queue: true, Attempt: 2, Tests: 1, Absent: []int{1}, Results: []replay.Result{}},
	}
	var got []replay.Line
	if err := replay.Read(&text, func(l replay.Line) error { got = append(got, l); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestBadLinesAreNamed(t *testing.T) {
	for line, want := range map[string]string{
		`{`:                               "line 2: unexpected end",
		`{"branch":""}`:                   `line 2: there is no "branch"`,
		`{"branch":"main","absent":[-1]}`: "line 2: absent: test -1 is out of range",
		`{"branch":"main","results":[{"t":1,"a":"F"},{"t":1,"a":"P"}]}`: "line 2: results: test 1 is listed twice",
		`{"branch":"main","results":[{"t":1,"a":""}]}`:                  `line 2: results: test 1: "a" holds no attempt`,
		`{"branch":"main","tests":-1}`:                                  `line 2: "tests" is negative`,
		`{"branch":"main","results":[{"t":99999999,"a":"F"}]}`:          "out of range",
	} {
		_, err := replay.Run(strings.NewReader(`{"branch":"main"}`+"\n"+line+"\n"), replay.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", line, err, want)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte(`{"run":0,"sha":"a","branch":"main","tests":3,"absent":[2],"results":[{"t":1,"a":"FP","err":"E"}]}`), true)
	f.Add([]byte("{\"branch\":\"pr-1\",\"results\":[{\"t\":5,\"a\":\"F\"}]}\n{\"branch\":\"main\"}\n"), false)
	f.Fuzz(func(t *testing.T, history []byte, seed bool) {
		o := replay.Options{Policy: flaky.PolicyEvidence}
		if seed {
			if bytes.Contains(history, []byte("00000")) {
				return // numbers in the millions only make it slow
			}
			o.Policy = flaky.PolicySeed
		}
		var out bytes.Buffer
		o.Out = &out
		summary, err := replay.Run(bytes.NewReader(history), o)
		if err == nil && bytes.Count(out.Bytes(), []byte("\n")) != summary.Runs {
			t.Errorf("%d runs, but verdicts %s", summary.Runs, out.Bytes())
		}
	})
}
