package junit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Reports that runners made of the projects in testdata/real/src; the counts are
// those of the projects' tests. testdata/real/README.md has the commands.
func TestRealReports(t *testing.T) {
	playwright := Counts{Tests: 18, Passed: 6, Failed: 6, Skipped: 6}
	flaky := playwright
	flaky.Flaky = 2
	modern, modernFlaky := playwright, flaky // since 1.60 errors are told from failed expectations
	modern.Failed, modern.Errors = 2, 4
	modernFlaky.Failed, modernFlaky.Errors = 2, 4
	for _, c := range []struct {
		file   string
		format string
		counts Counts
		holds  string // an identity and where its failure is
	}{
		{"playwright-1.60.xml", "playwright", modern, "shop/cart.spec.js › cart › fails always [chromium] playwright/tests/shop/cart.spec.js:7"},
		{"playwright-1.60-retries.xml", "playwright", modernFlaky, "shop/cart.spec.js › cart › is flaky [firefox] playwright/tests/shop/cart.spec.js:9"},
		{"playwright-1.60.json", "playwright-json", modernFlaky, "shop/cart.spec.js › cart › in order › first breaks [chromium] playwright/tests/shop/cart.spec.js:15"},
		{"playwright-1.60.ctrf.json", "ctrf", modernFlaky, "shop/cart.spec.js › cart › in order › first breaks [firefox] playwright/tests/shop/cart.spec.js:15"},
		{"playwright-1.52.xml", "playwright", playwright, "shop/cart.spec.js › cart › fails always [chromium] playwright/tests/shop/cart.spec.js:7"},
		{"playwright-1.52-retries.xml", "playwright", playwright, "shop/cart.spec.js › cart › fails always [chromium] playwright/tests/shop/cart.spec.js:7"},
		{"playwright-1.52.json", "playwright-json", modernFlaky, "shop/cart.spec.js › cart › times out [firefox] playwright/tests/shop/cart.spec.js:12"},
		{"playwright-1.65.xml", "playwright", modern, "shop/cart.spec.js › cart › fails always [chromium] playwright/tests/shop/cart.spec.js:7"},
		{"playwright-1.65-retries.xml", "playwright", modernFlaky, "shop/cart.spec.js › cart › is flaky [firefox] playwright/tests/shop/cart.spec.js:9"},
		{"playwright-1.65.json", "playwright-json", modernFlaky, "shop/cart.spec.js › cart › in order › first breaks [chromium] playwright/tests/shop/cart.spec.js:15"},
		{"gotestsum.xml", "go", Counts{Tests: 8, Passed: 3, Failed: 4, Skipped: 1}, "example.com/shop/ok › TestAdd/one_item ok_test.go:7"},
		{"gotest.json", "go-test-json", Counts{Tests: 8, Passed: 3, Failed: 3, Errors: 1, Skipped: 1}, "example.com/shop/broken › TestMain broken/broken_test.go:5"},
		{"node-test.xml", "junit", Counts{Tests: 7, Passed: 4, Failed: 1, Skipped: 2}, "cart › fails node/cart.test.js:5"},
		{"node-test.tap", "tap", Counts{Tests: 7, Passed: 4, Failed: 1, Skipped: 2}, "cart › fails node/cart.test.js:5"},
		{"jest.xml", "junit", Counts{Tests: 5, Passed: 2, Failed: 2, Skipped: 1}, "cart › cart counts items jest/cart.test.js:3"},
		// jest-junit tells broken.test.js twice; Jest itself counts two suites as failed, and two tests
		{"jest-broken.xml", "junit", Counts{Tests: 6, Passed: 2, Failed: 2, Errors: 1, Skipped: 1}, "Test suite failed to run › broken.test.js broken.test.js:1"},
		{"jest-file.xml", "junit", Counts{Tests: 5, Passed: 2, Failed: 2, Skipped: 1}, "cart.test.js › cart › cart sums adds 2 jest/cart.test.js:5"},
		{"mocha.xml", "junit", Counts{Tests: 3, Passed: 1, Failed: 2}, "mocha/cart.spec.js › cart › cart counts items mocha/cart.spec.js:4"},
		{"vitest.xml", "vitest", Counts{Tests: 5, Passed: 2, Failed: 1, Skipped: 2}, "cart.test.mjs › cart › counts items cart.test.mjs:4"},
		{"vitest.tap", "tap", Counts{Tests: 5, Passed: 2, Failed: 1, Skipped: 2}, "cart.test.mjs › cart › counts items vitest/cart.test.mjs:4"},
		{"cucumber-js.xml", "junit", Counts{Tests: 5, Passed: 2, Failed: 3}, "Cart › sums - #1.2 cucumber/features/steps.cjs:4"},
		{"pytest.xml", "pytest", Counts{Tests: 8, Passed: 2, Failed: 2, Errors: 2, Skipped: 2}, "tests/test_cart.py::TestCart::test_counts tests/test_cart.py:8"},
		{"phpunit.xml", "junit", Counts{Tests: 6, Passed: 2, Failed: 2, Errors: 1, Skipped: 1}, `CartTest › testSums with data set "two" phpunit/CartTest.php:9`},
		{"googletest.xml", "junit", Counts{Tests: 6, Passed: 2, Failed: 2, Skipped: 2}, "Cart › Counts gtest/cart_test.cc:3"},
		{"ctest.xml", "junit", Counts{Tests: 7, Passed: 2, Failed: 2, Skipped: 3}, "Cart.Counts :0"},
		{"rspec.xml", "junit", Counts{Tests: 6, Passed: 2, Failed: 2, Skipped: 2}, "spec/cart_spec.rb › cart with sums adds 2 spec/cart_spec.rb:6"},
		{"minitest.xml", "junit", Counts{Tests: 4, Passed: 1, Failed: 1, Errors: 1, Skipped: 1}, "Minitest::Result › test_counts test/cart_test.rb:6"},
	} {
		t.Run(c.file, func(t *testing.T) {
			f := parseReal(t, c.file)
			if diff := cmp.Diff(c.counts, f.Counts()); diff != "" || f.Format != c.format || f.Green() {
				t.Errorf("format %s, green %v, counts (-want +got)\n%s", f.Format, f.Green(), diff)
			}
			var places []string
			for _, r := range f.Results() {
				places = append(places, fmt.Sprintf("%s %s:%d", r.ID, r.File, r.Line))
			}
			if !slices.Contains(places, c.holds) {
				t.Errorf("no test %s among\n%s", c.holds, strings.Join(places, "\n"))
			}
		})
	}
}

