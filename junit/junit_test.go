package junit

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/results"
)

func parse(t *testing.T, report string) *File {
	t.Helper()
	return parseWith(t, report, Options{})
}

func parseWith(t *testing.T, report string, o Options) *File {
	t.Helper()
	return parseNamed(t, "r.xml", report, o)
}

func parseNamed(t *testing.T, name, report string, o Options) *File {
	t.Helper()
	f, err := Parse(name, strings.NewReader(report), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func inSuite(cases string) string { return `<testsuite name="s">` + cases + `</testsuite>` }

// cases returns every row of a report.
func cases(f *File) []results.Case {
	out := make([]results.Case, f.Rows)
	for i := range out {
		out[i] = f.Case(i)
	}
	return out
}

func statuses(f *File) string {
	var out []string
	for _, row := range cases(f) {
		out = append(out, string(row.Status))
	}
	return strings.Join(out, " ")
}

func attemptStatuses(r engine.TestResult) string {
	var out []string
	for _, a := range r.Attempts {
		out = append(out, string(a.Status))
	}
	return strings.Join(out, " ")
}

func TestUnescapedTextGivesANotice(t *testing.T) {
	for text, noted := range map[string]bool{"a & b": true, "a &b; c": true, "1 < 2": true, "a &amp; b &#38;": false, "<![CDATA[a & b < c]]>": false} {
		f := parse(t, inSuite(`<testcase name="a"><failure>`+text+`</failure></testcase>`))
		if got := len(f.Notices) == 1 && strings.Contains(f.Notices[0].Reason, "read as text"); got != noted {
			t.Errorf("%q: %v", text, f.Notices)
		}
	}
}

func blockingReasons(f *File) string {
	var out []string
	for _, n := range f.Notices {
		if n.Severity == engine.SeverityBlocking {
			out = append(out, n.Reason)
		}
	}
	return strings.Join(out, "; ")
}

func TestVerdictOfOneCase(t *testing.T) {
	for name, c := range map[string]struct{ body, attrs, status, attempts string }{
		"nothing is a pass":                 {"", "", "passed", "passed"},
		"skipped":                           {"<skipped/>", "", "skipped", "skipped"},
		"failure outranks skipped":          {"<failure/><skipped/>", "", "failed", "failed"},
		"error outranks failure":            {"<error/><failure/>", "", "error", "error"},
		"error outranks failure reversed":   {"<failure/><error/>", "", "error", "error"},
		"status notrun":                     {"", `status="notrun"`, "skipped", "skipped"},
		"status disabled":                   {"", `status="disabled"`, "skipped", "skipped"},
		"result suppressed":                 {"", `status="run" result="suppressed"`, "skipped", "skipped"},
		"status failed":                     {"", `status="FAILED"`, "failed", "failed"},
		"status error":                      {"", `status="broken"`, "error", "error"},
		"a status that nobody knows":        {"", `status="unknown"`, "error", "error"},
		"a result that nobody knows":        {"", `status="run" result="lost"`, "error", "error"},
		"unknown, and skipped all the same": {"<skipped/>", `status="unknown"`, "skipped", "skipped"},
		"unknown, and it failed":            {"<failure/>", `status="unknown"`, "failed", "failed"},
		"an empty status says nothing":      {"", `status=" "`, "passed", "passed"},
		"status of Katalon that ended":      {"", `status="INCOMPLETE"`, "error", "error"},
		"a word with separators":            {"", `status="Not-Run"`, "skipped", "skipped"},
		"run and completed by GoogleTest":   {"", `status="run" result="completed"`, "passed", "passed"},
		"success by Maestro and saucectl":   {"", `status="SUCCESS"`, "passed", "passed"},
		"warning by NUnit":                  {"", `status="Warning"`, "passed", "passed"},
		"an expected failure by Qt":         {"", `result="xfail"`, "passed", "passed"},
		"an unexpected pass by Qt":          {"", `result="xpass"`, "failed", "failed"},
		"panicked by Ginkgo":                {"", `status="panicked"`, "error", "error"},
		"failure beats status disabled":     {"<failure/>", `status="disabled"`, "failed", "failed"},
		"flaky is a pass after a failure":   {"<flakyFailure/><flakyError/>", "", "passed", "failed error passed"},
		"rerun comes after the failure":     {"<rerunError/><failure/>", "", "failed", "failed error"},
		"rerun alone fails":                 {"<rerunFailure/><rerunFailure/>", "", "failed", "failed failed"},
		"flaky, then failed for good":       {"<failure/><flakyError/>", "", "failed", "error failed"},
		"to do, and fails as declared":      {`<skipped type="todo" message="later"/><failure type="testCodeFailure"/>`, "", "skipped", "skipped"},
		"to do, and an error beside it":     {`<skipped type="todo"/><failure/><error/>`, "", "error", "error"},
		"skipped is no to do":               {`<skipped type="skipped"/><failure/>`, "", "failed", "failed"},
		"verdict inside an unknown wrapper": {"<result><failure/></result>", "", "failed", "failed"},
		"no verdict inside output":          {"<system-out><failure/></system-out>", "", "passed", "passed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, inSuite(`<testcase name="a" classname="c" `+c.attrs+`>`+c.body+`</testcase>`))
			if got := statuses(f); got != c.status {
				t.Errorf("status %q, want %q", got, c.status)
			}
			if got := attemptStatuses(f.Results()[0]); got != c.attempts {
				t.Errorf("attempts %q, want %q", got, c.attempts)
			}
			if want := c.status == "passed" || c.status == "skipped"; f.Green() != want {
				t.Errorf("green %v, want %v; %v", f.Green(), want, f.Notices)
			}
		})
	}
}

func TestAnUnknownStatusIsToldAsTheError(t *testing.T) {
	f := parse(t, inSuite(`<testcase name="a" classname="c" status="un&#27;[31mknown"/>`))
	want := `its status in the report is "unknown", which says neither that it passed nor that it failed`
	if got := f.Result(0).Final().Message; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestBrokenReportsAreNotGreen(t *testing.T) {
	ok := `<testcase name="a" classname="c"/>`
	for name, c := range map[string]struct{ report, reason string }{
		"empty file":              {"", "holds no test case"},
		"blank file":              {" \n\t", "holds no test case"},
		"no test case":            {"<testsuites/>", "holds no test case"},
		"error outside the cases": {inSuite(ok + "<error message='boom'/>"), `failed outside its test cases: boom`},
		"suite failure":           {inSuite(ok + "<failure>crash</failure>"), "failed outside its test cases: crash"},
		"errors without cases":    {`<testsuites>` + inSuite(ok) + `<testsuite name="x" errors="2"/></testsuites>`, "names 2 failures or errors and holds no test case"},
		"a suite's failure beside that of a test":   {`<testsuite name="s"><failure message="no database"/><testcase name="a"><failure/></testcase></testsuite>`, "failed outside its test cases: no database"},
		"a failure behind the root element":         {`<testsuites><testsuite name="s">` + ok + `</testsuite></testsuites><failure message="boom"/>`, "outside every suite: boom"},
		"failures nobody shows":                     {`<testsuite name="s" failures="1">` + ok + `</testsuite>`, "none of its test cases fails"},
		"failures nobody shows beside a flaky test": {`<testsuites><testsuite name="f"><testcase name="a"><flakyFailure/></testcase></testsuite><testsuite name="s" failures="1">` + ok + `</testsuite></testsuites>`, "none of its test cases fails"},
		"more failures than those to be done":       {`<testsuite name="s" failures="2" errors="0"><testcase name="a"><skipped type="todo"/><failure/></testcase></testsuite>`, "its test cases show 1"},
		"more failures than the one that is shown":  {`<testsuite name="s" failures="2" errors="1"><testcase name="a"><failure/></testcase><testcase name="b"/></testsuite>`, "names 3 failures or errors and its test cases show 1"},
		"more failures than those of a flaky test":  {`<testsuite name="s" failures="3"><testcase name="a"><flakyFailure/></testcase></testsuite>`, "names 3 failures or errors and its test cases show 1"},
		"truncated in a suite":                      {`<testsuite name="s">` + ok, "truncated"},
		"truncated in a tag":                        {`<testsuite name="s">` + ok + `<testcase na`, "truncated"},
		"truncated in CDATA":                        {`<testsuite name="s">` + ok + `<testcase name="b"><system-out><![CDATA[x`, `truncated inside test case "b"`},
		"beginning lost":                            {ok + `</testsuite>`, "has no beginning"},
		"case not closed":                           {inSuite(`<testcase name="a">` + ok), "not closed"},
		"cases inside output":                       {inSuite(ok + `<system-out><testcase name="b"><failure/></testcase></system-out>`), "inside captured output"},
		"nested too deep":                           {strings.Repeat("<testsuite>", 80) + ok, "nested deeper than 64"},
		"DOCTYPE behind results":                    {inSuite(ok) + `<!DOCTYPE x SYSTEM "file:///etc/passwd">`, "document type"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, c.report)
			if got := blockingReasons(f); f.Green() || !strings.Contains(got, c.reason) {
				t.Errorf("green %v, blocking %q, want %q", f.Green(), got, c.reason)
			}
		})
	}
}

