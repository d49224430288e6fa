package run

import (
	"archive/zip"
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/cmdtest"
)

// Where no locator is lost, whatever else fails, nobody can tell from results, errors,
// attachments and traces that Breadcrumb led the tests.
func TestTracesAndAttachmentsAreTheSameAsWithoutBreadcrumb(t *testing.T) {
	t.Parallel()
	s := newSuite(t, versions[len(versions)-1], "testdata/traced")
	if code, out := s.execute(t, nil, command(nil)); code != 1 {
		t.Fatalf("without Breadcrumb: exit code %d\n%s", code, out)
	}
	want := s.readTraced(t)
	if len(want) != 5 {
		t.Fatalf("%d tests", len(want))
	}
	for _, heal := range []string{"off", "live"} {
		code, out := s.execute(t, nil, append([]string{cmdtest.Program(t), "run", "--heal", heal, "--"}, command(nil)...))
		if diff := gocmp.Diff(want, s.readTraced(t)); code != 1 || diff != "" {
			t.Errorf("with --heal %s: exit code %d (-without +with):\n%s\n%s", heal, code, diff, out)
		}
		if events := s.events(t); len(events) > 0 {
			t.Errorf("with --heal %s something was lost: %+v", heal, events)
		}
	}
}

// traced is what a run leaves of one test.
type traced struct {
	Status      string
	Errors      []string
	Attachments []string // name, type and digest of each
	Trace       []string // what happened, in the order of each file of the trace
}

// playwrightReport is Playwright's JSON report, as far as it is compared.
type playwrightReport struct {
	Suites []reportedSuite `json:"suites"`
}

type reportedSuite struct {
	Suites []reportedSuite `json:"suites"`
	Specs  []struct {
		Title string `json:"title"`
		Tests []struct {
			Results []struct {
				Status      string                     `json:"status"`
				Errors      []struct{ Message string } `json:"errors"`
				Attachments []struct {
					Name        string `json:"name"`
					ContentType string `json:"contentType"`
					Path        string `json:"path"`
					Body        []byte `json:"body"`
				} `json:"attachments"`
			} `json:"results"`
		} `json:"tests"`
	} `json:"specs"`
}

// readTraced returns what the last run left, by the title of the test.
func (s suite) readTraced(t *testing.T) map[string]traced {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, "results", "playwright.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report playwrightReport
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	out := map[string]traced{}
	for suites := report.Suites; len(suites) > 0; suites = append(suites[1:], suites[0].Suites...) {
		for _, spec := range suites[0].Specs {
			result := spec.Tests[0].Results[0]
			left := traced{Status: result.Status}
			for _, e := range result.Errors {
				left.Errors = append(left.Errors, withoutLog(e.Message))
			}
			for _, a := range result.Attachments {
				if a.Name == "trace" {
					left.Trace = readTrace(t, a.Path)
					continue
				}
				if a.Name == "error-context" { // which has the error's log
					continue
				}
				if a.Path != "" {
					if a.Body, err = os.ReadFile(a.Path); err != nil {
						t.Error(err)
					}
				}
				left.Attachments = append(left.Attachments, fmt.Sprintf("%s %s %x", a.Name, a.ContentType, sha256.Sum256(a.Body)))
			}
			out[spec.Title] = left
		}
	}
	return out
}

// traceEvent is a line of a trace's files, as far as it is compared.
type traceEvent struct {
	Type        string                    `json:"type"`
	Class       string                    `json:"class"`
	Method      string                    `json:"method"`
	Title       string                    `json:"title"`
	CallID      string                    `json:"callId"`
	ParentID    string                    `json:"parentId"`
	StepID      string                    `json:"stepId"`
	Params      json.RawMessage           `json:"params"`
	Result      json.RawMessage           `json:"result"`
	Error       *struct{ Message string } `json:"error"`
	Message     string                    `json:"message"`
	Text        string                    `json:"text"`
	Attachments []struct{ Name string }   `json:"attachments"`
	Stack       []struct{ Line int }      `json:"stack"`
	Snapshot    struct {
		Name     string `json:"snapshotName"`
		Request  struct{ Method, URL string }
		Response struct{ Status int }
	} `json:"snapshot"`
}

// unlike matches what is another one in each run: the ids of objects, calls and waits.
var unlike = regexp.MustCompile(`\b[a-z0-9]+@[0-9a-f]+|"waitId":"[0-9a-f]+"`)

// withoutLog returns an error without what was tried how often, which time decides.
func withoutLog(text string) string {
	text, _, _ = strings.Cut(text, "Call log:")
	return text
}

// readTrace returns what a trace tells, a text each, without times.
func readTrace(t *testing.T, name string) []string {
	t.Helper()
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	slices.SortFunc(archive.File, func(a, b *zip.File) int { return cmp.Compare(a.Name, b.Name) })
	var told []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".trace") && !strings.HasSuffix(f.Name, ".network") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewReader(in); err == nil; {
			var line []byte
			if line, err = lines.ReadBytes('\n'); len(line) == 0 {
				break
			}
			var e traceEvent
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if e.Type != "context-options" && e.Type != "log" {
				told = append(told, f.Name+": "+e.describe())
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		in.Close()
	}
	return told
}

func (e traceEvent) describe() string {
	text := fmt.Sprint(e.Type, " ", e.CallID, " ", e.Class, ".", e.Method, " ", e.Title, " ", string(e.Params), string(e.Result), " in ", e.ParentID, " of ", e.StepID, " ", withoutLog(e.Message), e.Text, " ", e.Attachments, e.Stack, " ", e.Snapshot)
	if e.Error != nil {
		text += " failed: " + withoutLog(e.Error.Message)
	}
	return unlike.ReplaceAllLiteralString(text, "@")
}
