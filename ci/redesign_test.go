package ci_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/flaky"
)

// control is one control of the shop, as it was and as it is after the redesign.
type control struct {
	name        string // what it says, or its label
	before      string // attributes
	after       string // "" where it is gone
	tag, action string
}

// shopPages are three pages with 22 controls, of which 20 are changed and 2 removed.
var shopPages = map[string][]control{
	"account": {
		{"Display name", `id="name"`, `data-testid="display-name"`, "input", "fill"},
		{"E-mail", `id="email"`, `id="mail-address"`, "input", "fill"},
		{"Phone number", `id="phone"`, `data-testid="phone-number"`, "input", "fill"},
		{"Delivery notes", `id="notes"`, `id="delivery-notes"`, "textarea", "fill"},
		{"Save changes", `id="save" class="btn"`, `data-testid="save-account" class="button"`, "button", "click"},
		{"Change password", `id="password-link" href="/password"`, `data-testid="change-password" href="/password"`, "a", "click"},
		{"Close account", `id="close" class="btn"`, `data-testid="close-account" class="button"`, "button", "click"},
		{"Download my data", `id="download" class="btn"`, `id="takeout" class="button"`, "button", "click"},
	},
	"cart": {
		{"Quantity of mugs", `id="qty"`, `data-testid="quantity"`, "input", "fill"},
		{"Voucher code", `id="voucher"`, `data-testid="voucher-code"`, "input", "fill"},
		{"Redeem voucher", `id="redeem" class="btn"`, `data-testid="redeem" class="button"`, "button", "click"},
		{"Remove mugs", `id="remove" class="btn"`, `id="drop-mugs" class="button"`, "button", "click"},
		{"Gift wrapping", `id="gift" class="btn"`, ``, "button", "click"},
		{"Proceed to checkout", `id="checkout" href="/checkout"`, `data-testid="go-to-checkout" href="/checkout"`, "a", "click"},
		{"Continue shopping", `id="continue" href="/shop"`, `data-testid="keep-shopping" href="/shop"`, "a", "click"},
	},
	"orders": {
		{"Search orders", `id="search"`, `data-testid="order-search"`, "input", "fill"},
		{"Export as spreadsheet", `id="export" class="btn"`, `data-testid="export" class="button"`, "button", "click"},
		{"Print overview", `id="print" class="btn"`, ``, "button", "click"},
		{"Invoice archive", `id="archive" href="/invoices"`, `data-testid="archive" href="/invoices"`, "a", "click"},
		{"Cancel last order", `id="cancel" class="btn"`, `data-testid="cancel-last" class="button"`, "button", "click"},
		{"Order again", `id="again" class="btn"`, `id="reorder" class="button"`, "button", "click"},
		{"Report a problem", `id="report" href="/help"`, `data-testid="report-problem" href="/help"`, "a", "click"},
	},
}

// shopPage returns a page before or after the redesign.
func shopPage(name string, after bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>Shop: %[1]s</title></head><body><header><h1>Your %[1]s</h1></header><main>", name)
	for i, c := range shopPages[name] {
		attributes, wrap := c.before, "div"
		if after {
			attributes, wrap = c.after, "section"
		}
		if attributes == "" {
			continue
		}
		switch c.tag {
		case "input", "textarea":
			fmt.Fprintf(&b, `<%[1]s class="row"><label for="f%[2]d">%[3]s</label><%[4]s aria-label="%[3]s" %[5]s></%[4]s></%[1]s>`, wrap, i, c.name, c.tag, attributes)
		default:
			fmt.Fprintf(&b, `<%[1]s class="row"><%[2]s %[3]s>%[4]s</%[2]s></%[1]s>`, wrap, c.tag, attributes, c.name)
		}
	}
	return b.String() + "</main></body></html>"
}

// step is one call of a test: which control of its page, and where in the source.
type step struct{ control, line int }

// layout is how a language's suite, its report and its traces are laid out.
type layout struct {
	name, language string
	file           func(page string) string
	head, foot     string
	open, close    string // of a test of a title
	step           string // of a selector and an action
	trace          func(page, title string) (folder, traceTitle string)
	class          func(page string) string
	absolute       bool // stacks name files absolutely
	column         int
	locator        *regexp.Regexp // what a step looks for: css, test id
}

