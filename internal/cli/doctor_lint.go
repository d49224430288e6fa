package cli

import (
	"fmt"
	"io"
	"io/fs"
	"slices"

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

// lintWorkflows writes what is unsafe in a checkout's workflows and actions,
// where, and once each why and what to write instead, and returns how many such
// places there are. A file that cannot be read counts as one.
func lintWorkflows(w io.Writer, checkout fs.FS) (findings int, err error) {
	names, err := workflowFiles(checkout)
	if err != nil {
		return 0, err
	}
	ignored, told := 0, map[string]bool{}
	for _, name := range names[:min(len(names), maxWorkflows)] {
		result, err := lintWorkflow(checkout, name)
		if err != nil {
			findings++
			fmt.Fprintf(w, "! %s\n", report.Clean(err.Error()))
		}
		ignored += result.Ignored
		findings += len(result.Findings)
		for _, f := range result.Findings {
			fmt.Fprintf(w, "! %s\n", report.Clean(fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, f.Rule, f.Text)))
			if advice := fmt.Sprintf("    why: %s\n    fix: %s\n", f.Why, f.Fix); !told[advice] {
				told[advice] = true
				fmt.Fprint(w, advice)
			}
		}
	}
	mark := " "
	if len(names) > maxWorkflows {
		mark = "!"
		findings++
	}
	fmt.Fprintf(w, "%s %-15s %d of %d files looked at by %d rules; %d findings ignored by comments\n",
		mark, "Workflows", min(len(names), maxWorkflows), len(names), len(workflowlint.Rules()), ignored)
	return findings, nil
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
