package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/heap"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
)

func newJUnit(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "junit FILE…",
		Short:   "Show what was understood of test reports",
		Long:    "Show what was understood of reports: counts, test identities, warnings.\nWhat a file holds decides, not its name:\n" + junit.FormatNames + ".\nThe first thing to run on a report that Breadcrumb reads otherwise than you do.\n\nExit code: 0 every test of every file was read, 2 one was not or may be missing.",
		Example: "  breadcrumb junit results.xml\n  breadcrumb junit --format json results/*.xml",
	}
	format := cmd.Flags().String("format", "table", "`FORMAT` of what is printed: table or json")
	completeWords(cmd, "format", "table", "json")
	settings := pickSettings(ciSettings(), "max-report-bytes", "report-limits")
	for _, set := range settings {
		addFlag(cmd, set)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{"name at least one report ('breadcrumb junit --help')"}
		}
		if *format != "table" && *format != "json" {
			return usageError{fmt.Sprintf("--format is %q; it must be table or json", *format)}
		}
		limits, err := flagLimits(cmd, settings)
		if err != nil {
			return err
		}
		names, err := expandReportNames(args)
		if err != nil {
			return err
		}
		out := bufio.NewWriterSize(heapBound.Writer(s.Out), 64<<10)
		var print filePrinter = &tablePrinter{w: out}
		if *format == "json" {
			print = newJSONPrinter(out)
		}
		unread, err := printFiles(cmd.Context(), print, names, limits, s.progress)
		if err := errors.Join(err, out.Flush()); err != nil {
			return fmt.Errorf("print reports: %w", err)
		}
		if unread {
			return exitError{ci.ExitUsage}
		}
		return nil
	}
	return cmd
}

func newJSONPrinter(w io.Writer) *jsonPrinter {
	p := &jsonPrinter{w: w}
	p.encoder = json.NewEncoder(&p.encoded)
	p.encoder.SetEscapeHTML(false)
	return p
}

// flagLimits returns the report limits that the flags set.
func flagLimits(cmd *cobra.Command, settings []setting) (junit.Limits, error) {
	vs := values{}
	for _, set := range settings {
		v := flagValue(cmd, set)
		if err := set.checkValue(v); err != nil {
			return junit.Limits{}, err
		}
		vs[set.name] = v
	}
	return vs.limits(), nil
}

// expandReportNames returns the files that the arguments name. An argument that is
// no file is expanded as a pattern, for shells that do not expand patterns.
func expandReportNames(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err == nil && info.IsDir():
			return nil, usageError{fmt.Sprintf("%s is a directory; name the reports in it, for example '%s/**/*.xml'", arg, strings.TrimRight(filepath.ToSlash(arg), "/"))}
		case err == nil || !strings.ContainsAny(arg, "*?[{"):
			names = append(names, arg)
			continue
		}
		found, err := doublestar.FilepathGlob(arg, doublestar.WithFilesOnly())
		if err != nil {
			return nil, usageError{fmt.Sprintf("pattern %q: %v", arg, err)}
		}
		if len(found) == 0 {
			return nil, usageError{fmt.Sprintf("no file matches %q", arg)}
		}
		names = append(names, found...)
	}
	return names, nil
}

// heapBound keeps the process below 64 MB, with room for the program itself.
const heapBound heap.Bound = 32 << 20

// A group of reports that is read at one time has at most maxGroupFiles files and,
// where it has more than one, maxGroupBytes bytes.
const (
	maxGroupFiles = 8
	maxGroupBytes = 4 << 20
)

// groupBySize splits names into the groups that are read at one time.
func groupBySize(names []string) (groups [][]string) {
	size := int64(0)
	for _, name := range names {
		own := int64(maxGroupBytes)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			own = info.Size()
		}
		size += own
		if last := len(groups) - 1; last >= 0 && size <= maxGroupBytes && len(groups[last]) < maxGroupFiles {
			groups[last] = append(groups[last], name)
			continue
		}
		size = own
		groups = append(groups, []string{name})
	}
	return groups
}

// printFiles reads and prints every report. unread reports whether a file could not
// be read, or not every test of one.
func printFiles(ctx context.Context, print filePrinter, names []string, limits junit.Limits, p *progress) (unread bool, err error) {
	defer heapBound.Apply()()
	read := newReadCounter(names, limits.FileBytes)
	p.showEach(read.describe)
	root, err := os.Getwd()
	if err != nil {
		root = ""
	}
	if err := print.begin(); err != nil {
		return false, err
	}
	for _, some := range groupBySize(names) {
		files, notices := junit.ParseFiles(ctx, read.openCounted, some, junit.Options{Root: root, Limits: limits, Wait: heapBound.Waiter()})
		for _, name := range some {
			at := slices.IndexFunc(files, func(f *junit.File) bool { return f.Name == name })
			if at < 0 {
				unread = true
				err = print.printUnread(filepath.ToSlash(name), findReason(name, notices))
			} else {
				unread = unread || !files[at].Whole
				err = print.printFile(files[at])
			}
			if err != nil {
				return unread, err
			}
		}
	}
	return unread, print.end()
}

func findReason(name string, notices []engine.Notice) string {
	if at := slices.IndexFunc(notices, func(n engine.Notice) bool { return n.File == name }); at >= 0 {
		return notices[at].Reason
	}
	return "could not be read"
}

// readCounter counts the bytes read of a set of files.
type readCounter struct {
	read  atomic.Int64
	total int64 // bytes, 0 where a file does not say its size
	most  int64 // bytes of one report
}

func newReadCounter(names []string, most int64) *readCounter {
	t := &readCounter{most: most}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return &readCounter{most: most}
		}
		t.total += info.Size()
	}
	return t
}

// describe returns how far the reading is, for the progress line.
func (t *readCounter) describe() string {
	const mega = 1e6
	read := float64(t.read.Load()) / mega
	if t.total == 0 || read*mega > float64(t.total) { // a packed file unpacks to more
		return fmt.Sprintf("reading, %.0f MB so far", read)
	}
	return fmt.Sprintf("reading, %.0f of %.0f MB", read, float64(t.total)/mega)
}

// openCounted opens a report and counts what is read of it.
func (t *readCounter) openCounted(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	report, err := blob.Reader(f, t.most)
	if err != nil {
		return nil, err
	}
	return countedReader{heapBound.Reader(report), t}, nil
}

// countedReader adds what is read to a readCounter.
type countedReader struct {
	io.ReadCloser
	t *readCounter
}

func (r countedReader) Read(into []byte) (int, error) {
	n, err := r.ReadCloser.Read(into)
	r.t.read.Add(int64(n))
	return n, err
}
