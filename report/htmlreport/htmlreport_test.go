package htmlreport

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/golden"
)

func write(tb testing.TB, s outcome.Survey, t outcome.Timeline) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := Write(&out, s, t, Options{ServerURL: "https://github.com", Elements: sampleElements{64}}); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestReportIsTheGoldenOne(t *testing.T) {
	golden.Check(t, "testdata/report.golden.html", string(writeSuite(t, 60, 12)))
}

func writeSuite(tb testing.TB, tests, runs int) []byte {
	tb.Helper()
	s, t := suite(tests, runs)
	return write(tb, s, t)
}

func TestAnEmptyDatabaseIsAReport(t *testing.T) {
	text := string(write(t, outcome.NewSurvey(outcome.SurveyInput{}), outcome.Timeline{}))
	for _, want := range []string{"no run", "All tests", "</html>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, not := range []string{"NaN", "Inf", "Quarantine"} {
		if strings.Contains(text, not) {
			t.Errorf("has %q", not)
		}
	}
}

// attacks are texts that would run, load or leave something if they were
// markup, style, script or an address.
func attacks() []string {
	bases := []string{
		`<script>owned()</script>`, `<img src=x onerror=owned()>`, `<svg onload=owned()>`, `<iframe src="https://evil.test">`, `<a href="javascript:owned()">x</a>`,
		`<style>@import "https://evil.test/x.css";</style>`, `<link rel=stylesheet href=https://evil.test>`, `<meta http-equiv=refresh content="0;url=https://evil.test">`,
		`<base href="https://evil.test/">`, `<form action="https://evil.test"><button>`, `<object data="https://evil.test">`, `<embed src=https://evil.test>`, `<video src=https://evil.test onerror=owned()>`,
		`<details open ontoggle=owned()>`, `<input autofocus onfocus=owned()>`, `<body onload=owned()>`, `<math><mtext></math><img src onerror=owned()>`, `<template><script>owned()</script></template>`,
		`<!--<script>`, `<![CDATA[<script>owned()]]>`, `<noscript><p title="</noscript><img src=x onerror=owned()>">`, `${owned()}`, `{{owned()}}`, `{{"{{"}}define "test"}}`, `javascript:owned()`,
		`\u003cscript\u003eowned()\u003c/script\u003e`, `&lt;script&gt;owned()&lt;/script&gt;`, `+ADw-script+AD4-owned()`, `onmouseover=owned() x=`, `style=background:url(https://evil.test)`,
		`data:text/html,<script>owned()</script>`, "line\u2028owned()\u2029", "\u202egnp.exe", "\x00<script>owned()</script>", `expression(owned())`, `url(https://evil.test/font)`,
	}
	var all []string
	for _, opening := range []string{"", `">`, `'>`, `</script>`, `--></title></style></textarea>`, "`;owned();//", `\";owned();//`} {
		for _, b := range bases {
			all = append(all, opening+b)
		}
	}
	return all
}

// attacked is a survey with a text in every field that holds one.
func attacked(texts []string) (outcome.Survey, outcome.Timeline) {
	s, t := suite(len(texts), 12)
	for i, text := range texts {
		t.Tests[i].TestID = engine.TestID(text)
		for at := range t.Tests[i].Errors {
			t.Tests[i].Errors[at] = text
		}
		s.Unstable = append(s.Unstable, outcome.RatedTest{TestHealth: flaky.TestHealth{TestID: engine.TestID(text), Tier: flaky.Tier(text), FlipRate: 0.5}, Last: engine.Status(text)})
		s.Failing = append(s.Failing, outcome.FailingTest{TestID: engine.TestID(text), Broken: text})
		s.Quarantine = append(s.Quarantine, flaky.Entry{TestID: engine.TestID(text), Reason: text, Owner: text, Commits: []string{text}, Environment: text})
		f := engine.Fingerprint{Tag: text, Text: text, Locator: text, TestID: engine.TestID(text), Attributes: engine.Attributes{{Name: text, Value: text}}, DOMPath: []string{text}, Siblings: []string{text}}
		pictures := &engine.Pictures{Found: fmt.Sprintf("%032x.jpg", i)}
		s.Suggested = append(s.Suggested, engine.HealEvent{TestID: engine.TestID(text), Locator: text, HealedLocator: text, Reason: text, Outcome: engine.OutcomeSuggested, Changed: []engine.Change{{What: text, Was: text, Now: text}}})
		s.Heals = append(s.Heals, engine.HealEvent{TestID: engine.TestID(text), Locator: text, HealedLocator: text, Reason: text, PageURL: text, Original: f, Healed: f, Pictures: pictures})
		s.Notices = append(s.Notices, engine.Notice{File: text, Line: 3, Reason: text})
	}
	for i := range t.Runs {
		text := texts[i*7%len(texts)]
		t.Runs[i].Repository, t.Runs[i].Commit, t.Runs[i].Branch = text, text, text
	}
	return s, t
}

