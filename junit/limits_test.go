package junit

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/breadcrumb/action/junit/input"
)

func TestLimitsGiveANoticeAndKeepWhatCameBefore(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<testcase name="t%d" classname="c"/>`, i)
		}
		return inSuite(b.String())
	}
	for name, c := range map[string]struct {
		report string
		limits input.Limits
		rows   int
		reason string
	}{
		"cases":  {many(10), input.Limits{Cases: 4}, 4, "more than 4 test cases"},
		"bytes":  {many(100), input.Limits{FileBytes: 600}, 16, "larger than 600 bytes"},
		"suites": {`<testsuites>` + strings.Repeat(inSuite(`<testcase name="a"/>`), 9) + `</testsuites>`, input.Limits{Suites: 3}, 2, "more than 3 suites"},
		"names":  {many(100), input.Limits{KeptBytes: 2000, TextBytes: 1}, 41, "names of suites and tests are too large"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parseWith(t, c.report, Options{Limits: c.limits})
			if got := blockingReasons(f); f.Rows != c.rows || !strings.Contains(got, c.reason) {
				t.Errorf("%d rows, %q; want %d, %q", f.Rows, got, c.rows, c.reason)
			}
		})
	}
}

// What ends the reading of a report gives one notice, with the line of the test that
// was one too many.
func TestALimitThatStopsAReportGivesOneNoticeAtItsLine(t *testing.T) {
	var report strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&report, "<testcase name=\"t%d\"/>\n", i)
	}
	f := parseWith(t, inSuite(report.String()), Options{Limits: input.Limits{KeptBytes: 4000, TextBytes: 1}})
	if len(f.Notices) != 1 || f.Notices[0].Line != f.Rows || f.Rows >= 256 || strings.Contains(f.Notices[0].Reason, "more like it") {
		t.Errorf("%d rows, notices %+v", f.Rows, f.Notices)
	}
}

// Small files that are built to be dear. What is allocated in all is the bound
// here: it does not depend on the machine.
func TestHostileInputStaysCheap(t *testing.T) {
	again := strings.Repeat
	for name, report := range map[string]string{
		"nested elements":   "<testsuite><testcase name='a'>" + again("<b>", 400_000),
		"nested cases":      again("<testcase name='a'>", 63) + again("<x/>", 100_000),
		"long suite paths":  again(`<testsuite name="`+again("q", 2000)+`">`, 60) + again(`<testsuite name="a"/>`, 100_000),
		"failures":          inSuite("<testcase>" + again("<failure>abc</failure>", 200_000) + "</testcase>"),
		"stray end tags":    inSuite(again("</x>", 1_000_000)),
		"references":        inSuite("<testcase><failure>" + again("&", 5_000_000) + "</failure></testcase>"),
		"traces":            inSuite(again("<testcase name='x'><failure>"+again("com.a.B.c(D.java:", 4000)+"</failure></testcase>", 30)),
		"attributes":        "<testsuite " + again(`a="b" `, 1_000_000) + ">",
		"attribute value":   `<testsuite name="` + again("x", 8_000_000) + `">`,
		"unclosed comment":  "<testsuite><!--" + again("-", 8_000_000),
		"quotes":            inSuite("<testcase " + again(`"`, 3_000_000) + ">"),
		"less-than signs":   inSuite(again("< ", 3_000_000)),
		"CDATA sections":    inSuite("<testcase><failure>x" + again("<![CDATA[]]>", 500_000) + "</failure></testcase>"),
		"properties":        inSuite("<testcase>" + again(`<property name="a" value="b"/>`, 100_000) + "<failure/></testcase>"),
		"inherited long ID": `<testsuite name="` + again("n", 400) + `"><testcase name="x"><failure/></testcase>` + again(`<testcase name="a"/>`, 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f := parse(t, report)
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 128<<20 && !raceDetector {
				t.Errorf("%d bytes allocated for %d", spent, len(report))
			}
			if f.Green() {
				t.Error("green")
			}
		})
	}
}

func TestLongTextsAreCutOnWholeRunes(t *testing.T) {
	f := parseWith(t, inSuite(`<testcase name="a"><failure>`+strings.Repeat("ü", 1000)+`</failure></testcase>`), Options{Limits: input.Limits{FieldBytes: 101}})
	if got := f.Results()[0].Attempts[0].Text; got != strings.Repeat("ü", 50) {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
	if len(f.Notices) != 1 || !strings.Contains(f.Notices[0].Reason, "cut") {
		t.Errorf("notices %v", f.Notices)
	}
}

func TestFailureTextsOfOneFileAreBounded(t *testing.T) {
	failing := func(name string) string {
		return `<testcase name="` + name + `" classname="c"><properties><property name="p" value="` + strings.Repeat("v", 100) + `"/></properties><failure message="` + strings.Repeat("m", 300) + `">` + strings.Repeat("x", 2000) + `</failure></testcase>`
	}
	f := parseWith(t, inSuite(failing("a")+failing("b")+failing("d")), Options{Limits: input.Limits{TextBytes: 3000}})
	kept := 0
	for _, r := range f.Results() {
		kept += len(r.Final().Text)
		for _, v := range r.Properties {
			kept += len(v)
		}
		if !r.Final().Status.Failing() || len(r.Final().Message) < 100 {
			t.Errorf("%s: %v", r.ID, r.Final())
		}
	}
	if kept > 3000 || len(f.Notices) == 0 || !strings.Contains(f.Notices[len(f.Notices)-1].Reason, "failure texts, properties") {
		t.Errorf("%d bytes kept, %v", kept, f.Notices)
	}
}
