// Command breadcrumb is the command of the module's top, for `go install`, which names
// a command after its folder.
package main

import (
	"os"

	"github.com/breadcrumb/action/internal/cli"
)

func main() { os.Exit(cli.RunProcess()) }
