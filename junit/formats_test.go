package junit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/formats"
)

const (
	playwrightHead = `{"config":{"rootDir":"/w/tests"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[`
	playwrightTail = `]}],"errors":[],"stats":{"startTime":"2026-01-02T03:04:05.678Z","unexpected":0}}`
)

func playwrightSpec(title, status string, results ...string) string {
	return fmt.Sprintf(`{"title":%q,"tests":[{"projectName":"chromium","expectedStatus":"passed","status":%q,"results":[%s]}],"file":"a.spec.ts","line":3,"column":1}`,
		title, status, strings.Join(results, ","))
}

func playwrightResultOf(status string) string {
	return fmt.Sprintf(`{"status":%q,"duration":12,"errors":[{"message":"Error: \u001b[2mexpect(\u001b[22mlocator).toBe(1)","stack":"Error: boom\n    at /w/tests/a.spec.ts:9:5","location":{"file":"/w/tests/a.spec.ts","line":9,"column":5}}]}`, status)
}

func TestPlaywrightJSONStatuses(t *testing.T) {
	for name, c := range map[string]struct{ spec, attempts string }{
		"passed":                  {playwrightSpec("t", "expected", playwrightResultOf("passed")), "passed"},
		"flaky":                   {playwrightSpec("t", "flaky", playwrightResultOf("failed"), playwrightResultOf("passed")), "failed passed"},
		"timed out twice":         {playwrightSpec("t", "unexpected", `{"status":"timedOut","errors":[{"message":"Test timeout of 30000ms exceeded."}]}`, `{"status":"timedOut"}`), "error error"},
		"expectation, timed out":  {playwrightSpec("t", "unexpected", playwrightResultOf("timedOut"), playwrightResultOf("interrupted")), "failed failed"},
		"expectation in the code": {playwrightSpec("t", "unexpected", `{"status":"failed","error":{"message":"TimeoutError: locator.click: Timeout"},"errors":[{"message":"TimeoutError: locator.click: Timeout\n\n> 3 | await expect(x).toBe(1)"}]}`), "error"},
		"code in an expectation":  {playwrightSpec("t", "unexpected", `{"status":"failed","errors":[{"message":"Error: expect(page.locator('a(b)')).not.toBeVisible() failed"}]}`), "failed"},
		"exception":               {playwrightSpec("t", "unexpected", strings.Replace(playwrightResultOf("failed"), "expect(", "inspect(", 1)), "error"},
		"skipped":                 {playwrightSpec("t", "skipped", playwrightResultOf("skipped")), "skipped"},
		"did not run":             {playwrightSpec("t", "skipped"), "skipped"},
		"interrupted":             {playwrightSpec("t", "unexpected", `{"status":"interrupted"}`), "error"},
		"interrupted, no verdict": {playwrightSpec("t", "skipped", `{"status":"interrupted"}`), "error"},
		"unexpected, no result":   {playwrightSpec("t", "unexpected"), "error"},
		"expected, no result":     {playwrightSpec("t", "expected"), "error"},
		"fails as expected":       {strings.Replace(playwrightSpec("t", "expected", playwrightResultOf("failed")), `"expectedStatus":"passed"`, `"expectedStatus":"failed"`, 1), "passed"},
		"passes unexpectedly":     {strings.Replace(playwrightSpec("t", "unexpected", playwrightResultOf("passed")), `"expectedStatus":"passed"`, `"expectedStatus":"failed"`, 1), "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, playwrightHead+c.spec+playwrightTail)
			if got := attemptStatuses(f.Results()[0]); got != c.attempts || f.Format != formats.Playwright {
				t.Errorf("attempts %q, want %q; format %s", got, c.attempts, f.Format)
			}
			if want := !strings.HasSuffix(c.attempts, "failed") && !strings.HasSuffix(c.attempts, "error"); f.Green() != want {
				t.Errorf("green %v: %v", f.Green(), f.Notices)
			}
		})
	}
}

