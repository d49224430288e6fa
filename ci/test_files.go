package ci

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/location"
)

// maxSearchedBytes bounds what is read of a checkout's sources to find where tests
// stand.
const maxSearchedBytes = 128 << 20

// testFiles finds the source file of a test that the report does not name: by its
// class, its module or its Go package.
type testFiles struct {
	tree    *sourceTree
	indexed bool
	whole   bool                // every source file was searched
	types   map[string][]string // files that declare a type, by its name
	funcs   map[string][]string // Go test files that declare a function or method, by its name
}

// filesOf returns the source files in which the test may stand, and whether it stands
// in one of them for certain. A file that the report names only as where the test
// failed proves nothing: the identity of a test begins with its own.
func (f *testFiles) filesOf(r engine.TestResult) (files []string, known bool) {
	container, _, _ := strings.Cut(string(r.ID), "::")
	container, _, _ = strings.Cut(container, " › ")
	if mayHoldTest(container) && !inUnlistedFolder(container) {
		files = bySuffix(container, f.tree.list())
		if len(files) > 0 || len(f.tree.files) == 0 || f.exists(container) || f.exists(r.File) && location.SameFile(r.File, container) {
			return append(files, container), true
		}
	}
	files = f.byDeclaration(r)
	known = len(files) > 0 && f.whole && f.tree.whole
	if r.File != "" {
		files = append(files, r.File)
	}
	return files, known
}

// ofOneSuite reports whether the reports that show tests of one name are of one suite, so
// that those are one test: where the checkout has one file in which it can stand, or one
// that is nearest to all of the reports.
func (f *testFiles) ofOneSuite(id engine.TestID, shown namesakes) bool {
	container, _, _ := strings.Cut(string(id), "::")
	container, _, _ = strings.Cut(container, " › ")
	candidates := f.tree.sourcesOf(container)
	if len(candidates) < 2 {
		return len(candidates) == 1 || !shown.strangers
	}
	near := ""
	for i, report := range shown.reports {
		found := nearest(report, candidates)
		if found == "" || i > 0 && found != near {
			return false
		}
		near = found
	}
	return true
}

// nearest returns the file that shares more folders with the path of a report than any
// other, "" for none.
func nearest(report string, files []string) (found string) {
	most := 0
	for _, file := range files {
		a, b, n := strings.Split(report, "/"), strings.Split(file, "/"), 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		if n == most {
			found = ""
		}
		if n > most {
			found, most = file, n
		}
	}
	return found
}

// byDeclaration returns the files that declare what the test is named by.
func (f *testFiles) byDeclaration(r engine.TestResult) []string {
	f.index()
	title := declaredTitle(r.Name)
	if title == "" {
		return nil
	}
	if goTest.MatchString(title) {
		container, _, _ := strings.Cut(string(r.ID), " › ")
		if found := f.ofPackage(container, r.Name); len(found) > 0 {
			return found
		}
	}
	class := strings.NewReplacer(`\`, ".", "::", ".", "/", ".").Replace(r.Class)
	candidates := slices.Clone(f.types[classPattern.FindString(class[strings.LastIndexByte(class, '.')+1:])])
	for module := class; module != ""; {
		candidates = append(candidates, bySuffix(strings.ReplaceAll(module, ".", "/")+".py", f.tree.list())...)
		module = module[:max(strings.LastIndexByte(module, '.'), 0)]
	}
	slices.Sort(candidates)
	return slices.DeleteFunc(slices.Compact(candidates), func(file string) bool { return !f.holds(file, title) })
}

// classPattern matches the name of a class before its inner classes, parameters and
// type arguments.
var classPattern = lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_]*`)

// goTest matches the names of Go's tests, examples and fuzz targets.
var goTest = lazyregexp.New(`^(?:Test|Example|Fuzz|Benchmark)(?:[^a-z]|$)`)

// declaredTitle returns what of a test's title its source holds: no parameters.
func declaredTitle(name string) string {
	if i := strings.IndexAny(name, "[({"); i >= 0 {
		name = name[:i]
	}
	name, _, _ = strings.Cut(name, " with data set ")
	return strings.TrimSpace(name)
}

// ofPackage returns the files of a Go package that declare a test or a step of its
// suite, "TestCart/TestAdds". Where no go.mod tells which files are the package's,
// those of all packages count.
func (f *testFiles) ofPackage(importPath, name string) []string {
	var declaring []string
	for _, part := range strings.Split(name, "/") {
		declaring = append(declaring, f.funcs[part]...)
	}
	slices.Sort(declaring)
	declaring = slices.Compact(declaring)
	var own []string
	for _, file := range declaring {
		if f.importPath(path.Dir(file)) == importPath {
			own = append(own, file)
		}
	}
	if len(own) > 0 {
		return own
	}
	return declaring
}

var modulePattern = lazyregexp.New(`(?m)^\s*module\s+"?([^\s"]+)`)

// importPath returns the import path of the package in a folder, "" where no go.mod
// above says it.
func (f *testFiles) importPath(folder string) string {
	for dir := folder; ; dir = path.Dir(dir) {
		if content, err := readSource(f.tree.source, path.Join(dir, "go.mod")); err == nil {
			m := modulePattern.FindSubmatch(content)
			if m == nil {
				return ""
			}
			return path.Join(string(m[1]), strings.TrimPrefix(strings.TrimPrefix(folder, dir), "/"))
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

func (f *testFiles) exists(file string) bool {
	_, err := fs.Stat(f.tree.source, file)
	return file != "" && err == nil
}

func (f *testFiles) holds(file, title string) bool {
	content, err := readSource(f.tree.source, file)
	return err == nil && bytes.Contains(content, []byte(title))
}

var (
	typePattern = lazyregexp.New(`\b(?:class|object|interface|struct|record|module|trait|extension)\s+(?:[\w.:]*[.:])?([\p{L}_][\p{L}\p{N}_]*)`)
	funcPattern = lazyregexp.New(`(?m)^func\s+(?:\([^)\n]*\)\s*)?([\p{L}_][\p{L}\p{N}_]*)\s*\(`)
)

// index reads what the source files declare.
func (f *testFiles) index() {
	if f.indexed {
		return
	}
	f.indexed, f.whole = true, true
	f.types, f.funcs = map[string][]string{}, map[string][]string{}
	left := maxSearchedBytes
	for _, file := range f.tree.list() {
		into, pattern := f.types, typePattern
		switch {
		case strings.HasSuffix(file, "_test.go"):
			into, pattern = f.funcs, funcPattern
		case !namesTestsByClass(file):
			continue
		}
		content, err := readSource(f.tree.source, file)
		if left -= len(content); err != nil || left < 0 {
			f.whole = false
			continue
		}
		for _, m := range pattern.FindAllSubmatch(content, -1) {
			name := string(m[1])
			if have := into[name]; len(have) == 0 || have[len(have)-1] != file {
				into[name] = append(have, file)
			}
		}
	}
}

// namesTestsByClass reports whether the runners of a file's language name a test by
// its class.
func namesTestsByClass(file string) bool {
	switch path.Ext(file) {
	case ".java", ".kt", ".scala", ".groovy", ".cs", ".fs", ".vb", ".php", ".py", ".rb", ".swift":
		return true
	}
	return false
}

// mayHoldTest reports whether a changed file can be where a test stands.
func mayHoldTest(file string) bool { return path.Ext(file) != "" && location.LooksLikeSource(file) }
