package trace

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// binding is how a client of Playwright other than JavaScript's tells where it is
// called from. All of them speak to the same driver, which writes the trace.
type binding struct {
	language string
	files    []string
	frames   string // [file, line, column, function], the driver writes 0 for what a client leaves out
	want     engine.Site
}

// As the clients collect them: Python leaves its own package out and knows no
// column, Java (with PLAYWRIGHT_JAVA_SRC) leaves com.microsoft.playwright out and
// puts every class below the folder, the JDK's too; .NET knows the column.
var bindings = []binding{
	{"python", []string{"/w/tests/test_shop.py", "/usr/lib/python3.12/site-packages/_pytest/python.py"},
		`[[0,14,0,"test_buy"],[1,159,0,"pytest_pyfunc_call"]]`, engine.Site{File: "/w/tests/test_shop.py", Line: 14}},
	{"python", []string{"/usr/lib/python3.12/site-packages/pytest_playwright/pytest_playwright.py", "/w/tests/pages/shop.py", "/w/tests/test_shop.py"},
		`[[0,210,0,"wrapper"],[1,8,0,"ShopPage.buy"],[2,14,0,"test_buy"]]`, engine.Site{File: "/w/tests/pages/shop.py", Line: 8}},
	{"java", []string{"src/test/java/com/acme/ShopTest.java", "src/test/java/jdk/internal/reflect/DirectMethodHandleAccessor.java"},
		`[[0,27,0,"com.acme.ShopTest.buys"],[1,103,0,"jdk.internal.reflect.DirectMethodHandleAccessor.invoke"]]`,
		engine.Site{File: "src/test/java/com/acme/ShopTest.java", Line: 27}},
	{"csharp", []string{"/_/src/Playwright/Core/Locator.cs", `C:\w\Shop.Tests\ShopTests.cs`, ""},
		`[[0,301,9,"Locator.ClickAsync"],[2,0,0,"MoveNext"],[1,31,9,"Shop.Tests.ShopTests.Buys"]]`, engine.Site{File: "C:/w/Shop.Tests/ShopTests.cs", Line: 31, Column: 9}},
}

// What playwright-go's trace teaches and heals, another language's does too: only
// its language and its stacks are others.
func TestTracesOfOtherLanguages(t *testing.T) {
	for _, b := range bindings {
		t.Run(fmt.Sprintf("%s at %s", b.language, filepath.Base(b.want.File)), func(t *testing.T) {
			passed, failed := b.trace(t, "v1"), b.trace(t, "v2")
			if passed.Language != b.language || passed.Failed || !failed.Failed {
				t.Errorf("%s, failed %v and %v", passed.Language, passed.Failed, failed.Failed)
			}
			known, ok := passed.Calls[0].Target()
			if !ok || known.Fingerprint.Site == nil {
				t.Fatalf("learned %+v, %v", known.Fingerprint.Site, ok)
			}
			if diff := cmp.Diff(b.want, *known.Fingerprint.Site); diff != "" {
				t.Errorf("learned at: %s", diff)
			}
			lost := failed.Calls[len(failed.Calls)-1]
			e := lost.Heal(&known, heal.Options{}).Event
			next, why := locator.Replacement(e)
			if !lost.Lost() || next.String() != `[data-testid="add-mug"]` || why != "" || e.Site == nil || *e.Site != b.want {
				t.Errorf("lost %v at %+v, becomes %s (%s)", lost.Lost(), e.Site, next, why)
			}
		})
	}
}

// trace returns playwright-go's trace of a release as the binding would have it.
func (b binding) trace(t *testing.T, release string) *Trace {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "traces", "go", release+".zip"))
	must(t, err)
	old, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	var files []file
	for _, f := range old.File {
		r, err := f.Open()
		must(t, err)
		all, err := io.ReadAll(r)
		must(t, err)
		text := string(all)
		switch {
		case strings.HasSuffix(f.Name, ".trace"):
			text = strings.Replace(text, `"sdkLanguage":"javascript"`, `"sdkLanguage":"`+b.language+`"`, 1)
		case strings.HasSuffix(f.Name, ".stacks"):
			text = b.stacks(t, all)
		}
		files = append(files, file{f.Name, text})
	}
	made, err := read(pack(t, files...))
	must(t, err)
	return made
}

// stacks returns a file of stacks where every call is at the binding's frames.
func (b binding) stacks(t *testing.T, old []byte) string {
	t.Helper()
	var s struct {
		Files  []string            `json:"files"`
		Stacks [][]json.RawMessage `json:"stacks"`
	}
	must(t, json.Unmarshal(old, &s))
	s.Files = b.files
	for i := range s.Stacks {
		s.Stacks[i][1] = json.RawMessage(b.frames)
	}
	text, err := json.Marshal(s)
	must(t, err)
	return string(text)
}
