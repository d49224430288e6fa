package ci

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// maxSourceBytes bounds one source file that is searched for a title.
const maxSourceBytes = 1 << 20

// maxReadSources bounds how many searched source files are held.
const maxReadSources = 32

// absent holds what the last run had and this one lacks.
type absent struct {
	missing []string // tests that block: they should have run
	notices []engine.Notice
}

func (a absent) blocks() bool { return len(a.missing) > 0 }

// findAbsent compares the run with the last one of the same job and leg.
func findAbsent(ctx context.Context, cfg Config, db Database, got collected, source fs.FS) (absent, error) {
	known, err := db.KnownTests(ctx, cfg.Info, reportDigest(got.files))
	if err != nil {
		return absent{}, fmt.Errorf("read the last run: %w", err)
	}
	missing, removed := missingTests(known, got.results, source)
	var a absent
	for _, s := range vanished(missing, got.results) {
		a.notices = append(a.notices, warning(s))
	}
	if len(removed) > 0 {
		a.notices = append(a.notices, warning(fmt.Sprintf("%s of the last run no longer in the source and not expected: %s",
			plural(len(removed), "test is", "tests are"), quoteSome(removed))))
	}
	switch {
	case len(missing) == 0:
	case cfg.blocksMissing():
		a.missing = missing
		a.notices = append(a.notices, warning(`if the missing tests were removed on purpose, run once with the input or flag "missing: warn"`))
	default:
		a.notices = append(a.notices, warning(fmt.Sprintf("%s of the last run did not run: %s", plural(len(missing), "test", "tests"), quoteSome(missing))))
	}
	return a, nil
}

// unrun returns the tests that their runner did not run, and no other report
// shows.
func (c collected) unrun() []string {
	skipped := map[string]bool{}
	for _, r := range c.results {
		skipped[r.ID] = r.Final().Status == engine.StatusSkipped
	}
	var out []string
	for _, f := range c.files {
		for _, id := range f.Unrun {
			if skipped[id] {
				out = append(out, id)
				skipped[id] = false
			}
		}
	}
	return out
}

// cut returns the notice for tests that did not run beside an excused failure: a
// failure can end a run early, and nothing else of it is red then.
func cut(cfg Config, unrun []string) engine.Notice {
	reason := fmt.Sprintf("%s not run beside a failure that is excused, as after --max-failures, in a serial group or behind a setup project: %s",
		plural(len(unrun), "test was", "tests were"), quoteSome(unrun))
	if cfg.Missing == MissingWarn {
		return warning(reason)
	}
	return engine.Notice{Severity: engine.SeverityBlocking, Reason: reason + `; where that may pass set "missing: warn"`}
}

// checkout is the source tree as far as the search for vanished tests needs it.
type checkout struct {
	source   fs.FS
	files    []string            // its source files
	whole    bool                // false: the listing was cut at its bound
	anchored bool                // at least one test of this run has its file here
	file     map[string]string   // container of a test identity to its source file
	ran      map[string][]string // titles of the tests that ran by container
	read     map[string]titles   // by file
}

// missingTests splits the tests of the last run that this one lacks into those
// that should have run and those that were removed from the source. A test
// counts as removed only when its file is there and tells the titles of the
// tests of it that ran, but not its own, or when its file is gone from a
// checkout that demonstrably holds the tests; when unsure it should have run.
func missingTests(known []string, results []engine.TestResult, source fs.FS) (missing, removed []string) {
	here := make(map[string]bool, len(results))
	for _, r := range results {
		here[r.ID] = true
	}
	var tree *checkout
	for _, id := range known {
		if here[id] {
			continue
		}
		if tree == nil {
			tree = readCheckout(source, results)
		}
		if tree.lacks(id) {
			removed = append(removed, id)
		} else {
			missing = append(missing, id)
		}
	}
	return missing, removed
}

func readCheckout(source fs.FS, results []engine.TestResult) *checkout {
	t := &checkout{source: source, file: map[string]string{}, ran: map[string][]string{}, read: map[string]titles{}}
	t.files, t.whole = sourceFiles(source)
	for _, r := range results {
		container, title := splitID(r.ID)
		t.ran[container] = append(t.ran[container], title)
		if _, seen := t.file[container]; seen {
			continue
		}
		t.file[container] = r.File
		t.anchored = t.anchored || len(sourcesOf(container, t.files)) > 0
	}
	return t
}

// lacks reports whether the checkout shows that a test was taken out of it.
func (t *checkout) lacks(id string) bool {
	container, title := splitID(id)
	candidates := sourcesOf(container, t.files)
	if file := t.file[container]; slices.Contains(t.files, file) {
		candidates = append(candidates, file)
	}
	if len(candidates) == 0 {
		// A path that names no file any more was deleted; a class or suite
		// name that leads nowhere, or what a build makes, proves nothing.
		return looksLikeSource(container) && !made(container) && t.whole && t.anchored
	}
	// Many a runner's title is no text of the source: a suite's name before the
	// test's, a method inherited, a value filled in. Where the tests of the file
	// that ran are not found there either, or none ran, its silence proves nothing.
	told := t.tells(candidates)
	return told != nil && !told(title) && len(t.ran[container]) > 0 && !slices.ContainsFunc(t.ran[container], not(told))
}

// tells returns whether one of files tells a title; nil when one cannot be read.
func (t *checkout) tells(files []string) func(title string) bool {
	if len(t.read) > maxReadSources {
		clear(t.read)
	}
	for _, name := range files {
		if _, known := t.read[name]; known {
			continue
		}
		text, err := readBounded(t.source, name)
		if err != nil {
			return nil
		}
		t.read[name] = readTitles(text)
	}
	return func(title string) bool {
		return slices.ContainsFunc(files, func(name string) bool { return t.read[name].tell(title) })
	}
}

func not(is func(string) bool) func(string) bool { return func(s string) bool { return !is(s) } }

// splitID splits a test identity into its file or class and its own title,
// without parameters and environment.
func splitID(id string) (container, title string) {
	if i := strings.LastIndex(id, " ["); i > 0 && strings.HasSuffix(id, "]") {
		id = id[:i]
	}
	sep := " › "
	if !strings.Contains(id, sep) {
		sep = "::"
	}
	parts := strings.Split(id, sep)
	title = parts[len(parts)-1]
	if i := strings.IndexAny(title, "[("); i > 0 {
		title = title[:i]
	}
	return parts[0], strings.TrimSpace(title)
}

// sourcesOf returns the files of tree that container names: by path, by path
// suffix, or as a class by its last segment.
func sourcesOf(container string, tree []string) []string {
	container = strings.ReplaceAll(container, `\`, "/")
	class := container[strings.LastIndexAny(container, ".$/")+1:]
	var found []string
	for _, name := range tree {
		base := strings.TrimSuffix(path.Base(name), path.Ext(name))
		switch {
		case name == container, strings.HasSuffix(name, "/"+container):
			found = append(found, name)
		case !looksLikeSource(container) && base == class:
			found = append(found, name)
		}
	}
	return found
}

// readBounded reads a regular file of at most maxSourceBytes.
func readBounded(source fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(source, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSourceBytes {
		return nil, fs.ErrInvalid
	}
	return fs.ReadFile(source, name)
}
