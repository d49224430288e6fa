package junit

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// What Playwright's call log says in a test's output is told with the failure that names no
// locator of its own.
func TestAFailureWaitedForWhatItsOutputSays(t *testing.T) {
	const failure = `<failure message="Exceeded timeout of 5000 ms"/>`
	filler := strings.Repeat("nothing to see here\n", 4000)
	for name, c := range map[string]struct{ body, want string }{
		"behind the failure":       {failure + "<system-err>Call log:\n  - waiting for getByRole(&apos;button&apos;, { name: &apos;Pay&apos; })\n    - retrying</system-err>", "getByRole('button', { name: 'Pay' })"},
		"before it":                {"<system-out><![CDATA[Call log:\n- waiting for locator(\"#a\") to be visible]]></system-out>" + failure, `locator("#a") to be visible`},
		"in colour":                {failure + "<system-out><![CDATA[#x1B[2m  - waiting for locator('#a')#x1B[22m]]></system-out>", "locator('#a')"},
		"in C#":                    {failure + "<system-out>  - waiting for Locator(&quot;#a&quot;)\n</system-out>", `Locator("#a")`},
		"as one line of XML":       {failure + "<system-out>a&#10;  - waiting for page.locator('#a')&#10;b</system-out>", "page.locator('#a')"},
		"far down":                 {failure + "<system-out>" + filler + "  - waiting for locator('#a')\n" + filler + "</system-out>", "locator('#a')"},
		"the last of several":      {failure + "<system-out>- waiting for locator('#a')\n</system-out><system-err>- waiting for locator('#b')\n- waiting for navigation to finish</system-err>", "locator('#b')"},
		"beside attachments":       {failure + "<system-out>[[ATTACHMENT|a.png]]\n- waiting for locator('#a')\n[[ATTACHMENT|b.png]]</system-out>", "locator('#a')"},
		"named by the error":       {`<failure message="x">  - waiting for locator('#own')</failure><system-out>- waiting for locator('#a')</system-out>`, ""},
		"something else":           {failure + "<system-out>- waiting for element to be visible, enabled and stable</system-out>", ""},
		"in a sentence":            {failure + "<system-out>I am still waiting for locator('#a')</system-out>", ""},
		"in a passed test":         {"<system-out>- waiting for locator('#a')</system-out>", ""},
		"in a skipped test":        {"<skipped/><system-out>- waiting for locator('#a')</system-out>", ""},
		"of another test":          {failure + "</testcase><testcase name='b'><system-out>- waiting for locator('#a')</system-out>", ""},
		"outside of the test case": {failure + "</testcase><system-out>- waiting for locator('#a')</system-out><testcase name='b'>", ""},
		"markup":                   {failure + "<system-out>- waiting for locator('&lt;b&gt;&#27;[31m::error::x')</system-out>", "locator('<b>::error::x')"},
		"without an end":           {failure + "<system-out>- waiting for locator('" + strings.Repeat("x", 1<<20) + "</system-out>", "locator('" + strings.Repeat("x", 491) + "…"},
		"very often":               {failure + "<system-out>- waiting for locator('#a')" + strings.Repeat(" waiting for x", 1<<20) + "</system-out>", ""},
	} {
		report := inSuite("<testcase name='a'>" + c.body + "</testcase>")
		f, err := Parse("r.xml", iotest.HalfReader(strings.NewReader(report)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, f.Results()[0].Final().Waited); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Surefire writes what each run of a test printed inside of that run's element.
func TestEachAttemptWaitedForWhatItsOwnOutputSays(t *testing.T) {
	f := parse(t, inSuite(`<testcase name="a"><failure message="timed out"/><rerunFailure message="timed out"><stackTrace>at A</stackTrace><system-out>- waiting for locator("#b")</system-out></rerunFailure>`+
		`<rerunFailure message="timed out"/><system-out>- waiting for locator("#a")</system-out></testcase>`))
	var got []string
	for _, a := range f.Results()[0].Attempts {
		got = append(got, a.Waited)
	}
	if diff := cmp.Diff([]string{`locator("#a")`, `locator("#b")`, ""}, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
