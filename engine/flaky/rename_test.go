package flaky_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/flaky"
)

func TestRenames(t *testing.T) {
	last := []string{"a.ts › one", "a.ts › two", "a.ts › three", "b.ts › four [chromium]"}
	for _, c := range []struct {
		name           string
		gone, appeared []string
		now            []string
		want           []flaky.Rename
	}{
		{"a file moved", []string{"b.ts › four [chromium]"}, []string{"c/b.ts › four [chromium]"},
			[]string{"a.ts › one", "a.ts › two", "a.ts › three", "c/b.ts › four [chromium]"},
			[]flaky.Rename{{Old: "b.ts › four [chromium]", New: "c/b.ts › four [chromium]"}}},
		{"a title changed", []string{"a.ts › two"}, []string{"a.ts › zwei"},
			[]string{"a.ts › one", "a.ts › zwei", "a.ts › three"}, []flaky.Rename{{Old: "a.ts › two", New: "a.ts › zwei"}}},
		{"one was removed and another added elsewhere", []string{"a.ts › two"}, []string{"a.ts › new"},
			[]string{"a.ts › one", "a.ts › three", "a.ts › new"}, nil},
		{"in another environment it is another test", []string{"b.ts › four [chromium]"}, []string{"c.ts › four [firefox]"},
			[]string{"c.ts › four [firefox]"}, nil},
		{"two of one title could be it", []string{"a.ts › one"}, []string{"c.ts › one", "d.ts › one"},
			[]string{"c.ts › one", "d.ts › one"}, nil},
		{"file and title changed", []string{"a.ts › one"}, []string{"c.ts › eins"}, []string{"c.ts › eins"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, flaky.Renames(c.gone, c.appeared, last, c.now)); diff != "" {
				t.Errorf("renames (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParametrisedNamesShareAGroup(t *testing.T) {
	for id, want := range map[string]string{
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
	ids := []string{"p.py::t[a]", "p.py::u", "p.py::t[b]", "p.py::u", "p.py::t[a] [chromium]", "p.py::t[c]"}
	if diff := cmp.Diff([][]int{{0, 2, 5}, {1}, {3}, {4}}, flaky.Grouped(ids)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"p.py::t": 3, "p.py::t [chromium]": 1}, flaky.GroupSizes(ids)); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}
