package testcode

import (
	"errors"
	"fmt"
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
			return tree.Load(file)
		} else if !errors.Is(err, checkout.ErrNoFile) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s is not in the checkout", source.Printable(named[0]))
}

// classFileOf returns the file that the class or module of a test is usually in,
// when exactly one file of the checkout has such a name.
func classFileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (*source.File, error) {
	found := ""
	for _, name := range classFiles(h, t) {
		file, err := tree.Find(name)
		switch {
		case err != nil:
		case found != "" && found != file:
			return nil, fmt.Errorf("the test could be in %s or in %s", source.Printable(found), source.Printable(file))
		default:
			found = file
		}
	}
	if found == "" {
		return goFileOf(tree, h, t)
	}
	return tree.Load(found)
}

// goFileOf returns the only file with the Go test of a heal, in the package that the
// test's class or id names, or else in any. It returns nil for no test of Go.
func goFileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (*source.File, error) {
	id := Identify(h, t)
	path := goPath(id)
	if len(path) == 0 || !goTest.MatchString(path[0]) {
		return nil, nil
	}
	packages := slices.Clone(id.Names[:len(id.Names)-1])
	if whole := id.Title(); strings.Contains(whole, ".Test") {
		packages = append(packages, whole[:strings.LastIndex(whole, ".Test")])
	}
	if t != nil && t.Class != "" {
		packages = append(packages, t.Class)
	}
	var found *source.File
	for _, file := range tree.Files() {
		if !strings.HasSuffix(file, "_test.go") || !source.ContainsWord(tree.Bytes(file), path[0]) || !tree.IsInGoPackage(file, packages) {
			continue
		}
		src, err := tree.Load(file)
		if err != nil {
			return nil, err
		}
		switch {
		case len(FindBodies(src, Identity{Names: path[:1]}).Own) == 0:
		case found != nil:
			return nil, fmt.Errorf("the test could be in %s or in %s", found.Name(), src.Name())
		default:
			found = src
		}
	}
	return found, nil
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
