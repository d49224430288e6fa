package patch

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/breadcrumb/action/engine"
)

// doubt is a checkout in which one literal says the old locator, and an edit of
// it could be the wrong one, or could not: a file of testdata/doubt. Its lines
// before the checkout say, all but the first two left out where there is none:
//
//	test: id of the healed test
//	locator: the old one, #a
//	site: line in the first file
//	passed: title of another test of the first file that passed, or package and name
//	because: part of the refusal's reason; without, the edit is right
type doubt struct {
	heal    engine.HealEvent
	passed  []PassedTest
	because string
	source  fstest.MapFS
}

func readDoubt(t *testing.T, file string) doubt {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := doubt{source: fstest.MapFS{}, heal: engine.HealEvent{Locator: "#a", HealedLocator: "#next", Confidence: 1, Outcome: engine.OutcomeHealed}}
	for _, f := range archive.Files {
		d.source[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	first := archive.Files[0].Name
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "test":
			d.heal.TestID = engine.TestID(value)
		case "locator":
			d.heal.Locator = value
		case "site":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			d.heal.Site = &engine.Site{File: first, Line: n}
		case "passed":
			test := engine.TestResult{File: first, Name: value, ID: engine.TestID(first + " › " + value)}
			if pkg, name, ok := strings.Cut(value, " "); ok {
				test = engine.TestResult{Class: pkg, Name: name, ID: engine.TestID(pkg + " › " + name)}
			}
			d.passed = []PassedTest{{Test: test}}
		case "because":
			d.because = value
		}
	}
	return d
}

func TestProposeRefusesInDoubt(t *testing.T) {
	files, err := filepath.Glob("testdata/doubt/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	refused := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			d := readDoubt(t, file)
			p := New(d.source)
			p.SetPassed(d.passed)
			got := p.Propose(d.heal, nil)
			switch {
			case d.because == "" && got.Edit == nil:
				t.Errorf("refused: %s", got.Reason)
			case d.because != "" && got.Edit != nil:
				t.Errorf("edited %s:%d %s", got.Edit.File, got.Edit.Line, got.Edit.After)
			case !strings.Contains(got.Reason, d.because):
				t.Errorf("reason %q, want %q", got.Reason, d.because)
			}
			if d.because != "" {
				refused++
			}
		})
	}
	t.Logf("%d cases, %d of them refusals", len(files), refused)
}
