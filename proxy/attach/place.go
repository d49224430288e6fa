package attach

import (
	"path/filepath"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
)

// findByPlace returns the test that a call stands in. A call from elsewhere, such as a page
// object, is of the test that called last, because a connection belongs to one process;
// before there was one it is of the class that it stands in.
func (t *tests) findByPlace(at *engine.Site) engine.TestID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at == nil {
		return t.last
	}
	names, test := namesAt(at.File, at.Line, t.root)
	if !test && (t.last != "" || names == (identity.Names{})) {
		return t.last
	}
	var namer identity.Namer
	id := namer.Identity(&names)
	if test {
		t.last = id
	}
	return id
}

// namesAt returns what a report calls the code at a place, and whether that is a test.
func namesAt(file string, line int, root string) (identity.Names, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	code, err := readStart(file, maxSourceBytes)
	if err != nil {
		return identity.Names{}, false
	}
	place, err := patch.PlaceAt(file, code, line)
	if err != nil || place == (patch.Place{}) {
		return identity.Names{}, false
	}
	if filepath.Ext(file) == ".go" {
		module := goPackage(filepath.Dir(file))
		return identity.Names{Runner: identity.RunnerGo, Suite: &identity.Suite{Name: module, Path: module}, Name: place.Function}, place.Test
	}
	class := place.Class
	if place.Package != "" {
		class = place.Package + "." + class
	}
	name := place.Function
	if name != "" && filepath.Ext(file) == ".java" {
		name += "()" // as JUnit's reports have it
	}
	return identity.Names{Suite: &identity.Suite{Name: class, Path: class}, Class: class, Name: name}, place.Test
}

// maxSourceBytes bounds a source file that is looked into.
const maxSourceBytes = 4 << 20

var moduleLine = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

// goPackage returns the import path of a folder, "" where no module is around it.
func goPackage(folder string) string {
	for up, below := folder, ""; up != below; up, below = filepath.Dir(up), up {
		text, err := readStart(filepath.Join(up, "go.mod"), maxSourceBytes)
		if err != nil {
			continue
		}
		inside, err := filepath.Rel(up, folder)
		if m := moduleLine.FindSubmatch(text); m != nil && err == nil {
			return strings.TrimSuffix(string(m[1])+"/"+filepath.ToSlash(inside), "/.")
		}
	}
	return ""
}
