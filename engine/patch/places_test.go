package patch

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/breadcrumb/action/engine"
)

// place is a checkout in which a person would find the one literal to edit, and its
// twin, in which nobody could: a file of testdata/places. Its lines before the checkout
// say, those behind test left out where there is none:
//
//	test: id of the healed test
//	class: that of its result
//	locator: the old one, #save
//	healed: the new one, #next
//	site: file:line
//	edit: file:line that is edited
//	certainty: of the place, at least: 0.85
//	passed: file › title of another test that passed
//	twin passed: the same in the twin, where it is more
//	twin because: part of the twin's reason
//
// A file in the folder twin stands in the twin's checkout instead of the one of that name.
type place struct {
	heal         engine.HealEvent
	result       *engine.TestResult
	edit         string
	certainty    float64
	passed       []PassedTest
	twinPassed   []PassedTest
	because      string
	source, twin fstest.MapFS
}

func readPlace(t *testing.T, file string) place {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := place{source: fstest.MapFS{}, twin: fstest.MapFS{}, certainty: placementShared}
	p.heal = engine.HealEvent{Locator: "#save", HealedLocator: "#next", Confidence: 1, Outcome: engine.OutcomeHealed}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "twin/"); ok {
			p.twin[name] = &fstest.MapFile{Data: f.Data}
			continue
		}
		p.source[f.Name] = &fstest.MapFile{Data: f.Data}
		if p.twin[f.Name] == nil {
			p.twin[f.Name] = p.source[f.Name]
		}
	}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "test":
			p.heal.TestID = engine.TestID(value)
		case "class":
			p.result = &engine.TestResult{ID: p.heal.TestID, Class: value, Name: string(p.heal.TestID)}
		case "locator":
			p.heal.Locator = value
		case "healed":
			p.heal.HealedLocator = value
		case "site":
			p.heal.Site = siteOf(t, value)
		case "edit":
			p.edit = value
		case "certainty":
			p.certainty = parseRatio(t, value)
		case "passed", "twin passed":
			path, title, _ := strings.Cut(value, " › ")
			other := PassedTest{Test: engine.TestResult{File: path, Name: title, ID: engine.TestID(value)}}
			if p.twinPassed = append(p.twinPassed, other); key == "passed" {
				p.passed = append(p.passed, other)
			}
		case "twin because":
			p.because = value
		}
	}
	return p
}

func siteOf(t *testing.T, text string) *engine.Site {
	t.Helper()
	file, line, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Site{File: file, Line: n}
}

func parseRatio(t *testing.T, text string) float64 {
	t.Helper()
	ratio, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return ratio
}

func TestProposeFindsThePlaceThatAPersonWouldFind(t *testing.T) {
	files, err := filepath.Glob("testdata/places/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			p := readPlace(t, file)
			placed := New(p.source)
			placed.SetPassed(p.passed)
			got := placed.Propose(p.heal, p.result)
			if got.Edit == nil {
				t.Errorf("refused: %s", got.Reason)
			} else if at := fmt.Sprintf("%s:%d", got.Edit.File, got.Edit.Line); at != p.edit || got.Confidence < p.certainty {
				t.Errorf("edited %s %s with %v, want %s with %v", at, strings.TrimSpace(got.Edit.After), got.Confidence, p.edit, p.certainty)
			} else if _, err := VerifyEdit(got.Edit.File, p.source[got.Edit.File].Data, got.Edit.Start, got.Edit.Old, got.Edit.New); err != nil {
				t.Errorf("offered, but cannot be made by its id: %v", err)
			}
			twin := New(p.twin)
			twin.SetPassed(p.twinPassed)
			switch got := twin.Propose(p.heal, p.result); {
			case got.Edit != nil:
				t.Errorf("the twin was edited in %s:%d %s", got.Edit.File, got.Edit.Line, got.Edit.After)
			case p.because == "" || !strings.Contains(got.Reason, p.because):
				t.Errorf("the twin's reason %q, want %q", got.Reason, p.because)
			}
		})
	}
}
