package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/internal/setup"
)

// completeWords makes a shell offer the words a flag takes.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	// The flag is one of ours, so that there is no error.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeTests makes a shell offer the tests in quarantine.
func completeTests(cmd *cobra.Command, db *string) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		err := withDB(cmd.Context(), *db, func(ctx context.Context, d database) error {
			entries, err := d.Quarantine(ctx)
			for _, e := range entries {
				ids = append(ids, e.TestID)
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

func langWords() []string {
	var words []string
	for _, lang := range setup.Langs() {
		words = append(words, string(lang))
	}
	return words
}

// shells are the shells that completion writes for, with how.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
}

func newCompletion(s Streams) *cobra.Command {
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print what a shell needs to complete commands",
		Long: "Print the script with which a shell completes commands, flags, the words that\nflags take, and the tests in quarantine: bash, zsh, fish or powershell.\n\n" +
			"bash reads it from /etc/bash_completion.d or by `source`, zsh as _breadcrumb from a\nfolder of $fpath, fish from ~/.config/fish/completions.",
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
