// Command browser makes ready what the browser tests need: it applies to the
// driver that lies in playwright-go's directory the patches that playwright-go
// applies to a driver it downloaded itself. `make browser` runs it.
package main

import (
	"fmt"
	"os"

	"github.com/playwright-community/playwright-go"
)

func main() {
	// With the driver in place this only patches; without one it downloads it.
	if err := playwright.Install(&playwright.RunOptions{SkipInstallBrowsers: true}); err != nil {
		fmt.Fprintln(os.Stderr, "make browser:", err)
		os.Exit(1)
	}
}
