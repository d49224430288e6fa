package patch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// maxEntries bounds how many files are listed in search of a shortened path.
const maxEntries = 200_000

// tree reads source files from a checkout and remembers them.
type tree struct {
	fsys    fs.FS
	loaded  map[string]loaded
	byName  map[string][]string // base name to paths, nil until it is needed
	byDir   map[string][]string // folder to paths, likewise
	known   map[string]bool     // every path of byName
	paths   []string            // the same, sorted
	partial bool                // the listing stopped early

	texts   map[string][]byte   // unscanned text, empty for what cannot be read
	edges   map[string][]string // imports of a file
	reached map[string][]string // what a test file reaches
	mapped  map[string]*aliases // path mappings by folder
	spaces  *namespaces         // nil until it is needed

	projects map[string][]string // C# project files by folder
}

func newTree(fsys fs.FS) *tree {
	return &tree{
		fsys: fsys, loaded: map[string]loaded{}, texts: map[string][]byte{}, edges: map[string][]string{},
		reached: map[string][]string{}, mapped: map[string]*aliases{}, projects: map[string][]string{},
	}
}

type loaded struct {
	src *source
	err error
}

var errNoFile = errors.New("not in the checkout")

// find returns the path in the checkout of a file as a test run named it: the
// same path, one that starts further up (an absolute path), or the only file
// whose path ends in it.
func (t *tree) find(name string) (string, error) {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "file://")
	clean := path.Clean(name)
	switch {
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", fmt.Errorf("%s lies outside the checkout", shown(name))
	case strings.ContainsRune(clean, 0):
		return "", errNoFile
	}
	for rest := strings.TrimPrefix(clean, "/"); rest != ""; {
		if t.regular(rest) {
			return rest, nil
		}
		if !absolute(clean) {
			break
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	if absolute(clean) {
		return "", errNoFile
	}
	return t.bySuffix(clean)
}

// absolute reports whether a path starts at a root: /, C:/ or C:\.
func absolute(name string) bool {
	return path.IsAbs(name) || len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\')
}

// bySuffix returns the only file whose path ends in name.
func (t *tree) bySuffix(name string) (string, error) {
	fits := t.bySuffixAll(name)
	switch {
	case len(fits) == 0:
		return "", errNoFile
	case len(fits) > 1:
		return "", fmt.Errorf("%s could be %s or %s", shown(name), shown(fits[0]), shown(fits[1]))
	case t.partial:
		return "", errors.New("the checkout has too many files to tell which one is meant")
	}
	return fits[0], nil
}

// bySuffixAll returns the source files whose path ends in name.
func (t *tree) bySuffixAll(name string) []string {
	t.list()
	var fits []string
	for _, p := range t.byName[path.Base(name)] {
		if p == name || strings.HasSuffix(p, "/"+name) {
			fits = append(fits, p)
		}
	}
	return fits
}

// dirsBySuffix returns the folders with source files whose path ends in name.
func (t *tree) dirsBySuffix(name string) []string {
	t.list()
	var fits []string
	for dir := range t.byDir {
		if dir == name || strings.HasSuffix(dir, "/"+name) {
			fits = append(fits, dir)
		}
	}
	sort.Strings(fits)
	return fits
}

// dirBySuffix returns the longest folder that name, an import path, ends in.
func (t *tree) dirBySuffix(name string) string {
	t.list()
	for rest := name; rest != ""; {
		if _, ok := t.byDir[rest]; ok {
			return rest
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return ""
}

// inDir returns the source files of a folder.
func (t *tree) inDir(dir string) []string {
	t.list()
	return t.byDir[dir]
}

// all returns the source files with an extension.
func (t *tree) all(ext string) []string {
	var out []string
	for _, file := range t.sorted() {
		if path.Ext(file) == ext {
			out = append(out, file)
		}
	}
	return out
}

// sorted returns every source file.
func (t *tree) sorted() []string {
	t.list()
	return t.paths
}

// exists reports whether a listed source file has this very path.
func (t *tree) exists(name string) bool {
	t.list()
	return t.known[name]
}

// raw returns the text of a file, empty for what is no plain file, cannot be
// read or is too large. It may be a configuration file.
func (t *tree) raw(name string) []byte {
	text, ok := t.texts[name]
	if !ok {
		if t.regular(name) {
			text, _ = t.bytes(name)
		}
		if len(text) > maxFile {
			text = nil
		}
		t.texts[name] = text
	}
	return text
}

// list fills byName and byDir with the source files of the checkout, once.
func (t *tree) list() {
	if t.byName != nil {
		return
	}
	t.byName, t.byDir, t.known = map[string][]string{}, map[string][]string{}, map[string]bool{}
	seen := 0
	_ = fs.WalkDir(t.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if seen++; seen > maxEntries {
			t.partial = true
			return fs.SkipAll
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "site-packages") {
			return fs.SkipDir
		}
		if _, ok := dialectOf(p); ok && d.Type().IsRegular() && !guarded(p) {
			t.byName[d.Name()] = append(t.byName[d.Name()], p)
			t.known[p] = true
			t.paths = append(t.paths, p)
			t.byDir[path.Dir(p)] = append(t.byDir[path.Dir(p)], p)
		}
		return nil
	})
	sort.Strings(t.paths)
	for _, paths := range t.byName {
		sort.Strings(paths)
	}
	for _, paths := range t.byDir {
		sort.Strings(paths)
	}
}

// regular reports whether name is a regular file that is reached through no
// symbolic link and that may be edited.
func (t *tree) regular(name string) bool {
	if !fs.ValidPath(name) || name == "." || guarded(name) {
		return false
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := fs.Lstat(t.fsys, name[:i]); err != nil || !info.IsDir() {
			return false
		}
	}
	info, err := fs.Lstat(t.fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// guarded reports whether a path is git's, the forge's or somebody else's:
// nothing in a folder or file whose name starts with .git is ever edited, and
// no installed package. Case does not save it, because some file systems ignore
// it.
func guarded(name string) bool {
	for _, segment := range strings.Split(strings.ToLower(name), "/") {
		if strings.HasPrefix(segment, ".git") || segment == "node_modules" || segment == "site-packages" {
			return true
		}
	}
	return false
}

// load reads and scans a file that find returned.
func (t *tree) load(name string) (*source, error) {
	if l, ok := t.loaded[name]; ok {
		return l.src, l.err
	}
	src, err := t.read(name)
	t.loaded[name] = loaded{src, err}
	return src, err
}

func (t *tree) read(name string) (*source, error) {
	lang, ok := dialectOf(name)
	if !ok {
		return nil, fmt.Errorf("%s is in no language that is edited here", shown(name))
	}
	if !t.regular(name) {
		return nil, errNoFile
	}
	text, err := t.bytes(name)
	if err != nil {
		return nil, err
	}
	return newSource(name, lang, text)
}

// bytes returns the first maxFile+1 bytes of a file.
func (t *tree) bytes(name string) ([]byte, error) {
	if text, ok := t.texts[name]; ok && len(text) > 0 {
		return text, nil
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened", shown(name))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", shown(name))
	}
	return text, nil
}

// shown cuts hostile text for a reason: one line, printable, at most 120
// characters, the end kept because it says most of a path.
func shown(text string) string {
	runes := []rune(strings.Map(printableOnly, text))
	if len(runes) > 120 {
		runes = append([]rune("…"), runes[len(runes)-119:]...)
	}
	return string(runes)
}
