package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/mcp"
)

const mcpLong = `Answer an assistant's questions about the history, over the Model Context
Protocol.

The assistant's program starts this command and speaks to it through its input
and output, or, with --http, over HTTP on this machine alone. The database and
the checkout are those named here, whatever is asked for; both are only read.`

const mcpExample = `  breadcrumb mcp
  breadcrumb mcp --db shop/.breadcrumb.db --repo shop
  breadcrumb mcp --http 127.0.0.1:8808`

func newMCP(s Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Answer an assistant's questions about the history (MCP)", Long: mcpLong, Example: mcpExample, Args: refuseArgs}
	cmd.Flags().SortFlags = false
	db := cmd.Flags().String("db", ".breadcrumb.db", dbUsage)
	repo := cmd.Flags().String("repo", ".", "checkout `DIR` that edits are proposed for")
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
		archive, err := mcp.OpenArchive(ctx, *db)
		if err != nil {
			return asUsageError(err)
		}
		defer func() { err = errors.Join(err, archive.Close()) }()
		log := newLogger(s.Err)
		server := mcp.New(mcp.Options{
			Archive: archive, Checkout: checkout.FS(), EditPaths: file["edit-paths"].items, Offline: *offline, AllowPrivate: *private,
			Version: version(), Now: time.Now, Log: log,
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

// asUsageError turns an error that the user can mend into a usage error.
func asUsageError(err error) error {
	if errors.As(err, new(mcp.Problem)) || errors.Is(err, fs.ErrNotExist) {
		return usageError{err.Error()}
	}
	return err
}
