// Package setup finds out how a checkout runs its browser tests and writes the
// workflows and settings with which Breadcrumb judges them. Call Make.
//
// Every name in a checkout is hostile: one that could mean more than itself in a
// workflow is left out, and what is left is quoted.
package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Lang is a language that Playwright's tests are written in.
type Lang string

// The languages, by the names that --lang takes. TS stands for JavaScript, too.
const (
	TS     Lang = "ts"
	Python Lang = "python"
	Java   Lang = "java"
	CSharp Lang = "csharp"
	Go     Lang = "go"
)

// Langs returns every language in the order they are looked for.
func Langs() []Lang { return []Lang{TS, Python, Java, CSharp, Go} }

// ParseLang returns the language of a name, "js" and "typescript" as well.
func ParseLang(name string) (Lang, error) {
	switch lang := Lang(strings.ToLower(name)); lang {
	case TS, Python, Java, CSharp, Go:
		return lang, nil
	case "js", "typescript", "javascript":
		return TS, nil
	}
	return "", fmt.Errorf("language %q is none of ts, python, java, csharp, go", name)
}

// Options say what a person decided.
type Options struct {
	Lang     Lang   // "" for every language that is found
	Own      string // how a workflow names Breadcrumb: "breadcrumb/action@v1"
	Separate bool   // a workflow of its own even where one runs the tests already
	Improve  bool   // Playwright's configurations are taken as pwconfig.Improve makes them
}

// Plan is what Make found and what should be written.
type Plan struct {
	Branch string // the default one
	Suites []Suite
	Files  []File
	Notes  []string // what was chosen and why
	Todo   []string // what is left for the user, besides Add
	Add    *Add     // steps for a workflow that runs the tests already, nil where there is none
}

// File is a file to write, its name slash-separated from the checkout's top.
type File struct {
	Name string
	Text []byte
}

// The files that Make writes.
const (
	WorkflowFile = ".github/workflows/breadcrumb.yml"
	ForksFile    = ".github/workflows/breadcrumb-forks.yml"
	SettingsFile = ".breadcrumb.yml"
)

// ErrNothing says that no browser tests were found.
var ErrNothing = errors.New("found no Playwright tests here: no playwright.config file, and no package.json, pyproject.toml, requirements file, pom.xml, " +
	"build.gradle, *.csproj or go.mod that names Playwright")

// maxSuites bounds the suites of one job.
const maxSuites = 8

// Make plans the files for a checkout. The error is ErrNothing, or one of
// reading it.
func Make(checkout fs.FS, o Options) (Plan, error) {
	p, err := open(checkout)
	if err != nil {
		return Plan{}, err
	}
	p.improve = o.Improve
	plan := Plan{Branch: p.defaultBranch()}
	found, left := safe(p.suites(o.Lang))
	if len(found) == 0 && o.Lang != "" && len(left) == 0 {
		found = []Suite{plain(p, o.Lang)}
		found[0].Heals = []string{heals}
	}
	for _, dir := range left {
		plan.Todo = append(plan.Todo, fmt.Sprintf("%q is left out: its name could mean something else in a workflow; rename the folder or write its steps by hand", dir))
	}
	plan.Todo = append(plan.Todo, p.unread()...)
	if len(found) == 0 {
		return plan, fmt.Errorf("%w%s", ErrNothing, strings.Join(append([]string{""}, plan.Todo...), "; "))
	}
	if more := len(found) - maxSuites; more > 0 {
		plan.Todo = append(plan.Todo, fmt.Sprintf("%d suites were found; the first %d are taken, the others need a job of their own", len(found), maxSuites))
		found = found[:maxSuites]
	}
	plan.Suites = found
	plan.write(p, o)
	plan.Notes = append(plan.Notes, chosen(plan.Suites)...)
	return plan, nil
}

// write plans the files.
func (plan *Plan) write(p *project, o Options) {
	name, judging := workflowName, false
	if runs := p.running(plan.Suites); !o.Separate && !p.has(WorkflowFile) && runs.step.workflow != "" {
		if !runs.judging {
			plan.keep(runs.step)
		}
		name, judging, plan.Add = runs.step.workflow, runs.judging, runs.add(plan.Suites, o.Own)
	} else {
		plan.Files = append(plan.Files, File{WorkflowFile, workflow(plan.Branch, plan.Suites, o.Own)})
	}
	if !judging {
		plan.Todo = append(append(plan.Todo, needs(plan.Suites)...), p.elsewhere(plan.Suites)...)
	}
	plan.Files = append(plan.Files, File{ForksFile, forks(name, plan.Suites, o.Own)}, File{SettingsFile, p.settings(plan.Suites)})
}

// keep leaves out the suites that a step does not run: another job would have to
// judge them.
func (plan *Plan) keep(step testStep) {
	var left []string
	for _, s := range plan.Suites {
		if !slices.ContainsFunc(step.suites, func(other Suite) bool { return other.Found == s.Found }) {
			left = append(left, s.Found)
		}
	}
	if len(left) > 0 {
		plan.Todo = append(plan.Todo, "left out, because the step shown below does not run them, are the tests of "+strings.Join(left, ", ")+"; --separate writes a workflow that runs all")
	}
	plan.Suites = step.suites
}

// safe parts the suites from the folders whose names cannot stand in a
// workflow.
func safe(all []Suite) (suites []Suite, left []string) {
	for _, s := range all {
		if plainPath.MatchString(s.Dir) {
			suites = append(suites, s)
		} else {
			left = append(left, s.Dir)
		}
	}
	return suites, left
}

// chosen says why these suites.
func chosen(suites []Suite) []string {
	var notes []string
	if len(suites) > 1 {
		notes = append(notes, fmt.Sprintf("%d suites run one after the other in one job, so that one comment tells all of them; --lang takes those of one language", len(suites)))
	}
	return notes
}

// needs says what the suites lack.
func needs(suites []Suite) []string {
	var notes []string
	for _, s := range suites {
		for _, need := range s.Needs {
			if !slices.Contains(notes, need) {
				notes = append(notes, need)
			}
		}
	}
	return notes
}
