package checkout

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	csharpUsing     = regexp.MustCompile(`(?m)^[ \t]*(global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;`)
	csharpNamespace = regexp.MustCompile(`(?m)^[ \t]*namespace[ \t]+([\w.]+)`)
	csharpType      = regexp.MustCompile(`\b(?:class|record|struct|interface|enum)[ \t]+(\w+)`)
	csharpExtension = regexp.MustCompile(`\b(\w+)[ \t]*(?:<[^>(]*>)?\([ \t\r\n]*this[ \t]`)
)

// namespaces is what C# files declare, by namespace.
type namespaces struct {
	files  map[string][]csharpFile
	global []string // namespaces that a global using opens
}

// csharpFile is one file with the names that another file reaches it by: its
// types and its extension methods.
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
	for _, file := range t.filesWithExtension(".cs") {
		text := t.Bytes(file)
		f := csharpFile{path: file}
		for _, re := range []*regexp.Regexp{csharpType, csharpExtension} {
			for _, m := range re.FindAllSubmatch(text, -1) {
				f.names = append(f.names, string(m[1]))
			}
		}
		spaces := csharpNamespace.FindAllSubmatch(text, -1)
		if len(spaces) == 0 {
			n.files[""] = append(n.files[""], f)
		}
		for _, m := range spaces {
			n.files[string(m[1])] = append(n.files[string(m[1])], f)
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

// csharpImports returns the files that declare what the text names, in the
// namespaces that it opens: its own with those around it, using and global
// using. `using static` and aliases name a type behind the namespace.
func (t *Tree) csharpImports(file string, text []byte) []string {
	n := t.csharpNamespaces()
	open := append([]string{""}, n.global...)
	for _, m := range csharpNamespace.FindAllSubmatch(text, -1) {
		open = append(open, enclosingNamespaces(string(m[1]))...)
	}
	for _, m := range csharpUsing.FindAllSubmatch(text, -1) {
		open = append(open, string(m[2]))
		if i := strings.LastIndexByte(string(m[2]), '.'); i > 0 {
			open = append(open, string(m[2])[:i])
		}
	}
	named := identifiersIn(text)
	seen := map[string]bool{}
	var found []csharpFile
	for _, space := range open {
		for _, f := range n.files[space] {
			if !seen[f.path] && containsAny(f.names, named) {
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

// enclosingNamespaces returns a namespace and those around it.
func enclosingNamespaces(space string) []string {
	var out []string
	for space != "" {
		out = append(out, space)
		space = space[:max(strings.LastIndexByte(space, '.'), 0)]
	}
	return out
}

func containsAny(names []string, in map[string]bool) bool {
	for _, name := range names {
		if in[name] {
			return true
		}
	}
	return false
}

var projectReference = regexp.MustCompile(`<ProjectReference\s[^>]*Include\s*=\s*"([^"]+)"`)

// projectOf returns the folder of the C# project that a file belongs to, "" when
// no folder above it has a project file.
func (t *Tree) projectOf(file string) string {
	for d := path.Dir(file); ; d = path.Dir(d) {
		if len(t.projectFiles(d)) > 0 {
			return d
		}
		if d == "." {
			return ""
		}
	}
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

// referencedProjects returns the folders of the projects that one refers to, itself first.
func (t *Tree) referencedProjects(dir string) []string {
	out := []string{dir}
	for i := 0; i < len(out) && len(out) < maxReach; i++ {
		for _, file := range t.projectFiles(out[i]) {
			for _, m := range projectReference.FindAllSubmatch(t.Bytes(file), -1) {
				other := path.Dir(path.Join(out[i], strings.ReplaceAll(string(m[1]), `\`, "/")))
				if !slices.Contains(out, other) {
					out = append(out, other)
				}
			}
		}
	}
	return out
}

// withinProjects leaves out the C# files of projects that the file's own does not
// refer to, where a project that it does refer to has types of the same names.
// Without project files nothing is left out.
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
