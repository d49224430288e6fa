package blob_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
)

var versions = []string{"1.52.0", "1.65.1"}

// parse reads reports as the command does.
func parse(t *testing.T, names ...string) ([]*junit.File, []engine.Notice) {
	t.Helper()
	open := func(name string) (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return blob.Reader(f, 0)
	}
	return junit.ParseFiles(context.Background(), open, names, junit.Options{Root: "/tmp/harbour/suite"})
}

func TestABlobReportSaysWhatTheJSONReportSays(t *testing.T) {
	for _, version := range versions {
		files, _ := parse(t, filepath.Join("testdata", version, "report.json"), filepath.Join("testdata", version, "report.zip"))
		if len(files) != 2 {
			t.Fatalf("%s: %d files", version, len(files))
		}
		ignore := cmpopts.IgnoreFields(engine.TestResult{}, "Report", "Attachments")
		texts := cmpopts.IgnoreFields(engine.Attempt{}, "Text") // the JSON reporter adds the stack to the message
		if diff := cmp.Diff(files[0].Results(), files[1].Results(), ignore, texts); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
		if !files[0].Started.Equal(files[1].Started) || files[0].Started.IsZero() {
			t.Errorf("%s: started %v and %v", version, files[0].Started, files[1].Started)
		}
	}
}

// The counts are those of Playwright's last lines: a flaky test passed, one that did not
// run is skipped.
func TestAllReportsOfARunAgreeWithItsRunner(t *testing.T) {
	const outside = "Playwright reports an error outside the tests: Error: teardown fails"
	ends := map[string]engine.Status{}
	for _, c := range []struct {
		name, notice string
		flaky        int
	}{
		{"report.json", outside, 1}, {"report.zip", outside, 1},
		{"junit.xml", "", 0}, // written without retries, and never with what fails outside the tests
	} {
		files, _ := parse(t, filepath.Join("testdata", "1.65.1-ends", c.name))
		want := junit.Counts{Tests: 19, Passed: 5, Failed: 3, Errors: 4, Skipped: 7, Flaky: c.flaky}
		if diff := cmp.Diff(want, files[0].Counts()); diff != "" || files[0].Green() {
			t.Errorf("%s: green %v, counts (-want +got)\n%s", c.name, files[0].Green(), diff)
		}
		var notices []string
		for _, n := range files[0].Notices {
			notices = append(notices, n.Reason)
		}
		if got := strings.Join(notices, "\n"); got != c.notice {
			t.Errorf("%s: notices %q, want %q", c.name, got, c.notice)
		}
		for _, r := range files[0].Results() {
			if end, known := ends[string(r.ID)]; known && end != r.Final().Status || !known && c.name != "report.json" {
				t.Errorf("%s: %s is %s, want %s", c.name, r.ID, r.Final().Status, end)
			}
			ends[string(r.ID)] = r.Final().Status
		}
	}
}

func TestOneRunInThreeReportsCountsOnce(t *testing.T) {
	for _, version := range versions {
		dir := filepath.Join("testdata", version)
		files, _ := parse(t, filepath.Join(dir, "report.json"), filepath.Join(dir, "report.zip"), filepath.Join(dir, "junit.xml"))
		results, notices := junit.Merge(files)
		attempts := 0
		for _, r := range results {
			attempts += len(r.Attempts)
		}
		if len(results) != 2 || attempts != 3 || len(notices) != 2 {
			t.Errorf("%s: %d tests, %d attempts, notices %v", version, len(results), attempts, notices)
		}
	}
}

func TestTheTracesOfABlobReportAreInIt(t *testing.T) {
	for _, version := range versions {
		name := filepath.Join("testdata", version, "report.zip")
		files, _ := parse(t, name)
		opened := 0
		for _, r := range files[0].Results() {
			for _, attached := range r.Attachments {
				if !strings.HasSuffix(attached, "/trace.zip") {
					continue
				}
				f, err := blob.Attachment(name, attached)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := zip.NewReader(f, f.Size()); err != nil {
					t.Errorf("%s: %v", attached, err)
				}
				opened++
			}
		}
		if opened != 3 {
			t.Errorf("%s: opened %d traces, want 3", version, opened)
		}
		for _, other := range []string{"resources/none/trace.zip", "report.jsonl", "../blob.go"} {
			if _, err := blob.Attachment(name, other); !errors.Is(err, blob.ErrNone) {
				t.Errorf("%s: %v", other, err)
			}
		}
	}
}

