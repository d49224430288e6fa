// Command browser makes ready what the browser tests need: it applies to the drivers
// that lie in playwright-go's directory the patches that playwright-go applies to a
// driver it downloaded itself. `make browser` runs it.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mxschmitt/playwright-go"
	community "github.com/playwright-community/playwright-go"
)

func main() {
	versions := flag.Bool("versions", false, "print the versions of the drivers, the maintained module's first")
	flag.Parse()
	if err := run(*versions); err != nil {
		fmt.Fprintln(os.Stderr, "make browser:", err)
		os.Exit(1)
	}
}

func run(versions bool) error {
	driver, err := playwright.NewDriver(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return err
	}
	older, err := community.NewDriver(&community.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return err
	}
	if versions {
		fmt.Println(driver.Version, older.Version)
		return nil
	}
	// With the driver in place this only patches; without one it downloads it.
	if err := driver.Install(); err != nil {
		return err
	}
	if os.Getenv("PLAYWRIGHT_DRIVER_PATH") != "" { // that is the one driver's
		return nil
	}
	return older.Install()
}
