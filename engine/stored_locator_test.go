package engine_test

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAStoredLocatorIsSplitIntoLocatorAndOccurrence(t *testing.T) {
	for name, want := range map[string]struct {
		locator    string
		occurrence int
	}{
		"":            {"", 0},
		"#save":       {"#save", 0},
		"#save #2":    {"#save", 1},
		"#save #12":   {"#save", 11},
		"#save #2 #3": {"#save #2", 2},
		"#save #1":    {"#save #1", 0}, // the first has no number
		"#save #0":    {"#save #0", 0},
		"#save #-2":   {"#save #-2", 0},
		"#save #02":   {"#save #02", 0}, // StoredLocator writes no such name
		"#save #+2":   {"#save #+2", 0},
		"form #email": {"form #email", 0},
		"form #2x":    {"form #2x", 0},
		" #2":         {"", 1},
		"#9999999999999999999 #99999999999999999999": {"#9999999999999999999 #99999999999999999999", 0},
	} {
		locator, occurrence := engine.SplitStored(name)
		if locator != want.locator || occurrence != want.occurrence {
			t.Errorf("%q is %q and %d, want %q and %d", name, locator, occurrence, want.locator, want.occurrence)
		}
		if back := engine.StoredLocator(locator, occurrence); back != name {
			t.Errorf("%q comes back as %q", name, back)
		}
	}
}
