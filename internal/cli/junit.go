package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/report"
)

func newJUnit(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "junit FILE…",
		Short:   "Show what was understood of JUnit reports",
		Long:    "Show what was understood of JUnit reports: counts, test identities, warnings.\nThe first thing to run on a report that Breadcrumb reads otherwise than you do.\n\nExit code: 0 every file was read, 2 one could not be.",
		Example: "  breadcrumb junit results.xml\n  breadcrumb junit --format json results/*.xml",
	}
	format := cmd.Flags().String("format", "table", "table or json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{"name at least one report ('breadcrumb junit --help')"}
		}
		if *format != "table" && *format != "json" {
			return usageError{fmt.Sprintf("--format: format is %q; it must be table, json", *format)}
		}
		views := viewFiles(cmd.Context(), args)
		print := printTable
		if *format == "json" {
			print = printJSON
		}
		if err := print(s.Out, views); err != nil {
			return fmt.Errorf("print reports: %w", err)
		}
		for _, v := range views {
			if v.Error != "" {
				return exitError{ci.ExitUsage}
			}
		}
		return nil
	}
	return cmd
}

// fileView is one report as `breadcrumb junit` shows it, row by row: what the
// report says before rows of one test are joined.
type fileView struct {
	File     string     `json:"file"`
	Tests    int        `json:"tests"` // <testcase> rows
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Errors   int        `json:"errors"`
	Skipped  int        `json:"skipped"`
	Flaky    int        `json:"flaky"`
	Green    bool       `json:"green"`
	Format   string     `json:"format"`
	Warnings []string   `json:"warnings"`
	Error    string     `json:"error,omitempty"`
	Cases    []caseView `json:"cases"`
}

type caseView struct {
	ID         string        `json:"id"`
	Suite      string        `json:"suite"`
	Class      string        `json:"classname"`
	Name       string        `json:"name"`
	File       string        `json:"file"`
	Status     engine.Status `json:"status"`
	DurationMS float64       `json:"duration_ms"`
	Attempts   int           `json:"attempts"`
}

func viewFiles(ctx context.Context, names []string) []fileView {
	root, err := os.Getwd()
	if err != nil {
		root = ""
	}
	files, notices := junit.ParseFiles(ctx, func(name string) (io.ReadCloser, error) { return os.Open(name) }, names, junit.Options{Root: root})
	read := map[string]*junit.File{}
	for _, f := range files {
		read[f.Name] = f
	}
	views := make([]fileView, 0, len(names))
	for _, name := range names {
		if f := read[name]; f != nil {
			views = append(views, viewOf(f))
			continue
		}
		v := fileView{File: filepath.ToSlash(name), Error: "could not be read", Warnings: []string{}, Cases: []caseView{}}
		for _, n := range notices {
			if n.File == name {
				v.Error = n.Reason
			}
		}
		views = append(views, v)
	}
	return views
}

func viewOf(f *junit.File) fileView {
	counts := f.Counts()
	v := fileView{
		File: f.Name, Tests: counts.Tests, Passed: counts.Passed, Failed: counts.Failed, Errors: counts.Errors, Skipped: counts.Skipped,
		Flaky: counts.Flaky, Green: f.Green(), Format: f.Format, Warnings: []string{}, Cases: make([]caseView, 0, f.Rows),
	}
	for _, n := range f.Notices {
		text := n.Reason
		if n.Line > 0 {
			text = fmt.Sprintf("line %d: %s", n.Line, n.Reason)
		}
		v.Warnings = append(v.Warnings, text)
	}
	for i := range f.Rows {
		c := f.Case(i)
		suite, class, name := f.CaseNames(i)
		v.Cases = append(v.Cases, caseView{ID: f.Result(c.Result).ID, Suite: suite, Class: class, Name: name, File: c.File,
			Status: c.Status, DurationMS: c.DurationMS, Attempts: 1 + c.Flaky + c.Reruns})
	}
	return v
}

func printJSON(w io.Writer, views []fileView) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"files": views})
}

func printTable(w io.Writer, views []fileView) error {
	for _, v := range views {
		if v.Error != "" {
			fmt.Fprintf(w, "%s: not read: %s\n", report.Clean(v.File), report.Clean(v.Error))
			continue
		}
		fmt.Fprintf(w, "%s (%s): %d passed, %d failed, %d errors, %d skipped, %d flaky\n",
			report.Clean(v.File), report.Clean(v.Format), v.Passed, v.Failed, v.Errors, v.Skipped, v.Flaky)
		for _, text := range v.Warnings {
			fmt.Fprintf(w, "  warning: %s\n", report.Clean(text))
		}
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range v.Cases {
			fmt.Fprintf(table, "  %s\t%s\t%.0f ms\t%s\n", c.Status, attempts(c.Attempts), c.DurationMS, report.Clean(c.ID))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
