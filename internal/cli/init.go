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

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
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
