package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// packages are what npm installs for tests: the Playwright Test whose browser is the
// one that playwright-go wants, so that both run the same, and TypeScript.
var packages = []string{"@playwright/test@1.61.1", "typescript@5.9.3", "@types/node@20.19.0"}

// NodeModules returns a node_modules with @playwright/test and TypeScript, which is
// kept from run to run beside the driver..
func NodeModules(tb testing.TB) string {
	tb.Helper()
	if !Needed() {
		tb.Skip("BREADCRUMB_BROWSER is not set; with `make browser` and npm it can be")
	}
	modules, err := nodeModules(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return modules
}

// nodeModules installs the packages where they are missing. Test programs that do
// so at once each install all, and the first to finish keeps it.
func nodeModules(ctx context.Context) (string, error) {
	driver, err := Folder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(driver, "npm")
	modules := filepath.Join(folder, "node_modules")
	compiler := filepath.Join(modules, "typescript", "bin", "tsc")
	if _, err := os.Stat(compiler); err == nil {
		return modules, nil
	}
	work, err := os.MkdirTemp(driver, "npm-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	install := exec.CommandContext(ctx, "npm", append([]string{"install", "--prefix", work, "--no-fund", "--no-audit", "--loglevel=error"}, packages...)...)
	install.Dir = work
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install: %w\n%s", err, out)
	}
	renamed := os.Rename(work, folder)
	if _, err := os.Stat(compiler); err != nil {
		return "", errors.Join(renamed, err)
	}
	return modules, nil
}
