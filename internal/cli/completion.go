package cli

import (
	"context"

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
