package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
)

// CheckClock returns one sentence for every place in the pure packages that
// uses the clock.
func CheckClock(packages []Package) ([]string, error) {
	var broken []string
	for _, p := range packages {
		if room, known := roomOf(p.ImportPath); !known || !isPure(room) {
			continue
		}
		for _, name := range p.GoFiles {
			found, err := clockUses(filepath.Join(p.Dir, name), nil)
			if err != nil {
				return nil, fmt.Errorf("scan for clock calls: %w", err)
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
	local := timeName(file)
	if local == "." {
		return []string{name + " imports time with a dot, so its clock calls cannot be seen"}, nil
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(clockCalls, s.Sel.Name) {
			found = append(found, fmt.Sprintf("%s uses time.%s: engine takes times as arguments", files.Position(s.Pos()), s.Sel.Name))
		}
		return true
	})
	return found, nil
}

// timeName returns the name by which a file knows package time, "" for not.
func timeName(file *ast.File) string {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != "time" {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "time"
	}
	return ""
}
