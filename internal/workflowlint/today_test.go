package workflowlint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each rule has a workflow in testdata/today with its fault in a parallel group and in a
// background step, or in a job of such steps. A line says what it finds. `make schema`
// asks GitHub's own schema whether they are workflows at all.
func TestEveryRuleLooksAtStepsThatRunAtTheSameTime(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule, func(t *testing.T) {
			file := filepath.Join("testdata", "today", rule+".yml")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			places := map[string]int{}
			way := ""
			for i, line := range strings.Split(string(text), "\n") {
				switch trimmed := strings.TrimSpace(line); {
				case strings.HasPrefix(trimmed, "- parallel:"):
					way = "parallel"
				case trimmed == "background: true":
					way = "background"
				case strings.HasPrefix(trimmed, "parallel:"), strings.HasPrefix(trimmed, "background:"):
					way, _, _ = strings.Cut(trimmed, ":")
				}
				if _, finds, ok := strings.Cut(line, "finds: "); ok {
					want = append(want, fmt.Sprintf("%d %s", i+1, finds))
					places[way]++
				}
			}
			result, err := Check(file, text)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Findings {
				got = append(got, fmt.Sprintf("%d %s", f.Line, f.Rule))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if places["parallel"] == 0 || places["background"] == 0 || !slices.ContainsFunc(want, func(w string) bool { return strings.HasSuffix(w, " "+rule) }) {
				t.Errorf("%s does not show the rule in both ways: %v", file, places)
			}
		})
	}
}

func TestGroupsInGroupsAreReadAndBoundedWithAliases(t *testing.T) {
	expectFindings(t, workflow("push", "parallel:\n  - parallel:\n      - uses: acme/thing@v1"), []string{"unpinned-uses 9:23"})

	bomb := "a: &a [{run: x},{run: x},{run: x},{run: x},{run: x},{run: x},{run: x},{run: x}]\n"
	for i := range 12 {
		from, to := string(rune('a'+i)), string(rune('b'+i))
		bomb += fmt.Sprintf("%s: &%[1]s [%s]\n", to, strings.Repeat("{parallel: *"+from+"},", 8))
	}
	steps := 0
	for range Steps(lastValue(t, bomb)) {
		steps++
	}
	if steps > maxNodes {
		t.Errorf("%d steps of a bomb of aliases, want at most %d", steps, maxNodes)
	}
}