// The XML of Playwright tells a test that fails by its first error, and so do the counts
// of every format; the attempts stay what they are.
func TestARetriedTestOfPlaywrightCountsByItsFirstError(t *testing.T) {
	timeout := `{"status":"timedOut","errors":[{"message":"Test timeout of 30000ms exceeded."}]}`
	f := parse(t, playwrightHead+playwrightSpec("a", "unexpected", timeout, playwrightResultOf("failed"))+","+
		playwrightSpec("b", "unexpected", playwrightResultOf("failed"), timeout)+","+playwrightSpec("c", "flaky", timeout, playwrightResultOf("passed"))+playwrightTail)
	if diff := cmp.Diff(Counts{Tests: 3, Passed: 1, Failed: 1, Errors: 1, Flaky: 1}, f.Counts()); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"error failed", "failed error", "error passed"} {
		if got := attemptStatuses(f.Result(i)); got != want {
			t.Errorf("%s: %s, want %s", f.ID(i), got, want)
		}
	}
}

func TestPlaywrightJSONPlacesAFailure(t *testing.T) {
	f := parseWith(t, playwrightHead+playwrightSpec("t", "unexpected", playwrightResultOf("failed"))+","+playwrightSpec("u", "expected", playwrightResultOf("passed"))+playwrightTail, Options{Root: "/w"})
	for i, want := range []string{"tests/a.spec.ts:9", "tests/a.spec.ts:3"} {
		if r := f.Results()[i]; fmt.Sprintf("%s:%d", r.File, r.Line) != want {
			t.Errorf("%s at %s:%d, want %s", r.ID, r.File, r.Line, want)
		}
	}
}

func TestPlaywrightJSONWithSortedKeysReadsTheSame(t *testing.T) {
	sorted := `{"config":{"rootDir":"/w/tests"},"errors":[],"suites":[{"specs":[{"line":3,"tests":[{"projectName":"p","results":[{"status":"passed"}],"expectedStatus":"passed","status":"expected"}],"title":"t"}],"suites":[{"specs":[{"tests":[{"results":[{"status":"passed"}],"expectedStatus":"passed","status":"expected"}],"title":"u"}],"title":"inner"}],"title":"a.spec.ts"}]}`
	if diff := cmp.Diff([]string{"a.spec.ts › t [p]", "a.spec.ts › inner › u"}, identities(parse(t, sorted))); diff != "" {
		t.Error(diff)
	}
}

func identities(f *File) []string {
	var ids []string
	for _, r := range f.Results() {
		ids = append(ids, string(r.ID))
	}
	return ids
}

func ctrfOf(tests string) string {
	return `{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"jest"},"summary":{"tests":1,"failed":0},"tests":[` + tests + `]}}`
}

func TestCTRFStatuses(t *testing.T) {
	for name, c := range map[string]struct{ test, attempts string }{
		"passed":               {`{"name":"t","status":"passed","duration":3}`, "passed"},
		"failed":               {`{"name":"t","status":"failed","message":"m"}`, "failed"},
		"pending":              {`{"name":"t","status":"pending"}`, "skipped"},
		"other is no pass":     {`{"name":"t","status":"other"}`, "error"},
		"other, to do":         {`{"name":"t","status":"other","rawStatus":"todo"}`, "skipped"},
		"other, passed by it":  {`{"name":"t","status":"other","rawStatus":"passed"}`, "error"},
		"unknown is no pass":   {`{"name":"t","status":"great"}`, "error"},
		"no status":            {`{"name":"t"}`, "error"},
		"retried":              {`{"name":"t","status":"passed","retries":2,"flaky":true,"retryAttempts":[{"status":"failed"},{"status":"failed"}]}`, "failed failed passed"},
		"the last one as well": {`{"name":"t","status":"passed","retries":1,"retryAttempts":[{"status":"failed"},{"status":"passed"}]}`, "failed passed"},
		"skipped at last":      {`{"name":"t","status":"skipped","retries":1,"retryAttempts":[{"status":"failed"}]}`, "failed"},
		"only counted":         {`{"name":"t","status":"passed","retries":1,"flaky":true}`, "failed passed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, ctrfOf(c.test))
			if got := attemptStatuses(f.Results()[0]); got != c.attempts || f.Format != formats.CTRF {
				t.Errorf("attempts %q, want %q; format %s", got, c.attempts, f.Format)
			}
		})
	}
}

