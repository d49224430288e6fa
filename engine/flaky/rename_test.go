package flaky_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func TestRenames(t *testing.T) {
	last := []engine.TestID{"a.ts › one", "a.ts › two", "a.ts › three", "b.ts › four [chromium]"}
	for _, c := range []struct {
		name           string
		gone, appeared []engine.TestID
		now            []engine.TestID
		want           []flaky.Rename
	}{
		{"a file moved", []engine.TestID{"b.ts › four [chromium]"}, []engine.TestID{"c/b.ts › four [chromium]"},
			[]engine.TestID{"a.ts › one", "a.ts › two", "a.ts › three", "c/b.ts › four [chromium]"},
			[]flaky.Rename{{Old: "b.ts › four [chromium]", New: "c/b.ts › four [chromium]", Proven: true}}},
		{"a file got another name", []engine.TestID{"b.ts › four [chromium]"}, []engine.TestID{"c.ts › four [chromium]"},
			[]engine.TestID{"a.ts › one", "a.ts › two", "a.ts › three", "c.ts › four [chromium]"},
			[]flaky.Rename{{Old: "b.ts › four [chromium]", New: "c.ts › four [chromium]"}}},
		{"a title changed", []engine.TestID{"a.ts › two"}, []engine.TestID{"a.ts › zwei"},
			[]engine.TestID{"a.ts › one", "a.ts › zwei", "a.ts › three"}, []flaky.Rename{{Old: "a.ts › two", New: "a.ts › zwei"}}},
		{"one was removed and another added elsewhere", []engine.TestID{"a.ts › two"}, []engine.TestID{"a.ts › new"},
			[]engine.TestID{"a.ts › one", "a.ts › three", "a.ts › new"}, nil},
		{"in another environment it is another test", []engine.TestID{"b.ts › four [chromium]"}, []engine.TestID{"c.ts › four [firefox]"},
			[]engine.TestID{"c.ts › four [firefox]"}, nil},
		{"two of one title could be it", []engine.TestID{"a.ts › one"}, []engine.TestID{"c.ts › one", "d.ts › one"},
			[]engine.TestID{"c.ts › one", "d.ts › one"}, nil},
		{"file and title changed", []engine.TestID{"a.ts › one"}, []engine.TestID{"c.ts › eins"}, []engine.TestID{"c.ts › eins"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, flaky.Renames(c.gone, c.appeared, last, c.now)); diff != "" {
				t.Errorf("renames (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParametrisedNamesShareAGroup(t *testing.T) {
	for id, want := range map[engine.TestID]engine.TestID{
		"t.py::test_ok[a-1]":              "t.py::test_ok",
		"t.py::test_ok":                   "t.py::test_ok",
		"a.ts › adds[2] [chromium]":       "a.ts › adds [chromium]",
		"a.ts › signs in [chromium]":      "a.ts › signs in [chromium]",
		"t.py::TestX::test_ok[x[0]]":      "t.py::TestX::test_ok",
		"login.spec.ts › signs in [a] ok": "login.spec.ts › signs in [a] ok",
	} {
		if got := flaky.Group(id); got != want {
			t.Errorf("group of %q is %q, want %q", id, got, want)
		}
	}
}

func TestGroupedKeepsTheParametersOfATestTogether(t *testing.T) {
	ids := []engine.TestID{"p.py::t[a]", "p.py::u", "p.py::t[b]", "p.py::u", "p.py::t[a] [chromium]", "p.py::t[c]"}
	if diff := cmp.Diff([][]int{{0, 2, 5}, {1}, {3}, {4}}, flaky.Grouped(ids)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[engine.TestID]int{"p.py::t": 3, "p.py::t [chromium]": 1}, flaky.GroupSizes(ids)); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}
