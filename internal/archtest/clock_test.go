package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// CheckClock returns one sentence for every place in the pure packages that
// uses the clock.
func CheckClock(packages []Package) ([]string, error) {
	return scanFiles(packages, isPure, clockUses)
}

// scanFiles returns what find finds in the files of the rooms that a rule is about.
func scanFiles(packages []Package, concerns func(room string) bool, find func(name string, src any) ([]string, error)) ([]string, error) {
	var broken []string
	for _, p := range packages {
		if room, known := roomOf(p.ImportPath); !known || !concerns(room) {
			continue
		}
		for _, name := range p.GoFiles {
			found, err := find(filepath.Join(p.Dir, name), nil)
			if err != nil {
				return nil, fmt.Errorf("scan the source: %w", err)
			}
			broken = append(broken, found...)
		}
	}
	return broken, nil
}

// clockUses parses one file, or src when there is one, and returns where it
// uses the clock, called or handed on as a value.
func clockUses(name string, src any) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	local := localName(file, "time")
	if local == "." {
		return []string{name + " imports time with a dot, so its clock calls cannot be seen"}, nil
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if member := memberOf(n, local); slices.Contains(clockCalls, member) {
			found = append(found, fmt.Sprintf("%s uses time.%s: engine takes times as arguments", files.Position(n.Pos()), member))
		}
		return true
	})
	return found, nil
}

// memberOf returns the name behind the point of a use of the package that the file
// knows as local, "" for everything else.
func memberOf(n ast.Node, local string) string {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok && local != "" && x.Name == local {
			return s.Sel.Name
		}
	}
	return ""
}

// localName returns the name by which a file knows a package, "" for not.
func localName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err != nil || imported != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path[strings.LastIndexByte(path, '/')+1:]
	}
	return ""
}
