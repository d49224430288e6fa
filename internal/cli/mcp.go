package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/mcp"
)

const mcpLong = `Answer an assistant's questions about the history, over the Model Context
Protocol.

The assistant's program starts this command and speaks to it through its input
and output, or, with --http, over HTTP on this machine alone. The database and
the checkout are those named here, whatever is asked for; both are only read.

Edits are proposed for the heals of the database or, where the reports of a run
are named, for that run: the same that 'breadcrumb apply' makes, those of traces
too. The files are read anew at each question.`

const mcpExample = `  breadcrumb mcp
  breadcrumb mcp --db shop/.breadcrumb.db --repo shop
  breadcrumb mcp --junit 'results/*.xml' --traces 'test-results/**/trace.zip'
  breadcrumb mcp --http 127.0.0.1:8808`

// mcpSettings are the settings of `breadcrumb ci` that name the run that edits are
// proposed for.
var mcpSettings = []string{"junit", "max-report-bytes", "report-limits", "heal-events", "heal-db", "traces"}

func newMCP(s Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Answer an assistant's questions about the history (MCP)", Long: mcpLong, Example: mcpExample, Args: refuseArgs}
	cmd.Flags().SortFlags = false
	db := cmd.Flags().String("db", ".breadcrumb.db", dbUsage)
	repo := cmd.Flags().String("repo", ".", "checkout `DIR` that edits are proposed for")
	for _, s := range pickSettings(ciSettings(), mcpSettings...) {
		addFlag(cmd, s)
	}
	address := cmd.Flags().String("http", "", "listen on this loopback `IP:PORT` instead of input and output; port 0 for any")
	offline := cmd.Flags().Bool("offline", false, "leave out breadcrumb_generate_tests, the one tool that reaches the network")
	private := cmd.Flags().Bool("allow-private", false, "let breadcrumb_generate_tests reach loopback and private addresses")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		ctx := cmd.Context()
		checkout, err := os.OpenRoot(*repo)
		if err != nil {
			return usageError{"--repo: " + err.Error()}
		}
		defer func() { err = errors.Join(err, checkout.Close()) }()
		file, err := readConfigFile(filepath.Join(*repo, defaultConfigFile), false, ciSettings())
		if err != nil {
			return err
		}
		propose, err := proposeFromFiles(cmd, file)
		if err != nil {
			return err
		}
		archive, err := mcp.OpenArchive(ctx, *db)
		if err != nil {
			return asUsageError(err)
		}
		defer func() { err = errors.Join(err, archive.Close()) }()
		log := newLogger(s.Err)
		server := mcp.New(mcp.Options{
			Archive: archive, Checkout: checkout.FS(), EditPaths: file["edit-paths"].items, Propose: propose,
			Offline: *offline, AllowPrivate: *private, Version: version(), Now: time.Now, Log: log,
		})
		if *address == "" {
			return asUsageError(server.Stdio(ctx, os.Stdin, s.Out))
		}
		at, err := mcp.Listen(ctx, *address)
		if err != nil {
			return usageError{fmt.Sprintf("--http: %v", err)}
		}
		log.Info("listening", slog.String("url", "http://"+at.Addr().String()))
		return server.Serve(ctx, at)
	}
	return cmd
}

// proposeFromFiles returns what proposes the edits for the run whose files the flags name,
// nil where they name none. file holds the settings of the checkout's file.
func proposeFromFiles(cmd *cobra.Command, file values) (func(context.Context) (*outcome.Run, error), error) {
	if !slices.ContainsFunc(mcpSettings, cmd.Flags().Changed) {
		return nil, nil
	}
	vs, err := overrideSettings(cmd, ciSettings(), file, func(string) string { return "" }, os.Getenv)
	if err != nil {
		return nil, err
	}
	cfg, err := vs.buildConfig()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*outcome.Run, error) {
		run, err := ci.ProposeEdits(ctx, cfg, editDeps())
		if errors.As(err, new(ci.InputError)) {
			err = mcp.Problem(err.Error())
		}
		return run, err
	}, nil
}

// asUsageError turns an error that the user can mend into a usage error.
func asUsageError(err error) error {
	if errors.As(err, new(mcp.Problem)) || errors.Is(err, fs.ErrNotExist) {
		return usageError{err.Error()}
	}
	return err
}
