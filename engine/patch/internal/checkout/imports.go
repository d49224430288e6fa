package checkout

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// ReachableFrom returns a test file and the files that it reaches by imports,
// breadth first and at most maxReach.
//
// Imports are read from the text, without scanning the file, which is slow. A wrong
// one only adds a file to search.
func (t *Tree) ReachableFrom(file string) []string {
	if got, ok := t.reachable[file]; ok {
		return got
	}
	seen := map[string]bool{file: true}
	queue := []string{file}
	for i := 0; i < len(queue) && len(queue) < maxReach; i++ {
		for _, next := range t.importsOf(queue[i], i == 0) {
			if !seen[next] && len(queue) < maxReach {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	t.reachable[file] = queue
	return queue
}

// maxReach bounds the files that are followed from one test.
const maxReach = 600

// importsOf returns the files of the checkout that a file imports. first says that it
// is the test file: its runner loads more files for it.
func (t *Tree) importsOf(file string, first bool) []string {
	lang, ok := source.DialectOf(file)
	if !ok {
		return nil
	}
	key := file
	if first {
		key = "test " + file
	}
	if got, ok := t.imported[key]; ok {
		return got
	}
	text := t.Bytes(file)
	var out []string
	switch {
	case lang.IsScript():
		out = t.scriptImports(file, text)
	case lang.Scan == scan.Python:
		out = t.pythonImports(file, text, first)
	case lang.Scan == scan.Go:
		out = t.goImports(file, text, first)
	case lang.Scan == scan.Java:
		out = t.javaImports(file, text)
	case lang.Scan == scan.CSharp:
		out = t.csharpImports(file, text)
	}
	t.imported[key] = out
	return out
}

var (
	pythonFrom   = lazyregexp.New(`(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)`)
	pythonImport = lazyregexp.New(`(?m)^[ \t]*import[ \t]+([^\n#;]+)`)
	pytestPlugin = lazyregexp.New(`pytest_plugins\s*=\s*[\[(]?((?:\s*,?\s*["'][\w.]+["'])+)`)
	wordPath     = lazyregexp.New(`[A-Za-z_][\w.]*`)
	continued    = lazyregexp.New(`\.?[ \t]*\\\r?\n[ \t]*`)
)

// joinLines returns a text of Python whose lines that a backslash continues are one each, as
// in from pages.\ and users import UsersPage on the next.
func joinLines(text []byte) []byte {
	if !bytes.Contains(text, []byte{'\\'}) {
		return text
	}
	return []byte(continued.ReplaceAllStringFunc(string(text), func(end string) string {
		if end[0] == '.' {
			return "."
		}
		return " "
	}))
}

// pythonImports follows absolute and relative imports, and for the test file
// the conftest.py files that pytest loads.
func (t *Tree) pythonImports(file string, text []byte, first bool) []string {
	var out []string
	text = joinLines(text)
	dir := path.Dir(file)
	if first {
		for d := range foldersUp(dir) {
			if conftest := path.Join(d, "conftest.py"); t.hasFile(conftest) {
				out = append(out, conftest)
			}
		}
	}
	for _, m := range pythonFrom.FindAllSubmatch(text, -1) {
		dots, module := len(m[1]), string(m[2])
		names := []string{module}
		for _, name := range wordPath.FindAllString(string(m[3]), -1) {
			names = append(names, strings.TrimPrefix(module+"."+name, "."))
		}
		for _, name := range names {
			out = append(out, t.pythonModule(dir, dots, name)...)
		}
	}
	for _, re := range []*lazyregexp.Regexp{pythonImport, pytestPlugin} {
		for _, names := range submatches(re, text) {
			for _, name := range wordPath.FindAllString(names, -1) {
				out = append(out, t.pythonModule(dir, 0, name)...)
			}
		}
	}
	return out
}

// pythonModule returns the file of a module. An absolute module is looked for in
// every folder above the importing file.
func (t *Tree) pythonModule(dir string, dots int, module string) []string {
	below := strings.ReplaceAll(module, ".", "/")
	if dots > 0 {
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return t.pythonFile(path.Join(dir, below))
	}
	if module == "" {
		return nil
	}
	for d := range foldersUp(dir) {
		for _, root := range []string{d, path.Join(d, "src")} {
			if found := t.pythonFile(path.Join(root, below)); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

func (t *Tree) pythonFile(name string) []string { return t.firstFile(name, ".py", "/__init__.py") }

// firstFile returns the first source file that is called name with one of the ends.
func (t *Tree) firstFile(name string, ends ...string) []string {
	t.listFiles()
	for _, end := range ends {
		if file, ok := t.listed[name+end]; ok {
			return []string{file}
		}
	}
	return nil
}

var (
	goImport = lazyregexp.New(`(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./-]+)"`)
	goModule = lazyregexp.New(`(?m)^module[ \t]+"?([^\s"]+)`)
)

// goImports returns the package's own files and those of imported packages of
// the same module.
func (t *Tree) goImports(file string, text []byte, first bool) []string {
	dir := path.Dir(file)
	out := t.goPackage(dir, first)
	root, module := t.goModule(dir)
	for _, name := range submatches(goImport, text) {
		switch rest, ok := strings.CutPrefix(name, module); {
		case module != "" && ok && (rest == "" || rest[0] == '/'):
			out = append(out, t.goPackage(path.Join(root, rest), false)...)
		case module == "" && strings.Contains(name, "/"):
			out = append(out, t.goPackage(t.longestFolderSuffix(name), false)...)
		}
	}
	return out
}

// goPackage returns the Go files of a folder; "" has none.
func (t *Tree) goPackage(dir string, tests bool) []string {
	var out []string
	for _, file := range t.filesIn(dir) {
		if strings.HasSuffix(file, ".go") && (tests || !strings.HasSuffix(file, "_test.go")) {
			out = append(out, file)
		}
	}
	return out
}

// longestFolderSuffix returns the longest folder that name, an import path, ends in.
func (t *Tree) longestFolderSuffix(name string) string {
	t.listFiles()
	for rest := name; rest != ""; {
		if _, ok := t.byDir[rest]; ok {
			return rest
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return ""
}

// goModule returns the folder of the nearest go.mod and the module's name.
func (t *Tree) goModule(dir string) (root, module string) {
	for d := range foldersUp(dir) {
		if m := goModule.FindSubmatch(t.Bytes(path.Join(d, "go.mod"))); m != nil {
			return d, string(m[1])
		}
	}
	return "", ""
}

// IsInGoPackage reports whether the import path of a Go file's folder is one of the
// packages, or ends in it. Without packages every file is in one.
func (t *Tree) IsInGoPackage(file string, packages []string) bool {
	dir := path.Dir(file)
	root, module := t.goModule(dir)
	if module != "" {
		dir = path.Join(module, strings.TrimPrefix(strings.TrimPrefix(dir, root), "/"))
		if root == "." && path.Dir(file) != "." {
			dir = path.Join(module, path.Dir(file))
		}
	}
	return len(packages) == 0 || slices.ContainsFunc(packages, func(name string) bool { return endsIn(dir, name) })
}

var javaImport = lazyregexp.New(`(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)(\.\*)?[ \t]*;`)

// javaImports follows imports, and the classes of the same package that the text
// names.
func (t *Tree) javaImports(file string, text []byte) []string {
	var out []string
	named := identifiersIn(text)
	addClasses := func(dirs []string) {
		found := map[string][]string{}
		for _, dir := range dirs {
			for _, other := range t.filesIn(dir) {
				if name, ok := strings.CutSuffix(path.Base(other), ".java"); ok && other != file && named[name] {
					found[name] = append(found[name], other)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			out = append(out, nearestTo(file, found[name])...)
		}
	}
	addClasses(append(javaTwinFolders(path.Dir(file)), path.Dir(file)))
	for _, m := range javaImport.FindAllSubmatch(text, -1) {
		name := strings.Trim(strings.ReplaceAll(string(m[1]), ".", "/"), "/")
		if len(m[2]) > 0 {
			addClasses(t.foldersBySuffix(name))
		}
		for ; strings.Contains(name, "/"); name = path.Dir(name) { // a static import names a member
			if found := t.FilesBySuffix(name + ".java"); len(found) > 0 {
				out = append(out, nearestTo(file, found)...)
				break
			}
		}
	}
	return out
}

// javaTwinFolders returns the folders of the same package in the other source root:
// src/main/java/shop for src/test/java/shop.
func javaTwinFolders(dir string) []string {
	var out []string
	roots := [2]string{"src/test/java/", "src/main/java/"}
	for i, root := range roots {
		if before, pkg, ok := strings.Cut(dir+"/", root); ok {
			out = append(out, path.Join(before, roots[1-i], pkg))
		}
	}
	return out
}

// foldersBySuffix returns the folders with source files whose path ends in name.
func (t *Tree) foldersBySuffix(name string) []string {
	t.listFiles()
	var fits []string
	for dir := range t.byDir {
		if endsIn(dir, name) {
			fits = append(fits, dir)
		}
	}
	slices.Sort(fits)
	return fits
}

// identifiersIn returns the identifiers in a text.
func identifiersIn(text []byte) map[string]bool {
	set := map[string]bool{}
	for _, w := range bytes.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !source.IsWordByte(byte(r)) }) {
		set[string(w)] = true
	}
	return set
}

// nearestTo returns the one of names that shares the most folders with file: when
// several modules have a class of one name, a test means that of its own module.
// It returns none when several are equally near.
func nearestTo(file string, names []string) []string {
	most, best := -1, []string(nil)
	for _, name := range names {
		switch n := sharedFolders(file, name); {
		case n > most:
			most, best = n, []string{name}
		case n == most:
			best = nil
		}
	}
	return best
}

// sharedFolders counts the folders that two paths have in common at the start.
func sharedFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
