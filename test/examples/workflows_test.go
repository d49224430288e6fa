package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
)

// workflow is the part of an example that its tests read.
type workflow struct {
	Jobs map[string]struct {
		Needs    string
		Strategy struct{ Matrix map[string]any }
		Uses     string
		Steps    []struct {
			Run, Uses string
			With      map[string]string
		}
	}
}

// readWorkflows reads the examples by their names.
func readWorkflows(t *testing.T) map[string]workflow {
	t.Helper()
	names, err := filepath.Glob("../../examples/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	all := map[string]workflow{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(name)] = w
	}
	return all
}

var (
	playwrightRun = regexp.MustCompile(`\bplaywright test\b`)
	junitReporter = regexp.MustCompile(`--reporter=\S*\bjunit\b`)
)

// Whoever copies an example gets a report, and Breadcrumb reads it: from the step's own
// inputs, or from the settings file that init writes with the workflow.
func TestExamplesAreWhole(t *testing.T) {
	withSettings := []string{"breadcrumb.yml", "breadcrumb-python.yml", "breadcrumb-separate.yml"}
	runs := 0
	for name, w := range readWorkflows(t) {
		for id, job := range w.Jobs {
			for _, step := range job.Steps {
				if playwrightRun.MatchString(step.Run) {
					if runs++; !junitReporter.MatchString(step.Run) {
						t.Errorf("%s, job %s: %q names no reporter", name, id, step.Run)
					}
				}
				judges := setup.Judges(step.Uses) && id != "command" && step.With["check-run-end"] == ""
				if judges && step.With["junit"] == "" && !slices.Contains(withSettings, name) {
					t.Errorf("%s, job %s: Breadcrumb is not told where the reports are", name, id)
				}
			}
		}
	}
	if runs < 5 {
		t.Errorf("%d steps run Playwright's tests", runs)
	}
}

// GitHub has one result for all legs of a job, so a judge that reads it has to read the
// reports of all legs.
func TestJudgesOfShardsReadTheResultOfTheirShardsAlone(t *testing.T) {
	for name, w := range readWorkflows(t) {
		for id, job := range w.Jobs {
			for _, step := range job.Steps {
				if !strings.Contains(step.With["step-outcome"], "needs.") {
					continue
				}
				for key := range w.Jobs[job.Needs].Strategy.Matrix {
					if key != "shard" {
						t.Errorf("%s: job %s judges by the result of %s, whose legs are also of each %s", name, id, job.Needs, key)
					}
				}
			}
		}
	}
}

// A monorepo's two files keep the rules of our own doctor, and the one calls the other by its
// name.
func TestTheMonorepoCallsItsSuite(t *testing.T) {
	called := readWorkflows(t)["monorepo.yml"].Jobs["suite"].Uses
	if called != "./.github/workflows/monorepo-suite.yml" {
		t.Errorf("monorepo.yml calls %q", called)
	}
	for _, name := range []string{"monorepo.yml", "monorepo-suite.yml"} {
		text, err := os.ReadFile(filepath.Join("../../examples/workflows", name))
		if err != nil {
			t.Fatal(err)
		}
		pinned := strings.ReplaceAll(string(text), "@v1\n", "@"+strings.Repeat("a", 40)+" # v1.0.0\n")
		if result, err := workflowlint.Check(name, []byte(pinned)); err != nil || len(result.Findings) > 0 {
			t.Errorf("%s: %v, %+v", name, err, result.Findings)
		}
	}
}

var (
	yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	othersUse = regexp.MustCompile(`uses: (actions/\S+@.*)`)
)

// What pages show to copy is pinned as what init writes, and keeps no token in the checkout.
func TestPagesShowActionsAsInitWritesThem(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pins := []string{detect.CheckoutAction.String(), detect.UploadArtifact.String(), detect.DownloadArtifact.String()}
	seen := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			for _, m := range othersUse.FindAllStringSubmatch(block[1], -1) {
				if seen++; !slices.Contains(pins, m[1]) {
					t.Errorf("%s: %s is none of %q", page, m[1], pins)
				}
				if strings.HasPrefix(m[1], "actions/checkout@") && !strings.Contains(block[1], "persist-credentials: false") {
					t.Errorf("%s: the checkout keeps the token", page)
				}
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d actions in all pages", seen)
	}
}

// A table of fields or settings that says one twice says two things sooner or later.
func TestTablesOfPagesNameEachRowOnce(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var seen map[string]bool // of the table that the line is in, nil for none
		for line := range strings.Lines(string(text)) {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
			switch {
			case slices.Contains([]string{"field", "name", "key", "option", "output"}, name):
				seen = map[string]bool{}
				tables++
			case !strings.HasPrefix(line, "|"):
				seen = nil
			case seen[name]:
				t.Errorf("%s has two rows for %s", page, name)
			case seen != nil:
				seen[name] = true
			}
		}
	}
	if tables < 3 {
		t.Errorf("%d tables", tables)
	}
}