// node's runner passes a failing test that is to be done, and its suites count it.
func TestAFailureToBeDoneGivesNoNotice(t *testing.T) {
	f := parse(t, `<testsuites><testsuite name="s" errors="0" tests="2" failures="1"><testcase name="a" classname="test"><skipped type="todo" message="true"/><failure type="testCodeFailure" message="no">Error</failure></testcase><testcase name="b" classname="test"/></testsuite></testsuites>`)
	if !f.Green() || len(f.Notices) > 0 || statuses(f) != "skipped passed" {
		t.Errorf("green %v, %s, %v", f.Green(), statuses(f), f.Notices)
	}
}

// jest-junit tells a file that did not run as an error and once more as a failure.
func TestAFileThatJestCouldNotRunCountsOnce(t *testing.T) {
	const broken = `<testcase classname="Test suite failed to run" name="broken.test.js" time="0"><error>cannot find module</error></testcase>`
	again := `<testcase classname="Test suite failed to run" name="broken.test.js" time="0"><failure>{"message":"cannot find module"}</failure></testcase>`
	other := strings.ReplaceAll(again, "broken.", "other.")
	for report, want := range map[string]string{
		broken + again: "error", broken + again + other: "error failed", again: "failed", again + broken: "failed error",
	} {
		f := parse(t, `<testsuites name="jest tests"><testsuite name="broken.test.js" errors="1" failures="0" tests="0">`+report+`</testsuite></testsuites>`)
		if got := statuses(f); got != want || f.Green() {
			t.Errorf("%s: %s, want %s, green %v", report, got, want, f.Green())
		}
	}
	separate := parse(t, `<testsuites><testsuite name="a">`+broken+`</testsuite><testsuite name="b">`+again+`</testsuite></testsuites>`)
	if got := statuses(separate); got != "error failed" {
		t.Errorf("in two suites: %s", got)
	}
}

