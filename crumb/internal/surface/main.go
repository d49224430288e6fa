// Command surface writes the mechanical part of package crumb: for every method
// of playwright-go's Page, Frame, FrameLocator, Locator and BrowserContext that
// returns or takes one of these, or acts on an element, the method that wraps,
// unwraps and heals. `go generate ./crumb` runs it.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	ast.Inspect(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && name.IsExported() {
			name.Name = "playwright." + name.Name
		}
		_, qualified := n.(*ast.SelectorExpr)
		return !qualified
	})
	return types.ExprString(e)
}

// handWritten are the methods that package crumb writes itself: those that take two
// elements, whose effect depends on an option, or that step out of a frame.
var handWritten = map[string]bool{
	"FrameLocator.First": true, "FrameLocator.Last": true, "FrameLocator.Nth": true, "FrameLocator.Owner": true,
	"Locator.DragTo": true, "Locator.WaitFor": true, "Locator.Page": true,
	"Page.DragAndDrop": true, "Page.WaitForSelector": true, "Page.SetDefaultTimeout": true, "Page.Close": true,
	"Frame.DragAndDrop": true, "Frame.WaitForSelector": true, "Frame.Page": true,
	"BrowserContext.NewCDPSession": true, "BrowserContext.SetDefaultTimeout": true, "BrowserContext.OnClose": true,
}

// never are the methods that look once and must not heal.
var never = map[string]bool{"IsHidden": true, "IsVisible": true}

type param struct{ name, typ string }

type method struct {
	iface, recv, typ, raw, name string
	params                      []param
	results                     []string
}

func (m method) with(f *ast.FuncType) method {
	for i, p := range f.Params.List {
		name := fmt.Sprintf("p%d", i)
		if len(p.Names) > 0 {
			name = p.Names[0].Name
		}
		m.params = append(m.params, param{name, typeName(p.Type)})
	}
	if f.Results != nil {
		for _, r := range f.Results.List {
			m.results = append(m.results, typeName(r.Type))
		}
	}
	return m
}

// head returns the line that begins the method.
func (m method) head() string {
	var params []string
	for _, p := range m.params {
		params = append(params, p.name+" "+p.typ)
	}
	results := strings.Join(m.results, ", ")
	if len(m.results) > 1 {
		results = "(" + results + ")"
	}
	return fmt.Sprintf("func (%s *%s) %s(%s) %s {", m.recv, m.typ, m.name, strings.Join(params, ", "), results)
}

// optionsType returns the struct of the method's options, "" when it has none.
func (m method) optionsType() string {
	if n := len(m.params); n > 0 {
		if t, ok := strings.CutPrefix(m.params[n-1].typ, "...playwright."); ok && strings.HasSuffix(t, "Options") {
			return t
		}
	}
	return ""
}

// method returns the code of one method, "" when the raw one will do.
func (a *api) method(m method) string {
	_, waits := a.structs[m.optionsType()]["Timeout"]
	switch {
	case !waits || never[m.name]:
	case m.iface == "Locator":
		return a.healing(m, "(&l.subject, ", m.function(m.params, "playwright.Locator"))
	case (m.iface == "Page" || m.iface == "Frame") && m.params[0] == param{"selector", "string"} && a.locates(m.name):
		functions := m.function(m.params[1:], m.raw) + ", " + m.function(m.params[1:], "playwright.Locator")
		return a.healing(m, "On("+m.recv+", selector, ", functions)
	}
	return a.passing(m)
}

// locates reports whether Locator has the method too.
func (a *api) locates(name string) bool {
	return slices.ContainsFunc(a.interfaces["Locator"].Methods.List, func(f *ast.Field) bool { return f.Names[0].Name == name })
}

