package ci

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

// maxReadSources bounds how many searched source files are held.
const maxReadSources = 32

// testSources is the checkout as far as it shows whether a test was removed.
type testSources struct {
	source   fs.FS
	files    []string            // its source files
	whole    bool                // false: the listing was cut at its bound
	anchored bool                // at least one test of this run has its file here
	file     map[string]string   // container of a test identity to its source file
	ran      map[string][]string // titles of the tests that ran by container
	read     map[string]titles   // by file
}

func newTestSources(source fs.FS, results []engine.TestResult) *testSources {
	t := &testSources{source: source, file: map[string]string{}, ran: map[string][]string{}, read: map[string]titles{}}
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

// lacksTest reports whether the checkout shows that a test was removed from it.
func (t *testSources) lacksTest(id string) bool {
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

// titles is what the text of a test file shows of the titles of its tests.
type titles struct {
	text      []byte
	templates []patch.Template // what stands around the values in texts that hold some
}

var (
	// textWithValue is a text on one line that holds a value, or that one is
	// added to: `adds ${n}`, "adds #{n}", f"adds {n}", 'adds %i', "adds " + n.
	textWithValue = regexp.MustCompile("`[^`\n]*`|\"[^\"\n]*\"(?:\\s*\\+)?|'[^'\n]*'(?:\\s*\\+)?")
	valueInText   = regexp.MustCompile(`\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|%[a-z#]|\$[A-Za-z_][\w.]*`)
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
	for _, parts := range t.templates {
		if parts.Matches(title) {
			return true
		}
	}
	return false
}
