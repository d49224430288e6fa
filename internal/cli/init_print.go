package cli

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/report"
)

// whyUnchanged says why no file was written.
func (i *planWriter) whyUnchanged() string {
	switch {
	case i.incomplete:
		return "what is left is for you, as told above"
	case i.advised:
		return "the workflows and settings are in place already, and the change above is optional"
	}
	return "all is in place already"
}

// printPlan prints what was found and chosen.
func (i *planWriter) printPlan(plan setup.Plan) {
	if plan.GitLab {
		i.printLine("This looks like GitLab: see docs/elsewhere.md. The workflows below are for GitHub")
	}
	for _, s := range plan.Suites {
		i.printLine("Found %s (%s) by %s, reports in %s", s.Runner, s.Lang, cmp.Or(s.Found, "--lang"), strings.Join(s.Reports, ", "))
		fmt.Fprintln(i.out, "  in the workflow it runs as: "+report.LogLine(s.Command()))
	}
	i.printLine("Default branch: %s", plan.Branch)
	for _, n := range plan.Notes {
		i.printLine("Note: %s", n)
	}
	if _, err := i.checkout.Lstat(".git"); err != nil {
		i.printLine("Note: this is not the top of a git checkout; GitHub reads workflows only there")
	}
	fmt.Fprintln(i.out)
}

// printTodo prints what is left for the user, below all that is longer.
func (i *planWriter) printTodo(todo []string) {
	if len(todo) == 0 {
		return
	}
	i.incomplete = true
	fmt.Fprintln(i.out)
	for _, n := range todo {
		i.printLine("To do: %s", n)
	}
}

// printLine prints one line without control characters.
func (i *planWriter) printLine(format string, args ...any) {
	fmt.Fprintln(i.out, report.LogLine(fmt.Sprintf(format, args...)))
}

// printDiff prints a change as a unified diff.
func (i *planWriter) printDiff(c change) {
	if c.serves {
		return
	}
	from := "a/" + c.name
	if !c.there {
		from = "/dev/null"
	}
	text := string(diff.Diff(from, c.before, "b/"+c.name, c.after))
	_, text, _ = strings.Cut(text, "\n") // "diff a b"
	for line := range strings.Lines(text) {
		i.printDiffLine(strings.TrimSuffix(line, "\n"))
	}
	if text != "" {
		fmt.Fprintln(i.out)
	}
}

func (i *planWriter) printDiffLine(line string) {
	color := ""
	switch {
	case !i.color || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- "):
	case strings.HasPrefix(line, "+"):
		color = "\x1b[32m"
	case strings.HasPrefix(line, "-"):
		color = "\x1b[31m"
	case strings.HasPrefix(line, "@@"):
		color = "\x1b[36m"
	}
	if line = cleanCode(line); color != "" {
		line = color + line + "\x1b[0m"
	}
	fmt.Fprintln(i.out, line)
}

// cleanCode returns a line of code without control characters; it keeps the
// spaces and tabs.
func cleanCode(line string) string {
	return codeWord.ReplaceAllStringFunc(line, report.LogLine)
}

var codeWord = lazyregexp.New(`[^ \t]+`)

// printSteps prints what to add to a workflow that already runs the tests.
func (i *planWriter) printSteps(a setup.Add) {
	i.incomplete = true
	it := "it"
	if a.Group {
		it = "the parallel group that it is in"
	}
	fmt.Fprintln(i.out)
	if a.Judging {
		i.printLine("%s line %d judges the tests already, in job %s. To tell pull requests from forks as well", a.File, a.Line, a.Job)
		i.printBlock("put before "+it, a.Steps)
		return
	}
	what := "runs the tests"
	if a.Merging {
		what = "merges the reports of the tests' shards"
	}
	i.printLine("%s line %d %s already, in job %s: %s", a.File, a.Line, what, a.Job, a.Command)
	if len(a.Permissions) > 0 {
		i.printBlock("Give that job these permissions, too", a.Permissions)
	}
	if len(a.Before) > 0 {
		i.printBlock("put before "+it, a.Before)
	}
	if len(a.Test) > 0 {
		title := "give that step these lines"
		if slices.ContainsFunc(a.Test, func(line string) bool { return strings.HasPrefix(line, "run: ") }) {
			title += ", run in the place of its own"
		}
		i.printBlock(title, a.Test)
	}
	i.printBlock("and put after "+it, a.Steps)
	fmt.Fprintln(i.out)
	i.printLine("Or write a workflow of its own: breadcrumb init --new-workflow")
}

func (i *planWriter) printBlock(title string, parts []string) {
	fmt.Fprintf(i.out, "\n%s:\n", title)
	for _, part := range parts {
		for line := range strings.Lines(part) {
			fmt.Fprintln(i.out, "    "+cleanCode(strings.TrimSuffix(line, "\n")))
		}
	}
}

// workflowsWith returns the text of the workflows, as they are with what the plan writes and
// shows.
func (i *planWriter) workflowsWith(plan setup.Plan) string {
	var all strings.Builder
	for _, f := range readWorkflows(i.checkout.FS()) {
		if !slices.ContainsFunc(plan.Files, func(planned setup.File) bool { return planned.Name == f.name }) {
			all.Write(append(f.text, '\n'))
		}
	}
	for _, f := range plan.Files {
		if strings.HasPrefix(f.Name, path.Dir(setup.WorkflowFile)+"/") {
			all.Write(append(f.Text, '\n'))
		}
	}
	if plan.Add != nil { // as the lines that are shown make the step
		for _, line := range plan.Add.Test {
			all.WriteString(strings.TrimLeft(line, "# ") + "\n")
		}
	}
	return all.String()
}

// printAdvice prints what doctor says of a configuration as well, and the change that
// --edit-config makes, if it can be made safely.
func (i *planWriter) printAdvice(c change, better bool, findings []pwconfig.Finding) {
	bad := slices.DeleteFunc(findings, func(f pwconfig.Finding) bool { return !f.Bad })
	if len(bad) == 0 && !better {
		return
	}
	i.advised = true
	fmt.Fprintln(i.out)
	if len(bad) == 0 {
		i.printLine("Optional: breadcrumb run suggests locators without these settings in %s. For suggestions from traces, and for the report that breadcrumb apply and breadcrumb ci read on your machine, breadcrumb init --edit-config makes this change:", c.name)
		i.printDiff(c)
		return
	}
	i.incomplete = true
	i.printLine("To do: in %s", c.name)
	for _, f := range bad {
		fmt.Fprintf(i.out, "  %-15s %s\n", f.Name, report.LogLine(f.Text))
	}
	if better {
		i.printLine("breadcrumb init --edit-config makes this change:")
		i.printDiff(c)
	}
}
