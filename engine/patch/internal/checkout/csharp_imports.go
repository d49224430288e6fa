package checkout

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

var (
	csharpUsing     = lazyregexp.New(`(?m)^[ \t]*(global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;`)
	csharpNamespace = lazyregexp.New(`(?m)^[ \t]*namespace[ \t]+([\w.]+)`)
	csharpType      = lazyregexp.New(`\b(?:class|record|struct|interface|enum)[ \t]+(\w+)`)
	csharpExtension = lazyregexp.New(`\b(\w+)[ \t]*(?:<[^>(]*>)?\([ \t\r\n]*this[ \t]`)
)

// namespaces are the C# files of a checkout by the namespaces they declare.
type namespaces struct {
	files  map[string][]csharpFile
	global []string // the namespaces of global usings
}

// csharpFile is a file with the names of its types and extension methods.
type csharpFile struct {
	path  string
	names []string
}

// csharpNamespaces returns the namespaces of the checkout.
func (t *Tree) csharpNamespaces() *namespaces {
	if t.csharp != nil {
		return t.csharp
	}
	n := &namespaces{files: map[string][]csharpFile{}}
	for _, file := range t.Files() {
		if path.Ext(file) != ".cs" {
			continue
		}
		text := t.Bytes(file)
		f := csharpFile{file, append(submatches(csharpType, text), submatches(csharpExtension, text)...)}
		spaces := submatches(csharpNamespace, text)
		if len(spaces) == 0 {
			spaces = []string{""}
		}
		for _, space := range spaces {
			n.files[space] = append(n.files[space], f)
		}
		for _, m := range csharpUsing.FindAllSubmatch(text, -1) {
			if len(m[1]) > 0 {
				n.global = append(n.global, string(m[2]))
			}
		}
	}
	t.csharp = n
	return n
}

// csharpImports returns the files that declare what the text names in the
// namespaces that it opens: its own and those around it, and those of using and
// global using. `using static` and aliases name a namespace and a type in it.
func (t *Tree) csharpImports(file string, text []byte) []string {
	n := t.csharpNamespaces()
	open := append([]string{""}, n.global...)
	for _, space := range submatches(csharpNamespace, text) {
		for ; space != ""; space = space[:max(strings.LastIndexByte(space, '.'), 0)] {
			open = append(open, space)
		}
	}
	for _, m := range csharpUsing.FindAllSubmatch(text, -1) {
		open = append(open, string(m[2]))
		if i := strings.LastIndexByte(string(m[2]), '.'); i > 0 {
			open = append(open, string(m[2])[:i])
		}
	}
	named := identifiersIn(text)
	seen := map[string]bool{}
	isNamed := func(name string) bool { return named[name] }
	var found []csharpFile
	for _, space := range open {
		for _, f := range n.files[space] {
			if !seen[f.path] && slices.ContainsFunc(f.names, isNamed) {
				seen[f.path] = true
				found = append(found, f)
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
