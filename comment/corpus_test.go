package comment

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// Failures of some fifty runners, as their reports have them.
func TestRealFailuresAreShownWhole(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpus/junit/dev/*.xml")
	if len(files) == 0 {
		t.Skip("../shared/corpus/junit is not here")
	}
	told, silent := 0, 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run := outcome.Run{Info: pullRequest, Verdict: flaky.Verdict{Blocking: failuresIn(source)}}
		if problems := check(Render(run, Options{})); len(problems) > 0 {
			t.Errorf("%s: %v", filepath.Base(file), problems)
		}
		for _, f := range run.Verdict.Blocking {
			a := f.Result.Final()
			if len(a.Message)+len(bytes.TrimSpace([]byte(a.Text))) < 8 {
				continue // nothing to tell
			}
			if told++; usefulLines(f.Result)[0] == noErrorText {
				silent++
				t.Logf("%s: nothing useful in %.60q %.60q", filepath.Base(file), a.Message, a.Text)
			}
		}
	}
	if told < 200 || silent*50 > told {
		t.Errorf("of %d errors %d have no useful line", told, silent)
	}
}

// failuresIn returns the failures of a JUnit report, as far as it can be read.
func failuresIn(source []byte) (failures []flaky.Failure) {
	d := xml.NewDecoder(bytes.NewReader(source))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var r engine.TestResult
	for len(failures) < 2000 {
		token, err := d.Token()
		if err != nil {
			return failures
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "testcase":
			r = engine.TestResult{}
			for _, a := range start.Attr {
				switch a.Name.Local {
				case "name":
					r.Name = a.Value
				case "classname":
					r.Class = a.Value
				case "file":
					r.File = a.Value
				}
			}
			r.ID = engine.TestID(r.Class + " › " + r.Name)
		case "failure", "error":
			var e struct {
				Message string `xml:"message,attr"`
				Type    string `xml:"type,attr"`
				Text    string `xml:",chardata"`
			}
			if d.DecodeElement(&e, &start) != nil {
				return failures
			}
			r.Attempts = []engine.Attempt{{Status: engine.StatusFailed, ErrorType: e.Type, Message: e.Message, Text: e.Text}}
			failures = append(failures, flaky.Failure{Result: r})
		}
	}
	return failures
}
