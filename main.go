// Command breadcrumb keeps browser tests honest: it judges a test run, heals
// broken locators as source patches and tells both on the pull request.
// `go install` names what it builds here action; cmd/breadcrumb is the same command.
package main

import (
	"os"

	"github.com/breadcrumb/action/internal/cli"
)

func main() { os.Exit(cli.RunProcess()) }