const (
	start = `{"method":"onBlobReportMetadata","params":{"version":2}}
{"method":"onConfigure","params":{"config":{"rootDir":"/w/tests"}}}
{"method":"onProject","params":{"project":{"name":"chromium","suites":[{"title":"a.spec.ts","location":{"file":"a.spec.ts","line":0},"entries":[{"testId":"t1","title":"one","location":{"file":"a.spec.ts","line":3}},{"title":"group","location":{"file":"a.spec.ts","line":5},"entries":[{"testId":"t2","title":"two","location":{"file":"a.spec.ts","line":6}}]}]}]}}}
`
	begin1 = `{"method":"onTestBegin","params":{"testId":"t1","result":{"id":"r1","retry":0}}}` + "\n"
	again1 = `{"method":"onTestBegin","params":{"testId":"t1","result":{"id":"r2","retry":1}}}` + "\n"
	end    = `{"method":"onEnd","params":{"result":{"status":"passed","startTime":1795274923100}}}` + "\n"
)

// ended is the end of an attempt.
func ended(result, expected, status string) string {
	return `{"method":"onTestEnd","params":{"test":{"testId":"t1","expectedStatus":"` + expected + `"},"result":{"id":"` + result + `","duration":5,"status":"` + status + `","errors":[]}}}` + "\n"
}

// reported is the first test of a report of these events, and what blocks.
func reported(t *testing.T, events string) (status engine.Status, attempts int, blocking string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.zip")
	if err := os.WriteFile(name, pack(t, "report.jsonl", events), 0o600); err != nil {
		t.Fatal(err)
	}
	files, notices := parse(t, name)
	for _, n := range notices {
		if n.Severity == engine.SeverityBlocking {
			blocking += n.Reason + "\n"
		}
	}
	if len(files) == 0 {
		return "", 0, blocking
	}
	for _, r := range files[0].Results() {
		if r.Name == "one" {
			status, attempts = r.Final().Status, len(r.Attempts)
		}
	}
	return status, attempts, blocking
}

func pack(tb testing.TB, name, text string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestNothingThatFailedOrNeverEndedPasses(t *testing.T) {
	cases := map[string]struct {
		events   string
		status   engine.Status
		attempts int
		blocking string
	}{
		"passed":                      {start + begin1 + ended("r1", "passed", "passed") + end, engine.StatusPassed, 1, ""},
		"failed as expected":          {start + begin1 + ended("r1", "failed", "failed") + end, engine.StatusPassed, 1, ""},
		"passed against all hope":     {start + begin1 + ended("r1", "failed", "passed") + end, engine.StatusFailed, 1, ""},
		"timed out":                   {start + begin1 + ended("r1", "passed", "timedOut") + end, engine.StatusError, 1, ""},
		"passed on retry":             {start + begin1 + ended("r1", "passed", "failed") + again1 + ended("r2", "passed", "passed") + end, engine.StatusPassed, 2, ""},
		"retried, events in disorder": {start + again1 + ended("r2", "passed", "failed") + begin1 + ended("r1", "passed", "passed") + end, engine.StatusFailed, 2, ""},
		"did not run":                 {start + end, engine.StatusSkipped, 1, ""},
		"never ended":                 {start + begin1 + end, engine.StatusError, 1, ""},
		"the run was killed":          {start + begin1 + ended("r1", "passed", "passed"), engine.StatusPassed, 1, "the run was killed"},
		"an error outside":            {start + begin1 + ended("r1", "passed", "passed") + `{"method":"onError","params":{"error":{"message":"no server"}}}` + "\n" + end, engine.StatusPassed, 1, "no server"},
		"a line that is none":         {start + begin1 + ended("r1", "passed", "passed") + "{\n" + end, engine.StatusPassed, 1, "could not be read"},
		"the end of no attempt":       {start + begin1 + ended("r1", "passed", "passed") + ended("r9", "passed", "failed") + end, engine.StatusPassed, 1, "could not be read"},
		"an attempt ends twice":       {start + begin1 + ended("r1", "passed", "passed") + ended("r1", "passed", "failed") + end, engine.StatusPassed, 1, "could not be read"},
		"a newer version":             {strings.Replace(start, `"version":2`, `"version":3`, 1), "", 0, "update Breadcrumb"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			status, attempts, blocking := reported(t, c.events)
			if status != c.status || attempts != c.attempts || !strings.Contains(blocking, c.blocking) || c.blocking == "" && blocking != "" {
				t.Errorf("%q, %d attempts, blocking %q; want %q, %d, %q", status, attempts, blocking, c.status, c.attempts, c.blocking)
			}
		})
	}
}

