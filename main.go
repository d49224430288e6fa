// Command breadcrumb keeps browser tests honest: it judges a test run, heals
// broken locators as source patches and tells both on the pull request.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/breadcrumb/action/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
