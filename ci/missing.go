package ci

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/store"
)

// findMissing compares the run with the last one of the same job and leg that is not
// newer. Tests that are not there any more and should have run are missing.
func (r *run) findMissing(ctx context.Context) error {
	last, found, err := r.session.DB.LastTests(ctx, r.cfg.Info, r.session.Self.ReportDigest, nil)
	if former := r.session.restored.Former.Workflow; err == nil && !found && former != "" {
		before := r.cfg.Info
		before.WorkflowID, before.Workflow = 0, before.Repository+"/"+former+"@refs/heads/"+before.Branch
		last, _, err = r.session.DB.LastTests(ctx, before, r.session.Self.ReportDigest, nil)
	}
	if err != nil {
		return fmt.Errorf("read the last run: %w", err)
	}
	last.Tests = r.localNames(last.Tests)
	missing, removed := missingTests(last.Tests, r.collected.results, &r.tree)
	newer := r.cfg.Info.RunID != 0 && last.RunID > r.cfg.Info.RunID // by the forge's numbers: no run is recorded that is older
	switch {
	case len(missing) == 0:
	case !r.cfg.Info.Trusted() && (last.Trusted || newer):
		if missing, removed, err = r.expectOfBase(ctx, last, missing, removed); err != nil {
			return err
		}
	case newer:
		r.warn("nobody knows whether tests are missing here: only newer runs are recorded, and run %d at commit %s had more: %s",
			last.RunID, shortCommit(last.Commit), quoteSome(missing))
		missing, removed = nil, nil
	}
	for _, sentence := range vanishedSuites(missing, r.collected.results) {
		r.note(warning(sentence))
	}
	if len(removed) > 0 {
		r.warn("%s of the last run no longer in the source and not expected: %s", text.Count(len(removed), "test is", "tests are"), quoteSome(removed))
	}
	switch {
	case len(missing) == 0:
	case r.cfg.blocksMissing():
		r.missing = missing
		r.note(warning(`if the missing tests were removed on purpose, or the run was narrowed to some tests, run it with the input or flag "missing: warn"`))
	default:
		r.warn("%s of the last run did not run: %s", text.Count(len(missing), "test", "tests"), quoteSome(missing))
	}
	return nil
}

// expectOfBase returns the tests that are missing and removed in the first complete
// run of a branch or pull request, which has no older one of its own to compare with:
// of those that the default branch had where this one branched off. Where that is not
// known the newest run counts, last, as it is the one that expects most.
func (r *run) expectOfBase(ctx context.Context, last store.LastTests, missing, removed []engine.TestID) (_, _ []engine.TestID, err error) {
	base, found, why := store.Base{}, store.LastTests{}, "nobody tells where this branch began"
	if r.deps.Ancestry != nil && r.cfg.Info.Commit != "" {
		if base, err = r.deps.Ancestry.MergeBase(ctx, r.cfg.Info.Commit); err != nil {
			why = err.Error()
		}
	}
	if base.Commit != "" {
		why = fmt.Sprintf("no run is recorded of commit %s, where this branch began, or of one before", shortCommit(base.Commit))
		there := false
		if found, there, err = r.session.DB.LastTests(ctx, r.cfg.Info, r.session.Self.ReportDigest, &base); err != nil {
			return nil, nil, fmt.Errorf("read the last run: %w", err)
		}
		if there {
			why = ""
		}
	}
	if why != "" {
		r.warn("missing tests are those that run %d on %s at commit %s had: %s", last.RunID, last.Branch, shortCommit(last.Commit), why)
		return missing, removed, nil
	}
	expected, gone := missingTests(found.Tests, r.collected.results, &r.tree)
	if gained := without(missing, expected); len(gained) > 0 {
		r.warn("%s not expected here: run %d on %s at commit %s, where this branch began, did not have %s", text.Count(len(gained), "test is", "tests are"),
			found.RunID, found.Branch, shortCommit(found.Commit), quoteSome(gained))
	}
	if len(expected) > 0 {
		r.warn("missing tests are those that run %d on %s at commit %s had, where this branch began", found.RunID, found.Branch, shortCommit(found.Commit))
	}
	return expected, gone, nil
}

// shortCommit is a commit as people read it.
func shortCommit(sha string) string { return sha[:min(len(sha), 7)] }

// blocksMissing reports whether missing tests fail this run.
func (c Config) blocksMissing() bool {
	return c.Missing == MissingFail || c.Missing != MissingWarn && c.Info.Leg == ""
}

// maxVanished bounds how many vanished suites are named.
const maxVanished = 10

// vanishedSuites says which files or classes of missing tests have no test at
// all in this run, a sentence each: a whole suite that did not run has another
// cause than one test that did not.
func vanishedSuites(missing []engine.TestID, results []engine.TestResult) []string {
	here := map[string]bool{}
	for _, r := range results {
		container, _ := splitID(r.ID)
		here[container] = true
	}
	lost := map[string]int{}
	var order []string
	for _, id := range missing {
		container, title := splitID(id)
		if here[container] || container == title {
			continue
		}
		if lost[container]++; lost[container] == 1 {
			order = append(order, container)
		}
	}
	slices.Sort(order)
	var sentences []string
	for _, container := range order[:min(len(order), maxVanished)] {
		sentences = append(sentences, fmt.Sprintf("suite %q vanished: none of its %s of the last run ran", container, text.Count(lost[container], "test", "tests")))
	}
	if more := len(order) - len(sentences); more > 0 {
		sentences = append(sentences, fmt.Sprintf("%s more vanished", text.Count(more, "suite", "suites")))
	}
	return sentences
}

