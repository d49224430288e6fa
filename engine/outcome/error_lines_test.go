package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

func TestErrorLines(t *testing.T) {
	failed := engine.TestResult{ID: "a › b", Name: "b", Attempts: []engine.Attempt{
		{Status: engine.StatusFailed, Message: "first"},
		{Status: engine.StatusFailed, Message: "a › b\n\x1b[31mboom\x1b(B", Text: "Expected: 1\nReceived: 2"},
	}}
	for _, tt := range []struct {
		name   string
		result engine.TestResult
		want   []string
	}{
		{"the deciding attempt, without the test's name", failed, []string{"boom"}},
		{"a test without attempts says so", engine.TestResult{}, []string{"the report records no attempt"}},
		{"no error text", engine.TestResult{Attempts: []engine.Attempt{{Status: engine.StatusFailed}}}, nil},
	} {
		if diff := cmp.Diff(tt.want, outcome.ErrorLines(tt.result)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
