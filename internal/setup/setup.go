// Package setup finds out how a checkout runs its browser tests and writes the
// workflows and settings with which Breadcrumb judges them. Call Make.
//
// Every name in a checkout is hostile: one with a special meaning in a workflow is
// left out, and all others are quoted.
package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// Options are the decisions of the user.
type Options struct {
	Lang     detect.Lang // "" for every language that is found
	Own      string      // how a workflow names Breadcrumb: "breadcrumb/action@v1"
	Fresh    bool        // write a new workflow even if one runs the tests already
	Separate bool        // write two new workflows: one runs the tests, one judges them from outside
	Improve  bool        // read Playwright's configurations as pwconfig.Improve changes them
	Plain    bool        // run the tests without breadcrumb run
}

// Plan is what Make found and what should be written.
type Plan struct {
	Branch string // the default one
	GitLab bool   // the checkout looks like one of GitLab
	Suites []detect.Suite
	Files  []File
	Notes  []string // what was chosen and why
	Todo   []string // what the user has to do, besides Add
	Add    *Add     // steps for a workflow that runs the tests already, nil when there is none
}

// File is a file to write, its name slash-separated from the checkout's top.
type File struct {
	Name    string
	Text    []byte
	Appends bool // Text is what the file has, and more lines
}

// The files that Make writes.
const (
	WorkflowFile = ".github/workflows/breadcrumb.yml"
	ForksFile    = ".github/workflows/breadcrumb-forks.yml"
	VerdictFile  = ".github/workflows/breadcrumb-verdict.yml"
	SettingsFile = ".breadcrumb.yml"
	IgnoreFile   = ".gitignore"
)

// ErrNothing says that no browser tests were found.
var ErrNothing = errors.New("found no Playwright tests here: no playwright.config file, and no package.json, pyproject.toml, requirements file, pom.xml, " +
	"build.gradle, *.csproj or go.mod that names Playwright")

// maxSuites bounds the suites of one job.
const maxSuites = 8

// Make plans the files for a checkout. The error is ErrNothing, or one of
// reading it.
func Make(checkout fs.FS, o Options) (Plan, error) {
	p, err := detect.Open(checkout)
	if err != nil {
		return Plan{}, err
	}
	p.Improve = o.Improve
	plan := Plan{Branch: p.DefaultBranch(), GitLab: isOfGitLab(p)}
	all := p.Suites(o.Lang)
	for _, s := range all {
		if detect.PlainPath.MatchString(s.Dir) {
			plan.Suites = append(plan.Suites, s)
		} else {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%q is left out: its name could mean something else in a workflow; rename the folder or write its steps by hand", s.Dir))
		}
	}
	if len(all) == 0 && o.Lang != "" {
		plan.Suites = []detect.Suite{p.DefaultSuite(o.Lang)}
	}
	plan.Todo = append(plan.Todo, p.Unreadable()...)
	if len(plan.Suites) == 0 {
		return plan, fmt.Errorf("%w%s", ErrNothing, strings.Join(append([]string{""}, plan.Todo...), "; "))
	}
	plan.leadTests(o)
	found := findExisting(p, plan.Suites)
	if o.Fresh || o.Separate || p.Has(WorkflowFile) {
		found = existing{}
	}
	switch {
	case found.step.workflow == "":
		plan.leaveExcluded(p)
	case found.step.at.Judging:
		plan.followJudge(p, &found.step)
		for _, s := range found.strays(p) {
			plan.Todo = append(plan.Todo, s.String())
		}
		for _, upload := range found.partly {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%s line %d uploads results only when tests failed, so the comment on a green pull request from a fork would find none: add to its if: || %s", upload.File, upload.Line, fromFork))
		}
	default:
		plan.keepSuitesOf(found.step)
	}
	if len(plan.Suites) > maxSuites {
		p.SortBySize(plan.Suites)
		plan.Todo = append(plan.Todo, fmt.Sprintf("%d suites were found; the %d with the most test files are taken, the others need a job of their own", len(plan.Suites), maxSuites))
		plan.Suites = plan.Suites[:maxSuites]
	}
	plan.addFiles(p, o, found)
	if found.step.workflow == "" && len(plan.Suites) > 1 {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%d suites run one after the other in one job, so that one comment tells all of them; --lang takes those of one language", len(plan.Suites)))
	}
	return plan, nil
}

