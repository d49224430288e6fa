package engine

import "fmt"

// Trial is what came of an edit of a locator that was tried in a copy of the checkout: the
// tests that lost it ran with the edit, and those that passed ran again in each control, in
// which the edited locator finds nothing, finds another element, or its action is left
// undone.
type Trial struct {
	File   string `json:"file"`             // of the edit, slash-separated, relative to the checkout
	Line   int    `json:"line"`             // of the edit, 1-based
	New    string `json:"new"`              // source text that the edit wrote
	Tests  int    `json:"tests"`            // that ran with the edit
	Green  int    `json:"green"`            // of them passed
	Red    int    `json:"red"`              // of the green ones failed in every control
	Reason string `json:"reason,omitempty"` // why nothing is proven, "" where the edit is
}

// The reasons of a trial that proves nothing.
const (
	TrialRed    = "red"    // a test fails with the edit
	TrialUnused = "unused" // the tests pass without a call on the edited locator
	TrialHidden = "hidden" // they pass when the edited locator finds nothing
	TrialOther  = "other"  // they pass with another element in the place of the one found
	TrialUndone = "undone" // they pass when nothing is done with the element
	TrialNotRun = "not-run"
)

// Proven reports whether the trial proves its edit: all tests pass with it, and at least
// one of them depends on the element that it finds.
func (t *Trial) Proven() bool {
	return t != nil && t.Reason == "" && t.Tests > 0 && t.Green == t.Tests && t.Red > 0
}

// checkTrial returns why t is no usable trial, naming field and value.
func checkTrial(t *Trial) error {
	if t == nil {
		return nil
	}
	if t.Line < 1 || t.Red < 0 || t.Red > t.Green || t.Green > t.Tests {
		return fmt.Errorf("field \"trial\" names line %d and %d of %d green tests of %d; lines count from 1, and each number holds the one before", t.Line, t.Red, t.Green, t.Tests)
	}
	if err := checkName("trial.file", t.File, true); err != nil {
		return err
	}
	return checkName("trial.new", t.New, true)
}
