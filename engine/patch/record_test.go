package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A value given to a record is a field's only where it is certain which one and that nothing
// else becomes of it.
func TestAValueOfARecordIsTheFieldAtItsPlace(t *testing.T) {
	const class = "class Editor(NamedTuple):\n    save: str\n    cancel: str\n\n"
	const test = "\ndef test_saves(page):\n    page.click(EDITOR.save)\n"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"by place":             {class + `EDITOR = Editor("#save", "#x")` + test, true},
		"by name":              {class + `EDITOR = Editor(cancel="#x", save="#save")` + test, true},
		"another field":        {class + `EDITOR = Editor("#x", "#save")` + test, false},
		"an unknown field":     {class + `EDITOR = Editor(store="#save")` + test, false},
		"behind a spread":      {class + `EDITOR = Editor(*others, "#save")` + test, false},
		"joined":               {class + `EDITOR = Editor("#save" + x, "#x")` + test, false},
		"of no record":         {strings.Replace(class, "(NamedTuple)", "", 1) + `EDITOR = Editor("#save", "#x")` + test, false},
		"of two records":       {class + class + `EDITOR = Editor("#save", "#x")` + test, false},
		"changed":              {class + `EDITOR = Editor("#save", "#x")` + "\nEDITOR = EDITOR._replace(save='#y')\n" + test, false},
		"handed on as a whole": {class + `EDITOR = Editor("#save", "#x")` + "\nrun(EDITOR)\n" + test, false},
		"made by itself":       {class + `EDITOR = EDITOR("#save")` + test, false},
	} {
		h := engine.HealEvent{TestID: "test_a.py::test_saves", Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
		if got := New(fstest.MapFS{"test_a.py": {Data: []byte(c.text)}}).Propose(h, nil); (got.Edit != nil) != c.want {
			t.Errorf("%s: %+v, %s", name, got.Edit, got.Reason)
		}
	}
}