var layouts = []layout{
	{
		name: "TypeScript", language: "javascript", absolute: true, column: 14,
		file: func(page string) string { return "tests/" + page + ".spec.ts" },
		head: "import { test } from '@playwright/test';\n",
		open: "test('%s', async ({ page }) => {\n  await page.goto('/%s');\n", close: "});\n", step: "  await page.locator('%s').%s;\n",
		trace: func(page, title string) (string, string) {
			return page + "-" + title + "-chromium", page + ".spec.ts:4 › " + title
		},
		class:   func(page string) string { return page + ".spec.ts" },
		locator: regexp.MustCompile(`page\.(?:locator\('([^']*)'\)|getByTestId\('([^']*)'\))\.`),
	},
	{
		name: "Python", language: "python", absolute: true,
		file: func(page string) string { return "tests/test_" + page + ".py" },
		head: "from playwright.sync_api import Page\n\n",
		open: "def test_%s(page: Page):\n    page.goto(\"/%s\")\n", close: "\n", step: "    page.locator(\"%s\").%s\n",
		trace: func(page, title string) (string, string) {
			return "tests-test-" + page + "-py-test-" + strings.ReplaceAll(title, "_", "-") + "-chromium", ""
		},
		class:   func(page string) string { return "tests.test_" + page },
		locator: regexp.MustCompile(`page\.(?:locator\("([^"]*)"\)|get_by_test_id\("([^"]*)"\))\.`),
	},
	{
		name: "Java", language: "java",
		file: func(page string) string { return "src/test/java/com/acme/" + javaClass(page) + ".java" },
		head: "package com.acme;\n\nclass %s extends Base {\n", foot: "}\n",
		open: "  @Test\n  void %s() {\n    page.navigate(\"/%s\");\n", close: "  }\n", step: "    page.locator(\"%s\").%s;\n",
		trace:   func(page, title string) (string, string) { return javaClass(page) + "." + title, "" },
		class:   func(page string) string { return "com.acme." + javaClass(page) },
		locator: regexp.MustCompile(`page\.(?:locator\("([^"]*)"\)|getByTestId\("([^"]*)"\))\.`),
	},
}

func javaClass(page string) string { return strings.ToUpper(page[:1]) + page[1:] + "Test" }

// shopSuite is the suite in one layout: for every control a test that uses the first
// control of its page, then this one and the next.
type shopSuite struct {
	layout
	dir   string
	tests []shopTest
}

type shopTest struct {
	page, title string
	steps       []step
}

func newShopSuite(t *testing.T, l layout) *shopSuite {
	t.Helper()
	s := &shopSuite{layout: l, dir: t.TempDir()}
	for _, page := range []string{"account", "cart", "orders"} {
		source := l.head
		if strings.Contains(source, "%s") {
			source = fmt.Sprintf(source, javaClass(page))
		}
		for i, c := range shopPages[page] {
			title := strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(c.name, "-", "")), " ", "_")
			test := shopTest{page: page, title: title}
			source += fmt.Sprintf(l.open, title, page)
			for _, n := range []int{0, i, (i + 1) % len(shopPages[page])} {
				test.steps = append(test.steps, step{n, strings.Count(source, "\n") + 1})
				did := shopPages[page][n]
				selector := "#" + regexp.MustCompile(`id="([^"]+)"`).FindStringSubmatch(did.before)[1]
				action := "click()"
				if did.action == "fill" {
					action = strings.ReplaceAll(`fill('x')`, "'", string(l.step[strings.Index(l.step, "%s")-1]))
				}
				source += fmt.Sprintf(l.step, selector, action)
			}
			source += l.close
			s.tests = append(s.tests, test)
		}
		writeFile(t, filepath.Join(s.dir, filepath.FromSlash(l.file(page))), source+l.foot)
	}
	return s
}

