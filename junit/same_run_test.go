package junit

import (
	"fmt"
	"strings"
	"testing"
)

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
