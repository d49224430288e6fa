// Package checkout reads the source files of a checkout: it finds them by the
// names that a test run gives them, scans them once, and follows their imports.
package checkout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxEntries bounds the files of a checkout that are listed.
const maxEntries = 200_000

// Tree reads source files from a checkout and remembers them.
type Tree struct {
	fsys    fs.FS
	paths   []string            // source files, sorted; listed when they are needed
	listed  map[string]string   // the same by path, nil until then
	byName  map[string][]string // by base name
	byDir   map[string][]string // their paths by folder
	partial bool                // the listing stopped early

	found           map[string]found // by the names that were looked for
	loaded          map[string]loaded
	loadedBytes     int               // about what they take
	texts           map[string][]byte // the text of a file, empty when it cannot be read
	textBytes       int               // of all texts
	buffer          []byte            // what peek read last
	words           map[scan.Language]*words
	numbers         map[string]int32    // of a file among those of its language
	imported        map[string][]string // the imports of a file
	reachable       map[string][]string // the files that a test file reaches
	aliasesByFolder map[string]*aliases
	csharp          *namespaces
	projects        map[string][]string // C# project files by folder
	projectsOf      map[string][]string // the projects that a project refers to, and itself
	made            map[string]any      // what Once made
}

// New returns a Tree that reads from fsys.
func New(fsys fs.FS) *Tree {
	return &Tree{
		fsys: fsys, found: map[string]found{}, loaded: map[string]loaded{}, texts: map[string][]byte{}, imported: map[string][]string{},
		reachable: map[string][]string{}, aliasesByFolder: map[string]*aliases{}, projects: map[string][]string{}, projectsOf: map[string][]string{},
		words: map[scan.Language]*words{}, numbers: map[string]int32{}, csharp: newNamespaces(),
	}
}

// Once returns what a function makes for a key, made once for a tree.
func Once[T any](t *Tree, key string, create func() T) T {
	if made, ok := t.made[key].(T); ok {
		return made
	}
	made := create()
	if t.made == nil {
		t.made = map[string]any{}
	}
	t.made[key] = made
	return made
}

type found struct {
	path string
	err  error
}

type loaded struct {
	src *source.File
	err error
}

// ErrNoFile says that a file is not in the checkout.
var ErrNoFile = errors.New("not in the checkout")

// Find returns the path in the checkout of a file that a test run named: the same
// path, the end of an absolute path, or the only file whose path ends in it.
func (t *Tree) Find(name string) (string, error) {
	found, ok := t.found[name]
	if !ok {
		found.path, found.err = t.find(name)
		t.found[name] = found
	}
	return found.path, found.err
}

// find is Find for a name that was not looked for before.
func (t *Tree) find(name string) (string, error) {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "file://")
	clean := path.Clean(name)
	switch {
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", fmt.Errorf("%s lies outside the checkout", source.Printable(name))
	case strings.ContainsRune(clean, 0):
		return "", ErrNoFile
	}
	if !IsAbsolute(clean) && !t.isRegular(clean) {
		return t.findBySuffix(clean)
	}
	for rest := strings.TrimPrefix(clean, "/"); rest != ""; _, rest, _ = strings.Cut(rest, "/") {
		if t.isRegular(rest) {
			return rest, nil
		}
	}
	return "", ErrNoFile
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
	return slices.DeleteFunc(slices.Clone(t.byName[path.Base(name)]), func(p string) bool { return !endsIn(p, name) })
}

// endsIn reports whether a path is a name or ends in it.
func endsIn(p, name string) bool { return p == name || strings.HasSuffix(p, "/"+name) }

// filesIn returns the source files of a folder.
func (t *Tree) filesIn(dir string) []string {
	t.listFiles()
	return t.byDir[dir]
}

// Files returns every source file.
func (t *Tree) Files() []string {
	t.listFiles()
	return t.paths
}

// hasFile reports whether a source file has this path.
func (t *Tree) hasFile(name string) bool {
	t.listFiles()
	_, found := t.listed[name]
	return found
}

// FilesReaching returns src and the files of its language that reach it by import
// and contain word; "" is in every file.
func (t *Tree) FilesReaching(src *source.File, word string) []*source.File {
	out := []*source.File{src}
	for _, file := range t.AllNaming(src.Dialect, word) {
		if file == src.Path || !slices.Contains(t.ReachableFrom(file), src.Path) {
			continue
		}
		if other, err := t.Load(file); err == nil {
			out = append(out, other)
		}
	}
	return out
}