func TestCaseCutOffAfterItsFailureCountsAsFailed(t *testing.T) {
	f := parse(t, `<testsuite><testcase name="ok"/><testcase name="bad"><failure message="m">x`)
	if got := statuses(f); got != "passed failed" {
		t.Errorf("rows %q", got)
	}
}

func TestRefusedInput(t *testing.T) {
	for name, c := range map[string]struct{ report, reason string }{
		"NUnit 3":        {`<?xml version="1.0"?><test-run id="0"><test-case/></test-run>`, "looks like NUnit 3"},
		"TRX":            {`<TestRun id="1"/>`, "looks like Visual Studio TRX"},
		"CTest":          {`<Site/>`, "looks like CTest"},
		"unknown XML":    {`<menu><item/></menu>`, "root element <menu>"},
		"text":           {"all good\n", "looks like plain text"},
		"Mochawesome":    {`{"stats":{"suites":1},"results":[{"uuid":"x"}]}`, "looks like Mocha"},
		"Jest":           {`{"numFailedTests":1,"numTotalTests":2,"testResults":[]}`, "looks like Jest JSON"},
		"Cucumber":       {`[{"uri":"a.feature","keyword":"Feature"}]`, "looks like Cucumber JSON"},
		"Cucumber lines": {`{"meta":{"protocolVersion":"22.0.0"}}` + "\n" + `{"source":{}}`, "looks like Cucumber messages"},
		"Allure":         {`{"uuid":"x","historyId":"y","status":"passed"}`, "looks like an Allure result"},
		"k6":             {`{"type":"Metric","data":{}}` + "\n" + `{"type":"Point"}`, "looks like k6"},
		"Newman":         {`{"collection":{"info":{}},"run":{"stats":{}}}`, "looks like Newman"},
		"Go test output": {"--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.1s\n", "looks like plain text"},
		"prove output":   {"t/a.t .. \nok 1 - a\n1..1\nok\n", "looks like plain text"},
		"zip":            {"PK\x03\x04\x00", "looks like a zip archive"},
		"binary":         {"\x89PNG\x00\x01", "looks like a binary file"},
		"HTML":           {"<!DOCTYPE html><html></html>", "looks like an HTML page"},
		"document type":  {`<!DOCTYPE x [<!ENTITY y "z">]>` + inSuite(`<testcase name="&y;"/>`), "document type (DOCTYPE)"},
		"entity alone":   {`<!ENTITY x "y">`, "looks like a DTD"},
		"gtester":        {`<gtester><testcase path="/a"><status exit-status="-6" result="failed"/></testcase></gtester>`, "looks like GLib's gtester XML"},
		"unnamed cases":  {`<run><testcase id="a" result-code="1"/></run>`, "root element <run>"},
		"Check":          {`<testsuites xmlns="http://check.sourceforge.net/ns"><suite><test result="failure"/></suite></testsuites>`, "looks like Check XML"},
		"CppUnit":        {"<TestRun>\n<FailedTests><FailedTest/></FailedTests></TestRun>", "looks like CppUnit"},
		"CUnit":          {`<!DOCTYPE CUNIT_TEST_RUN_REPORT SYSTEM "CUnit-Run.dtd"><CUNIT_TEST_RUN_REPORT/>`, "looks like CUnit XML"},
		"JUnit-like":     {`<suites><suite/></suites>`, "without JUnit's element names"},
		"JSON otherwise": {`[1,2]`, "looks like JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse("r.xml", strings.NewReader(c.report), Options{})
			if err == nil || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), "r.xml") {
				t.Errorf("file %v, error %v, want %q", f, err, c.reason)
			}
		})
	}
}

