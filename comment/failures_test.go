package comment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

func failedWith(message, text string) engine.TestResult {
	return engine.TestResult{Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: message, Text: text}}}
}

func TestUsefulLinesAreClean(t *testing.T) {
	for _, tt := range []struct {
		name          string
		message, text string
		want          []string
	}{
		{name: "nothing at all", want: []string{"The report gives no error text."}},
		{
			name: "colours, with and without their escape character",
			text: "\x1b[31mError: \x1b[1mboom\x1b[0m", message: "[2mexpect([22m[31mreceived[39m[2m)[22m",
			want: []string{"expect(received)"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, usefulLines(failedWith(tt.message, tt.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUsefulLinesAreFewAndShort(t *testing.T) {
	long := strings.Repeat("Expected: "+strings.Repeat("x", 3000)+"\n", 500)
	got := usefulLines(failedWith(long, long))
	if len(got) > text.MaxUsefulLines {
		t.Errorf("%d lines", len(got))
	}
	for _, l := range got {
		if n := len([]rune(l)); n > errorWidth {
			t.Errorf("a line of %d characters", n)
		}
	}
}