// maxTexts and maxLoaded bound, in bytes, what is remembered of the files that were read:
// their texts, and what they take as tokens.
const (
	maxTexts  = 8 << 20
	maxLoaded = 32 << 20
)

// Trim forgets files when too many are remembered, and reports whether it did. What Load
// returned before is of other files, as far as pointers go, than what it returns then.
func (t *Tree) Trim() bool {
	if t.loadedBytes <= maxLoaded {
		return false
	}
	t.loaded, t.loadedBytes = map[string]loaded{}, 0
	return true
}

// Bytes returns the text of a source or configuration file. It is empty when the
// file is not a regular one, cannot be read or is too large.
func (t *Tree) Bytes(name string) []byte {
	text, ok := t.texts[name]
	if !ok {
		if t.isRegular(name) {
			text, _ = t.readBytes(name)
		}
		if len(text) > source.MaxFile {
			text = nil
		}
		if t.textBytes += len(text) + len(name); t.textBytes > maxTexts {
			t.texts, t.textBytes = map[string][]byte{}, len(text)
		}
		t.texts[name] = text
	}
	return text
}

// peek is Bytes for a file that is not needed again soon: the text is valid until the
// next call.
func (t *Tree) peek(name string) []byte {
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	t.buffer = t.buffer[:0]
	for len(t.buffer) <= source.MaxFile {
		t.buffer = slices.Grow(t.buffer, 32<<10)
		n, err := f.Read(t.buffer[len(t.buffer):cap(t.buffer)])
		t.buffer = t.buffer[:len(t.buffer)+n]
		switch {
		case errors.Is(err, io.EOF):
			return t.buffer
		case err != nil:
			return nil
		}
	}
	return nil
}

// listFiles lists the source files of the checkout, once.
func (t *Tree) listFiles() {
	if t.listed != nil {
		return
	}
	t.listed, t.byName, t.byDir = map[string]string{}, map[string][]string{}, map[string][]string{}
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
			t.paths = append(t.paths, p)
		}
		return nil
	})
	slices.Sort(t.paths)
	for _, p := range t.paths {
		dir, name := path.Split(p)
		t.listed[p] = p
		t.byName[name] = append(t.byName[name], p)
		t.byDir[path.Clean(dir)] = append(t.byDir[path.Clean(dir)], p)
	}
}

// foldersUp returns a folder and those above it up to the top of the checkout.
func foldersUp(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != "." {
			dir = path.Dir(dir)
		}
	}
}

// isRegular reports whether name is a regular file that may be edited and is not
// behind a symbolic link.
func (t *Tree) isRegular(name string) bool {
	if _, listed := t.listed[name]; listed {
		return true
	}
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

// IsProtected reports whether a path belongs to git, the forge or an installed
// package. Such files are never edited. What file systems take for the same name
// counts as that name: the case of letters, characters that are not shown, and on
// Windows dots and spaces at the end, a stream after a colon and the short names of
// before 1995, "GIT~1", of which nobody knows what they are short for.
func IsProtected(name string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(name), "/"), func(segment string) bool {
		plain := strings.TrimRight(segment, ". ")
		return strings.HasPrefix(plain, ".git") || plain == "node_modules" || plain == "site-packages" ||
			plain != segment || shortName.MatchString(segment) || strings.ContainsAny(segment, `:\`) || strings.ContainsFunc(segment, isHidden)
	})
}

// shortName matches what Windows calls a file for programs that know names of eight
// letters and an extension of three.
var shortName = lazyregexp.New(`^[^.]{0,7}~[0-9]{1,6}(?:\.[^.]{0,3})?$`)

// isHidden reports whether a character shows nothing, so that some file systems leave
// it out of names.
func isHidden(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }

// Load reads a source file into tokens.
func (t *Tree) Load(name string) (*source.File, error) {
	if l, ok := t.loaded[name]; ok {
		return l.src, l.err
	}
	src, err := t.readFile(name)
	t.loaded[name] = loaded{src, err}
	if src != nil {
		t.loadedBytes += src.Size()
	}
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
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = min(info.Size(), source.MaxFile)
	}
	text := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(f, source.MaxFile+1)); err != nil {
		return nil, fmt.Errorf("%s cannot be read", source.Printable(name))
	}
	return text.Bytes(), nil
}
