package testcode

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// FileOf returns the source file of a test, nil without an error when nothing names
// one.
func FileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (*source.File, error) {
	file, err := PathOf(tree, h, t)
	if err != nil || file == "" {
		return nil, err
	}
	return tree.Load(file)
}

// PathOf is FileOf for the path alone, "" for nil.
func PathOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (string, error) {
	var named []string
	if t != nil && t.File != "" {
		named = append(named, t.File)
	}
	if file := ParseID(h.TestID).File; file != "" {
		named = append(named, file)
	}
	if len(named) == 0 {
		return classFileOf(tree, h, t)
	}
	for _, name := range named {
		if file, err := tree.Find(name); err == nil {
			return file, nil
		} else if !errors.Is(err, checkout.ErrNoFile) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s is not in the checkout", source.Printable(named[0]))
}

// classFileOf returns the file that the class or module of a test is usually in,
// when exactly one file of the checkout has such a name.
func classFileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (string, error) {
	found := ""
	for _, name := range classFiles(h, t) {
		file, err := tree.Find(name)
		switch {
		case err != nil:
		case found != "" && found != file:
			return "", fmt.Errorf("the test could be in %s or in %s", source.Printable(found), source.Printable(file))
		default:
			found = file
		}
	}
	if found == "" {
		if file, err := csharpFileOf(tree, h, t); err != nil || file != "" {
			return file, err
		}
		return goFileOf(tree, h, t)
	}
	return found, nil
}

// goFileOf returns the only file with the Go test of a heal, in the package that the
// test's class or id names, or else in any. It returns "" for no test of Go.
func goFileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (string, error) {
	id := Identify(h, t)
	path := goPath(id)
	if len(path) == 0 || !goTest.MatchString(path[0]) {
		return "", nil
	}
	packages := slices.Clone(id.Names[:len(id.Names)-1])
	if whole := id.Title(); strings.Contains(whole, ".Test") {
		packages = append(packages, whole[:strings.LastIndex(whole, ".Test")])
	}
	if t != nil && t.Class != "" {
		packages = append(packages, t.Class)
	}
	found := ""
	goSource, _ := source.DialectOf(".go")
	for _, file := range tree.AllNaming(goSource, path[0]) {
		if !strings.HasSuffix(file, "_test.go") || !tree.IsInGoPackage(file, packages) {
			continue
		}
		src, err := tree.Load(file)
		if err != nil {
			return "", err
		}
		switch {
		case len(FindBodies(src, Identity{Names: path[:1]}).Own) == 0:
		case found != "":
			return "", fmt.Errorf("the test could be in %s or in %s", source.Printable(found), src.Name())
		default:
			found = file
		}
	}
	return found, nil
}

// FilesNaming returns the files that may hold a test of which no file is known.
func FilesNaming(tree *checkout.Tree, t engine.TestResult) []string {
	id := Identify(engine.HealEvent{TestID: t.ID}, &t)
	words := map[string][]string{".go": goPath(id), ".ts": {"test", "it", "setup"}}
	for _, end := range []string{".py", ".java", ".cs"} {
		words[end] = []string{id.functionName()}
	}
	found := map[string]bool{}
	for end, names := range words {
		d, _ := source.DialectOf(end)
		for _, name := range names {
			for _, file := range tree.AllNaming(d, name) {
				found[file] = true
			}
		}
		if d.IsScript() { // a function of the project's own, such as loginTest
			for _, file := range tree.FilesWith(tree.AllNaming(d, ""), "Test") {
				found[file] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// goTest matches the name of a test function of Go.
var goTest = lazyregexp.New(`^Test(?:[^a-z]\w*)?$`)

// className matches a dotted class or module: shop.LoginTest, tests.test_login.
var className = lazyregexp.New(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)

// classFiles returns the files that a test's class may be in: pkg/Class.java,
// Class.cs, pkg/module.py, also for a class in a module.
func classFiles(h engine.HealEvent, t *engine.TestResult) []string {
	var classes []string
	if t != nil {
		classes = append(classes, t.Class)
	}
	for _, text := range []string{string(h.TestID), strings.ReplaceAll(string(h.TestID), "#", ".")} {
		text, _, _ = strings.Cut(text, "(")
		text, _, _ = strings.Cut(text, "[")
		if i := strings.LastIndexByte(text, '.'); i > 0 {
			classes = append(classes, text[:i])
		}
	}
	var files []string
	for _, class := range classes {
		class, _, _ = strings.Cut(class, "$")
		class, _, _ = strings.Cut(class, "+")
		if !className.MatchString(class) {
			continue
		}
		dir := strings.ReplaceAll(class, ".", "/")
		files = append(files, dir+".java", path.Base(dir)+".cs", dir+".py")
		if path.Dir(dir) != "." {
			files = append(files, path.Dir(dir)+".py")
		}
	}
	return files
}
