package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/report"
)

const initLong = `Write the workflows and the settings with which Breadcrumb judges this checkout.

Asks nothing: how the tests run is read from the Playwright configuration, the
packages' and build files and the workflows there are. What changes is shown as a
diff, then written. A file that is there is not changed without --force.
Where a workflow runs the tests already, the steps to add to it are shown.

Exit code: 0 all is in place, 1 something is left for you, 2 nothing was found.`

const initExample = `  breadcrumb init --dry-run
  breadcrumb init
  breadcrumb init --force --edit-config`

// initFlags are what a person decides.
type initFlags struct {
	lang                                string
	dryRun, force, separate, editConfig bool
}

func newInit(s Streams) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{Use: "init", Short: "Write the workflows and settings for this checkout", Long: initLong, Example: initExample, Args: noArgs}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.lang, "lang", "", "`LANGUAGE` of the tests: ts, python, java, csharp or go (default: what is found)")
	completeWords(cmd, "lang", langWords()...)
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
	flags.BoolVar(&f.force, "force", false, "make the changes to files that are there, too")
	flags.BoolVar(&f.separate, "separate", false, "write a workflow of its own even where one runs the tests already")
	flags.BoolVar(&f.editConfig, "edit-config", false, "make the changes to the Playwright configuration, too")
	cmd.RunE = func(*cobra.Command, []string) error {
		o := setup.Options{Own: ownAction, Separate: f.separate, Improve: f.editConfig}
		if f.lang != "" {
			lang, err := setup.ParseLang(f.lang)
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
		i := initializer{out: s.Out, checkout: checkout, flags: f, color: consoleOptions(s.Out).Color}
		return i.carryOut(plan)
	}
	return cmd
}

// ownAction is how a workflow names Breadcrumb, as the README does: a program
// cannot know the commit that its own release will be tagged at.
const ownAction = "breadcrumb/action@v1"

// initializer shows and writes a plan.
type initializer struct {
	out      io.Writer
	checkout *os.Root
	flags    initFlags
	color    bool
	left     bool // something is left for the user
}

// change is what happens to one file.
type change struct {
	name          string
	before, after []byte
	there         bool
}

