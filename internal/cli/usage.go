package cli

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
)

// usageError is a command line, input or configuration file that cannot be
// used, in words for the user.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// exitError carries an exit code whose reason has been told already.
type exitError struct{ code ci.Exit }

func (e exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// noSuchCommand refuses a first word that is no subcommand.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return usageError{fmt.Sprintf("unknown command %q%s; '%s --help' lists them", args[0], meant(args[0], names), cmd.CommandPath())}
}

// noArgs refuses positional arguments, which are mostly a glob that the shell
// expanded because it was not quoted, where a command takes globs.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if cmd.Flags().Lookup("junit") != nil {
		hint = "; put patterns in quotes so that the shell leaves them alone"
	}
	return usageError{fmt.Sprintf("unexpected argument %q%s ('%s --help')", args[0], hint, cmd.CommandPath())}
}

// meant asks for the name that word is likely a slip of, "" where none is.
func meant(word string, names []string) string {
	name := nearest(word, names)
	if distance(word, name) > max(1, len(word)/3) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// nearest returns the name with the smallest edit distance to word.
func nearest(word string, names []string) string {
	best, bestDistance := "", -1
	for _, name := range names {
		if d := distance(word, name); bestDistance < 0 || d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two short words, in bytes.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost++
			}
			previous = row[j+1]
			row[j+1] = min(cost, previous+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// completeWords makes a shell offer the words a flag takes.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	// The flag is one of ours, so that there is no error.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// newLogger logs for people at w: no time, which every CI log has already.
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
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return "devel " + setting.Value
		}
	}
	return "devel"
}
