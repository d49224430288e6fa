// Command surface writes the mechanical part of package crumb: for every method
// of playwright-go's Page, Frame, FrameLocator, Locator and BrowserContext that
// returns or takes one of these, or acts on an element, the method that wraps,
// unwraps and heals. `go generate ./crumb` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/playwright-community/playwright-go"

func main() {
	out := flag.String("out", "surface_gen.go", "`file` to write")
	flag.Parse()
	if err := run(context.Background(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "surface:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", module, err)
	}
	api, err := load(strings.TrimSpace(string(dir)))
	if err != nil {
		return err
	}
	source, err := format.Source(api.generate())
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	return os.WriteFile(out, source, 0o644)
}

// api is what playwright-go declares.
type api struct {
	interfaces map[string]*ast.InterfaceType
	structs    map[string]map[string]string // type by field, by struct
}

func load(dir string) (*api, error) {
	a := &api{map[string]*ast.InterfaceType{}, map[string]map[string]string{}}
	for _, name := range []string{"generated-interfaces.go", "generated-structs.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				a.add(spec)
			}
			return true
		})
	}
	return a, nil
}

func (a *api) add(spec *ast.TypeSpec) {
	switch t := spec.Type.(type) {
	case *ast.InterfaceType:
		a.interfaces[spec.Name.Name] = t
	case *ast.StructType:
		fields := map[string]string{}
		for _, f := range t.Fields.List {
			for _, name := range f.Names {
				fields[name.Name] = typeName(f.Type)
			}
		}
		a.structs[spec.Name.Name] = fields
	}
}

// wrappers are the interfaces that are wrapped, with receiver, type and the
// field of the raw value.
var wrappers = []struct{ iface, recv, typ, raw string }{
	{"Page", "p", "Page", "rawPage"},
	{"Frame", "f", "frame", "rawFrame"},
	{"FrameLocator", "f", "frameLocator", "rawFrameLocator"},
	{"Locator", "l", "locator", "rawLocator"},
	{"BrowserContext", "c", "browserContext", "rawContext"},
}

// typeName prints a type as package crumb writes it.
func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		if ast.IsExported(t.Name) {
			return "playwright." + t.Name
		}
		return t.Name
	case *ast.StarExpr:
		return "*" + typeName(t.X)
	case *ast.ArrayType:
		return "[]" + typeName(t.Elt)
	case *ast.Ellipsis:
		return "..." + typeName(t.Elt)
	case *ast.MapType:
		return "map[" + typeName(t.Key) + "]" + typeName(t.Value)
	case *ast.SelectorExpr:
		return typeName(t.X) + "." + t.Sel.Name
	case *ast.FuncType:
		m := method{}.with(t)
		return "func(" + m.list(func(p param) string { return p.typ }) + ")" + m.resultList()
	}
	return fmt.Sprintf("%T", e)
}
