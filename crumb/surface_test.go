package crumb

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// surface are the interfaces that are wrapped, and by what.
var surface = map[reflect.Type]reflect.Type{
	typeOf[playwright.Page]():           typeOf[*Page](),
	typeOf[playwright.Frame]():          typeOf[*frame](),
	typeOf[playwright.FrameLocator]():   typeOf[*frameLocator](),
	typeOf[playwright.Locator]():        typeOf[*locator](),
	typeOf[playwright.BrowserContext](): typeOf[*browserContext](),
}

// lookOnce are the methods with a timeout that must not heal.
var lookOnce = []string{"IsHidden", "IsVisible"}

// Whatever returns, takes or calls back with something that is wrapped has to be
// a method of the wrapper: what is embedded would hand out Playwright's.
func TestNoMethodIsForgotten(t *testing.T) {
	factories, healing := 0, 0
	for iface, wrapper := range surface {
		for i := range iface.NumMethod() {
			m := iface.Method(i)
			ours := writtenByUs(t, wrapper, m.Name)
			switch {
			case mentions(m.Type, 0):
				factories++
				if !ours {
					t.Errorf("%s.%s handles a wrapped type and is not wrapped: %s", iface.Name(), m.Name, m.Type)
				}
			case waits(iface, m) && !slices.Contains(lookOnce, m.Name):
				healing++
				if !ours {
					t.Errorf("%s.%s waits for an element and does not heal", iface.Name(), m.Name)
				}
			}
		}
	}
	if factories < 80 || healing < 70 {
		t.Errorf("only %d methods that wrap and %d that heal were looked at", factories, healing)
	}
}

// The test above has to notice what it looks for.
func TestForgottenMethodsAreNoticed(t *testing.T) {
	type embeds struct{ rawPage }
	if writtenByUs(t, typeOf[*embeds](), "Click") {
		t.Error("a promoted method passes for our own")
	}
	if !writtenByUs(t, typeOf[*Page](), "Close") {
		t.Error("a method of ours passes for a promoted one")
	}
	method, _ := typeOf[playwright.Locator]().MethodByName("Filter")
	if !mentions(method.Type, 0) {
		t.Error("locators in options are not seen")
	}
}

// writtenByUs reports whether a wrapper has the method itself: Go generates the
// promoted ones, which have no file.
func writtenByUs(t *testing.T, wrapper reflect.Type, name string) bool {
	t.Helper()
	m, ok := wrapper.MethodByName(name)
	if !ok {
		t.Fatalf("%s has no method %s", wrapper, name)
	}
	file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
	return strings.HasSuffix(file, ".go")
}

// mentions reports whether a type is or holds one of the surface: in a
// signature, a list, a callback or the fields of options.
func mentions(t reflect.Type, depth int) bool {
	if _, ok := surface[t]; ok {
		return true
	}
	if depth > 3 {
		return false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		return mentions(t.Elem(), depth+1)
	case reflect.Func:
		for i := range t.NumIn() {
			if mentions(t.In(i), depth+1) {
				return true
			}
		}
		for i := range t.NumOut() {
			if mentions(t.Out(i), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		if !strings.HasSuffix(t.Name(), "Options") {
			return false // BindingSource names the page that calls a binding, and takes none
		}
		for i := range t.NumField() {
			if mentions(t.Field(i).Type, depth+1) {
				return true
			}
		}
	}
	return false
}

// waits reports whether a method acts on an element and can time out.
func waits(iface reflect.Type, m reflect.Method) bool {
	n := m.Type.NumIn()
	if n == 0 || m.Type.In(n-1).Kind() != reflect.Slice {
		return false
	}
	options := m.Type.In(n - 1).Elem()
	if options.Kind() != reflect.Struct {
		return false
	}
	if _, ok := options.FieldByName("Timeout"); !ok {
		return false
	}
	if iface == typeOf[playwright.Locator]() {
		return true
	}
	locates, ok := typeOf[playwright.Locator]().MethodByName(m.Name)
	return ok && n > 1 && m.Type.In(0).Kind() == reflect.String && locates.Type.NumIn() == n-1
}

func TestUnwrapLeavesWhatIsNotWrapped(t *testing.T) {
	var none playwright.Locator
	if Unwrap(none) != nil || Unwrap("text") != "text" {
		t.Error("a value of no wrapper changed")
	}
}

func TestGeneratedCodeIsUpToDate(t *testing.T) {
	fresh := t.TempDir()
	if out, err := exec.Command("go", "run", "-trimpath", "./internal/surface", "-out", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := goFiles(t, fresh)
	got := goFiles(t, ".")
	for name := range got {
		if name != "surface_gen.go" && (filepath.Dir(name) != "community" || name == filepath.Join("community", "doc.go")) {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not what `go generate ./crumb` writes (-want +got):\n%s", diff)
	}
}

// goFiles returns the Go files in a folder and in community below it, without tests.
func goFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"*.go", "community/*.go"} {
		names, err := fs.Glob(os.DirFS(folder), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				files[filepath.FromSlash(name)] = string(text)
			}
		}
	}
	return files
}

// HealingMethods returns the names of the methods that have to heal.
func HealingMethods() (names []string) {
	for iface := range surface {
		for i := range iface.NumMethod() {
			if m := iface.Method(i); waits(iface, m) && !slices.Contains(lookOnce, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
