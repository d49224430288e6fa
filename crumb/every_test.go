package crumb_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/internal/browsertest"
)

// every.html has an element for each action, and keeps what was done to them.
//
//go:embed testdata/every.html
var everyPage string

// act is one call on an element whose id changed.
type act struct {
	method string
	id     string
	args   []any
	want   any    // what it returns: a value, a func(any) bool, or nil when the effect counts
	effect string // an expression in the page that is true when the element was acted on
}

// other is an argument that is a locator.
type other string

func not(empty any) func(any) bool { return func(got any) bool { return got != empty } }

var acts = []act{
	{method: "Blur", id: "city", effect: "did('blur city')"},
	{method: "Check", id: "news", effect: "named('news').checked"},
	{method: "Clear", id: "note", effect: "named('note').value === ''"},
	{method: "Click", id: "save", effect: "did('click save')"},
	{method: "Dblclick", id: "save", effect: "did('dblclick save')"},
	{method: "DispatchEvent", id: "save", args: []any{"wave", map[string]any{}}, effect: "did('wave save')"},
	{method: "DragTo", id: "token", args: []any{other("#old-basket")}, effect: "did('drop basket')"},
	{method: "DragAndDrop", id: "token", args: []any{"#old-basket"}, effect: "did('drop basket')"},
	{method: "Drop", id: "basket", args: []any{playwright.Payload{Data: map[string]string{"text/plain": "x"}}}, effect: "did('drop basket')"},
	{method: "Fill", id: "note", args: []any{"Lyon"}, effect: "named('note').value === 'Lyon'"},
	{method: "Focus", id: "note", effect: "document.activeElement === named('note')"},
	{method: "Hover", id: "save", effect: "named('save').matches(':hover')"},
	{method: "Press", id: "city", args: []any{"x"}, effect: "named('city').value === 'x'"},
	{method: "PressSequentially", id: "city", args: []any{"ab"}, effect: "named('city').value === 'ab'"},
	{method: "Screenshot", id: "save", want: func(got any) bool { return bytes.HasPrefix(got.([]byte), []byte("\x89PNG")) }},
	{method: "ScrollIntoViewIfNeeded", id: "far", effect: "scrollY > 0"},
	{method: "SelectOption", id: "country", args: []any{playwright.SelectOptionValues{Values: playwright.StringSlice("de")}},
		want: []string{"de"}, effect: "named('country').value === 'de'"},
	{method: "SelectText", id: "note", effect: "named('note').selectionEnd === 3 && named('note').selectionStart === 0"},
	{method: "SetChecked", id: "news", args: []any{true}, effect: "named('news').checked"},
	{method: "SetInputFiles", id: "photo", args: []any{[]playwright.InputFile{{Name: "a.png", MimeType: "image/png", Buffer: []byte("x")}}},
		effect: "named('photo').files[0].name === 'a.png'"},
	{method: "Tap", id: "save", effect: "did('touchstart save')"},
	{method: "Type", id: "city", args: []any{"ab"}, effect: "named('city').value === 'ab'"},
	{method: "Uncheck", id: "gift", effect: "!named('gift').checked"},

	{method: "AriaSnapshot", id: "save", want: `- button "Save everything"`},
	{method: "BoundingBox", id: "save", want: func(got any) bool { box := got.(*playwright.Rect); return box != nil && box.Width > 0 }},
	{method: "ElementHandle", id: "save", want: not(nil)},
	{method: "Evaluate", id: "save", args: []any{"(e, x) => e.getAttribute('name') + x", "!"}, want: "save!"},
	{method: "EvaluateHandle", id: "save", args: []any{"e => e", nil}, want: not(nil)},
	{method: "GetAttribute", id: "save", args: []any{"name"}, want: "save"},
	{method: "InnerHTML", id: "status", want: "3 orders <b>on their way</b>"},
	{method: "InnerText", id: "status", want: "3 orders on their way"},
	{method: "InputValue", id: "note", want: "abc"},
	{method: "IsChecked", id: "gift", want: true},
	{method: "IsDisabled", id: "closed", want: true},
	{method: "IsEditable", id: "city", want: true},
	{method: "IsEnabled", id: "save", want: true},
	{method: "TextContent", id: "status", want: "3 orders on their way"},
	{method: "WaitFor", id: "status"},
	{method: "WaitForSelector", id: "status", want: not(nil)},
}

// Every method that waits for an element heals, on a locator, on a page and on a
// frame, and what it does reaches the element that was lost.
func TestEveryActionHeals(t *testing.T) {
	browsertest.Browser(t)
	t.Parallel()
	named := map[string]bool{}
	for _, a := range acts {
		named[a.method] = true
	}
	for _, method := range crumb.HealingMethods() {
		if !named[method] {
			t.Errorf("%s is not tried", method)
		}
	}
	for _, on := range []string{"locator", "page", "frame"} {
		// High enough for all of the page: Chromium 156 drops nothing where a frame
		// scrolls during the drag.
		s := newSite(t, map[string]string{"/": everyPage, "/around": `<!doctype html><body><h1>Around</h1><iframe name="inner" src="/" width="1000" height="2400"></iframe></body>`})
		options := crumb.Options{TestID: t.Name() + on, DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime}
		visit(t, on, s, options, func(target any, _ playwright.Frame) bool {
			for _, a := range acts {
				if !a.of(on) {
					continue
				}
				if _, err := a.on(target); err != nil {
					t.Fatalf("%s of a %s on the page before: %v", a.method, on, err)
				}
			}
			return true
		})
		s.set("/", strings.ReplaceAll(everyPage, `id="old-`, `id="new-`))
		for name, group := range groups(on) {
			t.Run(on+" "+name, func(t *testing.T) { t.Parallel(); healGroup(t, group, on, s, options) })
		}
	}
}

