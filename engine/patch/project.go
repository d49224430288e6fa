package patch

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// nearest returns the files of names that share the longest folder with file:
// where several modules keep a class of one name, a test means its own
// module's. Of several that are equally near none is meant for sure.
func nearest(file string, names []string) []string {
	var best []string
	most := -1
	for _, name := range names {
		switch n := sharedFolders(file, name); {
		case n > most:
			best, most = []string{name}, n
		case n == most:
			best = append(best, name)
		}
	}
	if len(best) > 1 {
		return nil
	}
	return best
}

// sharedFolders counts the folders that two paths begin with alike.
func sharedFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

var projectReference = regexp.MustCompile(`<ProjectReference\s[^>]*Include\s*=\s*"([^"]+)"`)

// project returns the folder of the C# project that a file belongs to, "" when
// no folder above it has a project file.
func (t *tree) project(file string) string {
	for d := path.Dir(file); ; d = path.Dir(d) {
		if len(t.projectFiles(d)) > 0 {
			return d
		}
		if d == "." {
			return ""
		}
	}
}

func (t *tree) projectFiles(dir string) []string {
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

// sees returns the folders of the projects that one refers to, itself first.
func (t *tree) sees(dir string) []string {
	out := []string{dir}
	for i := 0; i < len(out) && len(out) < maxReach; i++ {
		for _, file := range t.projectFiles(out[i]) {
			for _, m := range projectReference.FindAllSubmatch(t.raw(file), -1) {
				other := path.Dir(path.Join(out[i], strings.ReplaceAll(string(m[1]), `\`, "/")))
				if !slices.Contains(out, other) {
					out = append(out, other)
				}
			}
		}
	}
	return out
}

// inProjects leaves out the C# files of projects that the file's own does not
// refer to, where a project that it does refer to has types of the same names.
// Without project files nothing is left out.
func (t *tree) inProjects(file string, found []sharpFile) []sharpFile {
	own := t.project(file)
	if own == "" {
		return found
	}
	seen := t.sees(own)
	within := func(f sharpFile) bool { return slices.Contains(seen, t.project(f.path)) }
	named := map[string]bool{}
	for _, f := range found {
		for _, name := range f.names {
			named[name] = named[name] || within(f)
		}
	}
	return slices.DeleteFunc(found, func(f sharpFile) bool {
		return !within(f) && slices.ContainsFunc(f.names, func(name string) bool { return named[name] })
	})
}