// Node itself ends with 0 where only a test that is still to be done fails.
func TestNodesFailingTodoIsNoFailure(t *testing.T) {
	for _, name := range []string{"node-todo.xml", "node-todo.tap"} {
		f := parseReal(t, name)
		if got := statuses(f); got != "skipped skipped passed" || !f.Green() || len(f.Notices) > 0 {
			t.Errorf("%s: %s, green %v, %v", name, got, f.Green(), f.Notices)
		}
	}
}

// ctest reports a test whose program is missing as skipped and fails itself.
func TestCTestWithoutItsProgramIsNotGreen(t *testing.T) {
	f := parse(t, inSuite(`<testcase name="missing" classname="missing" status="notrun"><skipped message="Unable to find executable"/></testcase>`))
	if f.Green() || statuses(f) != "skipped" {
		t.Errorf("green %v, %s", f.Green(), statuses(f))
	}
}

func TestAttachmentsOfTheReportsDirectory(t *testing.T) {
	f := parse(t, inSuite(`<testcase name="a" classname="c"><system-out><![CDATA[x
[[ATTACHMENT|out/a.png]]
[[ATTACHMENT|../secret]] [[ATTACHMENT|/etc/passwd]] [[ATTACHMENT|out/../b.txt]] [[ATTACHMENT|C:\x]]]]></system-out><failure/></testcase>`+
		`<testcase name="b" classname="c"><system-out>[[ATTACHMENT|d&lt;.txt]] [[ATTACHMENT|e.txt]]</system-out></testcase><testcase name="d" classname="c"/>`))
	var got [][]string
	for _, r := range f.Results() {
		got = append(got, r.Attachments)
	}
	if diff := cmp.Diff([][]string{{"out/a.png", "b.txt"}, {"d&lt;.txt", "e.txt"}, nil}, got); diff != "" || f.Rows != 3 {
		t.Error(diff)
	}
}

