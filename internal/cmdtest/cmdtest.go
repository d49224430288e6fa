// Package cmdtest gives tests the breadcrumb command.
package cmdtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// Folder returns the folder that holds the command, for PATH, and nothing else. All
// packages share it: the first test to ask has the command linked, and for the next
// ones `go build` finds that nothing has changed. Nobody may write to it.
var Folder = sync.OnceValues(func() (string, error) {
	top, err := moduleTop()
	if err != nil {
		return "", fmt.Errorf("build the command: %w", err)
	}
	kind, flags := buildFlags()
	work := filepath.Join(top, "bin", "test")
	folder := filepath.Join(work, kind)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("build the command: %w", err)
	}
	build := exec.Command("go", slices.Concat([]string{"build"}, flags, []string{"-o", filepath.Join(folder, "breadcrumb"), "."})...)
	build.Dir = top
	// Beside the folder, so that the program is renamed into it whole, while other
	// test programs run the one that is there.
	build.Env = append(os.Environ(), "GOTMPDIR="+work)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return folder, nil
})

// Program returns the file of the command.
func Program(tb testing.TB) string {
	tb.Helper()
	folder, err := Folder()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(folder, "breadcrumb")
}

// buildFlags returns the flags that this test program was compiled with, so that
// packages are there compiled, races are looked for in the command, too, and what it
// covers is counted. Commands of another kind differ, and one must not take the
// place of the other under a test that runs it.
func buildFlags() (kind string, flags []string) {
	kind, flags = "command", []string{"-ldflags=-s -w"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-race", "-trimpath":
				kind, flags = kind+s.Key, append(flags, s.Key+"="+s.Value)
			case "CGO_ENABLED":
				kind += "-cgo" + s.Value
			}
		}
	}
	if mode := testing.CoverMode(); mode != "" {
		kind, flags = kind+"-cover", append(flags, "-cover", "-covermode="+mode, "-coverpkg=./...")
	}
	return kind, flags
}

// moduleTop returns the folder of go.mod, in or above that of the test.
func moduleTop() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above: %w", os.ErrNotExist)
		}
		dir = filepath.Dir(dir)
	}
}
