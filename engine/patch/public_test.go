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

// healedLine is a heal in a suite of testdata/public and the edit that a person would
// make.
type healedLine struct {
	heal   engine.HealEvent
	result *engine.TestResult
	edit   string // file: the line after it; "" for none
	reason string // part of the reason for none
}

// readSuite reads a suite in the style of a public one. Its lines before the checkout say
// the tests that passed, then each heal:
//
//	passed: file › title
//	test: id of the healed test
//	site: file:line of the lost one, where the run told it
//	within: the locator around the lost one, where the test says it elsewhere
//	lost: the old locator
//	found: the new one, which found the element alone
//	edit: file: the line after the edit, or refuse: part of the reason
func readSuite(t *testing.T, file string) (fstest.MapFS, []PassedTest, []healedLine) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source := fstest.MapFS{}
	for _, f := range archive.Files {
		source[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	var passed []PassedTest
	var heals []healedLine
	within := ""
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		last := len(heals) - 1
		switch key {
		case "passed":
			path, title, _ := strings.Cut(value, " › ")
			passed = append(passed, PassedTest{Test: engine.TestResult{File: path, Name: title, ID: engine.TestID(value)}})
		case "test":
			heals = append(heals, healedLine{heal: engine.HealEvent{TestID: engine.TestID(value), Confidence: 0.95, Outcome: engine.OutcomeHealed}})
			within = ""
		case "within":
			within = value + " >> "
		case "site":
			file, line, _ := strings.Cut(value, ":")
			at, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			heals[last].heal.Site = &engine.Site{File: file, Line: at}
		case "lost":
			heals[last].heal.Locator = within + value
		case "found":
			heals[last].heal.HealedLocator = within + value
			heals[last].heal.Matches = []engine.Match{{Locator: within + value, Count: 1}}
		case "edit":
			heals[last].edit = value
		case "refuse":
			heals[last].reason = value
		}
	}
	return source, passed, heals
}

func TestSuitesInTheStyleOfPublicOnes(t *testing.T) {
	files, err := filepath.Glob("testdata/public/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d suites, %v", len(files), err)
	}
	patchable, patched, refusals := 0, 0, 0
	for _, file := range files {
		source, passed, heals := readSuite(t, file)
		proposer := New(source)
		proposer.SetPassed(passed)
		for _, h := range heals {
			name := fmt.Sprintf("%s: %s, %s to %s", filepath.Base(file), h.heal.TestID, h.heal.Locator, h.heal.HealedLocator)
			got := proposer.Propose(h.heal, h.result)
			edit := ""
			if got.Edit != nil && got.Sure() {
				edit = fmt.Sprintf("%s: %s", got.Edit.File, strings.TrimSpace(got.Edit.After))
			}
			switch {
			case h.edit == "":
				refusals++
				if edit != "" || !strings.Contains(got.Reason, h.reason) {
					t.Errorf("%s\n  edited %s, reason %q, want a refusal: %s", name, edit, got.Reason, h.reason)
				}
			case edit == h.edit:
				patchable, patched = patchable+1, patched+1
			case edit == "":
				patchable++
				t.Errorf("%s\n  refused (%.2f): %s", name, got.Confidence, got.Reason)
			default:
				patchable++
				t.Errorf("%s\n  edited %s\n  want   %s", name, edit, h.edit)
			}
		}
	}
	t.Logf("%d of %d patched, %d refusals", patched, patchable, refusals)
}
