package cli

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine/text"
)

// usageError is a command line, input or configuration file that cannot be
// used, in words for the user.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// exitError carries an exit code whose reason is printed already.
type exitError struct{ code ci.Exit }

func (e exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// refuseUnknownCommand returns an error where the first argument is no subcommand.
func refuseUnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return usageError{fmt.Sprintf("unknown command %q%s; '%s --help' lists them", args[0], suggestName(args[0], names), cmd.CommandPath())}
}

// refuseArgs returns an error for any positional argument. Where a command takes
// globs, it is mostly one that the shell expanded because it was not quoted.
func refuseArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := switchHint(cmd, args)
	if hint == "" && cmd.Flags().Lookup("junit") != nil {
		hint = "; put patterns in quotes so that the shell leaves them alone"
	}
	return usageError{fmt.Sprintf("unexpected argument %q%s ('%s --help')", args[0], hint, cmd.CommandPath())}
}

// switchHint says how a flag that is on or off takes a value, where an argument is one, ""
// where none is.
func switchHint(cmd *cobra.Command, args []string) string {
	at := slices.IndexFunc(args, func(arg string) bool { return switchWords[arg] != "" })
	if at < 0 {
		return ""
	}
	var flags []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			flags = append(flags, "--"+f.Name+"="+switchWords[args[at]])
		}
	})
	if len(flags) == 0 {
		return ""
	}
	return "; write " + strings.Join(flags, " or ")
}

// switchWords are the words for on and off, with what a flag takes.
var switchWords = map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}

// suggestName returns "did you mean" with the name nearest to word, "" where none
// is near.
func suggestName(word string, names []string) string {
	pattern := text.NewPattern([]rune(word))
	nearest, distance := "", 0
	for i, name := range names {
		if d := pattern.Distance([]rune(name)); i == 0 || d < distance {
			nearest, distance = name, d
		}
	}
	if distance > max(1, (len(word)+1)/3) { // two letters that changed places are two
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}

// toStrings returns the texts of named words.
func toStrings[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return texts
}

// completeWords makes shell completion propose the values of a flag.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	// The flag is one of ours, so that there is no error.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// newLogger returns a logger without times: every CI log has its own.
func newLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// released is the version that the linker writes into a release's binaries.
var released string

// version is the release's or the module's version, or the commit of a
// development build.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return strings.TrimSpace("devel " + buildSetting("vcs.revision"))
}

// buildSetting returns what the build recorded under a key, "" where it did not.
func buildSetting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}