// selectors returns the selectors of a test's calls as its source has them now.
func (s *shopSuite) selectors(t *testing.T, test shopTest) (selectors []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(s.file(test.page))))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for _, at := range test.steps {
		m := s.locator.FindStringSubmatch(lines[at.line-1])
		if m == nil {
			t.Fatalf("%s:%d: no locator in %s", s.file(test.page), at.line, lines[at.line-1])
		}
		selector := m[1]
		if m[2] != "" {
			selector = `[data-testid="` + m[2] + `"]`
		}
		selectors = append(selectors, selector)
	}
	return selectors
}

// run runs the tests on the pages as they are: it writes the report and the traces, and
// returns the tests that failed with the call that did.
func (s *shopSuite) run(t *testing.T, after bool) (failed map[string]string) {
	t.Helper()
	failed = map[string]string{}
	_ = os.RemoveAll(filepath.Join(s.dir, "traces"))
	report := `<testsuites><testsuite name="shop" hostname="chromium">`
	for _, test := range s.tests {
		document, err := html.Parse(strings.NewReader(shopPage(test.page, after)))
		if err != nil {
			t.Fatal(err)
		}
		name, failure := test.title, ""
		if s.language == "python" {
			name = "test_" + name + "[chromium]"
		}
		record := recording{suite: s, test: test, document: document}
		for i, selector := range s.selectors(t, test) {
			found := cascadia.QueryAll(document, cascadia.MustCompile(selector))
			if len(found) > 1 {
				t.Fatalf("%s finds %d elements", selector, len(found))
			}
			if len(found) == 1 {
				if said := saidBy(found[0]); said != shopPages[test.page][test.steps[i].control].name {
					t.Errorf("%s › %s: %s finds %q", test.page, test.title, selector, said)
				}
				record.call(i, selector, found[0])
				continue
			}
			record.call(i, selector, nil)
			failed[test.page+" "+test.title] = selector
			failure = fmt.Sprintf(`<failure message="TimeoutError: locator.click: Timeout 10000ms exceeded.">Call log:&#10;  - waiting for locator('%s')</failure>`, selector)
			break
		}
		report += fmt.Sprintf(`<testcase name="%s" classname="%s" time="1">%s</testcase>`, name, s.class(test.page), failure)
		record.write(t)
	}
	writeFile(t, filepath.Join(s.dir, "report.xml"), report+"</testsuite></testsuites>")
	return failed
}

// saidBy returns what a control says, or its label.
func saidBy(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "aria-label" {
			return a.Val
		}
	}
	if n.FirstChild != nil {
		return n.FirstChild.Data
	}
	return ""
}

// recording is the trace of one test.
type recording struct {
	suite    *shopSuite
	test     shopTest
	document *html.Node
	events   bytes.Buffer
	stacks   []any
}

// call adds a call and what it found, nil for nothing.
func (r *recording) call(i int, selector string, found *html.Node) {
	id := fmt.Sprintf("call@%d", i+1)
	var problem any
	if found == nil {
		problem = map[string]string{"message": "Timeout 10000ms exceeded."}
	}
	method := shopPages[r.test.page][r.test.steps[i].control].action
	snapshot := func(phase string) map[string]any {
		return map[string]any{"type": "frame-snapshot", "snapshot": map[string]any{"callId": id, "phase": phase, "pageId": "p", "frameId": "f",
			"frameUrl": "http://shop.test/" + r.test.page, "isMainFrame": true, "html": snapshotOf(r.document, found)}}
	}
	encoder := json.NewEncoder(&r.events)
	encoder.SetEscapeHTML(false)
	for _, event := range []any{
		json.RawMessage(fmt.Sprintf(`{"type":"before","callId":%q,"class":"Frame","method":%q,"params":{"selector":%q}}`, id, method, selector)),
		snapshot("before"), snapshot("after"),
		map[string]any{"type": "after", "callId": id, "error": problem},
	} {
		_ = encoder.Encode(event) // into memory
	}
	r.stacks = append(r.stacks, []any{id, []any{[]any{0, r.test.steps[i].line, r.suite.column, "test"}}})
}

