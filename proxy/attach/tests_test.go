package attach

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
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

func tell(t *testing.T, file string, n told) {
	t.Helper()
	content, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".part", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		t.Fatal(err)
	}
}

func TestACallIsOfTheTestThatItsWorkerRuns(t *testing.T) {
	synctest.Test(t, callsOfATest)
}

func callsOfATest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "1-0.json")
	whose := &tests{file: file}
	call := proxy.Call{Site: &engine.Site{File: "page.ts", Line: 3}}
	if got := whose.testOf(call); got.ID != "" {
		t.Errorf("before any test: %+v", got)
	}
	first := told{Runner: "playwright", File: "a.spec.ts", Titles: []string{"first"}, Path: "/x/a.spec.ts", Line: 7, Column: 5, Start: 1_700_000_000_000, Timeout: 30_000}
	tell(t, file, first)
	want := proxy.Test{ID: "a.spec.ts › first", Deadline: time.UnixMilli(1_700_000_030_000)}
	if diff := cmp.Diff(want, whose.testOf(call)); diff != "" {
		t.Errorf("first test (-want +got):\n%s", diff)
	}
	want.Site = &engine.Site{File: "/x/a.spec.ts", Line: 7, Column: 5}
	if diff := cmp.Diff(want, whose.testOf(proxy.Call{})); diff != "" {
		t.Errorf("a call without a place is at its test (-want +got):\n%s", diff)
	}
	first.Ended = true
	tell(t, file, first)
	for range 2 { // the second does not wait
		if got := whose.testOf(call); got.ID != "a.spec.ts › first" || !got.Deadline.IsZero() {
			t.Errorf("after the test: %+v", got)
		}
	}
}

// On a busy machine Playwright Test's own process is a second late.
func TestACallWaitsForTheNewsOfItsTest(t *testing.T) {
	for name, before := range map[string]*told{
		"the first test": nil,
		"the next test":  {Runner: "playwright", File: "a.spec.ts", Titles: []string{"one"}, Ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "1-0.json")
				whose := &tests{file: file, tells: true}
				if before != nil {
					tell(t, file, *before)
				}
				go func() {
					time.Sleep(time.Second)
					tell(t, file, told{Runner: "playwright", File: "a.spec.ts", Titles: []string{"now"}})
				}()
				if got := whose.testOf(proxy.Call{}); got.ID != "a.spec.ts › now" {
					t.Errorf("the call is of %q", got.ID)
				}
			})
		})
	}
}

// What a worker tells itself is never late.
func TestAWorkerThatTellsItsTestIsBelieved(t *testing.T) {
	folder := t.TempDir()
	whose := &tests{file: filepath.Join(folder, "1-0.json"), own: filepath.Join(folder, "1-0.worker.json"), tells: true}
	tell(t, whose.file, told{Runner: "playwright", File: "a.spec.ts", Titles: []string{"before"}, Ended: true})
	for _, ended := range []bool{false, true} {
		tell(t, whose.own, told{Runner: "playwright", File: "a.spec.ts", Titles: []string{"now"}, Ended: ended})
		if got := whose.testOf(proxy.Call{}); got.ID != "a.spec.ts › now" {
			t.Errorf("ended %t: the call is of %q", ended, got.ID)
		}
	}
}

// Nothing comes for a call that no test makes: only the first of them waits for it.
func TestNewsThatDoNotComeAreWaitedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whose := &tests{file: filepath.Join(t.TempDir(), "1-0.json"), tells: true}
		for _, want := range []time.Duration{newsTime, 0} {
			start := time.Now()
			if got := whose.testOf(proxy.Call{}); got.ID != "" || time.Since(start) != want {
				t.Errorf("a call of %q waited %s, want %s", got.ID, time.Since(start), want)
			}
		}
	})
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
