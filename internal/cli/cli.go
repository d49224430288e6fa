// Package cli is the breadcrumb command: its subcommands, flags, configuration
// file, and how it joins the other packages. A program calls RunProcess, a test Main.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/proxy/attach"
	"github.com/breadcrumb/action/report"
)

// RunProcess runs the command line of this process, until the first signal that asks it
// to end, and returns the exit code, which is Main's.
func RunProcess() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Main runs the command line args and returns the exit code: 0 pass, 1 blocking
// failures, 2 usage or bad input, 3 Breadcrumb's own fault.
func Main(ctx context.Context, args []string, s Streams) int {
	if attach.IsStandIn(os.Args, os.Getenv) {
		return attach.RunStandIn(os.Args, os.Environ())
	}
	s.progress = newProgress(s.Err, os.Getenv)
	s.Out, s.Err = s.progress.wrapOutput(s.Out), s.progress.wrapOutput(s.Err)
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	s.progress.close()
	if err == nil {
		return int(ci.ExitPass)
	}
	if exit, ok := errors.AsType[exitError](err); ok {
		return int(exit.code)
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(s.Err, "breadcrumb: "+report.LogLine(line))
	}
	if errors.As(err, new(usageError)) || errors.As(err, new(ci.InputError)) {
		return int(ci.ExitUsage)
	}
	return int(ci.ExitFault)
}

// newProgress returns the progress line for a command whose errors go to w, nil
// where w is no terminal or a CI job runs it.
func newProgress(w io.Writer, getenv func(string) string) *progress {
	width, is := terminalWidth(w)
	if !is || getenv("CI") != "" || getenv("GITHUB_ACTIONS") != "" || getenv("TERM") == "dumb" {
		return nil
	}
	return &progress{terminal: w, width: width}
}

func newRoot(s Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "breadcrumb",
		Short:         "Keeps browser tests honest",
		Long:          "Breadcrumb judges a browser-test run: flaky tests in quarantine do not block,\nregressions do, and healed locators come as patches where the edit is certain.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          refuseUnknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Sprintf("%s%s; '%s --help' lists the flags", explainFlagError(err), suggestFlag(cmd, err), cmd.CommandPath())}
	})
	root.Version = version()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.Flags().Bool("version", false, "print the version")
	root.SetUsageTemplate(strings.NewReplacer("FlagUsages ", "FlagUsagesWrapped 80 ", "for more information about a command", "for more about a command").Replace(root.UsageTemplate()))
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(newHelp())
	addGroup(root, "Judge a run", newInit(s), newRun(s), newCI(s), newApply(s))
	addGroup(root, "Look at the suite", newReport(s), newQuarantine(s), newJUnit(s), newDoctor(s), newMCP(s))
	addGroup(root, "Keep its history", newRestore(s), newMerge(s), newExport(s), newReplay(s), newForget(s))
	addGroup(root, "Find locators", newHeal(s), newGenerate(s))
	root.AddCommand(newCompletion(s), newMan(s), newVersion(s), newLicenses(s))
	return root
}

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  refuseArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Out, "breadcrumb", version())
			return err
		},
	}
}

// addGroup adds commands that the help shows under one title.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return refuseUnknownCommand(found, args)
			}
			return found.Help()
		},
	}
}

// suggestFlag returns "did you mean" with the known flag nearest to a mistyped
// one, "" where none is near.
func suggestFlag(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return suggestName("--"+unknown.GetSpecifiedName(), names)
}

// explainFlagError says what a flag wants instead of how it was parsed.
func explainFlagError(err error) string {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	switch {
	case !ok:
		return err.Error()
	case errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("--%s is %q, which is too large", wrong.GetFlag().Name, wrong.GetValue())
	}
	wants, known := map[string]string{
		"int": "a whole number", "int64": "a whole number", "float64": "a number",
		"bool": "true or false", "duration": "a time with its unit, such as 20s",
	}[wrong.GetFlag().Value.Type()]
	if !known {
		return err.Error()
	}
	return fmt.Sprintf("--%s is %q; it must be %s", wrong.GetFlag().Name, wrong.GetValue(), wants)
}

func newCompletion(s Streams) *cobra.Command {
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print what a shell needs to complete commands",
		Long: "Print the script with which a shell completes commands, flags, the words that\nflags take, and the tests in quarantine: bash, zsh, fish or powershell.\n\n" +
			"bash reads it from /etc/bash_completion.d or by `source`, zsh as _breadcrumb\nfrom a folder of $fpath, fish from ~/.config/fish/completions.",
		Example:   "  breadcrumb completion bash > breadcrumb.bash\n  breadcrumb completion zsh > _breadcrumb\n  breadcrumb completion fish > breadcrumb.fish",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return usageError{"name the shell: " + strings.Join(names, ", ")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), s.Out) },
	}
}

// shells maps each supported shell to the function that writes its completion
// script.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
}
