package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
	"github.com/breadcrumb/action/report"
)

// Bounds of the search for Playwright configurations.
const (
	maxConfigs       = 20
	maxWorkflowBytes = 256 << 10
	maxConfigDepth   = 5 // folders below the checkout's top
)

// printWorkflowAdvice writes what to switch on in a checkout's Playwright
// configurations, and what its workflows do not pass to Breadcrumb or do
// unsafely. It returns how many findings (marked "!") need attention.
func printWorkflowAdvice(w io.Writer, checkout fs.FS) (findings int, err error) {
	project, err := detect.Open(checkout)
	if err != nil {
		return 0, err
	}
	if findings, err = printPlaywrightAdvice(w, checkout, project); err != nil {
		return findings, err
	}
	for _, fault := range project.DriverFaults() {
		findings += printFinding(w, 15, true, "playwright-go", fault)
	}
	fmt.Fprintln(w, ".github/workflows")
	findings += printOutcomeAdvice(w, checkout) + printVerdictAdvice(w, checkout)
	for _, s := range setup.Strays(project) {
		findings += printFinding(w, 15, true, "Reports", s.String())
	}
	more, err := printWorkflowFindings(w, checkout)
	if findings += more; findings == 0 && err == nil {
		fmt.Fprintln(w, "Nothing to do.")
	}
	return findings, err
}

// printPlaywrightAdvice judges the Playwright configurations as `init` does: with what they
// take from other files, and without the packages that their workspace leaves out.
func printPlaywrightAdvice(w io.Writer, checkout fs.FS, project *detect.Checkout) (findings int, err error) {
	configs, err := findPlaywrightConfigs(checkout)
	if err != nil {
		return 0, err
	}
	var workflows strings.Builder
	for _, file := range readWorkflows(checkout) {
		workflows.Write(append(file.text, '\n'))
	}
	if len(configs) == 0 {
		return printNoConfig(w, project, workflows.String()), nil
	}
	for _, name := range configs {
		fmt.Fprintln(w, report.LogLine(name))
		if why := project.Excluded(detect.Suite{Lang: detect.TS, Dir: path.Dir(name)}); why != "" {
			printFinding(w, 15, false, "Left out", "its folder is "+why+", so what it needs is not installed")
			continue
		}
		for _, f := range pwconfig.Advise(project.Settings(name), workflows.String()) {
			findings += printFinding(w, 15, f.Bad, f.Name, f.Text)
		}
	}
	return findings, nil
}

// printNoConfig writes that there is no Playwright configuration: tests of another language
// have none, and Playwright Test has its defaults then.
func printNoConfig(w io.Writer, project *detect.Checkout, workflows string) (findings int) {
	if len(project.Suites("")) == 0 {
		return printFinding(w, 15, true, "Playwright", "no playwright.config file in this folder or below it")
	}
	for _, s := range project.Suites("") {
		if s.Lang != detect.TS {
			printFinding(w, 15, false, "Playwright", "no playwright.config file; the tests of "+s.Found+" need none")
			continue
		}
		fmt.Fprintln(w, report.LogLine(s.Found+", without a playwright.config file"))
		for _, f := range pwconfig.Advise(pwconfig.Config{}, workflows) {
			findings += printFinding(w, 15, f.Bad, f.Name, f.Text)
		}
	}
	return findings
}

// findPlaywrightConfigs returns the names of a checkout's configurations.
func findPlaywrightConfigs(checkout fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(checkout, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || len(names) >= maxConfigs:
			return fs.SkipDir
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || strings.Count(name, "/") >= maxConfigDepth):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(d.Name(), "playwright.config.") && slices.Contains(scriptEndings, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for Playwright's configuration: %w", err)
	}
	return names, nil
}

// scriptEndings end the names of scripts that can be a configuration.
var scriptEndings = []string{".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"}

// workflowFile is one workflow of a checkout.
type workflowFile struct {
	name string
	text []byte
}

// readWorkflows returns a checkout's workflows that can be read.
func readWorkflows(checkout fs.FS) (all []workflowFile) {
	names, _ := fs.Glob(checkout, ".github/workflows/*.y*ml") // the pattern is good
	for _, name := range names[:min(len(names), maxConfigs)] {
		if text, err := readInCheckout(checkout, name, maxWorkflowBytes); err == nil {
			all = append(all, workflowFile{name, text})
		}
	}
	return all
}