func TestAZipThatIsNoBlobReportIsSaid(t *testing.T) {
	data := pack(t, "trace.trace", "{}")
	_, err := blob.Report(bytes.NewReader(data), int64(len(data)), 0)
	if err == nil || !strings.Contains(err.Error(), "report.jsonl is not in it") {
		t.Errorf("got %v", err)
	}
}

// A report that unpacks to far more than its size can hold, or to more than may be
// read, is refused by what it states: its events are damaged here, and nobody notices.
func TestAReportThatUnpacksToTooMuchIsRefusedBeforeItIsUnpacked(t *testing.T) {
	data := pack(t, "report.jsonl", strings.Repeat("{}\n", 2_000_000))
	clear(data[100 : len(data)/2])
	for want, most := range map[string]int64{
		"unpacks to more than 400 times its size":                             0,
		"unpacks to 6000000 bytes, more than the 1000000 of max-report-bytes": 1_000_000,
	} {
		if _, err := blob.Report(bytes.NewReader(data), int64(len(data)), most); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Of errors beyond the bound the message stays, which tells a failure from an error.
func TestManyLongErrorsAreCutAndTheTestsCount(t *testing.T) {
	const tests = 200
	random, block := rand.New(rand.NewPCG(1, 2)), make([]byte, 4<<10)
	for i := range block {
		block[i] = byte('a' + random.IntN(26))
	}
	var entries, events []string
	for i := range tests {
		entries = append(entries, fmt.Sprintf(`{"testId":"t%d","title":"t%[1]d","location":{"file":"a.spec.ts","line":3}}`, i))
		events = append(events, fmt.Sprintf(`{"method":"onTestBegin","params":{"testId":"t%d","result":{"id":"r%[1]d","retry":0}}}
{"method":"onTestEnd","params":{"test":{"testId":"t%[1]d","expectedStatus":"passed"},"result":{"id":"r%[1]d","duration":5,"status":"failed","errors":[{"message":"Error: expect(a).toBe(b)","stack":"%[2]s"}]}}}`, i, strings.Repeat(string(block), 25)))
	}
	data := pack(t, "report.jsonl", `{"method":"onConfigure","params":{"config":{"rootDir":"/w/tests"}}}
{"method":"onProject","params":{"project":{"name":"chromium","suites":[{"title":"a.spec.ts","location":{"file":"a.spec.ts","line":0},"entries":[`+strings.Join(entries, ",")+`]}]}}}
`+strings.Join(events, "\n")+"\n"+end)
	text, err := blob.Report(bytes.NewReader(data), int64(len(data)), 0)
	if err != nil || len(text) > 17<<20 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	f, err := junit.Parse("report.zip", bytes.NewReader(text), junit.Options{})
	if err != nil || f.Counts().Failed != tests {
		t.Errorf("%+v, %v", f.Counts(), err)
	}
}

func FuzzReport(f *testing.F) {
	f.Add(start + begin1 + ended("r1", "passed", "passed") + end)
	f.Add(start + begin1 + ended("r1", "passed", "failed") + again1 + end)
	f.Fuzz(func(t *testing.T, events string) {
		data := pack(t, "report.jsonl", events)
		text, err := blob.Report(bytes.NewReader(data), int64(len(data)), 0)
		if err != nil {
			return
		}
		if _, err := junit.Parse("report.zip", bytes.NewReader(text), junit.Options{}); err != nil {
			t.Logf("%v", err)
		}
	})
}