func TestBrokenXMLIsRepaired(t *testing.T) {
	for name, c := range map[string]struct{ report, want string }{
		"bare ampersand":          {`<failure message="a & b"/>`, "a & b"},
		"bare less-than":          {`<failure message="1 < 2"/>`, "1 < 2"},
		"less-than in text":       {`<failure>1 < 2</failure>`, "1 < 2"},
		"unknown entity":          {`<failure message="&nbsp;x"/>`, "&nbsp;x"},
		"reference to a control":  {`<failure message="a&#27;b"/>`, "a\ufffdb"},
		"control character":       {"<failure message='a\x01b'/>", "a\ufffdb"},
		"surrogate pair":          {`<failure message="&#xD83D;&#xDCA5;"/>`, "💥"},
		"lone surrogate":          {`<failure message="a&#xD83D;b"/>`, "a\ufffdb"},
		"doubly escaped once":     {`<failure message="&amp;lt;"/>`, "&lt;"},
		"no double decoding":      {`<failure>&amp;copy;</failure>`, "&copy;"},
		"CDATA end in text":       {`<failure>a ]]> b</failure>`, "a ]]> b"},
		"tags in text":            {`<failure>want <b> here</failure>`, "want  here"},
		"colours":                 {"<failure message='\u001b[31mred\u001b[0m'/>", "red"},
		"charsets and modes":      {"<failure message='expected\u001b(B 1 \u001b[>4;2mgot 2\u001b(B\u001b[m'/>", "expected 1 got 2"},
		"colours without escapes": {`<failure message="[31mred[39m"/>`, "red"},
		"single quotes":           {`<failure message='say "hi"'/>`, `say "hi"`},
		"unquoted value":          {`<failure message=hello />`, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, inSuite(`<testcase name="a" classname="c">`+c.report+`</testcase><testcase name="b" classname="c"/>`))
			if got := f.Results()[0].Final(); got.Message != c.want || got.Status != engine.StatusFailed {
				t.Errorf("%s, message %q, want %q", got.Status, got.Message, c.want)
			}
			if len(f.Results()) != 2 || f.Results()[1].Name != "b" {
				t.Errorf("the next test is lost: %v", f.Results())
			}
		})
	}
}

