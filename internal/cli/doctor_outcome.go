package cli

import (
	"fmt"
	"io"
	"io/fs"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/report"
)

// outcomeStep is the part of a workflow's step that says whether it judges, may
// fail, or hears how the tests ended.
type outcomeStep struct {
	Uses     string
	With     map[string]any
	Continue string `yaml:"continue-on-error"`
}

// adviseOutcomes writes where Breadcrumb judges after steps that may fail and is
// not told that they did, and returns how often.
func adviseOutcomes(w io.Writer, checkout fs.FS) (findings int) {
	names, _ := fs.Glob(checkout, ".github/workflows/*.y*ml") // the pattern is good
	for _, name := range names[:min(len(names), maxConfigs)] {
		text, err := readSome(checkout, name, maxWorkflowBytes)
		if err != nil {
			continue
		}
		for _, line := range deafSteps(text) {
			findings++
			fmt.Fprintf(w, "! %-15s %s line %d: the tests may fail without failing the job; give them an id and say step-outcome: ${{ steps.ID.outcome }} here, or a runner's failure that no report shows passes\n",
				"Step outcome", report.Clean(name), line)
		}
	}
	return findings
}

// deafSteps returns the lines of the steps of a workflow that judge what others
// before them, which may fail, left behind, and do not hear how those ended.
func deafSteps(text []byte) (lines []int) {
	var doc struct {
		Jobs map[string]struct{ Steps []yaml.Node }
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil // the rules for workflows tell it
	}
	for _, job := range doc.Jobs {
		mayFail := false
		for i := range job.Steps {
			var step outcomeStep
			if err := job.Steps[i].Decode(&step); err != nil {
				continue
			}
			_, told := step.With["step-outcome"]
			switch {
			case setup.Judges(step.Uses):
				if mayFail && !told {
					lines = append(lines, job.Steps[i].Line)
				}
			case step.Uses == "" && step.Continue == "true":
				mayFail = true
			}
		}
	}
	slices.Sort(lines)
	return lines
}
