package cli

import (
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/workflowlint"
	"github.com/breadcrumb/action/report"
)

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
