package comment

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/golden"
)

func TestRenderedCommentIsAsInTheGoldenFile(t *testing.T) {
	for name, run := range goldenRuns() {
		t.Run(name, func(t *testing.T) { goldenPage(t, name+".md", Render(run, Options{})) })
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

// goldenPage compares a text with its golden file, and the page that GitHub makes of
// it with another one.
func goldenPage(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, filepath.Join("testdata", name), got)
	goldenHTML(t, strings.TrimSuffix(name, ".md"), got)
}
