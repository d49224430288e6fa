package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
	"github.com/breadcrumb/action/report"
)

const initLong = `Write the workflows and the settings with which Breadcrumb judges this checkout.

Asks nothing: how the tests run is read from the Playwright configuration, the
packages' and build files and the workflows there are. What changes is shown
as a diff, then written. A file that is there is not changed without --force;
--pin changes only the lines of workflows that name Breadcrumb.
Where a workflow runs the tests already, the steps to add to it are shown.

Exit code: 0 all is in place, 1 something is left for you, such as settings for
which doctor --workflow ends with 1 as well, 2 nothing was found.`

const initExample = `  breadcrumb init --dry-run
  breadcrumb init --separate --dry-run
  breadcrumb init
  breadcrumb init --force --edit-config`

// initFlags are the flags of breadcrumb init.
type initFlags struct {
	lang, pin                                  string
	dryRun, force, fresh, separate, editConfig bool
	plain                                      bool
}

func newInit(s Streams) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{Use: "init", Short: "Write the workflows and settings for this checkout", Long: initLong, Example: initExample, Args: refuseArgs}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.lang, "lang", "", "`LANGUAGE` of the tests: ts, python, java, csharp or go (default: what is found)")
	completeWords(cmd, "lang", toStrings(detect.Langs())...)
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
	flags.BoolVar(&f.force, "force", false, "make the changes to files that are there, too")
	flags.BoolVar(&f.fresh, "new-workflow", false, "write a workflow of its own even where one runs the tests already")
	flags.BoolVar(&f.separate, "separate", false, "write two workflows of their own: one runs the tests, one judges those of pull requests from outside their job")
	flags.BoolVar(&f.plain, "no-run", false, "run the tests without 'breadcrumb run', so that they heal nothing")
	flags.StringVar(&f.pin, "pin", "", "name Breadcrumb's own action by this `COMMIT` of a release, with its version as COMMIT:VERSION, also in workflows that are there")
	flags.BoolVar(&f.editConfig, "edit-config", false, "make the changes to the Playwright configuration, too")
	cmd.RunE = func(*cobra.Command, []string) error {
		own, err := f.ownAction()
		if err != nil {
			return err
		}
		o := setup.Options{Own: own, Fresh: f.fresh, Separate: f.separate, Improve: f.editConfig, Plain: f.plain}
		if f.lang != "" {
			lang, err := detect.ParseLang(f.lang)
			if err != nil {
				return usageError{"--lang: " + err.Error()}
			}
			o.Lang = lang
		}
		checkout, err := os.OpenRoot(".")
		if err != nil {
			return fmt.Errorf("open this folder: %w", err)
		}
		defer checkout.Close()
		plan, err := setup.Make(checkout.FS(), o)
		if errors.Is(err, setup.ErrNothing) {
			return usageError{err.Error() + "; with --lang the files for a language are written all the same"}
		}
		if err != nil {
			return err
		}
		i := planWriter{out: s.Out, checkout: checkout, flags: f, color: consoleOptions(s.Out).Color, pin: own}
		if o.Improve {
			o.Improve = false
			if i.own, err = setup.Make(checkout.FS(), o); err != nil {
				return err
			}
		}
		return i.applyPlan(plan)
	}
	return cmd
}

// ownTag is how a workflow names Breadcrumb, as in the README. It is no commit: a
// program cannot know the commit at which its own release will be tagged.
const ownTag = "v1"

// pinForm matches a commit, and a version behind it.
var pinForm = lazyregexp.New(`^([0-9a-f]{40})(?::(v[0-9]+\.[0-9]+\.[0-9]+))?$`)

// ownAction returns how the workflows name Breadcrumb.
func (f initFlags) ownAction() (string, error) {
	if f.pin == "" {
		return "breadcrumb/action@" + ownTag, nil
	}
	m := pinForm.FindStringSubmatch(f.pin)
	if m == nil {
		return "", usageError{fmt.Sprintf("--pin is %q; it must be a commit of 40 hexadecimal digits, or COMMIT:VERSION as in 0123…:v1.2.3", f.pin)}
	}
	return "breadcrumb/action@" + m[1] + " # " + cmp.Or(m[2], ownTag), nil
}

// planWriter prints and writes a plan.
type planWriter struct {
	out        io.Writer
	checkout   *os.Root
	flags      initFlags
	color      bool
	incomplete bool       // something is left for the user
	changed    bool       // a file was written, or would be
	advised    bool       // a configuration could say more
	own        setup.Plan // what init writes without --edit-config
	pin        string     // how --pin has Breadcrumb named
}

// change is one file before and after.
type change struct {
	name          string
	before, after []byte
	there, free   bool // free: it may be changed without --force
	serves        bool // before has all of after, and lines of the user's own
}

