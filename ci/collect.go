package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/selfmend"
	"github.com/breadcrumb/action/internal/heap"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
	"github.com/breadcrumb/action/store/sqlite"
)

// collected is everything that was read for one run.
type collected struct {
	files   []*junit.File
	results []engine.TestResult
	heals   []engine.HealEvent
	notices []engine.Notice
	idle    []string // patterns of heal events without a file
}

// keptBytes is what may be kept of the names and counts of one report: about a
// million tests. The history of so many takes more.
const keptBytes = 64 << 20

// heapBound is what the heap holds while a report is read, where what is kept
// of it is less.
const heapBound heap.Bound = 34 << 20

// collect reads the reports and the heal events. The error is an InputError
// when not a single report could be read: then nothing can be judged.
func collect(ctx context.Context, cfg Config) (collected, error) {
	var c collected
	found, err := match(cfg.JUnit)
	if err != nil {
		return c, InputError{err}
	}
	if len(found.names) == 0 {
		return c, InputError{fmt.Errorf("no report matches %s: check the pattern, and that the test step ran and wrote its JUnit XML%s", strings.Join(cfg.JUnit, ", "), folders(found.idle, "*.xml"))}
	}
	c.notices = append(c.notices, found.notices...)
	c.notices = append(c.notices, unwritten(cfg, found.idle)...)
	root, err := filepath.Abs(cfg.Repo)
	if err != nil {
		return c, InputError{fmt.Errorf("checkout %s: %w", cfg.Repo, err)}
	}
	limits := cfg.Limits
	limits.KeptBytes = cmp.Or(limits.KeptBytes, keptBytes)
	files, notices := junit.ParseFiles(ctx, openFile, found.names, junit.Options{Root: root, Limits: limits, TracesNamed: len(cfg.Traces) > 0})
	c.files = files
	c.notices = append(c.notices, notices...)
	if err := ctx.Err(); err != nil {
		return c, fmt.Errorf("read reports: %w", err)
	}
	if len(files) == 0 {
		return c, InputError{unreadable(notices)}
	}
	c.results, notices = junit.Merge(files)
	c.notices = append(c.notices, notices...)
	c.notices = append(c.notices, unexplained(cfg.Steps, c)...)
	return c, c.collectHeals(ctx, cfg)
}

// collectHeals reads every heal event source. Heal events never decide a
// verdict, so what cannot be read of them is a warning; only a database or
// pattern that the user named wrongly stops the run.
func (c *collected) collectHeals(ctx context.Context, cfg Config) error {
	found, err := match(cfg.HealEvents)
	if err != nil {
		return InputError{err}
	}
	c.idle = found.idle
	for _, n := range found.notices {
		n.Severity = engine.SeverityWarning
		c.notices = append(c.notices, n)
	}
	for _, name := range found.names {
		heals, notices := readHeals(name)
		c.heals = append(c.heals, heals...)
		c.notices = append(c.notices, notices...)
	}
	if cfg.HealDB == "" {
		return nil
	}
	heals, notices, err := sqlite.ReadSeedHeals(ctx, cfg.HealDB)
	if err != nil {
		return InputError{fmt.Errorf("heal database: %w", err)}
	}
	c.heals = append(c.heals, heals...)
	c.notices = append(c.notices, notices...)
	return nil
}

// readHeals reads NDJSON, or, for a file named .json, a Playwright report.
func readHeals(name string) ([]engine.HealEvent, []engine.Notice) {
	f, err := os.Open(name)
	if err != nil {
		return nil, []engine.Notice{{File: name, Severity: engine.SeverityWarning, Reason: "cannot be read: " + errors.Unwrap(err).Error()}}
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return selfmend.ReadHeals(name, f)
	}
	return engine.ReadHeals(name, f)
}

// unwritten returns a notice for every pattern without a report, where others
// have one: the tests that should have written it may never have run.
func unwritten(cfg Config, idle []string) []engine.Notice {
	severity, reason := engine.SeverityBlocking, `no report matches this pattern: check it, and that the test step ran and wrote its report; where some runs write none set "missing: warn"`
	if cfg.Missing == MissingWarn {
		severity, reason = engine.SeverityWarning, "no report matches this pattern"
	}
	var out []engine.Notice
	for _, glob := range idle {
		out = append(out, engine.Notice{File: glob, Severity: severity, Reason: reason + folders([]string{glob}, "*.xml")})
	}
	return out
}

// folders says of the globs that are folders what to write instead.
func folders(globs []string, files string) string {
	said := ""
	for _, glob := range globs {
		if info, err := os.Stat(glob); err == nil && info.IsDir() {
			said += fmt.Sprintf("; %s is a folder, write %s", glob, filepath.ToSlash(filepath.Join(glob, "**", files)))
		}
	}
	return said
}

// matched is what globs match. A symbolic link that leaves the folder its glob
// starts in is set aside with a notice: a test could have planted it. So is a
// pipe or device, which nobody may ever write to: its opening would not end.
type matched struct {
	names   []string // files, each once, sorted
	notices []engine.Notice
	idle    []string // globs that match nothing
}

func match(globs []string) (matched, error) {
	var m matched
	for _, glob := range globs {
		found, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
		if err != nil {
			return matched{}, fmt.Errorf("pattern %q: %w", glob, err)
		}
		if len(found) == 0 {
			m.idle = append(m.idle, glob)
		}
		base, _ := doublestar.SplitPattern(filepath.ToSlash(glob))
		for _, name := range found {
			if reason := barred(base, name); reason != "" {
				m.notices = append(m.notices, engine.Notice{File: name, Severity: engine.SeverityBlocking, Reason: reason + " and was not read"})
				continue
			}
			m.names = append(m.names, filepath.ToSlash(name))
		}
	}
	slices.Sort(m.names)
	m.names = slices.Compact(m.names)
	return m, nil
}

// barred says what keeps a file from being read, "" for nothing.
func barred(base, name string) string {
	if leaves(base, name) {
		return "is a symbolic link to a place outside " + base
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "is a pipe or device, no file,"
	}
	return ""
}

// leaves reports whether name, links followed, lies outside base.
func leaves(base, name string) bool {
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return true
	}
	realName, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(realBase, realName)
	return err != nil || !filepath.IsLocal(rel)
}

func openFile(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	report, err := blob.Reader(f)
	if err != nil {
		return nil, err
	}
	return heapBound.Reader(report), nil
}

// unreadable says why none of the matched reports could be used.
func unreadable(notices []engine.Notice) error {
	var errs []error
	for _, n := range notices[:min(len(notices), 10)] {
		errs = append(errs, fmt.Errorf("%s: %s", n.File, n.Reason))
	}
	if more := len(notices) - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("and %d more", more))
	}
	return fmt.Errorf("no report could be read:\n%w", errors.Join(errs...))
}
