package junit

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func reportAt(stamp string, cases ...string) string {
	return `<testsuite name="s" timestamp="` + stamp + `">` + strings.Join(cases, "") + `</testsuite>`
}

func testcase(name, body string) string {
	return `<testcase name="` + name + `" classname="c">` + body + `</testcase>`
}

func TestMerge(t *testing.T) {
	const early, late = "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"
	whole := reportAt(early, testcase("a", "<failure/>"), testcase("b", ""))
	for name, c := range map[string]struct {
		files   []string
		want    string
		warning string
	}{
		"shards":                            {[]string{reportAt(early, testcase("a", "")), reportAt(early, testcase("b", ""))}, "a: passed, b: passed", ""},
		"a rerun of the failures decides":   {[]string{reportAt(late, testcase("a", "")), whole}, "a: failed passed, b: passed", ""},
		"a leg that passes hides no other":  {[]string{whole, reportAt(late, testcase("a", ""), testcase("b", ""))}, "a: passed failed, b: passed passed", "different outcomes"},
		"a rerun that skips proves nothing": {[]string{whole, reportAt(late, testcase("a", "<skipped/>"))}, "a: skipped failed, b: passed", "different outcomes"},
		"a single test is no rerun":         {[]string{reportAt(early, testcase("a", "<failure/>")), reportAt(late, testcase("a", ""))}, "a: passed failed", "different outcomes"},
		"without timestamps nothing proves": {[]string{reportAt("", testcase("a", "<failure/>"), testcase("b", "")), reportAt("", testcase("a", ""))}, "a: passed failed, b: passed", "different outcomes"},
		"another suite's test is no rerun":  {[]string{"web/", reportAt(late, testcase("a", "")), "admin/", whole}, "a: passed failed, b: passed", "different outcomes"},
		"a rerun is named as one":           {[]string{"results.xml", whole, "last-failed.xml", reportAt(late, testcase("a", ""))}, "a: failed passed, b: passed", ""},
		"a rerun is named after its run":    {[]string{"web.xml", whole, "web_rerun.2.xml", reportAt(late, testcase("a", ""))}, "a: failed passed, b: passed", ""},
		"a suite of one folder is no rerun": {[]string{"admin.xml", whole, "web.xml", reportAt(late, testcase("a", ""))}, "a: passed failed, b: passed", "different outcomes"},
		"no suite's rerun is another's":     {[]string{"admin.xml", whole, "web-rerun.xml", reportAt(late, testcase("a", ""))}, "a: passed failed, b: passed", "different outcomes"},
		"a copy counts once":                {[]string{whole, whole}, "a: failed, b: passed", "copy"},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*File
			folder, name := "", ""
			for i, text := range c.files {
				if strings.HasSuffix(text, "/") {
					folder = text
					continue
				}
				if strings.HasSuffix(text, ".xml") {
					name = text
					continue
				}
				f, err := Parse(cmp.Or(name, fmt.Sprintf("%s%d.xml", folder, i)), strings.NewReader(text), Options{})
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
			forward, notices := Merge(files)
			if got := merged(forward); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := fmt.Sprint(notices); (c.warning == "") != (len(notices) == 0) || !strings.Contains(got, c.warning) {
				t.Errorf("notices %v, want %q", notices, c.warning)
			}
			files[0], files[len(files)-1] = files[len(files)-1], files[0]
			if backward, _ := Merge(files); merged(backward) != c.want {
				t.Errorf("other order: %s", merged(backward))
			}
		})
	}
}

func merged(results []engine.TestResult) string {
	var out []string
	for _, r := range results {
		out = append(out, r.Name+": "+attemptStatuses(r))
	}
	return strings.Join(out, ", ")
}

func playwrightXML(start string, seconds string, failing bool) string {
	inside := ""
	if failing {
		inside = `<failure message="boom"/>`
	}
	return fmt.Sprintf(`<testsuites id="" name="" tests="1" failures="0" skipped="0" errors="0" time="1.2"><testsuite name="a.spec.ts" timestamp=%q hostname="chromium" tests="1"><testcase name="one" classname="a.spec.ts" time=%q>%s
<system-out>[chromium] › a.spec.ts:3:1 › one</system-out></testcase></testsuite></testsuites>`, start, seconds, inside)
}

func playwrightJSON(start string, ms int, status string) string {
	outcome := map[string]string{"passed": "expected", "failed": "unexpected"}[status]
	return fmt.Sprintf(`{"config":{"rootDir":"/w"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[{"title":"one","file":"a.spec.ts","line":3,
"tests":[{"projectName":"chromium","expectedStatus":"passed","status":%q,"results":[{"status":%q,"duration":%d}]}]}]}],"stats":{"startTime":%q}}`, outcome, status, ms, start)
}

func TestOnlyAnotherReportOfTheSameRunIsLeftOut(t *testing.T) {
	const at = "2026-03-01T10:00:00.000Z"
	xml := playwrightXML(at, "1.234", false)
	cases := map[string]struct {
		other string
		want  int // files that stay
	}{
		"the same run":    {playwrightJSON("2026-03-01T09:59:59.500Z", 1234, "passed"), 1},
		"another end":     {playwrightJSON(at, 1234, "failed"), 2},
		"another time":    {playwrightJSON(at, 1240, "passed"), 2},
		"another start":   {playwrightJSON("2026-03-01T11:00:00.000Z", 1234, "passed"), 2},
		"no start":        {strings.Replace(playwrightJSON(at, 1234, "passed"), at, "", 1), 2},
		"another test":    {strings.ReplaceAll(playwrightJSON(at, 1234, "passed"), `"one"`, `"two"`), 2},
		"another project": {strings.ReplaceAll(playwrightJSON(at, 1234, "passed"), "chromium", "firefox"), 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var files []*File
			for i, text := range []string{xml, c.other} {
				f, err := Parse(fmt.Sprintf("%d", i), strings.NewReader(text), Options{})
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
			kept, notices := dropSameRuns(files)
			if len(kept) != c.want || len(notices) != 2-c.want {
				t.Errorf("%d files stay, notices %v, formats %s and %s", len(kept), notices, files[0].Format, files[1].Format)
			}
		})
	}
}