func TestATraceElsewhereGivesOneNoticeWithTheSettingThatNamesIt(t *testing.T) {
	report := func(names ...string) string {
		return inSuite(`<testcase name="a" classname="c"><system-out>[[ATTACHMENT|` + strings.Join(names, "]] [[ATTACHMENT|") + `]]</system-out></testcase>`)
	}
	for name, c := range map[string]struct{ report, want string }{
		"pictures are nobody's loss": {report("../test-results/a/a.png", "/etc/passwd"), ""},
		"beside the report": {report("../test-results/a/trace.zip", "../test-results/b/trace.zip"),
			`trace "../test-results/a/trace.zip" lies outside the report's directory and was not read; the setting traces names it: test-results/**/trace.zip (and 1 more like it)`},
		"of the checkout":      {report("/checkout/out/a/trace.zip"), "the setting traces names it: out/**/trace.zip"},
		"outside the checkout": {report("/elsewhere/a/trace.zip"), "the setting traces names it: test-results/**/trace.zip"},
		"a hostile folder":     {report("../*{\"/a/trace.zip"), "the setting traces names it: test-results/**/trace.zip"},
	} {
		notices := parseNamed(t, "results/r.xml", c.report, Options{Root: "/checkout"}).Notices
		switch {
		case c.want == "" && len(notices) > 0, c.want != "" && (len(notices) != 1 || !strings.HasSuffix(notices[0].Reason, c.want)):
			t.Errorf("%s: notices %v", name, notices)
		}
		if notices := parseNamed(t, "results/r.xml", c.report, Options{Root: "/checkout", TracesNamed: true}).Notices; len(notices) > 0 {
			t.Errorf("%s: notices %v though the traces are named", name, notices)
		}
	}
}

func TestAttachmentIsOpenedOnlyBelowTheReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"secret": "s", "results/out/log.txt": "hello"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"results/link": "../secret", "results/inner": "out/log.txt", "results/dir": "out"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, opens := range map[string]bool{
		"out/log.txt": true, "link": false, "inner": false, "dir/log.txt": false, "out": false,
		"../secret": false, "/etc/passwd": false, "none": false, "": false,
	} {
		f, err := OpenAttachment(filepath.Join(dir, "results", "r.xml"), name)
		if opened := err == nil; opened != opens {
			t.Errorf("%q opened %v: %v", name, opened, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

func TestFailingLineOfTheTestsOwnFileIsPreferred(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"frame behind the title":      {"[chromium] › a.spec.ts:8:3 › t\n  Error: no\n    at /w/tests/a.spec.ts:10:42", "tests/a.spec.ts:10"},
		"code shown, no frame":        {"[chromium] › a.spec.ts:8:3 › t\n  Error: no\n     9 |\n  > 10 |   expect(1)\n       |   ^\n", "a.spec.ts:10"},
		"helper shown, then the test": {"a.spec.ts:8:3 › t\n  > 4 |  throw\n    at /w/tests/helper.ts:4:2\n    at /w/tests/a.spec.ts:11:9", "tests/a.spec.ts:11"},
		"only a helper":               {"[chromium] › a.spec.ts:8:3 › t\n  > 4 |  throw\n    at /w/tests/helper.ts:4:2\n", "a.spec.ts:8"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parseWith(t, `<testsuites id=""><testsuite name="a.spec.ts"><testcase name="t" classname="a.spec.ts"><failure message="a.spec.ts:8:3 t"><![CDATA[`+c.text+`]]></failure></testcase></testsuite></testsuites>`, Options{Root: "/w"})
			if r := f.Result(0); fmt.Sprintf("%s:%d", r.File, r.Line) != c.want {
				t.Errorf("%s:%d, want %s", r.File, r.Line, c.want)
			}
		})
	}
}
