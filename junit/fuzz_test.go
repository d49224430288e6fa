package junit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		inSuite(`<testcase name="a" classname="c" time="1,5"><failure message="a & b"><![CDATA[x]]></failure></testcase>`),
		`<testsuites><testsuite name="a" errors="1"><testcase name="x"><rerunFailure/><flakyError/></testcase>`,
		"\xff\xfe<\x00t\x00", `<!DOCTYPE x>`, `{"Action":"run"}`, `<testcase name="&#xD83D;&#x`,
		playwrightHead + playwrightSpec("t", "flaky", playwrightResultOf("failed"), playwrightResultOf("passed")) + playwrightTail,
		ctrfOf(`{"name":"t","status":"other","suite":["a","b"],"retryAttempts":[{"status":"failed","message":"\ud83d\udca5"}]}`),
		goEventsOf("start", "run TestA", "output TestA", "fail TestA", "fail"),
		"TAP version 14\n1..2\n# Subtest: s\n    ok 1 - a {\n        not ok 1\n          ---\n          error: x\n          ...\n    }\n    1..1\nnot ok 1 - s # TODO\nBail out!\n",
		inSuite(`<testcase name="a"><system-out><![CDATA[[[ATTACHMENT|a/b]]]]></system-out></testcase>`),
		inSuite(`<testcase name="a"><failure/><system-err>- waiting for locator(&apos;#a&apos;)&#10;</system-err></testcase>`),
	} {
		f.Add([]byte(seed))
	}
	seedFixtures(f)
	f.Fuzz(func(t *testing.T, report []byte) { checkReport(t, report) })
}

// The formats have targets of their own, with the beginning that names them, so
// that no time is spent on bytes that are none of them.
func FuzzPlaywrightJSON(f *testing.F) {
	spec := playwrightSpec("t", "flaky", playwrightResultOf("failed"), playwrightResultOf("passed"))
	fuzzBehind(f, `{"config":{"rootDir":"/w/tests"},"suites":[`, (playwrightHead + spec + playwrightTail)[len(`{"config":{"rootDir":"/w/tests"},"suites":[`):],
		`{"specs":[{"tests":[{"results":[{"status":"timedOut","errors":[{}]}]}],"title":"t"}],"suites":[{"title":"d"}],"title":"a"}],"errors":[{"message":"x"}],"stats":{"unexpected":1}}`)
}

func FuzzCTRF(f *testing.F) {
	const head = `{"results":{"tool":{"name":"playwright"},"summary":{"tests":1,"failed":0},"tests":[`
	fuzzBehind(f, head, `{"name":"t","status":"other","rawStatus":"timedOut","suite":["a","b"],"retryAttempts":[{"status":"failed","message":"expect(x).toBe(y)"}]}]}}`,
		`{"name":"t","status":"passed","flaky":true,"retries":2,"filePath":"a.js","attachments":[{"path":"../x"}]}]}}`)
}

func FuzzTAP(f *testing.F) {
	fuzzBehind(f, "TAP version 14\n", "1..2\n# Subtest: s\n    ok 1 - a {\n        not ok 1\n          ---\n          error: x\n          ...\n    }\n    1..1\nnot ok 1 - s # TODO\nBail out!\n",
		"ok 1 - a # SKIP no\n# fail 1\n1..1\n")
}

func FuzzGoTest(f *testing.F) {
	fuzzBehind(f, `{"Action":"start","Package":"p"}`+"\n", goEventsOf("run TestA", "output TestA", "fail TestA", "fail"), goEventsOf("run TestA", "pass"),
		`{"ImportPath":"p","Action":"build-output","Output":"no\n"}`+"\n"+`{"Action":"fail","Package":"p","FailedBuild":"p"}`)
}

func fuzzBehind(f *testing.F, head string, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, rest []byte) { checkReport(t, append([]byte(head), rest...)) })
}

// checkReport reads a report twice. Narrow bounds must never make one green
// that is not.
func checkReport(t *testing.T, report []byte) {
	t.Helper()
	wide := checkParse(t, report, input.Limits{FileBytes: 4 << 20, FieldBytes: 1 << 10, Cases: 1000})
	narrow := checkParse(t, report, input.Limits{FileBytes: 4 << 20, FieldBytes: 100, Cases: 1000, TextBytes: 200, KeptBytes: 3000, Attempts: 3, Properties: 1, Suites: 5})
	if wide != nil && narrow != nil && narrow.Green() && !wide.Green() {
		t.Fatalf("green within narrow bounds: %v", wide.Notices)
	}
}

// checkParse returns what Parse does, checked; nil for an error.
func checkParse(t *testing.T, report []byte, limits input.Limits) *File {
	t.Helper()
	file, err := Parse("f.xml", bytes.NewReader(report), Options{Root: "/w", Limits: limits})
	if err != nil {
		if file != nil {
			t.Fatal("a file beside an error")
		}
		return nil
	}
	checkInvariants(t, file)
	return file
}

// checkInvariants holds for every file that was read.
func checkInvariants(t *testing.T, f *File) {
	t.Helper()
	seen := map[string]bool{}
	failing := false
	for _, r := range f.Results() {
		size := len(r.ID) - 2*strings.Count(string(r.ID), "\uFFFD") // which may stand for one byte
		if r.ID == "" || size > identity.MaxBytes+64 || seen[string(r.ID)] || strings.ContainsAny(string(r.ID), "\n\r") {
			t.Fatalf("identity %q", r.ID)
		}
		seen[string(r.ID)] = true
		if strings.HasPrefix(r.File, "/") || r.File == ".." || strings.HasPrefix(r.File, "../") {
			t.Fatalf("file %q outside the checkout", r.File)
		}
		if len(r.Attempts) == 0 {
			t.Fatalf("%s has no attempt", r.ID)
		}
		for _, a := range r.Attempts {
			if strings.Contains(a.Message, "\n") || len(a.Message) > input.MaxMessage+8 || a.DurationMS < 0 {
				t.Fatalf("attempt %+v", a)
			}
		}
	}
	for i, r := range f.Results() {
		if final := f.results.Final(i); final != r.Final().Status || f.results.Flaky(i) != r.Flaky() {
			t.Fatalf("%s ends %s, flaky %v: packed as %s", r.ID, r.Final().Status, r.Flaky(), final)
		}
	}
	for _, row := range cases(f) {
		failing = failing || row.Status.Failing()
		if row.Result < 0 || row.Result >= len(f.Results()) {
			t.Fatalf("row of result %d", row.Result)
		}
	}
	if f.Green() && (f.Rows == 0 || failing && f.Counts().Flaky == 0) {
		t.Fatalf("green: %+v", f)
	}
}