// Comments, instructions and CDATA outside the root element hold no tests,
// whatever stands before them.
func TestTextAndMarkupAroundTheReport(t *testing.T) {
	const ok = `<testsuite><testcase name="a" classname="c"/></testsuite>`
	for name, around := range map[string]string{
		"comment":                   `<!-- <testcase name="x"> -->`,
		"comment behind space":      "\n <!-- <testsuite>\n<testcase name='x'> -->\n",
		"instruction behind space":  "\n<?x <testcase name='x'> ?>\n",
		"CDATA behind space":        "\n<![CDATA[<testcase name='x'>]]>\n",
		"comment behind text":       "text <!-- <testcase name='x'> -->",
		"less-than signs and space": " < \n <",
		"no markup after all":       "\n <!5 <-\n",
	} {
		for place, report := range map[string]string{"before": around + ok, "behind": ok + around} {
			t.Run(name+" "+place, func(t *testing.T) {
				if f := parse(t, report); f.Rows != 1 || !f.Green() || f.Results()[0].Name != "a" {
					t.Errorf("%d rows, %v", f.Rows, f.Notices)
				}
			})
		}
	}
}

// Reading one byte at a time must change nothing: no construct may depend on
// where the window ends.
func TestChunkingChangesNothing(t *testing.T) {
	for _, report := range []string{
		string(madeBytes(t, "playwright", 40<<10)),
		inSuite(`<!-- ]]> --><testcase name="a&#x1F4A5;&amp;" classname="ü"><failure><![CDATA[x]]]]><![CDATA[>y]]>` + "\r\nü&lt;\r</failure></testcase>"),
	} {
		whole := describe(parse(t, report))
		f, err := Parse("r.xml", iotest.OneByteReader(strings.NewReader(report)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, describe(f)); diff != "" {
			t.Errorf("-whole +bytewise\n%s", diff)
		}
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("disk on fire")
	start := `<testsuite name="s"><testcase name="a"/><testcase name="b"/>`
	f, err := Parse("r.xml", io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := blockingReasons(f); f.Rows != 2 || !strings.Contains(got, "disk on fire") {
		t.Errorf("%d rows, %q", f.Rows, got)
	}
	if _, err := Parse("r.xml", iotest.ErrReader(broken), Options{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// The memory of a test case is used again for those that follow; nested test cases end
// before those around them.
func TestEveryTestCaseKeepsItsAttributes(t *testing.T) {
	var report strings.Builder
	const tests = 769
	for i := range tests {
		inner := ""
		if i%7 == 0 {
			inner = fmt.Sprintf(`<testcase name="n%d" classname="c" file="inner%[1]d.js" time="0.5"><skipped message="s%[1]d"/></testcase>`, i)
		}
		text := strings.Repeat("x", i%5<<10)
		fmt.Fprintf(&report, `<testcase name="t%d" classname="c" file="f%[1]d.js" line="%[1]d" time="%[1]d"><properties><property name="p" value="v%[1]d"/></properties>`+
			`<rerunFailure message="r%[1]d">%s</rerunFailure>%s<failure message="m%[1]d"/></testcase>`, i, text, inner)
	}
	f := parse(t, inSuite(report.String()))
	seen := 0
	for _, r := range f.Results() {
		number := r.Name[1:]
		if r.Name[0] == 'n' {
			if a := r.Final(); r.File != "inner"+number+".js" || a.Message != "s"+number || a.Status != engine.StatusSkipped {
				t.Errorf("%s: %+v", r.Name, r)
			}
			continue
		}
		seen++
		if r.File != "f"+number+".js" || r.Properties["p"] != "v"+number || len(r.Attempts) != 2 ||
			r.Attempts[0].Message != "m"+number || r.Attempts[1].Message != "r"+number || strconv.Itoa(int(r.Attempts[0].DurationMS/1000)) != number {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
	if seen != tests {
		t.Errorf("%d test cases", seen)
	}
}

// What was read last is not read again; what differs in anything is.
func TestEqualAndDifferentFailuresInARow(t *testing.T) {
	bodies := []string{
		`<failure message="a">at f.go:1</failure>`, `<failure message="a">at f.go:1</failure>`,
		`<failure message="a">at f.go:2</failure>`, `<failure message="b">at f.go:2</failure>`,
		`<error message="b">at f.go:2</error>`, `<error message="b" type="T">at f.go:2</error>`,
		`<failure message="a">at f.go:1</failure>`, ``, `<failure message="a">at f.go:1</failure>`,
	}
	want := strings.Repeat("failed a f.go:1|", 2) + "failed a f.go:2|failed b f.go:2|error b f.go:2|error T b f.go:2|" +
		"failed a f.go:1|passed|failed a f.go:1|"
	var report strings.Builder
	for i := range 100 * len(bodies) {
		fmt.Fprintf(&report, `<testcase name="t%d" classname="c">%s</testcase>`, i, bodies[i%len(bodies)])
	}
	var got strings.Builder
	for _, r := range parse(t, inSuite(report.String())).Results() {
		a := r.Final()
		got.WriteString(strings.Join(strings.Fields(fmt.Sprint(a.Status, " ", a.ErrorType, " ", a.Message)), " "))
		if r.File != "" {
			fmt.Fprintf(&got, " %s:%d", r.File, r.Line)
		}
		got.WriteString("|")
	}
	if got.String() != strings.Repeat(want, 100) {
		t.Errorf("got %.500s\nwant %s…", &got, want)
	}
}

func TestRowsOfOneTest(t *testing.T) {
	goRows := func(rows ...string) string {
		return `<testsuite name="ex/p"><properties><property name="go.version" value="x"/></properties>` + strings.Join(rows, "") + `</testsuite>`
	}
	row := func(name, body string) string {
		return `<testcase name="` + name + `" classname="ex/p">` + body + `</testcase>`
	}
	for name, c := range map[string]struct {
		report, attempts string
		green            bool
	}{
		"a Go rerun decides":                        {goRows(row("TestA", "<failure/>"), row("TestB", ""), row("TestA", "")), "failed passed", true},
		"a Go rerun that fails too":                 {goRows(row("TestA", "<failure/>"), row("TestB", ""), row("TestA", "<failure/>")), "failed failed", false},
		"a Go rerun that skips proves nothing":      {goRows(row("TestA", "<failure/>"), row("TestB", ""), row("TestA", "<skipped/>")), "skipped failed", false},
		"-count with a subtest that began once":     {goRows(row("TestA", "<failure/>"), row("TestB", ""), row("TestA/x", ""), row("TestA", ""), row("TestB", "")), "passed failed", false},
		"a rerun of a whole test with its subtests": {goRows(row("TestA/x", "<failure/>"), row("TestA/y", ""), row("TestA", "<failure/>"), row("TestB", ""), row("TestA/x", ""), row("TestA/y", ""), row("TestA", "")), "failed passed", true},
		"-count is no rerun":                        {goRows(row("TestA", "<failure/>"), row("TestA", ""), row("TestB", ""), row("TestB", "")), "passed failed", false},
		"equal titles: the failure stays":           {inSuite(`<testcase name="a"><failure/></testcase><testcase name="a"/>`), "passed failed", false},
		"pytest: an error in teardown stays":        {inSuite(`<testcase name="a"/><testcase name="a"><error/></testcase>`), "passed error", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, c.report)
			if got := attemptStatuses(f.Results()[0]); got != c.attempts || f.Green() != c.green {
				t.Errorf("attempts %q green %v, want %q %v", got, f.Green(), c.attempts, c.green)
			}
		})
	}
}