// missingTests splits the tests of the last run that this one lacks into those
// that should have run and those that were removed from the source. A test
// counts as removed only when its file is there and holds the titles of those of
// its tests that ran, but not this one's, or when its file is gone from a checkout
// that demonstrably holds the tests. When in doubt it should have run.
func missingTests(known []engine.TestID, results []engine.TestResult, sources *sourceTree) (missing, removed []engine.TestID) {
	here := make(map[engine.TestID]bool, len(results))
	for _, r := range results {
		here[r.ID] = true
	}
	var tree *testSources
	for _, id := range known {
		if here[id] {
			continue
		}
		if tree == nil {
			tree = newTestSources(sources, results)
		}
		if tree.lacksTest(id) {
			removed = append(removed, id)
		} else {
			missing = append(missing, id)
		}
	}
	return missing, removed
}

// maxReadSources bounds how many searched source files are held.
const maxReadSources = 32

// testSources is the checkout as far as it shows whether a test was removed.
type testSources struct {
	*sourceTree
	anchored bool                // at least one test of this run has its file here
	file     map[string]string   // container of a test identity to its source file
	ran      map[string][]string // titles of the tests that ran by container
	read     map[string]titles   // by file
}

func newTestSources(tree *sourceTree, results []engine.TestResult) *testSources {
	t := &testSources{sourceTree: tree, file: map[string]string{}, ran: map[string][]string{}, read: map[string]titles{}}
	for _, r := range results {
		container, title := splitID(r.ID)
		t.ran[container] = append(t.ran[container], title)
		if _, seen := t.file[container]; seen {
			continue
		}
		t.file[container] = r.File
		t.anchored = t.anchored || len(sourcesOf(container, t.list())) > 0
	}
	return t
}

// lacksTest reports whether the checkout shows that a test was removed from it.
func (t *testSources) lacksTest(id engine.TestID) bool {
	container, title := splitID(id)
	candidates := sourcesOf(container, t.files)
	if file := t.file[container]; slices.Contains(t.files, file) {
		candidates = append(candidates, file)
	}
	if len(candidates) == 0 {
		// A path that names no file any more was deleted; a class or suite
		// name that leads nowhere, or what a build makes, proves nothing.
		return looksLikeSource(container) && !inUnlistedFolder(container) && t.whole && t.anchored
	}
	// The title of many a runner is not in the source as it stands: the suite's
	// name before the test's, an inherited method, a value filled in. Where the
	// titles of the file's tests that ran are not found there either, or none ran,
	// a title that is not found proves nothing.
	ran := t.ran[container]
	if !t.readAll(candidates) || len(ran) == 0 || t.anyHolds(candidates, title) {
		return false
	}
	return !slices.ContainsFunc(ran, func(title string) bool { return !t.anyHolds(candidates, title) })
}

// inUnlistedFolder reports whether a file lies in a folder that sourceTree does
// not list.
func inUnlistedFolder(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), holdsNoSource)
}

// readAll reads the files, false when one cannot be read.
func (t *testSources) readAll(files []string) bool {
	if len(t.read) > maxReadSources {
		clear(t.read)
	}
	for _, name := range files {
		if _, known := t.read[name]; known {
			continue
		}
		text, err := readSource(t.source, name)
		if err != nil {
			return false
		}
		t.read[name] = readTitles(text)
	}
	return true
}

// anyHolds reports whether one of the files, which were read, holds a title.
func (t *testSources) anyHolds(files []string, title string) bool {
	return slices.ContainsFunc(files, func(name string) bool { return t.read[name].hold(title) })
}

// splitID splits a test identity into its file or class and its own title,
// without parameters and environment.
func splitID(id engine.TestID) (container, title string) {
	id, _ = id.CutEnvironment()
	parts := id.Segments()
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

// titles is what the text of a test file shows of the titles of its tests.
type titles struct {
	text      []byte
	templates []patch.Template // what stands around the values in texts that hold some
}

var (
	// textWithValue is a text on one line that holds a value, or that one is
	// added to: `adds ${n}`, "adds #{n}", f"adds {n}", 'adds %i', "adds " + n.
	textWithValue = lazyregexp.New("`[^`\n]*`|\"[^\"\n]*\"(?:\\s*\\+)?|'[^'\n]*'(?:\\s*\\+)?")
	valueInText   = lazyregexp.New(`\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|%[a-z#]|\$[A-Za-z_][\w.]*`)
)

func readTitles(text []byte) titles {
	t := titles{text: text}
	for _, found := range textWithValue.FindAll(text, -1) {
		end := bytes.LastIndexByte(found, found[0])
		parts := valueInText.Split(string(found[1:end]), -1)
		if end < len(found)-1 { // a value is added
			parts = append(parts, "")
		}
		if len(parts) > 1 && strings.Join(parts, "") != "" {
			t.templates = append(t.templates, parts)
		}
	}
	return t
}

// hold reports whether the text holds the title, or a template that makes it.
func (t titles) hold(title string) bool {
	if bytes.Contains(t.text, []byte(title)) {
		return true
	}
	return slices.ContainsFunc(t.templates, func(parts patch.Template) bool { return parts.Matches(title) })
}