// readInCheckout returns at most the first limit bytes of a regular file.
func readInCheckout(checkout fs.FS, name string, limit int64) ([]byte, error) {
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

// printWorkflowFindings writes what is unsafe in a checkout's workflows and actions, and
// returns how many such places there are. A file that cannot be read counts as
// one.
func printWorkflowFindings(w io.Writer, checkout fs.FS) (findings int, err error) {
	names, err := findWorkflows(checkout)
	if err != nil {
		return 0, err
	}
	ignored, unread := 0, 0
	manifest, _ := readInCheckout(checkout, "package.json", maxWorkflowBytes) // most checkouts have none
	rules := workflowlint.Checkout{PackageManager: workflowlint.PackageManager(manifest)}
	var found []workflowlint.Finding
	for _, name := range names[:min(len(names), maxWorkflows)] {
		var result workflowlint.Result
		text, err := readInCheckout(checkout, name, workflowlint.MaxBytes+1)
		if err == nil {
			result, err = rules.Check(name, text)
		}
		if err != nil {
			unread++
			fmt.Fprintf(w, "! %s\n", report.LogLine(err.Error()))
		}
		ignored += result.Ignored
		found = append(found, result.Findings...)
	}
	printByRule(w, found)
	looked := fmt.Sprintf("%d of %d files looked at by %d rules; %s ignored by comments",
		min(len(names), maxWorkflows), len(names), len(workflowlint.Rules()), text.Count(ignored, "finding", "findings"))
	return unread + len(found) + printFinding(w, 15, len(names) > maxWorkflows, "Workflows", looked), nil
}

// printByRule writes the findings grouped by rule, the gravest rule first. It
// writes the reason and the fix once for all places of a rule.
func printByRule(w io.Writer, found []workflowlint.Finding) {
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
			fmt.Fprintf(w, "    %s\n", report.LogLine(fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)))
		}
	}
}

func findWorkflows(checkout fs.FS) ([]string, error) {
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

// workflowStep is what these rules read of a step: whether it runs Breadcrumb,
// whether it may fail, and whether it is passed the tests' outcome.
type workflowStep struct {
	Run, Uses, If string
	With          map[string]any
	Continue      string `yaml:"continue-on-error"`
}

// printOutcomeAdvice writes where Breadcrumb runs after steps that may fail without
// being passed their outcome, or is skipped when they fail. It returns how many
// such steps there are.
func printOutcomeAdvice(w io.Writer, checkout fs.FS) (findings int) {
	for _, file := range readWorkflows(checkout) {
		for _, judge := range findUninformedSteps(file.text) {
			findings++
			advice := "the tests may fail without failing the job; give them an id and say step-outcome: ${{ steps.ID.outcome }} here, or a runner's failure that no report shows passes"
			if judge.tests > 0 {
				advice = fmt.Sprintf("is skipped where the tests of line %d fail; give them an id and continue-on-error: true, and say step-outcome: ${{ steps.ID.outcome }} here", judge.tests)
			}
			fmt.Fprintf(w, "! %-15s %s line %d: %s\n", "Step outcome", report.LogLine(file.name), judge.line, advice)
		}
	}
	return findings
}

// uninformedStep is a Breadcrumb step that is not passed the tests' outcome.
type uninformedStep struct {
	line  int
	tests int // line of the test step whose failure skips it; 0 where it runs anyway
}

// findUninformedSteps returns the Breadcrumb steps of a workflow that are not passed
// the outcome of the test steps before them, by line.
func findUninformedSteps(text []byte) (found []uninformedStep) {
	var doc struct {
		Jobs map[string]struct{ Steps yaml.Node }
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil // the workflow rules report it
	}
	for _, job := range doc.Jobs {
		mayFail, tests := false, 0
		for node := range workflowlint.Steps(&job.Steps) {
			var step workflowStep
			if err := node.Decode(&step); err != nil {
				continue
			}
			_, informed := step.With["step-outcome"]
			switch {
			case setup.Judges(step.Uses) && mayFail && !informed:
				found = append(found, uninformedStep{line: node.Line})
			case setup.Judges(step.Uses) && !mayFail && tests > 0 && !afterFailure.MatchString(step.If):
				found = append(found, uninformedStep{node.Line, tests})
			case step.Uses == "" && step.Continue == "true":
				mayFail = true
			case step.Uses == "" && runsTests.MatchString(step.Run):
				tests = node.Line
			}
		}
	}
	slices.SortFunc(found, func(a, b uninformedStep) int { return a.line - b.line })
	return found
}

var (
	// afterFailure matches a step condition that also holds after a failure
	// (https://docs.github.com/actions/reference/workflows-and-actions/expressions#status-check-functions).
	afterFailure = lazyregexp.New(`\b(?:always|failure|cancelled)\(\)`)
	// runsTests matches the usual commands that run tests.
	runsTests = lazyregexp.New(`\b(?:tests?|e2e|pytest|gotestsum|verify)\b`)
)
