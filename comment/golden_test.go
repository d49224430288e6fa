package comment

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestRenderedCommentIsAsInTheGoldenFile(t *testing.T) {
	for name, run := range goldenRuns() {
		t.Run(name, func(t *testing.T) { golden(t, name+".md", Render(run, Options{})) })
	}
}

func TestSummaryIsTheCommentWithoutItsMarker(t *testing.T) {
	for _, name := range []string{"green", "mixed", "blocked", "untrusted"} {
		run := goldenRuns()[name]
		_, want, _ := strings.Cut(Render(run, Options{}), "\n")
		if diff := cmp.Diff(want, Summary(run, Options{})); diff != "" {
			t.Errorf("%s: comment (-) and summary (+) differ:\n%s", name, diff)
		}
	}
}

// golden compares a text with its golden file, and the page that GitHub makes of
// it with another one.
func golden(t *testing.T, name, got string) {
	t.Helper()
	compareGolden(t, name, got)
	goldenHTML(t, strings.TrimSuffix(name, ".md"), got)
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, refresh with -update):\n%s", file, diff)
	}
}
