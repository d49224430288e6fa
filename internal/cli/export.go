package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/replay"
	"github.com/breadcrumb/action/store"
)

func newExport(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export", Short: "Write what the database holds", Args: refuseArgs,
		Long:    "Write the runs of a database as a history that `breadcrumb replay` reads:\nNDJSON, one run a line, oldest first.",
		Example: "  breadcrumb export --history past.ndjson\n  breadcrumb replay --history past.ndjson",
	}
	db := cmd.Flags().String("db", ".breadcrumb.db", dbUsage)
	out := cmd.Flags().String("history", "", "`FILE` to write the history to (required)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *out == "" {
			return usageError{"say where the history goes: --history FILE"}
		}
		return withDB(cmd.Context(), *db, toRead, func(ctx context.Context, d database) error {
			s.progress.show("reading the history")
			past, err := d.Evidence(ctx, engine.RunInfo{})
			if err != nil {
				return fmt.Errorf("read history: %w", err)
			}
			if err := writeHistory(*out, past); err != nil {
				return fmt.Errorf("write history: %w", err)
			}
			fmt.Fprintf(s.Out, "%s written to %s\n", text.Count(len(past.Runs), "run", "runs"), *out)
			return nil
		})
	}
	return cmd
}

func writeHistory(name string, past store.Evidence) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return usageError{err.Error()}
	}
	w := bufio.NewWriter(file)
	defer func() { err = errors.Join(err, w.Flush(), file.Close()) }()
	runs := make([]flaky.Run, len(past.Runs))
	attempts := make([]int, len(past.Runs))
	for i, r := range past.Runs {
		runs[i], attempts[i] = r.Run, max(r.Attempt, 1)
	}
	return replay.WriteHistory(w, past.Tests, runs, attempts)
}
