package patch

import (
	"regexp"
	"strings"
)

var (
	sharpUsing     = regexp.MustCompile(`(?m)^[ \t]*(global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;`)
	sharpNamespace = regexp.MustCompile(`(?m)^[ \t]*namespace[ \t]+([\w.]+)`)
	sharpType      = regexp.MustCompile(`\b(?:class|record|struct|interface|enum)[ \t]+(\w+)`)
	sharpExtension = regexp.MustCompile(`\b(\w+)[ \t]*(?:<[^>(]*>)?\([ \t\r\n]*this[ \t]`)
)

// namespaces is what C# files declare, by namespace.
type namespaces struct {
	files  map[string][]sharpFile
	global []string // namespaces that a global using opens
}

// sharpFile is one file with the names that another file reaches it by: its
// types and its extension methods.
type sharpFile struct {
	path  string
	names []string
}

// sharp returns the namespaces of the checkout.
func (t *tree) sharp() *namespaces {
	if t.spaces != nil {
		return t.spaces
	}
	n := &namespaces{files: map[string][]sharpFile{}}
	for _, file := range t.all(".cs") {
		text := t.raw(file)
		f := sharpFile{path: file}
		for _, re := range []*regexp.Regexp{sharpType, sharpExtension} {
			for _, m := range re.FindAllSubmatch(text, -1) {
				f.names = append(f.names, string(m[1]))
			}
		}
		spaces := sharpNamespace.FindAllSubmatch(text, -1)
		if len(spaces) == 0 {
			n.files[""] = append(n.files[""], f)
		}
		for _, m := range spaces {
			n.files[string(m[1])] = append(n.files[string(m[1])], f)
		}
		for _, m := range sharpUsing.FindAllSubmatch(text, -1) {
			if len(m[1]) > 0 {
				n.global = append(n.global, string(m[2]))
			}
		}
	}
	t.spaces = n
	return n
}

// sharpImports returns the files that declare what the text names, in the
// namespaces that it opens: its own with those around it, using and global
// using. `using static` and aliases name a type behind the namespace.
func (t *tree) sharpImports(file string, text []byte) []string {
	n := t.sharp()
	open := append([]string{""}, n.global...)
	for _, m := range sharpNamespace.FindAllSubmatch(text, -1) {
		open = append(open, upwards(string(m[1]))...)
	}
	for _, m := range sharpUsing.FindAllSubmatch(text, -1) {
		open = append(open, string(m[2]))
		if i := strings.LastIndexByte(string(m[2]), '.'); i > 0 {
			open = append(open, string(m[2])[:i])
		}
	}
	named := wordsOf(text)
	seen := map[string]bool{}
	var found []sharpFile
	for _, space := range open {
		for _, f := range n.files[space] {
			if !seen[f.path] && anyNamed(f.names, named) {
				seen[f.path] = true
				found = append(found, f)
			}
		}
	}
	var out []string
	for _, f := range t.inProjects(file, found) {
		if f.path != file {
			out = append(out, f.path)
		}
	}
	return out
}

// upwards returns a namespace and those around it.
func upwards(space string) []string {
	var out []string
	for space != "" {
		out = append(out, space)
		space = space[:max(strings.LastIndexByte(space, '.'), 0)]
	}
	return out
}

func anyNamed(names []string, in map[string]bool) bool {
	for _, name := range names {
		if in[name] {
			return true
		}
	}
	return false
}