// groups returns the acts of what has them that are tried on one page: what only
// reads all together, everything else alone.
func groups(on string) map[string][]act {
	all := map[string][]act{}
	for _, a := range acts {
		name := a.method
		if a.effect == "" {
			name = "reads"
		}
		if a.of(on) {
			all[name] = append(all[name], a)
		}
	}
	return all
}

// visit opens the page and calls do with what the methods of an act are of. A
// page on which do fails is not used again: a drag that was cut short stays on.
func visit(t *testing.T, on string, s *site, options crumb.Options, do func(target any, frame playwright.Frame) bool) {
	t.Helper()
	raw, giveBack := borrowPage(t)
	well := false
	defer func() {
		if !well {
			giveBack = func() { must(t, raw.Context().Close()) }
		}
		giveBack()
	}()
	page, err := crumb.Wrap(raw, options)
	must(t, err)
	defer crumb.CloseWrapper(page)
	page.SetDefaultTimeout(options.Timeout)
	if on != "frame" {
		measurePace(func() { _, err = page.Goto(s.URL) })
		must(t, err)
		well = do(map[string]any{"page": page, "locator": func(selector string) playwright.Locator { return page.Locator(selector) }}[on], raw.MainFrame())
		return
	}
	measurePace(func() { _, err = page.Goto(s.URL + "/around") })
	must(t, err)
	inner := page.Frame(playwright.PageFrameOptions{Name: playwright.String("inner")})
	well = do(inner, crumb.Unwrap(inner))
}

// of reports whether what it is called on has the method and looks for an
// element with it: a page's Screenshot is another than a locator's.
func (a act) of(on string) bool {
	locates, byLocator := reflect.TypeFor[playwright.Locator]().MethodByName(a.method)
	if on == "locator" {
		return byLocator
	}
	target := reflect.TypeFor[playwright.Page]()
	if on == "frame" {
		target = reflect.TypeFor[playwright.Frame]()
	}
	selects, ok := target.MethodByName(a.method)
	return ok && (!byLocator || selects.Type.NumIn() == locates.Type.NumIn()+1)
}

// on calls the method on a page, a frame or what a function finds.
func (a act) on(target any) (result any, err error) {
	selector := "#old-" + a.id
	args := a.args
	find, byLocator := target.(func(string) playwright.Locator)
	if byLocator {
		target = find(selector)
	} else {
		args = append([]any{selector}, args...)
	}
	method := reflect.ValueOf(target).MethodByName(a.method)
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		if o, ok := arg.(other); ok {
			arg = find(string(o))
		}
		if in[i] = reflect.ValueOf(arg); arg == nil {
			in[i] = reflect.Zero(method.Type().In(i))
		}
	}
	out := method.Call(in)
	if last := out[len(out)-1]; !last.IsNil() {
		err = last.Interface().(error)
	}
	if len(out) > 1 {
		result = out[0].Interface()
	}
	return result, err
}

// heal does what is in a group at once, on a page where everything is lost.
func healGroup(t *testing.T, group []act, on string, s *site, options crumb.Options) {
	t.Helper()
	patiently(t, func(patient patience) string {
		options.Timeout = patient.timeout()
		problems := make([]string, len(group))
		visit(t, on, s, options, func(target any, frame playwright.Frame) bool {
			var all sync.WaitGroup
			for i, a := range group {
				all.Go(func() {
					if problem := a.try(target, frame); problem != "" {
						problems[i] = a.method + " " + problem
					}
				})
			}
			all.Wait()
			return strings.Join(problems, "") == ""
		})
		return strings.TrimSpace(strings.Join(problems, "\n"))
	})
}

// try returns what is wrong with a healed call, "" for nothing.
func (a act) try(target any, frame playwright.Frame) string {
	got, err := a.on(target)
	if err != nil {
		return err.Error()
	}
	if fits, ok := a.want.(func(any) bool); ok && !fits(got) {
		return fmt.Sprintf("returned %v", got)
	} else if !ok && a.want != nil && !cmp.Equal(got, a.want) {
		return fmt.Sprintf("returned %v, want %v", got, a.want)
	}
	if a.effect == "" {
		return ""
	}
	done, err := frame.Evaluate("() => { " + everyNames + " return " + a.effect + " }")
	if err != nil || !slices.Contains([]any{true}, done) {
		return fmt.Sprintf("%s does not hold: %v %v", a.effect, done, err)
	}
	return ""
}

const everyNames = `const did = (what) => window.done.includes(what), named = (name) => document.querySelector("[name=" + name + "]");`
