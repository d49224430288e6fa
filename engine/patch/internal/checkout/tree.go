// Package checkout reads the source files of a checkout: it finds them by the
// names that a test run gives them, scans them once, and follows their imports.
package checkout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// maxEntries bounds how many files are listed in search of a shortened path.
const maxEntries = 200_000

// Tree reads source files from a checkout and remembers them.
type Tree struct {
	fsys    fs.FS
	loaded  map[string]loaded
	byName  map[string][]string // base name to paths, nil until it is needed
	byDir   map[string][]string // folder to paths, likewise
	known   map[string]bool     // every path of byName
	paths   []string            // the same, sorted
	partial bool                // the listing stopped early

	texts           map[string][]byte   // unscanned text, empty for what cannot be read
	imported        map[string][]string // imports of a file
	reachable       map[string][]string // what a test file reaches
	aliasesByFolder map[string]*aliases // path mappings by folder
	csharp          *namespaces         // nil until it is needed

	projects map[string][]string // C# project files by folder
}

func New(fsys fs.FS) *Tree {
	return &Tree{
		fsys: fsys, loaded: map[string]loaded{}, texts: map[string][]byte{}, imported: map[string][]string{},
		reachable: map[string][]string{}, aliasesByFolder: map[string]*aliases{}, projects: map[string][]string{},
	}
}

type loaded struct {
	src *source.File
	err error
}

var ErrNoFile = errors.New("not in the checkout")

// Find returns the path in the checkout of a file as a test run named it: the
// same path, one that starts further up (an absolute path), or the only file
// whose path ends in it.
func (t *Tree) Find(name string) (string, error) {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "file://")
	clean := path.Clean(name)
	switch {
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", fmt.Errorf("%s lies outside the checkout", source.Printable(name))
	case strings.ContainsRune(clean, 0):
		return "", ErrNoFile
	}
	for rest := strings.TrimPrefix(clean, "/"); rest != ""; {
		if t.isRegular(rest) {
			return rest, nil
		}
		if !IsAbsolute(clean) {
			break
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	if IsAbsolute(clean) {
		return "", ErrNoFile
	}
	return t.findBySuffix(clean)
}

// IsAbsolute reports whether a path starts at a root: /, C:/ or C:\.
func IsAbsolute(name string) bool {
	return path.IsAbs(name) || len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\')
}

// findBySuffix returns the only file whose path ends in name.
func (t *Tree) findBySuffix(name string) (string, error) {
	fits := t.FilesBySuffix(name)
	switch {
	case len(fits) == 0:
		return "", ErrNoFile
	case len(fits) > 1:
		return "", fmt.Errorf("%s could be %s or %s", source.Printable(name), source.Printable(fits[0]), source.Printable(fits[1]))
	case t.partial:
		return "", errors.New("the checkout has too many files to tell which one is meant")
	}
	return fits[0], nil
}

// FilesBySuffix returns the source files whose path ends in name.
func (t *Tree) FilesBySuffix(name string) []string {
	t.listFiles()
	var fits []string
	for _, p := range t.byName[path.Base(name)] {
		if p == name || strings.HasSuffix(p, "/"+name) {
			fits = append(fits, p)
		}
	}
	return fits
}

// foldersBySuffix returns the folders with source files whose path ends in name.
func (t *Tree) foldersBySuffix(name string) []string {
	t.listFiles()
	var fits []string
	for dir := range t.byDir {
		if dir == name || strings.HasSuffix(dir, "/"+name) {
			fits = append(fits, dir)
		}
	}
	sort.Strings(fits)
	return fits
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

// filesIn returns the source files of a folder.
func (t *Tree) filesIn(dir string) []string {
	t.listFiles()
	return t.byDir[dir]
}

// filesWithExtension returns the source files with an extension.
func (t *Tree) filesWithExtension(ext string) []string {
	var out []string
	for _, file := range t.Files() {
		if path.Ext(file) == ext {
			out = append(out, file)
		}
	}
	return out
}

// Files returns every source file.
func (t *Tree) Files() []string {
	t.listFiles()
	return t.paths
}

// hasFile reports whether a listed source file has this very path.
func (t *Tree) hasFile(name string) bool {
	t.listFiles()
	return t.known[name]
}

// FilesReaching returns src and the files of its language that reach it by
// import and hold word, when that is not empty.
func (t *Tree) FilesReaching(src *source.File, word string) []*source.File {
	out := []*source.File{src}
	for _, file := range t.Files() {
		lang, _ := source.DialectOf(file)
		sameLanguage := lang.Scan == src.Dialect.Scan || lang.IsScript() && src.Dialect.IsScript()
		if file == src.Path || !sameLanguage || word != "" && !source.ContainsWord(t.Bytes(file), word) || !slices.Contains(t.ReachableFrom(file), src.Path) {
			continue
		}
		if other, err := t.Load(file); err == nil {
			out = append(out, other)
		}
	}
	return out
}

// Bytes returns the text of a file, empty for what is no plain file, cannot be
// read or is too large. It may be a configuration file.
func (t *Tree) Bytes(name string) []byte {
	text, ok := t.texts[name]
	if !ok {
		if t.isRegular(name) {
			text, _ = t.readBytes(name)
		}
		if len(text) > source.MaxFile {
			text = nil
		}
		t.texts[name] = text
	}
	return text
}

// listFiles fills byName and byDir with the source files of the checkout, once.
func (t *Tree) listFiles() {
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
		if _, ok := source.DialectOf(p); ok && d.Type().IsRegular() && !IsProtected(p) {
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

// isRegular reports whether name is a regular file that is reached through no
// symbolic link and that may be edited.
func (t *Tree) isRegular(name string) bool {
	if !fs.ValidPath(name) || name == "." || IsProtected(name) {
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

// IsProtected reports whether a path is git's, the forge's or somebody else's:
// nothing in a folder or file whose name starts with .git is ever edited, and
// no installed package. Case does not save it, because some file systems ignore
// it.
func IsProtected(name string) bool {
	for _, segment := range strings.Split(strings.ToLower(name), "/") {
		if strings.HasPrefix(segment, ".git") || segment == "node_modules" || segment == "site-packages" {
			return true
		}
	}
	return false
}

// Load reads and scans a file that find returned.
func (t *Tree) Load(name string) (*source.File, error) {
	if l, ok := t.loaded[name]; ok {
		return l.src, l.err
	}
	src, err := t.readFile(name)
	t.loaded[name] = loaded{src, err}
	return src, err
}

func (t *Tree) readFile(name string) (*source.File, error) {
	lang, ok := source.DialectOf(name)
	if !ok {
		return nil, fmt.Errorf("%s is in no language that is edited here", source.Printable(name))
	}
	if !t.isRegular(name) {
		return nil, ErrNoFile
	}
	text, err := t.readBytes(name)
	if err != nil {
		return nil, err
	}
	return source.New(name, lang, text)
}

// readBytes returns the first MaxFile+1 bytes of a file.
func (t *Tree) readBytes(name string) ([]byte, error) {
	if text, ok := t.texts[name]; ok && len(text) > 0 {
		return text, nil
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened", source.Printable(name))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, source.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", source.Printable(name))
	}
	return text, nil
}