// Playwright writes tests that it did not run as skipped, without the annotation
// of those that are to be skipped.
func TestTestsThatPlaywrightDidNotRun(t *testing.T) {
	xml := func(id, body string) string {
		return `<testsuites` + id + `><testsuite name="a.spec.ts" hostname="chromium"><testcase name="t" classname="a.spec.ts">` + body + `</testcase></testsuite></testsuites>`
	}
	json := func(expected, status string) string {
		return `{"config":{"rootDir":"/w"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[{"title":"t","file":"a.spec.ts","line":1,"tests":[` +
			`{"projectName":"chromium","expectedStatus":"` + expected + `","status":"` + status + `","results":[]}]}]}]}`
	}
	for name, c := range map[string]struct {
		report string
		want   int
	}{
		"skipped without a word": {xml(` id=""`, `<skipped/>`), 1},
		"skip":                   {xml(` id=""`, `<properties><property name="skip" value=""/></properties><skipped/>`), 0},
		"fixme":                  {xml(` id=""`, `<properties><property name="fixme" value=""/></properties><skipped/>`), 0},
		"another annotation":     {xml(` id=""`, `<properties><property name="issue" value="1"/></properties><skipped/>`), 1},
		"passed":                 {xml(` id=""`, ``), 0},
		"of another runner":      {xml(``, `<skipped/>`), 0},
		"JSON":                   {json("passed", "skipped"), 1},
		"JSON, to be skipped":    {json("skipped", "skipped"), 0},
		"JSON, unexpected":       {json("passed", "unexpected"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if f := parse(t, c.report); len(f.Unrun) != c.want {
				t.Errorf("not run: %q, want %d", f.Unrun, c.want)
			}
		})
	}
}