// browserPath matches a configuration with a browser of its own.
var browserPath = lazyregexp.New(`(?m)^[^/\n]*\bexecutablePath\b`)

var gitLabRemote = lazyregexp.New(`(?m)^\s*url\s*=\s*\S*gitlab`)

// isOfGitLab reports whether GitLab's pipeline is there, and no workflow of GitHub's or a
// remote that names GitLab.
func isOfGitLab(p *detect.Checkout) bool {
	return p.Has(".gitlab-ci.yml") && (gitLabRemote.MatchString(p.Text(".git/config")) ||
		!slices.ContainsFunc(p.Files(yamlName), func(name string) bool { return path.Dir(name) == path.Dir(WorkflowFile) }))
}

// leaveExcluded leaves out the suites whose packages the workspace does not install,
// unless none were left.
func (plan *Plan) leaveExcluded(p *detect.Checkout) {
	var kept []detect.Suite
	var notes []string
	for _, s := range plan.Suites {
		if why := p.Excluded(s); why != "" {
			notes = append(notes, fmt.Sprintf("%s is left out: its folder is %s, so what it needs is not installed", s.Found, why))
			continue
		}
		kept = append(kept, s)
	}
	if len(kept) > 0 {
		plan.Suites, plan.Notes = kept, append(plan.Notes, notes...)
	}
}

// runHeals are the files that breadcrumb run writes heal events to, wherever it is
// started.
const runHeals = "heals/**/*.ndjson"

// leadTests has the suites' tests run by breadcrumb run. Tests that heal by themselves
// are left alone.
func (plan *Plan) leadTests(o Options) {
	for i := range plan.Suites {
		s := &plan.Suites[i]
		if s.Advice != "" {
			plan.Notes = append(plan.Notes, s.Found+": "+s.Advice)
		}
		if s.Lang == detect.Java && o.Plain { // breadcrumb run sets it, too
			s.Test.Env = append(slices.Clip(s.Test.Env), detect.Pair{Key: "PLAYWRIGHT_JAVA_SRC", Value: "src/main/java:src/test/java"})
		}
		if s.Led = !o.Plain && !s.Heal; s.Led && !slices.Contains(s.Heals, runHeals) {
			s.Heals = append(slices.Clip(s.Heals), runHeals)
		}
	}
}

// addFiles plans the files, and what to add to an existing workflow.
func (plan *Plan) addFiles(p *detect.Checkout, o Options, found existing) {
	name, judging := workflowName, false
	if found.step.workflow != "" {
		name, judging, plan.Add = found.step.workflow, found.step.at.Judging, found.additions(plan.Suites, o.Own)
		plan.tellExisting(found, o)
	} else {
		plan.tellNew(p)
		plan.Files = append(plan.Files, File{Name: WorkflowFile, Text: testsWorkflow(plan.Branch, plan.Suites, o)})
	}
	if !judging {
		var needs []string
		for _, s := range plan.Suites {
			for _, need := range s.Needs {
				if !slices.Contains(needs, need) {
					needs = append(needs, need)
				}
			}
		}
		plan.Todo = slices.Concat(plan.Todo, needs, settingsConflicts(p, plan.Suites))
	}
	callers := []string{name}
	if len(found.step.callers) > 0 {
		callers = found.step.callers
		if len(found.step.lacking) > 0 {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%s is called by %s: give that job the permissions %s, too, since a called workflow has no more than its caller",
				found.step.at.File, strings.Join(found.step.calling, " and "), strings.Join(found.step.lacking, ", ")))
		}
	}
	if found.step.alike {
		plan.Todo = append(plan.Todo, fmt.Sprintf("%s is called several times in a run, and no input of letters, digits, - and . tells all of these calls apart: add one and put it into the artifact's name, "+
			"${{ inputs.NAME }}, or all calls but one fail to upload", found.step.at.File))
	}
	second := File{Name: ForksFile, Text: forksWorkflow(callers, found.judgedSuites(plan.Suites), o.Own, found.step.nameArtifact() != artifactName)}
	if o.Separate {
		second = File{Name: VerdictFile, Text: verdictWorkflow(name, plan.Suites, o.Own)}
		plan.Notes = append(plan.Notes, fmt.Sprintf("let the branch's protection require the check run %q, best from an app of your own: see docs/security.md, a verdict from outside the job", checkName))
		if p.Has(ForksFile) {
			plan.Todo = append(plan.Todo, "remove "+ForksFile+": "+path.Base(VerdictFile)+" judges pull requests from forks as well")
		}
	}
	plan.Files = append(plan.Files, second, File{Name: SettingsFile, Text: settingsText(p, plan.Suites)}, File{IgnoreFile, ignoreText(p, slices.Concat(plan.Suites, found.judgedSuites(nil))), true})
}

