package checkout

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

var (
	csharpUsing     = lazyregexp.New(`^[ \t]*(global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;`)
	csharpNamespace = lazyregexp.New(`^[ \t]*namespace[ \t]+([\w.]+)`)
	csharpType      = lazyregexp.New(`\b(?:class|record|struct|interface|enum)[ \t]+(\w+)`)
	csharpExtension = lazyregexp.New(`\b(\w+)[ \t]*(?:<[^>(]*>)?\($`)
)

// namespaces are the C# files of a checkout by the namespaces that they declare.
type namespaces struct {
	files   []csharpFile
	byName  map[string]map[string][]int // the files by namespace and then by the names that they declare
	global  []string                    // the namespaces of global usings
	globals map[string]bool
}

// csharpFile is a file with the names of its types and extension methods.
type csharpFile struct {
	path  string
	names []string
}

func newNamespaces() *namespaces {
	return &namespaces{byName: map[string]map[string][]int{}, globals: map[string]bool{}}
}

// add adds a file.
func (n *namespaces) add(file string, text []byte) {
	f := csharpFile{path: file}
	var spaces []string
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("namespace")) {
			spaces = append(spaces, submatches(csharpNamespace, line)...)
		}
		if bytes.Contains(line, []byte("global")) {
			if m := csharpUsing.FindSubmatch(line); m != nil && len(m[1]) > 0 && !n.globals[string(m[2])] {
				n.globals[string(m[2])] = true
				n.global = append(n.global, string(m[2]))
			}
		}
		if declaresType(line) {
			f.names = append(f.names, submatches(csharpType, line)...)
		}
	}
	for at := 0; ; at += len("this") {
		i := bytes.Index(text[at:], []byte("this"))
		if i < 0 {
			break
		}
		at += i
		// The name of an extension method stands before the bracket of its first parameter.
		before := bytes.TrimRight(text[max(0, at-maxHeader):at], " \t\r\n")
		if bytes.HasSuffix(before, []byte("(")) && at+4 < len(text) && (text[at+4] == ' ' || text[at+4] == '\t') {
			f.names = append(f.names, submatches(csharpExtension, before)...)
		}
	}
	if len(spaces) == 0 {
		spaces = []string{""}
	}
	slices.Sort(spaces)
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
	n.files = append(n.files, f)
	for _, space := range slices.Compact(spaces) {
		if n.byName[space] == nil {
			n.byName[space] = map[string][]int{}
		}
		for _, name := range f.names {
			n.byName[space][name] = append(n.byName[space][name], len(n.files)-1)
		}
	}
}

// maxHeader bounds what is read before the first parameter of an extension method.
const maxHeader = 400

// declaresType reports whether a line can declare a type.
func declaresType(line []byte) bool {
	for _, word := range []string{"class", "record", "struct", "interface", "enum"} {
		if bytes.Contains(line, []byte(word)) {
			return true
		}
	}
	return false
}

// csharpImports returns the files that declare what the text names in the
// namespaces that it opens: its own and those around it, and those of using and
// global using. `using static` and aliases name a namespace and a type in it.
func (t *Tree) csharpImports(file string, text []byte) []string {
	own, _ := source.DialectOf(file)
	t.wordsOf(own)
	n := t.csharp
	open := append([]string{""}, n.global...)
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("namespace")) {
			for _, space := range submatches(csharpNamespace, line) {
				for ; space != ""; space = space[:max(strings.LastIndexByte(space, '.'), 0)] {
					open = append(open, space)
				}
			}
		}
		if bytes.Contains(line, []byte("using")) {
			for _, m := range csharpUsing.FindAllSubmatch(line, -1) {
				open = append(open, string(m[2]))
				if i := strings.LastIndexByte(string(m[2]), '.'); i > 0 {
					open = append(open, string(m[2])[:i])
				}
			}
		}
	}
	named := identifiersIn(text)
	seen := map[int]bool{}
	var found []csharpFile
	for _, space := range open {
		var here []int
		declared := n.byName[space]
		for name := range named {
			here = append(here, declared[name]...)
		}
		slices.Sort(here)
		for _, i := range slices.Compact(here) {
			if !seen[i] {
				seen[i] = true
				found = append(found, n.files[i])
			}
		}
	}
	var out []string
	for _, f := range t.withinProjects(file, found) {
		if f.path != file {
			out = append(out, f.path)
		}
	}
	return out
}

// submatches returns what the first group of a pattern matches in text.
func submatches(pattern *lazyregexp.Regexp, text []byte) []string {
	var out []string
	for _, m := range pattern.FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

var projectReference = lazyregexp.New(`<ProjectReference\s[^>]*Include\s*=\s*"([^"]+)"`)

// projectOf returns the folder of the C# project that a file belongs to, "" when
// no folder above it has a project file.
func (t *Tree) projectOf(file string) string {
	for d := range foldersUp(path.Dir(file)) {
		if len(t.projectFiles(d)) > 0 {
			return d
		}
	}
	return ""
}

func (t *Tree) projectFiles(dir string) []string {
	if got, ok := t.projects[dir]; ok {
		return got
	}
	entries, _ := fs.ReadDir(t.fsys, dir)
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".csproj") {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	t.projects[dir] = out
	return out
}

// referencedProjects returns the folder of a project, then those of the projects
// that it refers to.
func (t *Tree) referencedProjects(dir string) []string {
	if got, ok := t.projectsOf[dir]; ok {
		return got
	}
	out := []string{dir}
	for i := 0; i < len(out) && len(out) < maxReach; i++ {
		for _, file := range t.projectFiles(out[i]) {
			for _, name := range submatches(projectReference, t.Bytes(file)) {
				other := path.Dir(path.Join(out[i], strings.ReplaceAll(name, `\`, "/")))
				if !slices.Contains(out, other) {
					out = append(out, other)
				}
			}
		}
	}
	t.projectsOf[dir] = out
	return out
}

// withinProjects leaves out files of projects that the project of file does not
// refer to, when one that it refers to has types with the same names. Without
// project files nothing is left out.
func (t *Tree) withinProjects(file string, found []csharpFile) []csharpFile {
	own := t.projectOf(file)
	if own == "" {
		return found
	}
	seen := t.referencedProjects(own)
	within := func(f csharpFile) bool { return slices.Contains(seen, t.projectOf(f.path)) }
	named := map[string]bool{}
	for _, f := range found {
		for _, name := range f.names {
			named[name] = named[name] || within(f)
		}
	}
	return slices.DeleteFunc(found, func(f csharpFile) bool {
		return !within(f) && slices.ContainsFunc(f.names, func(name string) bool { return named[name] })
	})
}