func TestCTRFIdentities(t *testing.T) {
	for name, c := range map[string]struct{ test, tool, want string }{
		"jest full name":      {`"name":"cart adds","suite":"cart.test.ts > cart","filePath":"src/cart.test.ts"`, "jest", "src/cart.test.ts › cart adds"},
		"suites as a list":    {`"name":"adds","suite":["cart","sums"],"filePath":"src/cart.test.ts"`, "vitest", "src/cart.test.ts › cart › sums › adds"},
		"playwright":          {`"name":"adds","suite":"chromium > shop/cart.spec.ts > cart","filePath":"/w/tests/shop/cart.spec.ts"`, "playwright", "shop/cart.spec.ts › cart › adds [chromium]"},
		"playwright, no name": {`"name":"adds","suite":"cart.spec.ts > cart","filePath":"/w/cart.spec.ts"`, "playwright", "cart.spec.ts › cart › adds"},
		"pytest node":         {`"name":"tests/test_a.py::TestA::test_ok[1]","filePath":"tests/test_a.py"`, "pytest", "tests/test_a.py::TestA::test_ok[1]"},
		"go package":          {`"name":"TestA/b","suite":["example.com/a"]`, "gotest", "example.com/a › TestA/b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, fmt.Sprintf(`{"results":{"tool":{"name":%q},"tests":[{%s,"status":"passed"}]}}`, c.tool, c.test))
			if diff := cmp.Diff([]string{c.want}, identities(f)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func goEventsOf(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		action, test, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, `{"Time":"2026-01-02T03:04:05Z","Action":%q,"Package":"ex/a"`, action)
		if test != "" {
			fmt.Fprintf(&b, `,"Test":%q`, test)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestGoTestEvents(t *testing.T) {
	for name, c := range map[string]struct{ report, statuses, blocking string }{
		"pass and skip":                     {goEventsOf("start", "run TestA", "pass TestA", "run TestB", "skip TestB", "pass"), "passed skipped", ""},
		"fail":                              {goEventsOf("start", "run TestA", "fail TestA", "fail"), "failed", ""},
		"package fails alone":               {goEventsOf("start", "run TestA", "pass TestA", "fail"), "passed error", ""},
		"does not build":                    {`{"ImportPath":"ex/a","Action":"build-output","Output":"a.go:1: undefined: x\n"}` + "\n" + `{"ImportPath":"ex/a","Action":"build-fail"}` + "\n" + `{"Time":"x","Action":"fail","Package":"ex/a","FailedBuild":"ex/a"}`, "error", "ex/a does not build: a.go:1: undefined: x"},
		"crash leaves one open":             {goEventsOf("start", "run TestA", "fail"), "error", ""},
		"stream ends in the test":           {goEventsOf("start", "run TestA", "pass TestA", "run TestB"), "passed error", "1 packages did not end"},
		"stream ends before that":           {goEventsOf("start", "run TestA", "pass TestA"), "passed", "1 packages did not end"},
		"output behind the end":             {goEventsOf("start", "run TestA", "pass TestA", "pass", "output"), "passed", ""},
		"runs on behind the end":            {goEventsOf("start", "run TestA", "pass TestA", "pass", "run TestB"), "passed error", "1 packages did not end"},
		"cut in an event":                   {strings.TrimSuffix(goEventsOf("start", "run TestA", "pass TestA", "pass"), "}\n"), "passed", "truncated"},
		"other text between":                {"go: downloading x v1\n" + goEventsOf("start", "run TestA", "pass TestA", "pass") + "# done\n", "passed", ""},
		"a package that cannot be set up":   {"FAIL\tex/b [setup failed]\n" + goEventsOf("start", "run TestA", "pass TestA", "pass"), "passed", "FAIL ex/b [setup failed]"},
		"the package of a build is cut off": {`{"ImportPath":"ex/b","Action":"build-fail"}` + "\n" + goEventsOf("start", "run TestA", "pass TestA", "pass"), "passed", "ex/b does not build"},
		"a benchmark has no end":            {goEventsOf("start", "run TestA", "pass TestA", "run BenchmarkA", "run BenchmarkB", "run BenchmarkB/x", "pass"), "passed passed passed passed", ""},
		"a benchmark that printed":          {goEventsOf("start", "run BenchmarkA", "bench BenchmarkA-8", "pass"), "passed", ""},
		"a benchmark that fails":            {goEventsOf("start", "run BenchmarkA", "run BenchmarkB", "fail BenchmarkB-8", "run BenchmarkC", "fail"), "failed passed error", ""},
		"a benchmark that crashes":          {goEventsOf("start", "run BenchmarkA", "run BenchmarkB", "run BenchmarkB/x", "fail"), "passed error error", ""},
		"a benchmark cut off":               {goEventsOf("start", "run BenchmarkA"), "error", "1 packages did not end"},
		"a test without an end":             {goEventsOf("start", "run TestA", "pass"), "error", ""},
		"build failure alone":               {`{"ImportPath":"ex/a","Action":"build-fail"}`, "", "does not build"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, c.report)
			if got := statuses(f); got != c.statuses || f.Format != formats.GoTest {
				t.Errorf("rows %q, want %q; format %s, %v", got, c.statuses, f.Format, f.Notices)
			}
			if got := blockingReasons(f); !strings.Contains(got, c.blocking) || c.blocking == "" && got != "" {
				t.Errorf("blocking %q, want %q", got, c.blocking)
			}
		})
	}
}

func TestGoTestRerunIsAnotherAttempt(t *testing.T) {
	f := parse(t, goEventsOf("start", "run TestA", "fail TestA", "run TestB", "pass TestB", "fail", "start", "run TestA", "pass TestA", "pass"))
	if got := attemptStatuses(f.Results()[0]); got != "failed passed" || !f.Green() || f.Counts().Flaky != 1 {
		t.Errorf("attempts %q, green %v", got, f.Green())
	}
}

func TestGoTestTwiceInOneRunOfAPackageIsNoRerun(t *testing.T) {
	f := parse(t, goEventsOf("start", "run TestA", "fail TestA", "run TestA", "run TestA/x", "pass TestA/x", "pass TestA", "fail"))
	if got := attemptStatuses(f.Results()[0]); got != "passed failed" || f.Green() {
		t.Errorf("attempts %q, green %v", got, f.Green())
	}
}

func TestTAP(t *testing.T) {
	for name, c := range map[string]struct{ report, rows, blocking string }{
		"points":                {"TAP version 14\n1..2\nok 1 - a\nnot ok 2 - b\n", "a passed; b failed", ""},
		"plan behind":           {"ok 1 a\nok 2 b\n1..2\n", "a passed; b passed", ""},
		"skip and to do":        {"1..3\nok 1 - a # SKIP no net\nnot ok 2 - b # TODO later\nok 3 - c # todo\n", "a skipped; b skipped; c skipped", ""},
		"not ok with skip":      {"1..1\nnot ok 1 - a # SKIP\n", "a failed", ""},
		"escaped hash":          {"1..1\nok 1 - a \\# SKIP\n", "a # SKIP passed", ""},
		"subtest":               {"1..1\n# Subtest: s\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - s\n", "s › a passed; s › b failed", ""},
		"two levels":            {"    # Subtest: t\n        ok 1 - a\n        1..1\n    ok 1 - t\n    1..1\nok 1 - s\n1..1\n", "s › t › a passed", ""},
		"subtest in braces":     {"1..1\nok 1 - s {\n    1..1\n    ok 1 - a\n}\n", "s › a passed", ""},
		"only the suite fails":  {"1..1\n    ok 1 - a\n    1..1\nnot ok 1 - s\n", "s › a passed; s failed", ""},
		"child fails alone":     {"1..1\n    not ok 1 - a\n    1..1\nok 1 - s\n", "s › a failed", ""},
		"no description":        {"1..2\nok 1\nok\n", "test 1 passed; test passed", ""},
		"plan too large":        {"1..3\nok 1 - a\n", "a passed", "plans 3 tests and holds 1"},
		"plan too small":        {"1..1\nok 1 - a\nok 2 - b\n", "a passed; b passed", "plans 1 tests and holds 2"},
		"no plan":               {"TAP version 13\nok 1 - a\n", "a passed", "no plan"},
		"no subtest plan":       {"1..1\n    ok 1 - a\nok 1 - s\n", "s › a passed", "a subtest has no plan"},
		"subtest without point": {"1..1\nok 1 - a\n    ok 1 - b\n    1..1\n", "a passed; b passed", "no result of its own"},
		"bail out":              {"1..2\nok 1 - a\nBail out! no database\n", "a passed", "given up: Bail out! no database"},
		"timing is no name":     {"1..2\nok 1 - a # time=1.5ms\nok 2 b in 12ms\n", "a passed; b passed", ""},
		"hidden failure":        {"ok 1 - a\n1..1\n# tests 1\n# fail 1\n", "a passed", "counts 1 failures and shows none"},
		"version alone":         {"TAP version 13\n", "", "no plan"},
		"nothing planned":       {"1..0 # SKIP no browser\n", "", "no test case"},
		"two reports":           {"TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..2\nok 1 - b\n", "a passed; b passed", "plans 2 tests and holds 1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, c.report)
			var rows []string
			for i, row := range cases(f) {
				_ = i
				rows = append(rows, string(f.Result(row.Result).ID)+string(" ")+string(row.Status))
			}
			if got := strings.Join(rows, "; "); got != c.rows || f.Format != formats.TAP {
				t.Errorf("rows %q, want %q; format %s", got, c.rows, f.Format)
			}
			if got := blockingReasons(f); !strings.Contains(got, c.blocking) || c.blocking == "" && got != "" {
				t.Errorf("blocking %q, want %q", got, c.blocking)
			}
		})
	}
}

func TestTAPDiagnosticsBecomeTheFailure(t *testing.T) {
	f := parse(t, "TAP version 13\nnot ok 1 - adds\n  ---\n  duration_ms: 1.25\n  location: 'test/a.test.js:5:3'\n  error: 'wrong sum'\n  stack: |-\n    at Test (test/a.test.js:7:30)\n  ...\n1..1\n")
	want := engine.Attempt{Status: engine.StatusFailed, DurationMS: 1.25, Message: "wrong sum", Text: "error: 'wrong sum'\nstack: |-\n  at Test (test/a.test.js:7:30)"}
	r := f.Results()[0]
	if diff := cmp.Diff([]engine.Attempt{want}, r.Attempts); diff != "" || r.File != "test/a.test.js" || r.Line != 7 {
		t.Errorf("%s:%d %s", r.File, r.Line, diff)
	}
}

// The reports of one run of one runner in several formats must name its tests
// alike, or history breaks where a team changes the reporter.
func TestEveryFormatOfARunnerNamesItsTestsAlike(t *testing.T) {
	for _, names := range [][]string{
		{"playwright-1.60.xml", "playwright-1.60.json", "playwright-1.60.ctrf.json"},
		{"playwright-1.52.xml", "playwright-1.52.json"},
		{"gotestsum.xml", "gotest.json"},
		{"node-test.xml", "node-test.tap"},
	} {
		var want []string
		for _, name := range names {
			ids := identities(parseReal(t, name))
			slices.Sort(ids)
			if want == nil {
				want = ids
			}
			if diff := cmp.Diff(want, ids); diff != "" || len(ids) == 0 {
				t.Errorf("%s and %s (-want +got)\n%s", names[0], name, diff)
			}
		}
	}
}

// A file that ends early must never read as green, wherever it is cut.
func TestACutReportIsNeverGreen(t *testing.T) {
	for _, name := range []string{"gotest.json", "node-test.tap", "playwright-1.60.json", "playwright-1.60.ctrf.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata/real", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(string(raw))
		for _, fails := range []string{`"fail"`, `"failed"`, `"timedOut"`, "not ok"} {
			text = strings.ReplaceAll(text, fails, map[string]string{`"fail"`: `"pass"`, `"failed"`: `"passed"`, `"timedOut"`: `"passed"`, "not ok": "ok"}[fails])
		}
		if i := strings.Index(text, "\n# tests"); i > 0 {
			text = text[:i] // what follows a TAP file's plan adds nothing
		}
		for cut := 0; cut < len(text)-1; cut += 1 + len(text)/300 {
			f, err := Parse(name, strings.NewReader(text[:cut]), Options{})
			if err == nil && f.Green() {
				t.Errorf("%s cut at byte %d of %d is green: %d tests", name, cut, len(text), f.Rows)
			}
		}
	}
}

func parseReal(t *testing.T, name string) *File {
	t.Helper()
	in, err := os.Open(filepath.Join("testdata/real", name))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f, err := Parse(name, in, Options{Root: "/src"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFailuresThatNoTestShowsAreNotGreen(t *testing.T) {
	for name, c := range map[string]struct{ report, reason string }{
		"Playwright's errors outside the tests":        {strings.Replace(playwrightHead+playwrightSpec("t", "expected", playwrightResultOf("passed"))+playwrightTail, `"errors":[],"stats"`, `"errors":[{"message":"Error: cannot import a.ts"}],"stats"`, 1), "an error outside the tests: Error: cannot import a.ts"},
		"Playwright's errors before its configuration": {`{"errors":[{"message":"Error: cannot import a.ts"}],` + strings.TrimPrefix(playwrightHead, "{") + playwrightSpec("t", "expected", playwrightResultOf("passed")) + "]}]}", "an error outside the tests: Error: cannot import a.ts"},
		"Playwright's count":                           {strings.Replace(playwrightHead+playwrightSpec("t", "expected", playwrightResultOf("passed"))+playwrightTail, `"unexpected":0`, `"unexpected":2`, 1), "counts 2 unexpected results and holds 0"},
		"CTRF's summary":                               {strings.Replace(ctrfOf(`{"name":"t","status":"passed"}`), `"failed":0`, `"failed":3`, 1), "counts 3 failures and the report holds 0"},
		"CTRF's summary beside a failure":              {strings.Replace(ctrfOf(`{"name":"t","status":"failed"}`), `"failed":0`, `"failed":3`, 1), "counts 3 failures and the report holds 1"},
		"something behind the report":                  {ctrfOf(`{"name":"t","status":"passed"}`) + ctrfOf(`{"name":"u","status":"failed"}`), "something stands behind"},
		"malformed JSON":                               {strings.Replace(ctrfOf(`{"name":"t","status":"passed"}`), `]}}`, `,]]`, 1), "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, c.report)
			if got := blockingReasons(f); f.Green() || !strings.Contains(got, c.reason) {
				t.Errorf("green %v, blocking %q, want %q", f.Green(), got, c.reason)
			}
		})
	}
}