func TestTextsFromTestsNeverBecomeMarkup(t *testing.T) {
	texts := attacks()
	if len(texts) < 200 {
		t.Fatalf("only %d texts", len(texts))
	}
	harmless := make([]string, len(texts))
	for i := range harmless {
		harmless[i] = fmt.Sprint("x", i)
	}
	want := skeleton(t, writeAttacked(t, harmless))
	if diff := cmp.Diff(want, skeleton(t, writeAttacked(t, texts))); diff != "" {
		t.Errorf("elements and attributes (-of harmless texts +of hostile ones):\n%.2000s", diff)
	}
}

func writeAttacked(tb testing.TB, texts []string) []byte {
	tb.Helper()
	s, t := attacked(texts)
	return write(tb, s, t)
}

// counted are elements of which a report has the same number whatever its texts.
var counted = []string{"script", "style", "meta", "link", "base", "form", "input", "select", "option", "title", "h2", "section", "table"}

// skeleton lists the kinds of elements of a page, with the names of their
// attributes and the values of those that could do something, each once or, if
// it is counted, as often as it is there. Order and number of the others follow
// the texts.
func skeleton(tb testing.TB, text []byte) []string {
	tb.Helper()
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	var all []string
	often := map[string]int{}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			all = append(all, "comment")
		}
		if n.Type != html.ElementNode {
			continue
		}
		line := n.Data
		for _, a := range n.Attr {
			line += " " + a.Key
			if slices.Contains([]string{"href", "src", "style", "content", "type"}, a.Key) && n.Data != "a" || strings.HasPrefix(a.Key, "on") {
				line += "=" + a.Val
			}
		}
		all = append(all, line)
		if slices.Contains(counted, n.Data) {
			often[line]++
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for i, line := range all {
		all[i] = fmt.Sprint(line, " ", often[line])
	}
	return all
}