func (i *planWriter) applyPlan(plan setup.Plan) error {
	i.printPlan(plan)
	changes, err := i.pinWorkflows()
	if err != nil {
		return err
	}
	for _, f := range plan.Files {
		c, err := i.readChange(f.Name, f.Text)
		if err != nil {
			return err
		}
		pinned := slices.IndexFunc(changes, func(c change) bool { return c.name == f.Name })
		if pinned >= 0 {
			c.before = changes[pinned].after
		}
		// Lines are only added, or the file is as an earlier init wrote it.
		c.free = f.Appends || slices.ContainsFunc(i.own.Files, func(own setup.File) bool { return own.Name == f.Name && bytes.Equal(own.Text, c.before) })
		isWorkflow := path.Dir(f.Name) == path.Dir(setup.WorkflowFile)
		c.serves = c.there && isWorkflow && !c.free && !i.flags.force && setup.Serves(c.before, c.after) && len(findUninformedSteps(c.before)) == 0
		if pinned < 0 || !c.serves && !bytes.Equal(c.before, c.after) {
			changes = append(changes, c)
		}
	}
	for _, c := range changes {
		i.printDiff(c)
	}
	for _, c := range changes {
		if err := i.writeOrKeep(c); err != nil {
			return err
		}
	}
	if plan.Add != nil {
		i.printSteps(*plan.Add)
	}
	if err := i.improveConfigs(plan); err != nil {
		return err
	}
	i.printTodo(plan.Todo)
	if !i.changed {
		i.printLine("Nothing was changed: %s", i.whyUnchanged())
	}
	if i.changed && !i.flags.dryRun && plan.Add == nil {
		fmt.Fprintln(i.out)
		i.printLine("Next: commit these files. The first run on %s begins the history; what fails before is not excused", plan.Branch)
	}
	if i.incomplete {
		return exitError{ci.ExitBlocked}
	}
	return nil
}

// pinWorkflows returns the changes of --pin without --force: of all workflows and actions
// of the checkout only the lines that use Breadcrumb.
func (i *planWriter) pinWorkflows() (changes []change, err error) {
	if i.flags.pin == "" || i.flags.force {
		return nil, nil
	}
	names, err := findWorkflows(i.checkout.FS())
	if err != nil {
		return nil, err
	}
	for _, name := range names[:min(len(names), maxWorkflows)] {
		if info, err := i.checkout.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > workflowlint.MaxBytes {
			continue
		}
		c, err := i.readChange(name, nil)
		if err != nil {
			return nil, err
		}
		if c.after, c.free = setup.Pin(c.before, i.pin), true; !bytes.Equal(c.before, c.after) {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

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

// readChange reads the present file of that name. It refuses a symbolic link; a
// folder that leads out of the checkout cannot be opened.
func (i *planWriter) readChange(name string, text []byte) (change, error) {
	c := change{name: name, after: text}
	info, err := i.checkout.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, usageError{fmt.Sprintf("%s: %v", name, err)}
	case !info.Mode().IsRegular():
		return c, usageError{name + " is no regular file; take it away first"}
	}
	c.there = true
	c.before, err = i.checkout.ReadFile(name)
	if err != nil {
		return c, usageError{fmt.Sprintf("%s: %v", name, err)}
	}
	return c, nil
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

// writeOrKeep writes a change, or prints why it does not.
func (i *planWriter) writeOrKeep(c change) error {
	switch {
	case c.there && bytes.Equal(c.before, c.after):
		i.printLine("unchanged  %s", c.name)
		return nil
	case c.serves:
		i.printLine("unchanged  %s: it differs, and has all that is needed", c.name)
		return nil
	case c.there && !i.flags.force && !c.free:
		i.incomplete = true
		i.printLine("kept       %s: --force makes the change shown above", c.name)
		return nil
	case i.flags.dryRun:
		i.changed = true
		i.printLine("to write   %s", c.name)
		return nil
	}
	return i.writeFile(c)
}

// writeFile writes a file in the checkout by renaming, whole or not at all.
func (i *planWriter) writeFile(c change) error {
	if dir := path.Dir(c.name); dir != "." {
		if err := i.checkout.MkdirAll(dir, 0o755); err != nil {
			return usageError{fmt.Sprintf("make the folder of %s: %v", c.name, err)}
		}
	}
	temporary := c.name + ".new"
	f, err := i.checkout.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError{fmt.Sprintf("write %s: %v", c.name, err)}
	}
	_, err = f.Write(c.after)
	if err = errors.Join(err, f.Close()); err == nil {
		err = i.checkout.Rename(temporary, c.name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", c.name, err), i.checkout.Remove(temporary))
	}
	i.changed = true
	i.printLine("wrote      %s", c.name)
	return nil
}

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

// improveConfigs prints, or with --edit-config makes, the changes that would
// improve the Playwright configurations, given what the workflows will be.
func (i *planWriter) improveConfigs(plan setup.Plan) error {
	workflows := i.workflowsWith(plan)
	project, err := detect.Open(i.checkout.FS())
	if err != nil {
		return err
	}
	for _, s := range plan.Suites {
		if s.Config == "" {
			if s.Lang == detect.TS { // Playwright's defaults hold
				i.printAdvice(change{name: "a playwright.config.ts, which " + s.Found + " is without"}, false, pwconfig.Advise(pwconfig.Config{}, workflows))
			}
			continue
		}
		c, err := i.readChange(s.Config, nil)
		if err != nil || !c.there {
			return err
		}
		settings, better := project.Settings(s.Config), false
		if c.after, better = pwconfig.Improve(c.before, settings); better && i.flags.editConfig && !i.flags.dryRun {
			i.printDiff(c)
			if err := i.writeFile(c); err != nil {
				return err
			}
			continue
		}
		i.printAdvice(c, better, pwconfig.Advise(settings, workflows))
	}
	return nil
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
