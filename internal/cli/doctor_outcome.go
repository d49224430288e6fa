package cli

import (
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/report"
)

// outcomeStep is the part of a workflow's step that says whether it judges, may
// fail, or hears how the tests ended.
type outcomeStep struct {
	Run, Uses, If string
	With          map[string]any
	Continue      string `yaml:"continue-on-error"`
}

// adviseOutcomes writes where Breadcrumb judges after steps that may fail and is
// not told that they did, or is skipped where they fail, and returns how often.
func adviseOutcomes(w io.Writer, checkout fs.FS) (findings int) {
	names, _ := fs.Glob(checkout, ".github/workflows/*.y*ml") // the pattern is good
	for _, name := range names[:min(len(names), maxConfigs)] {
		text, err := readSome(checkout, name, maxWorkflowBytes)
		if err != nil {
			continue
		}
		for _, judge := range deafSteps(text) {
			findings++
			advice := "the tests may fail without failing the job; give them an id and say step-outcome: ${{ steps.ID.outcome }} here, or a runner's failure that no report shows passes"
			if judge.tests > 0 {
				advice = fmt.Sprintf("is skipped where the tests of line %d fail; give them an id and continue-on-error: true, and say step-outcome: ${{ steps.ID.outcome }} here", judge.tests)
			}
			fmt.Fprintf(w, "! %-15s %s line %d: %s\n", "Step outcome", report.Clean(name), judge.line, advice)
		}
	}
	return findings
}

// deafStep judges the tests and does not hear how they ended.
type deafStep struct {
	line  int
	tests int // line of those after whose failure it is skipped; 0 where it runs
}

// deafSteps returns the steps of a workflow that judge what others before them
// left behind, and do not hear how those ended.
func deafSteps(text []byte) (found []deafStep) {
	var doc struct {
		Jobs map[string]struct{ Steps []yaml.Node }
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil // the rules for workflows tell it
	}
	for _, job := range doc.Jobs {
		mayFail, tests := false, 0
		for i := range job.Steps {
			var step outcomeStep
			if err := job.Steps[i].Decode(&step); err != nil {
				continue
			}
			_, told := step.With["step-outcome"]
			switch {
			case setup.Judges(step.Uses) && mayFail && !told:
				found = append(found, deafStep{line: job.Steps[i].Line})
			case setup.Judges(step.Uses) && !mayFail && tests > 0 && !afterFailure.MatchString(step.If):
				found = append(found, deafStep{job.Steps[i].Line, tests})
			case step.Uses == "" && step.Continue == "true":
				mayFail = true
			case step.Uses == "" && runsTests.MatchString(step.Run):
				tests = job.Steps[i].Line
			}
		}
	}
	slices.SortFunc(found, func(a, b deafStep) int { return a.line - b.line })
	return found
}

var (
	// afterFailure is a condition of a step that runs where one before it failed
	// (https://docs.github.com/actions/reference/workflows-and-actions/expressions#status-check-functions).
	afterFailure = regexp.MustCompile(`\b(?:always|failure|cancelled)\(\)`)
	// runsTests is a script that runs tests, as most are called.
	runsTests = regexp.MustCompile(`\b(?:tests?|e2e|pytest|gotestsum|verify)\b`)
)