func TestOnlyRunsOfARepositoryAreLinked(t *testing.T) {
	run := outcome.TimelineRun{Repository: "acme/shop", RunID: 7, Attempt: 2}
	for _, c := range []struct {
		name, server string
		change       func(*outcome.TimelineRun)
		want         string
	}{
		{"on GitHub", "https://github.com", nil, "https://github.com/acme/shop/actions/runs/7/attempts/2"},
		{"first attempt", "https://github.com", func(r *outcome.TimelineRun) { r.Attempt = 1 }, "https://github.com/acme/shop/actions/runs/7"},
		{"no server", "", nil, ""},
		{"a server that is a script", "javascript:alert(1)//https://", nil, ""},
		{"a server with a path", "https://evil.test/?x=", nil, ""},
		{"a local run", "https://github.com", func(r *outcome.TimelineRun) { r.RunID = 0 }, ""},
		{"a repository that is a path", "https://github.com", func(r *outcome.TimelineRun) { r.Repository = "../../x" }, ""},
		{"a repository with a quote", "https://github.com", func(r *outcome.TimelineRun) { r.Repository = `a/b"onclick=` }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run
			if c.change != nil {
				c.change(&r)
			}
			if got := newLinks(c.server).run(r); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is left out of a list says where it is.
func TestRunsThatAreLeftOutAreInTheStrip(t *testing.T) {
	if page := string(writeSuite(t, 300, 120)); !strings.Contains(page, " more, in the strip above</p>") {
		t.Error("the runs that are left out are not said to be anywhere")
	}
}

// missed is a test with ten runs that were not green, of three kinds of errors.
func missed() (outcome.TimelineTest, []outcome.TimelineRun) {
	f, x, p, h := outcome.CellFailed, outcome.CellFlaky, outcome.CellPassed, outcome.CellHealed
	test := outcome.TimelineTest{TestID: "a", Cells: []outcome.Cell{f, f, p, x, f, x, h, f, f, f, x, p}, DurationMS: make([]float32, 12), Errors: map[int]string{}}
	for at, c := range test.Cells {
		if c >= outcome.CellFlaky && at > 0 {
			test.Errors[at] = errorsOfSuite[at%2]
		}
	}
	return test, make([]outcome.TimelineRun, len(test.Cells))
}

func TestRunsThatWereNotGreenAreGroupedByError(t *testing.T) {
	test, runs := missed()
	groups, more := groupMisses(test, runs, links{})
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s in %s, %d listed", g.Error, g.In, len(g.Runs)))
	}
	want := []string{
		"TimeoutError: locator.fill: Timeout …ms exceeded. · getByLabel('E-mail') in 3 runs, 3 listed",
		"Error: expect(locator).toHaveText(expected) failed · getByTestId('total') in 5 runs, 4 listed",
		"passed with a healed locator in 1 run, 1 listed",
	}
	if diff := cmp.Diff(want, got); diff != "" || more != 2 {
		t.Errorf("%d more, groups (-want +got):\n%s", more, diff)
	}
	long := errorLine(strings.Repeat("wide ünd ", 900))
	if len(long) > maxErrorLine+len("…") || !strings.HasSuffix(long, "…") {
		t.Errorf("an error of %d bytes is shown: %q", len(long), long)
	}
}

func TestDriftIsToldOfEnoughRunsThatPassed(t *testing.T) {
	made := func(cell outcome.Cell, ms ...float32) outcome.TimelineTest {
		return outcome.TimelineTest{Cells: slices.Repeat([]outcome.Cell{cell}, len(ms)), DurationMS: ms}
	}
	for _, c := range []struct {
		name  string
		test  outcome.TimelineTest
		pace  pace
		drift float64
		known bool
	}{
		{"twice as slow", made(outcome.CellPassed, 10, 10, 11, 9, 10, 20, 20, 22, 18, 20), pace{20, 10}, 1, true},
		{"too few runs", made(outcome.CellPassed, 10, 10, 20, 20), pace{10, 0}, 0, false},
		{"failures do not count", made(outcome.CellFailed, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20), pace{}, 0, false},
		{"unknown durations do not count", made(outcome.CellPassed, 0, 0, 5), pace{5, 0}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := measurePace(c.test)
			drift, known := got.Drift()
			if got != c.pace || drift != c.drift || known != c.known {
				t.Errorf("got %v, drift %v %v", got, drift, known)
			}
		})
	}
}

func TestTheTestThatCostsMoreTimeThanBeforeIsFirstOfTheSlower(t *testing.T) {
	made := func(id string, before, now float32) outcome.TimelineTest {
		return outcome.TimelineTest{TestID: engine.TestID(id), Cells: slices.Repeat([]outcome.Cell{outcome.CellPassed}, 10),
			DurationMS: append(slices.Repeat([]float32{before}, 5), slices.Repeat([]float32{now}, 5)...)}
	}
	var ids []string
	_, slower := slowTests(outcome.Timeline{Tests: []outcome.TimelineTest{
		made("long as ever", 9000, 9100), made("five times", 10, 50), made("by a second", 1000, 2000), made("faster", 500, 100),
	}})
	for _, row := range slower {
		ids = append(ids, row.ID+" "+row.Drift)
	}
	if diff := cmp.Diff([]string{"by a second +100%", "five times +400%"}, ids); diff != "" {
		t.Errorf("slower (-want +got):\n%s", diff)
	}
}

func TestSharesAreNeverWrittenWithAnExponent(t *testing.T) {
	for percent, want := range map[float64]string{0: "0", 0.00002: "<0.01", 0.29: "0.29", 3.44: "3.4", 9.96: "10", 99.7: "100", 100: "100"} {
		if got := twoDigits(percent); got != want {
			t.Errorf("%v is %q, want %q", percent, got, want)
		}
	}
	runs := []outcome.TimelineRun{{Passed: 1, Flaky: 1}, {Flaky: 4}}
	if got := resultShare("flaky", runs[:1], runs[1:], runs[1:], func(r outcome.TimelineRun) int { return r.Flaky }); got.Value != "100%" {
		t.Errorf("a run of flaky tests alone is %q", got.Value)
	}
}

func TestANoticeWithoutAFileHasNoPlace(t *testing.T) {
	for want, n := range map[string]engine.Notice{
		"cut short":          {Reason: "cut short"},
		"a.xml:3: cut short": {File: "a.xml", Line: 3, Reason: "cut short"},
	} {
		if got := noticeLine(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStripDrawsEveryRunOnce(t *testing.T) {
	cells := []outcome.Cell{0, outcome.CellPassed, outcome.CellPassed, outcome.CellFailed, outcome.CellFlaky, outcome.CellHealed, outcome.CellSkipped}
	want := strip{
		Columns: 7, Codes: "1-2p1f1x1h1s", Label: "6 runs: 1 failed, 1 flaky, 1 healed, 2 passed, 1 skipped",
		Paths: []stripPath{{"pass", "M1 5h2V10h-2z"}, {"skip", "M6 8h1V10h-1z"}, {"heal", "M5 4h1V10h-1z"}, {"flip", "M4 2h1V10h-1z"}, {"fail", "M3 0h1V10h-1z"}},
	}
	if diff := cmp.Diff(want, newStrip(cells)); diff != "" {
		t.Errorf("strip (-want +got):\n%s", diff)
	}
}

// A report that is kept as an artifact of each run has to be small.
func TestTheReportOfALargeSuiteIsSmall(t *testing.T) {
	if n := len(writeSuite(t, 5000, 100)); n > 2<<20 {
		t.Errorf("5,000 tests over 100 runs are %d bytes", n)
	}
}

func BenchmarkWrite5000Tests300Runs(b *testing.B) {
	s, t := suite(5000, 300)
	for b.Loop() {
		b.ReportMetric(float64(len(write(b, s, t))), "bytes")
	}
}

// With a few runs one more turns the trend, and one column would fill half the page.
func TestAFewRunsHaveNoTrendAndDrawNarrowColumns(t *testing.T) {
	for _, c := range []struct{ runs, width, start int }{{1, 20, -19}, {9, 20, -11}, {10, 20, -10}, {20, 20, 0}, {300, 300, 0}} {
		runs := make([]outcome.TimelineRun, c.runs)
		for i := range runs {
			runs[i] = outcome.TimelineRun{Passed: 1, Failed: i * 2 / c.runs, DurationMS: float64(1000 * (i + 1))}
		}
		trends := 0
		for _, n := range headlineNumbers(outcome.Survey{}, outcome.Timeline{Runs: runs}, 0) {
			if n.Trend != "" {
				trends++
			}
		}
		if (trends > 0) != (c.runs >= 10) {
			t.Errorf("%d runs: %d trends", c.runs, trends)
		}
		if n := columns(c.runs); n.Width() != c.width || n.Start() != c.start {
			t.Errorf("%d runs: %d columns from %d, want %d from %d", c.runs, n.Width(), n.Start(), c.width, c.start)
		}
	}
}
