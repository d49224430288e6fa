package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/junit"
)

func TestReportLimitsSetWhatTheyName(t *testing.T) {
	got, err := parseLimits([]string{"depth=3", " text = 4KB", "texts=5MB", "names=6MB", "tests=7", "suites=8", "attributes=9", "attempts=10", "properties=11", "files=12", "total=13GB"})
	want := junit.Limits{Depth: 3, FieldBytes: 4 << 10, TextBytes: 5 << 20, KeptBytes: 6 << 20, Cases: 7, Suites: 8, Attributes: 9, Attempts: 10, Properties: 11, Files: 12, TotalBytes: 13 << 30}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestReportLimitsAreRefusedWithTheirRange(t *testing.T) {
	for item, want := range map[string]string{
		"dept=3": "names no bound; they are depth, text,", "depth": `"depth" says no value; write depth=NUMBER`, "depth=": "depth= is out of range", "depth=0": "from 1 to 1000",
		"depth=many": "depth=many is out of range", "tests=4KB": "out of range", "names=2GB": "from 1 to 536870912", "": "names no bound",
	} {
		if _, err := parseLimits([]string{item}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", item, err, want)
		}
	}
}