// unwraps returns the line that unwraps the locators in the options, "" for none.
func (a *api) unwraps(m method) string {
	unwrapping := map[string]string{"playwright.Locator": "Unwrap", "[]playwright.Locator": "unwrapList"}
	var names, values []string
	fields := a.structs[m.optionsType()]
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if unwrap := unwrapping[fields[field]]; unwrap != "" {
			names, values = append(names, "option."+field), append(values, unwrap+"(option."+field+")")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " = " + strings.Join(values, ", ") + "\n"
}

// takeOption is the line that begins a method that changes its options.
const takeOption = "\noption := first(options)\n"

// function returns the method of a value or type as a function of the options, with
// the other parameters given.
func (m method) function(params []param, of string) string {
	call := of + "." + m.name
	if of == "playwright.Locator" && m.name == "Dblclick" {
		call = "doubleClick" // playwright-go's own takes no options
	}
	given := params[:len(params)-1]
	if len(given) == 0 {
		return call
	}
	for _, p := range given {
		call += ", " + p.name
	}
	return m.verb() + []string{"With", "With2"}[len(given)-1] + "(" + call + ")"
}

// verb returns the function that heals a method with these results.
func (m method) verb() string {
	if len(m.results) == 1 {
		return "do"
	}
	return "read"
}

func action(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// healing returns a method that heals: by the verb for what it acts on, of the
// functions that act.
func (a *api) healing(m method, on, functions string) string {
	before, option := "\n", "first(options)"
	if unwraps := a.unwraps(m); unwraps != "" {
		before, option = takeOption+unwraps, "option"
	}
	return fmt.Sprintf("%s%sreturn %s%s%q, %s, %s)\n}\n\n", m.head(), before, m.verb(), on, action(m.name), option, functions)
}

// wrapping are the functions that wrap a result, by its type.
var wrapping = map[string]string{
	"playwright.Locator": "wrapLocator", "playwright.FrameLocator": "wrapFrameLocator", "playwright.Page": "wrapPage",
	"playwright.Frame": "wrapFrame", "[]playwright.Frame": "wrapFrames", "[]playwright.Page": "wrapPages",
	"playwright.BrowserContext": "wrapContext", "[]playwright.Locator": "wrapLocators",
}

// wrap returns the function that wraps a result, "" for none.
func (m method) wrap() string {
	if len(m.results) == 0 {
		return ""
	}
	w := wrapping[m.results[0]]
	switch {
	case m.results[0] == "any" && strings.HasSuffix(m.name, "Event"):
		w = "wrapEvent"
	case w == "":
		return ""
	}
	return m.via(w) + w
}

// via returns what a wrap function is called on.
func (m method) via(wrap string) string {
	switch wrap {
	case "wrapLocator", "wrapLocators", "wrapFrameLocator":
		return m.recv + "."
	}
	if m.iface == "Page" || m.iface == "BrowserContext" {
		return m.recv + ".test."
	}
	return m.recv + ".page.test."
}

// passing returns the method that hands a call on, wrapping and unwrapping.
func (a *api) passing(m method) string {
	changed := false
	var args []string
	for _, p := range m.params {
		arg := m.argument(p)
		changed = changed || arg != p.name
		if strings.HasPrefix(p.typ, "...") {
			arg += "..."
		}
		args = append(args, arg)
	}
	before := a.unwraps(m)
	if before != "" {
		before, args[len(args)-1] = takeOption+before, "option"
	}
	wrap := m.wrap()
	call := fmt.Sprintf("%s.%s(%s)", m.raw, m.name, strings.Join(args, ", "))
	switch {
	case !changed && before == "" && wrap == "":
		return ""
	case len(m.results) == 2 && wrap != "" && !strings.HasSuffix(wrap, "Locators"):
		return m.head() + before + "\nvalue, err := " + call + "\nreturn " + wrap + "(value), err\n}\n\n"
	case wrap != "":
		call = wrap + "(" + call + ")"
	}
	if len(m.results) > 0 {
		call = "return " + call
	}
	return m.head() + before + " " + call + " }\n\n"
}

// argument returns what is handed on for a parameter.
func (m method) argument(p param) string {
	switch p.typ {
	case "playwright.Locator", "playwright.Page":
		return "Unwrap(" + p.name + ")"
	case "any":
		if p.name == "selectorOrLocator" {
			return "Unwrap(" + p.name + ")"
		}
	}
	inner, isFunc := strings.CutPrefix(p.typ, "func(")
	if w := wrapping[strings.TrimSuffix(inner, ")")]; isFunc && w != "" {
		return fmt.Sprintf("wrapArgument(%s, %s%s)", p.name, m.via(w), w)
	}
	return p.name
}

func (a *api) generate() []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/surface; DO NOT EDIT.\n\npackage crumb\n\nimport \"" + module + "\"\n\n")
	for _, w := range wrappers {
		for _, m := range a.interfaces[w.iface].Methods.List {
			signature, ok := m.Type.(*ast.FuncType)
			if !ok || handWritten[w.iface+"."+m.Names[0].Name] {
				continue
			}
			b.WriteString(a.method(method{iface: w.iface, recv: w.recv, typ: w.typ, raw: w.recv + "." + w.raw, name: m.Names[0].Name}.with(signature)))
		}
	}
	return b.Bytes()
}
