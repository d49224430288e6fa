package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
)

// CheckPatterns returns one sentence for every regular expression of the product
// that is compiled at each start of the command, or that does not compile.
func CheckPatterns(packages []Package) ([]string, error) {
	return scanFiles(packages, isProduct, patternMistakes)
}

// isProduct reports whether a room is part of the command.
func isProduct(room string) bool {
	return !isTool(room) && !slices.Contains([]string{"test", "examples", "internal/githubtest"}, room)
}

// patternMistakes parses one file, or src when there is one. What a function
// compiles is left to its own tests.
func patternMistakes(name string, src any) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	standard, lazy := localName(file, "regexp"), localName(file, Module+"/"+lazyRegexp)
	constants := stringConstants(file)
	var found []string
	for _, decl := range file.Decls {
		if _, ok := decl.(*ast.GenDecl); !ok {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			switch {
			case !ok:
			case memberOf(call.Fun, standard) == "MustCompile":
				found = append(found, fmt.Sprintf("%s compiles a pattern at every start: use %s", files.Position(n.Pos()), lazyRegexp))
			case memberOf(call.Fun, lazy) == "New":
				if why := refusePattern(call.Args[0], constants); why != "" {
					found = append(found, fmt.Sprintf("%s: %s", files.Position(n.Pos()), why))
				}
			}
			return true
		})
	}
	return found, nil
}

// stringConstants returns the values of a file's constants that are texts, by name.
func stringConstants(file *ast.File) map[string]string {
	values := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
			for i, name := range spec.Names {
				if value, known := stringValue(spec.Values[i], values); known {
					values[name.Name] = value
				}
			}
		}
		return true
	})
	return values
}

// stringValue returns the value of a text that is made of literals and of constants.
func stringValue(e ast.Expr, constants map[string]string) (value string, known bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil
	case *ast.Ident:
		value, known = constants[e.Name]
		return value, known
	case *ast.BinaryExpr:
		left, knownLeft := stringValue(e.X, constants)
		right, knownRight := stringValue(e.Y, constants)
		return left + right, knownLeft && knownRight
	}
	return "", false
}

// refusePattern returns what is wrong with a pattern, "" for nothing.
func refusePattern(pattern ast.Expr, constants map[string]string) string {
	value, known := stringValue(pattern, constants)
	if !known {
		return "the pattern is no constant of this file, so no test compiles it"
	}
	if _, err := regexp.Compile(value); err != nil {
		return err.Error()
	}
	return ""
}
