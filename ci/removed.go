package ci

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/store"
)

// splitMissing is missingTests of this run.
func (r *run) splitMissing(ctx context.Context, known []engine.TestID) (missing, removed []engine.TestID, err error) {
	if len(without(known, r.collected.order())) == 0 {
		return nil, nil, nil
	}
	suite, err := r.session.DB.KnownPlaces(ctx, r.cfg.Info, known)
	if err != nil {
		return nil, nil, err
	}
	missing, removed = missingTests(known, r.collected.results, &r.tree, suite)
	return missing, removed, nil
}

// missingTests splits the tests of the last run that this one lacks into those
// that should have run and those that were removed from the source. A test
// counts as removed only when its file is there and holds the titles of those of
// its tests that ran, but not this one's, or when its file is gone from a checkout
// that demonstrably holds the tests. When in doubt it should have run.
func missingTests(known []engine.TestID, results []engine.TestResult, sources *sourceTree, suite store.Suite) (missing, removed []engine.TestID) {
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
			tree = newTestSources(sources, results, suite)
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

// testSources is the checkout as far as it shows where tests stand and which were removed.
type testSources struct {
	*sourceTree
	suite    store.Suite                // what is known of the tests of the last run
	anchored bool                       // at least one test of this run has its file here
	file     map[string]string          // container of a test identity to its source file
	ran      map[string][]engine.TestID // tests that ran by container
	read     map[string]*titles         // by file
	left     int                        // bytes that may still be read
}

func newTestSources(tree *sourceTree, results []engine.TestResult, suite store.Suite) *testSources {
	t := &testSources{sourceTree: tree, suite: suite, file: map[string]string{}, ran: map[string][]engine.TestID{}, read: map[string]*titles{}, left: maxSearchedBytes}
	for _, r := range results {
		container, _ := splitID(r.ID)
		t.ran[container] = append(t.ran[container], r.ID)
		if _, seen := t.file[container]; seen {
			continue
		}
		t.file[container] = r.File
		t.anchored = t.anchored || len(t.sourcesOf(container)) > 0
	}
	return t
}

// lacksTest reports whether the checkout proves that a test was removed from it: its file
// is gone, or its title was written there and is not any more.
func (t *testSources) lacksTest(id engine.TestID) bool {
	container, title := splitID(id)
	candidates := t.candidates(container)
	if len(candidates) == 0 {
		// A path that names no file any more was deleted; a class or suite
		// name that leads nowhere, or what a build makes, proves nothing.
		return looksLikeSource(container) && !inUnlistedFolder(container) && t.whole && t.anchored
	}
	if !t.readAll(candidates) || t.anyHolds(candidates, title) {
		return false
	}
	explained, made := t.explainTitles(container, candidates)
	makes := slices.ContainsFunc(candidates, func(name string) bool { return t.read[name].makesTitles() })
	switch t.suite.Tests[id].Title {
	case store.TitleMade:
		return false // its data may be lost
	case store.TitleWritten:
		// It may have become data that is lost, unless other titles of the file were data before and still run.
		return explained && (made || !makes)
	}
	return explained && !made && !makes
}

// explainTitles reports whether all titles of the tests of a file that ran are explained:
// each is written there, or made as the last run had it, and whether one was made. The
// title of many a runner is not in the source as it stands: the suite's name before the
// test's, an inherited method, a value filled in. Then, and where none ran, a title that is
// not found proves nothing.
func (t *testSources) explainTitles(container string, candidates []string) (explained, made bool) {
	for _, id := range t.ran[container] {
		_, title := splitID(id)
		switch {
		case t.anyHolds(candidates, title):
		case t.suite.Tests[id].Title == store.TitleMade:
			made = true
		default:
			return false, made
		}
		explained = true
	}
	return explained, made
}

// candidates returns the files in which the tests of a container may stand.
func (t *testSources) candidates(container string) []string {
	candidates := t.sourcesOf(container)
	if file := t.file[container]; slices.Contains(t.byBase[path.Base(file)], file) && !slices.Contains(candidates, file) {
		candidates = append(candidates, file)
	}
	return candidates
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
		if t.left -= len(text); err != nil || t.left < 0 {
			return false
		}
		t.read[name] = &titles{text: withoutEscapes(text)}
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

// titles is what the text of a test file shows of the titles of its tests.
type titles struct {
	text      []byte // without the escapes of quotes
	searched  bool
	templates []patch.Template // what stands around the values in texts that hold some
}

var (
	// textWithValue is a text on one line that holds a value, or that one is
	// added to: `adds ${n}`, "adds #{n}", f"adds {n}", 'adds %i', "adds " + n.
	textWithValue = lazyregexp.New("`[^`\n]*`|\"[^\"\n]*\"(?:\\s*\\+)?|'[^'\n]*'(?:\\s*\\+)?")
	valueInText   = lazyregexp.New(`\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|%[a-z#]|\$[A-Za-z_][\w.]*`)
	// valueAsTitle is the start of a test whose title is a value alone: test(c.title,
	// it.only(name, test(`${name}`, it title do.
	valueAsTitle = lazyregexp.New("(?m)(?:^|[;{}(,)]|=>)[ \\t]*(?:await[ \\t]+)?(?:test|it|specify|scenario)(?:\\.(?:only|concurrent|serial|parallel|sequential|failing))*" +
		"(?:[ \\t]*\\(\\s*|[ \\t]+)(?:[\\pL_$][\\w$]*(?:[.,)\\[(]|[ \\t]+(?:do|\\+))|`(?:\\$\\{[^}`]*\\})+`)")
)

var escapedQuotes = strings.NewReplacer(`\'`, `'`, `\"`, `"`, "\\`", "`")

// withoutEscapes returns the text of a source with its quotes as a title has them.
func withoutEscapes(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	return []byte(escapedQuotes.Replace(string(text)))
}

// hold reports whether the text holds the title, or a template that makes it.
func (t *titles) hold(title string) bool {
	if bytes.Contains(t.text, []byte(title)) {
		return true
	}
	if !t.searched {
		t.searched, t.templates = true, findTemplates(t.text)
	}
	return slices.ContainsFunc(t.templates, func(parts patch.Template) bool { return parts.Matches(title) })
}

func findTemplates(text []byte) (templates []patch.Template) {
	for _, found := range textWithValue.FindAll(text, -1) {
		end := bytes.LastIndexByte(found, found[0])
		parts := valueInText.Split(string(found[1:end]), -1)
		if end < len(found)-1 { // a value is added
			parts = append(parts, "")
		}
		if len(parts) > 1 && strings.Join(parts, "") != "" {
			templates = append(templates, parts)
		}
	}
	return templates
}

// makesTitles reports whether a test of the file has a value as its title, which can make
// any title.
func (t *titles) makesTitles() bool { return valueAsTitle.Match(t.text) }
