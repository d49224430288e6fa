package attach

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy"
)

// The identities are those of examples/shop/results, as `breadcrumb junit` shows them.
func TestATestHasTheIdentityOfItsReport(t *testing.T) {
	for _, c := range []struct {
		name string
		told told
		want engine.TestID
	}{
		{"Playwright Test", told{Runner: "playwright", Project: "chromium", File: "checkout.spec.ts", Titles: []string{"Checkout", "places the order"}},
			"checkout.spec.ts › Checkout › places the order [chromium]"},
		{"a project without a name", told{Runner: "playwright", File: "a/pay.spec.ts", Titles: []string{"pays"}}, "a/pay.spec.ts › pays"},
		{"a file of Windows", told{Runner: "playwright", File: filepath.FromSlash("a/pay.spec.ts"), Titles: []string{"pays"}}, "a/pay.spec.ts › pays"},
		{"pytest", told{Runner: "pytest", Node: "python/test_login.py::TestLogin::test_wrong_password"}, "python/test_login.py::TestLogin::test_wrong_password"},
		{"a parameter with colons", told{Runner: "pytest", Node: "python/test_search.py::TestSearch::test_finds_nothing[fork::knife]"},
			"python/test_search.py::TestSearch::test_finds_nothing[fork::knife]"},
	} {
		if got := c.told.id(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func marshal(t *testing.T, n told) []byte {
	t.Helper()
	content, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func tell(t *testing.T, file string, n told) {
	t.Helper()
	if err := os.WriteFile(file+".part", marshal(t, n), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		t.Fatal(err)
	}
}

// A runner tells its test in a file, or over the connection of the calls.
func TestACallIsOfTheTestThatItsWorkerRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "1-0.json")
	inFile, said := &tests{file: file}, &tests{}
	for name, c := range map[string]struct {
		whose *tests
		tell  func(told)
	}{
		"in a file":           {inFile, func(n told) { tell(t, file, n) }},
		"over the connection": {said, func(n told) { said.note(marshal(t, n)) }},
	} {
		t.Run(name, func(t *testing.T) { callsOfATest(t, c.whose, c.tell) })
	}
}

func callsOfATest(t *testing.T, whose *tests, tell func(told)) {
	t.Helper()
	call := proxy.Call{Site: &engine.Site{File: "page.ts", Line: 3}}
	if got := whose.testOf(call); got.ID != "" {
		t.Errorf("before any test: %+v", got)
	}
	first := told{Runner: "playwright", File: "a.spec.ts", Titles: []string{"first"}, Path: "/x/a.spec.ts", Line: 7, Column: 5, Start: 1_700_000_000_000, Timeout: 30_000}
	tell(first)
	want := proxy.Test{ID: "a.spec.ts › first", Deadline: time.UnixMilli(1_700_000_030_000)}
	if diff := cmp.Diff(want, whose.testOf(call)); diff != "" {
		t.Errorf("first test (-want +got):\n%s", diff)
	}
	want.Site = &engine.Site{File: "/x/a.spec.ts", Line: 7, Column: 5}
	if diff := cmp.Diff(want, whose.testOf(proxy.Call{})); diff != "" {
		t.Errorf("a call without a place is at its test (-want +got):\n%s", diff)
	}
	first.Ended = true
	tell(first)
	if got := whose.testOf(call); got.ID != "a.spec.ts › first" || !got.Deadline.IsZero() {
		t.Errorf("after the test: %+v", got)
	}
}

func TestACallIsOfTheTestAroundItsPlace(t *testing.T) {
	root := t.TempDir()
	for name, code := range map[string]string{
		"go.mod":           "module shop.example/tests\n",
		"web/pay_test.go":  "package web\n\nfunc TestPays(t *testing.T) {\n\tclick()\n}\n\nfunc click() {\n}\n",
		"src/PayTest.java": "package shop;\nclass PayTest {\n  @Test void pays() {\n    page.click();\n  }\n}\n",
		"src/PayPage.java": "package shop;\nclass PayPage {\n  void pay() {\n    page.click();\n  }\n}\n",
		"src/PayTests.cs":  "namespace Shop;\nclass PayTests {\n  [Test] public async Task Pays() {\n    await page.ClickAsync();\n  }\n}\n",
		"src/OtherTest.kt": "class OtherTest {}",
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whose := &tests{file: filepath.Join(root, "none.json"), root: root}
	for _, c := range []struct {
		file string // "" for a call without a place
		line int
		want string
	}{
		{"src/PayPage.java", 4, "shop.PayPage › pay()"}, // there was no test yet
		{"src/PayTest.java", 4, "shop.PayTest › pays()"},
		{"src/PayPage.java", 4, "shop.PayTest › pays()"},
		{"src/PayTests.cs", 4, "Shop.PayTests › Pays"},
		{"src/OtherTest.kt", 1, "Shop.PayTests › Pays"},
		{"web/pay_test.go", 4, "shop.example/tests/web › TestPays"},
		{"web/pay_test.go", 7, "shop.example/tests/web › TestPays"},
		{"missing.go", 1, "shop.example/tests/web › TestPays"},
		{"", 0, "shop.example/tests/web › TestPays"},
	} {
		call := proxy.Call{}
		if c.file != "" {
			call.Site = &engine.Site{File: filepath.Join(root, c.file), Line: c.line}
		}
		if got := whose.testOf(call).ID; got != c.want {
			t.Errorf("%s:%d: %q, want %q", c.file, c.line, got, c.want)
		}
	}
}

func FuzzTold(f *testing.F) {
	f.Add([]byte(`{"runner":"playwright","project":"chromium","file":"a.spec.ts","titles":["a"],"start":1,"timeout":2}`))
	f.Add([]byte(`{"runner":"pytest","node":"a.py::B::c[d]"}`))
	f.Add([]byte(`{"runner":"pytest","node":"["}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "1.json")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		whose := &tests{file: file}
		n, known := readTold(whose.file)
		if !known {
			return
		}
		if id := n.id(); id != engine.NewTestID(string(id)) {
			t.Errorf("%q is no clean identity", id)
		}
		n.deadline()
		n.site()
	})
}
