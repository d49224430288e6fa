// Command surface writes the mechanical part of package crumb: for every method
// of playwright-go's Page, Frame, FrameLocator, Locator and BrowserContext that
// returns or takes one of these, or acts on an element, the method that wraps,
// unwraps and heals. `go generate ./crumb` runs it.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
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
	export, err := exec.CommandContext(ctx, "go", "list", "-trimpath", "-export", "-f", "{{.Export}}", module).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", module, err)
	}
	open := func(string) (io.ReadCloser, error) { return os.Open(strings.TrimSpace(string(export))) }
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", open).Import(module)
	if err != nil {
		return err
	}
	api := api{pkg.Scope()}
	source, err := format.Source(api.generate())
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	return os.WriteFile(out, source, 0o644)
}

// api is what playwright-go declares.
type api struct{ *types.Scope }

// methods returns the methods of an interface itself, in their order in the source.
func (a api) methods(iface string) []*types.Func {
	methods := slices.Collect(a.Lookup(iface).Type().Underlying().(*types.Interface).ExplicitMethods())
	slices.SortFunc(methods, func(a, b *types.Func) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return methods
}

// fields returns the types of a struct's fields by name, none for no struct.
func (a api) fields(name string) map[string]string {
	fields := map[string]string{}
	if declared := a.Lookup(name); declared != nil {
		for f := range declared.Type().Underlying().(*types.Struct).Fields() {
			fields[f.Name()] = typeName(f.Type())
		}
	}
	return fields
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
func typeName(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }

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

func (m method) withSignature(f *types.Signature) method {
	for p := range f.Params().Variables() {
		m.params = append(m.params, param{cmp.Or(p.Name(), fmt.Sprintf("p%d", len(m.params))), typeName(p.Type())})
	}
	if last := len(m.params) - 1; f.Variadic() {
		m.params[last].typ = "..." + strings.TrimPrefix(m.params[last].typ, "[]")
	}
	for r := range f.Results().Variables() {
		m.results = append(m.results, typeName(r.Type()))
	}
	return m
}

// headLine returns the line that begins the method.
func (m method) headLine() string {
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

// generateMethod returns the code of one method, "" when the raw one will do.
func (a api) generateMethod(m method) string {
	_, waits := a.fields(m.optionsType())["Timeout"]
	switch {
	case !waits || never[m.name]:
	case m.iface == "Locator":
		return a.healingMethod(m, "(&l.subject, ", m.function(m.params, "playwright.Locator"))
	case (m.iface == "Page" || m.iface == "Frame") && m.params[0] == param{"selector", "string"} && a.locates(m.name):
		functions := m.function(m.params[1:], m.raw) + ", " + m.function(m.params[1:], "playwright.Locator")
		return a.healingMethod(m, "On("+m.recv+", selector, ", functions)
	}
	return a.passingMethod(m)
}

// locates reports whether Locator has the method too.
func (a api) locates(name string) bool {
	return slices.ContainsFunc(a.methods("Locator"), func(f *types.Func) bool { return f.Name() == name })
}

// unwrapLine returns the line that unwraps the locators in the options, "" for none.
func (a api) unwrapLine(m method) string {
	unwrapping := map[string]string{"playwright.Locator": "Unwrap", "[]playwright.Locator": "unwrapList"}
	var names, values []string
	fields := a.fields(m.optionsType())
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

// healingMethod returns a method that heals: by the verb for what it acts on, of the
// functions that act.
func (a api) healingMethod(m method, on, functions string) string {
	before, option := "\n", "first(options)"
	if unwraps := a.unwrapLine(m); unwraps != "" {
		before, option = takeOption+unwraps, "option"
	}
	return fmt.Sprintf("%s%sreturn %s%s%q, %s, %s)\n}\n\n", m.headLine(), before, m.verb(), on, action(m.name), option, functions)
}

// wrapping are the functions that wrap a result, by its type.
var wrapping = map[string]string{
	"playwright.Locator": "wrapLocator", "playwright.FrameLocator": "wrapFrameLocator", "playwright.Page": "wrapPage",
	"playwright.Frame": "wrapFrame", "[]playwright.Frame": "wrapFrames", "[]playwright.Page": "wrapPages",
	"playwright.BrowserContext": "wrapContext", "[]playwright.Locator": "wrapLocators",
}

// wrapFunction returns the function that wraps a result, "" for none.
func (m method) wrapFunction() string {
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
	return m.wrapReceiver(w) + w
}

// wrapReceiver returns what a wrap function is called on.
func (m method) wrapReceiver(wrap string) string {
	switch wrap {
	case "wrapLocator", "wrapLocators", "wrapFrameLocator":
		return m.recv + "."
	}
	if m.iface == "Page" || m.iface == "BrowserContext" {
		return m.recv + ".test."
	}
	return m.recv + ".page.test."
}

// passingMethod returns the method that hands a call on, wrapping and unwrapping.
func (a api) passingMethod(m method) string {
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
	before := a.unwrapLine(m)
	if before != "" {
		before, args[len(args)-1] = takeOption+before, "option"
	}
	wrap := m.wrapFunction()
	call := fmt.Sprintf("%s.%s(%s)", m.raw, m.name, strings.Join(args, ", "))
	switch {
	case !changed && before == "" && wrap == "":
		return ""
	case len(m.results) == 2 && wrap != "" && !strings.HasSuffix(wrap, "Locators"):
		return m.headLine() + before + "\nvalue, err := " + call + "\nreturn " + wrap + "(value), err\n}\n\n"
	case wrap != "":
		call = wrap + "(" + call + ")"
	}
	if len(m.results) > 0 {
		call = "return " + call
	}
	return m.headLine() + before + " " + call + " }\n\n"
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
		return fmt.Sprintf("wrapArgument(%s, %s%s)", p.name, m.wrapReceiver(w), w)
	}
	return p.name
}

func (a api) generate() []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/surface; DO NOT EDIT.\n\npackage crumb\n\nimport \"" + module + "\"\n\n")
	for _, w := range wrappers {
		for _, m := range a.methods(w.iface) {
			if !handWritten[w.iface+"."+m.Name()] {
				b.WriteString(a.generateMethod(method{iface: w.iface, recv: w.recv, typ: w.typ, raw: w.recv + "." + w.raw, name: m.Name()}.withSignature(m.Signature())))
			}
		}
	}
	return b.Bytes()
}