func (i *initializer) carryOut(plan setup.Plan) error {
	i.found(plan)
	var changes []change
	for _, f := range plan.Files {
		c, err := i.compare(f.Name, f.Text)
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	for _, c := range changes {
		i.show(c)
	}
	for _, c := range changes {
		if err := i.settle(c); err != nil {
			return err
		}
	}
	if plan.Add != nil {
		i.add(*plan.Add)
	}
	if err := i.improve(plan.Suites); err != nil {
		return err
	}
	if i.left {
		return exitError{ci.ExitBlocked}
	}
	return nil
}

// found says what was found and chosen.
func (i *initializer) found(plan setup.Plan) {
	for _, s := range plan.Suites {
		source := s.Found
		if source == "" {
			source = "--lang"
		}
		i.line("Found %s (%s) by %s: %s, reports in %s", s.Runner, s.Lang, source, s.Test.Run, strings.Join(s.Reports, ", "))
	}
	i.line("Default branch: %s", plan.Branch)
	for _, n := range plan.Notes {
		i.line("Note: %s", n)
	}
	for _, n := range plan.Todo {
		i.left = true
		i.line("To do: %s", n)
	}
	if _, err := i.checkout.Lstat(".git"); err != nil {
		i.line("Note: this is not the top of a git checkout; GitHub reads workflows only there")
	}
	fmt.Fprintln(i.out)
}

// line prints one line, of which nothing is markup or control.
func (i *initializer) line(format string, args ...any) {
	fmt.Fprintln(i.out, report.Clean(fmt.Sprintf(format, args...)))
}

// compare reads what is at a file's place. A symbolic link is refused there and
// a folder that leads out of the checkout cannot be opened.
func (i *initializer) compare(name string, text []byte) (change, error) {
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

// show prints a change as a unified diff.
func (i *initializer) show(c change) {
	from := "a/" + c.name
	if !c.there {
		from = "/dev/null"
	}
	text := string(diff.Diff(from, c.before, "b/"+c.name, c.after))
	_, text, _ = strings.Cut(text, "\n") // "diff a b"
	for line := range strings.Lines(text) {
		i.diffLine(strings.TrimSuffix(line, "\n"))
	}
	if text != "" {
		fmt.Fprintln(i.out)
	}
}

func (i *initializer) diffLine(line string) {
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

// cleanCode returns a line of code of which nothing is markup or control, with
// its white space.
func cleanCode(line string) string {
	var out strings.Builder
	for line != "" {
		word := line
		if at := strings.IndexAny(line, " \t"); at >= 0 {
			word = line[:at]
		}
		if word != "" {
			out.WriteString(report.Clean(word))
		}
		if line = line[len(word):]; line != "" {
			out.WriteByte(line[0])
			line = line[1:]
		}
	}
	return out.String()
}

// settle writes a change, or says why it does not.
func (i *initializer) settle(c change) error {
	switch {
	case c.there && bytes.Equal(c.before, c.after):
		i.line("unchanged  %s", c.name)
		return nil
	case c.there && !i.flags.force:
		i.left = true
		i.line("kept       %s: --force makes the change shown above", c.name)
		return nil
	case i.flags.dryRun:
		i.line("to write   %s", c.name)
		return nil
	}
	if err := i.write(c); err != nil {
		return err
	}
	i.line("wrote      %s", c.name)
	return nil
}

// write writes a file whole or not at all, inside the checkout.
func (i *initializer) write(c change) error {
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
	return nil
}

// add shows the steps for a workflow that runs the tests already.
func (i *initializer) add(a setup.Add) {
	i.left = true
	fmt.Fprintln(i.out)
	if a.Judging {
		i.line("%s line %d judges the tests already, in job %s. To tell pull requests from forks as well", a.File, a.Line, a.Job)
		i.block("put before it", a.Steps)
		return
	}
	i.line("%s line %d runs the tests already, in job %s: %s", a.File, a.Line, a.Job, a.Command)
	i.block("Give that job these permissions", a.Permissions)
	i.block("that step these lines", a.Test)
	i.block("and put after it", a.Steps)
	fmt.Fprintln(i.out)
	i.line("Or write a workflow of its own: breadcrumb init --separate")
}

func (i *initializer) block(title string, parts []string) {
	fmt.Fprintf(i.out, "\n%s:\n", title)
	for _, part := range parts {
		for line := range strings.Lines(part) {
			fmt.Fprintln(i.out, "    "+cleanCode(strings.TrimSuffix(line, "\n")))
		}
	}
}

// improve shows, or makes, what could be switched on in the configurations.
func (i *initializer) improve(suites []setup.Suite) error {
	for _, s := range suites {
		if s.Config == "" {
			continue
		}
		c, err := i.compare(s.Config, nil)
		if err != nil || !c.there {
			return err
		}
		var better bool
		if c.after, better = pwconfig.Improve(c.before); !better {
			i.advise(s.Config, c.before)
			continue
		}
		if !i.flags.editConfig || i.flags.dryRun {
			fmt.Fprintln(i.out)
			i.line("%s could say more; breadcrumb init --edit-config makes this change:", c.name)
			i.show(c)
			continue
		}
		i.show(c)
		if err := i.write(c); err != nil {
			return err
		}
		i.line("wrote      %s", c.name)
	}
	return nil
}

// advise says what to switch on by hand.
func (i *initializer) advise(name string, text []byte) {
	told := false
	for _, f := range pwconfig.Advise(pwconfig.Read(name, text), "") {
		if !f.Bad {
			continue
		}
		if !told {
			fmt.Fprintln(i.out)
			i.line("%s could say more:", name)
		}
		told = true
		fmt.Fprintf(i.out, "  %-15s %s\n", f.Name, report.Clean(f.Text))
	}
}

func langWords() []string {
	var words []string
	for _, lang := range setup.Langs() {
		words = append(words, string(lang))
	}
	return words
}