// ignoreText returns the file of what git ignores with the lines for what the tests and
// Breadcrumb write. An existing file keeps all that it has.
func ignoreText(p *detect.Checkout, suites []detect.Suite) []byte {
	own := p.Text(IgnoreFile)
	if len(own) >= detect.MaxFileBytes {
		return []byte(own)
	}
	// A pattern with a slash before its end matches at its place alone, another one in any
	// folder (https://git-scm.com/docs/gitignore#_pattern_format).
	anchored, anywhere := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(own) {
		line = strings.TrimSuffix(strings.TrimSpace(line), "/")
		if name := strings.Trim(line, "/*"); strings.Contains(line, "/") {
			anchored[name] = true
		} else {
			anywhere[name] = true
		}
	}
	lines := []string{"/.breadcrumb.db*"}
	for _, s := range suites {
		for _, glob := range slices.Concat(s.Reports, s.Traces, s.Heals) {
			folder, _, isGlob := strings.Cut(glob, "/*")
			switch {
			case strings.Contains(folder, "*"): // a folder of builds
			case isGlob:
				lines = append(lines, "/"+folder+"/")
			default:
				lines = append(lines, "/"+glob)
			}
		}
	}
	added := ""
	for _, line := range lines {
		covered := false
		for name := strings.Trim(line, "/*"); name != "."; name = path.Dir(name) {
			covered = covered || anchored[name] || anywhere[path.Base(name)]
		}
		if !covered {
			added += line + "\n"
			anchored[strings.Trim(line, "/*")] = true
		}
	}
	if own != "" && added != "" {
		own = strings.TrimSuffix(own, "\n") + "\n\n"
	}
	if added != "" {
		added = "# What tests and Breadcrumb write.\n" + added
	}
	return []byte(own + added)
}

// additions returns what the workflow lacks, nil for nothing.
func (r *existing) additions(suites []detect.Suite, own string) *Add {
	at := r.step.at
	if at.Merging {
		at.Permissions, at.Steps = missingPermissions(r.step.permitted), judgingSteps(suites, own, "needs.%s.result", r.step.needs, false)
		return &at
	}
	left, ofLeg := r.step.legs.ownResults()
	if !ofLeg {
		left = suites
	}
	steps := judgingSteps(left, own, stepOutcome, []string{r.step.id}, ofLeg)
	if at.Judging {
		steps = []string{uploadStep(r.step.suites, ForksFile, fromFork)}
	}
	// Two legs or calls cannot upload by one name.
	steps[0] = strings.Replace(steps[0], "name: "+artifactName, "name: "+r.step.nameArtifact(), 1)
	switch {
	case at.Judging && r.uploads:
		return nil
	case at.Judging:
		at.Steps = steps
	default:
		if r.step.background {
			steps = append([]string{"- wait: " + r.step.id}, steps...)
		}
		at.Permissions, at.Test, at.Steps = missingPermissions(r.step.permitted), r.step.addedLines(), steps
		if r.step.toLead() {
			at.Before = []string{setupStep(own)}
		}
	}
	return &at
}

// nameArtifact returns the name of the artifact with the step's results, which is another
// one in each leg and call of a run.
func (t *testStep) nameArtifact() string {
	name := artifactName
	for _, input := range t.inputs {
		name += "-${{ inputs." + input + " }}"
	}
	if t.matrix {
		name += "-${{ strategy.job-index }}"
	}
	return name
}

// keepSuitesOf leaves out the suites that a step does not run: they would need to
// be judged by another job.
func (plan *Plan) keepSuitesOf(step testStep) {
	var left []string
	for _, s := range plan.Suites {
		if !slices.ContainsFunc(step.suites, func(other detect.Suite) bool { return other.Found == s.Found }) {
			left = append(left, s.Found)
		}
	}
	if len(left) > 0 {
		plan.Todo = append(plan.Todo, "left out, because the step shown below does not run them, are the tests of "+strings.Join(left, ", ")+": give their job the same steps, with junit, traces and heal-events of its own, as docs/monorepo.md shows; or --new-workflow writes a workflow that runs all")
	}
	plan.Suites = step.suites
}