// snapshotOf returns a document as Playwright's snapshots have it.
func snapshotOf(n, marked *html.Node) any {
	switch n.Type {
	case html.DocumentNode:
		return snapshotOf(n.FirstChild, marked)
	case html.TextNode:
		return n.Data
	}
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
	}
	if n == marked {
		attributes["__playwright_target__"] = ""
	}
	node := []any{strings.ToUpper(n.Data), attributes}
	for child := range n.ChildNodes() {
		node = append(node, snapshotOf(child, marked))
	}
	return node
}

func (r *recording) write(t *testing.T) {
	t.Helper()
	folder, title := r.suite.trace(r.test.page, r.test.title)
	file := r.suite.file(r.test.page)
	if r.suite.absolute {
		file = filepath.Join(r.suite.dir, filepath.FromSlash(file))
	}
	stacks, err := json.Marshal(map[string]any{"files": []string{file}, "stacks": r.stacks})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range map[string]string{
		"0-trace.trace":  fmt.Sprintf(`{"version":8,"type":"context-options","playwrightVersion":"1.60.0","sdkLanguage":%q,"title":%q}`, r.suite.language, title) + "\n" + r.events.String(),
		"0-trace.stacks": string(stacks),
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(r.suite.dir, "traces", folder, "trace.zip"), out.String())
}

func (s *shopSuite) config() ci.Config {
	return ci.Config{JUnit: []string{filepath.Join(s.dir, "report.xml")}, Traces: []string{filepath.Join(s.dir, "traces", "*", "trace.zip")},
		DB: filepath.Join(s.dir, ".breadcrumb.db"), Repo: s.dir, Policy: flaky.PolicySeed, Missing: ci.MissingAuto, CommentKey: "default"}
}

// A redesign is one round: what one red run shows is enough for every edit that can be
// known, though each test stops at the first locator that it lost.
func TestARedesignIsOneRedRun(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			s := newShopSuite(t, l)
			if failed := s.run(t, false); len(failed) > 0 || len(s.tests) < 20 {
				t.Fatalf("of %d tests %v fail before the redesign", len(s.tests), failed)
			}
			if result, err := ci.Run(t.Context(), s.config(), deps()); err != nil || result.Exit != ci.ExitPass {
				t.Fatal(result.Exit, err)
			}
			met := map[string]bool{}
			for _, selector := range s.run(t, true) {
				met[selector] = true
			}
			if len(met) > 3 {
				t.Errorf("the tests meet %d losses of 22 by themselves", len(met))
			}
			result, err := ci.Run(t.Context(), s.config(), deps())
			if err != nil || result.Exit != ci.ExitBlocked || len(result.Outcome.Healed()) != 0 {
				t.Fatal(result.Exit, len(result.Outcome.Healed()), err)
			}
			for i, d := range result.Outcome.Redesigns() {
				want := []string{"/account: 8 locators, 8 tests, 1 commit", "/cart: 6 locators, 7 tests, 1 commit", "/orders: 6 locators, 7 tests, 1 commit"}[i]
				if got := d.Page + ": " + d.Reach(); got != want {
					t.Errorf("redesign of %s, want %s", got, want)
				}
			}
			state := comment.NewState(result.Outcome, nil, nil)
			body := comment.Render(result.Outcome, comment.Options{State: &state})
			if n := linesWhenFolded(body); n > 60 {
				t.Errorf("the comment has %d lines:\n%s", n, body)
			}
			if _, err := ci.Apply(t.Context(), s.config(), ci.Deps{Now: func() time.Time { return time.Unix(1772359300, 0) }}, nil, nil); err != nil {
				t.Fatal(err)
			}
			for test, selector := range s.run(t, true) {
				if selector != "#gift" && selector != "#print" {
					t.Errorf("%s still fails: %s", test, selector)
				}
			}
		})
	}
}

// linesWhenFolded counts the lines that are seen while the folds of a comment are closed.
func linesWhenFolded(body string) (n int) {
	depth := 0
	for line := range strings.Lines(body) {
		switch line = strings.TrimSpace(line); {
		case line == "<details>":
			depth++
		case line == "</details>":
			depth--
		case strings.HasPrefix(line, "<summary>") && depth == 1, depth == 0 && line != "" && !strings.HasPrefix(line, "<!--"):
			n++
		}
	}
	return n
}
