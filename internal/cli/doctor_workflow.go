package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/internal/workflowlint"
	"github.com/breadcrumb/action/report"
)

// Bounds of what is looked through for configurations.
const (
	maxConfigs       = 20
	maxWorkflowBytes = 256 << 10
	maxConfigDepth   = 5 // folders below the checkout's top
)

// adviseWorkflow writes what to switch on in the Playwright configurations of a
// checkout, and what its workflows keep from Breadcrumb or is unsafe in them, a "!" before what should be
// looked at, and returns how many of those there are.
func adviseWorkflow(w io.Writer, checkout fs.FS) (findings int, err error) {
	if findings, err = advisePlaywright(w, checkout); err != nil {
		return findings, err
	}
	findings += adviseOutcomes(w, checkout)
	more, err := lintWorkflows(w, checkout)
	return findings + more, err
}

func advisePlaywright(w io.Writer, checkout fs.FS) (findings int, err error) {
	configs, err := playwrightConfigs(checkout)
	if err != nil {
		return 0, err
	}
	if len(configs) == 0 {
		fmt.Fprintln(w, "! Playwright      no playwright.config file in this folder or below it")
		return 1, nil
	}
	workflows := workflowText(checkout)
	for _, name := range configs {
		text, err := readSome(checkout, name, maxWorkflowBytes)
		if err != nil {
			return findings, err
		}
		fmt.Fprintln(w, report.Clean(name))
		for _, f := range pwconfig.Advise(pwconfig.Read(name, text), workflows) {
			mark := " "
			if f.Bad {
				mark = "!"
				findings++
			}
			fmt.Fprintf(w, "%s %-15s %s\n", mark, f.Name, report.Clean(f.Text))
		}
	}
	return findings, nil
}

// playwrightConfigs returns the names of a checkout's configurations.
func playwrightConfigs(checkout fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(checkout, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || len(names) >= maxConfigs:
			return fs.SkipDir
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || strings.Count(name, "/") >= maxConfigDepth):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(d.Name(), "playwright.config.") && scriptEnding(path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for Playwright's configuration: %w", err)
	}
	return names, nil
}

func scriptEnding(ext string) bool {
	switch ext {
	case ".ts", ".js", ".mts", ".mjs", ".cts", ".cjs":
		return true
	}
	return false
}

// workflowText returns the workflows of a checkout, one after the other.
func workflowText(checkout fs.FS) string {
	var all strings.Builder
	names, _ := fs.Glob(checkout, ".github/workflows/*.y*ml") // the pattern is good
	for i, name := range names {
		if text, err := readSome(checkout, name, maxWorkflowBytes); err == nil && i < maxConfigs {
			all.Write(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// readSome returns what a regular file begins with, at most limit bytes.
func readSome(checkout fs.FS, name string, limit int64) ([]byte, error) {
	if info, err := fs.Stat(checkout, name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", name))
	}
	f, err := checkout.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// maxWorkflows is how many workflows and actions doctor looks at.
const maxWorkflows = 500

// workflowPatterns are where GitHub looks for workflows, and where repositories
// keep actions of their own.
var workflowPatterns = []string{
	".github/workflows/*.yml", ".github/workflows/*.yaml", "action.yml", "action.yaml",
	"*/action.yml", "*/action.yaml", ".github/actions/*/action.yml", ".github/actions/*/action.yaml",
}

// lintWorkflows writes what is unsafe in a checkout's workflows and actions, and
// returns how many such places there are. A file that cannot be read counts as
// one.
func lintWorkflows(w io.Writer, checkout fs.FS) (findings int, err error) {
	names, err := workflowFiles(checkout)
	if err != nil {
		return 0, err
	}
	ignored, unread := 0, 0
	var found []workflowlint.Finding
	for _, name := range names[:min(len(names), maxWorkflows)] {
		result, err := lintWorkflow(checkout, name)
		if err != nil {
			unread++
			fmt.Fprintf(w, "! %s\n", report.Clean(err.Error()))
		}
		ignored += result.Ignored
		found = append(found, result.Findings...)
	}
	printFindings(w, found)
	findings = unread + len(found)
	mark := " "
	if len(names) > maxWorkflows {
		mark = "!"
		findings++
	}
	fmt.Fprintf(w, "%s %-15s %d of %d files looked at by %d rules; %s ignored by comments\n",
		mark, "Workflows", min(len(names), maxWorkflows), len(names), len(workflowlint.Rules()), text.Count(ignored, "finding", "findings"))
	return findings, nil
}

// printFindings writes the gravest rule first, and what it is about and what to
// write instead once for all its places.
func printFindings(w io.Writer, found []workflowlint.Finding) {
	type advice struct{ rule, why, fix string }
	places := map[advice][]workflowlint.Finding{}
	var order []advice
	for _, f := range found {
		a := advice{f.Rule, f.Why, f.Fix}
		if places[a] == nil {
			order = append(order, a)
		}
		places[a] = append(places[a], f)
	}
	rules := workflowlint.Rules()
	slices.SortStableFunc(order, func(a, b advice) int {
		return slices.Index(rules, a.rule) - slices.Index(rules, b.rule)
	})
	for _, a := range order {
		fmt.Fprintf(w, "! %s: %s\n    fix: %s\n", a.rule, a.why, a.fix)
		for _, f := range places[a] {
			fmt.Fprintf(w, "    %s\n", report.Clean(fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)))
		}
	}
}

func lintWorkflow(checkout fs.FS, name string) (workflowlint.Result, error) {
	text, err := readSome(checkout, name, workflowlint.MaxBytes+1)
	if err != nil {
		return workflowlint.Result{}, err
	}
	return workflowlint.Check(name, text)
}

func workflowFiles(checkout fs.FS) ([]string, error) {
	var names []string
	for _, pattern := range workflowPatterns {
		found, err := fs.Glob(checkout, pattern)
		if err != nil {
			return nil, fmt.Errorf("look for workflows: %w", err)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

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
