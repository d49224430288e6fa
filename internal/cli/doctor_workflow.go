package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/breadcrumb/action/internal/pwconfig"
	"github.com/breadcrumb/action/report"
)

// Bounds of what is looked through for configurations.
const (
	maxConfigs       = 20
	maxWorkflowBytes = 256 << 10
	maxConfigDepth   = 5 // folders below the checkout's top
)

// adviseWorkflow writes what to switch on in the Playwright configurations of a
// checkout, and what its workflows keep from Breadcrumb or is unsafe in them, a "!" before what should be
// looked at, and returns how many of those there are.
func adviseWorkflow(w io.Writer, checkout fs.FS) (findings int, err error) {
	if findings, err = advisePlaywright(w, checkout); err != nil {
		return findings, err
	}
	findings += adviseOutcomes(w, checkout)
	more, err := lintWorkflows(w, checkout)
	return findings + more, err
}

func advisePlaywright(w io.Writer, checkout fs.FS) (findings int, err error) {
	configs, err := playwrightConfigs(checkout)
	if err != nil {
		return 0, err
	}
	if len(configs) == 0 {
		fmt.Fprintln(w, "! Playwright      no playwright.config file in this folder or below it")
		return 1, nil
	}
	workflows := workflowText(checkout)
	for _, name := range configs {
		text, err := readSome(checkout, name, maxWorkflowBytes)
		if err != nil {
			return findings, err
		}
		fmt.Fprintln(w, report.Clean(name))
		for _, f := range pwconfig.Advise(pwconfig.Read(name, text), workflows) {
			mark := " "
			if f.Bad {
				mark = "!"
				findings++
			}
			fmt.Fprintf(w, "%s %-15s %s\n", mark, f.Name, report.Clean(f.Text))
		}
	}
	return findings, nil
}

// playwrightConfigs returns the names of a checkout's configurations.
func playwrightConfigs(checkout fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(checkout, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || len(names) >= maxConfigs:
			return fs.SkipDir
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || strings.Count(name, "/") >= maxConfigDepth):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(d.Name(), "playwright.config.") && scriptEnding(path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for Playwright's configuration: %w", err)
	}
	return names, nil
}

func scriptEnding(ext string) bool {
	switch ext {
	case ".ts", ".js", ".mts", ".mjs", ".cts", ".cjs":
		return true
	}
	return false
}

// workflowText returns the workflows of a checkout, one after the other.
func workflowText(checkout fs.FS) string {
	var all strings.Builder
	names, _ := fs.Glob(checkout, ".github/workflows/*.y*ml") // the pattern is good
	for i, name := range names {
		if text, err := readSome(checkout, name, maxWorkflowBytes); err == nil && i < maxConfigs {
			all.Write(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// readSome returns what a regular file begins with, at most limit bytes.
func readSome(checkout fs.FS, name string, limit int64) ([]byte, error) {
	if info, err := fs.Stat(checkout, name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", name))
	}
	f, err := checkout.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
