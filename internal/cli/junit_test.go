package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Several large reports would be held at one time.
func TestLargeReportsAreReadOneAfterTheOther(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, f := range []struct {
		name string
		size int64
	}{{"a", 10}, {"b", 20}, {"large", maxGroupBytes}, {"huge", 3 * maxGroupBytes}, {"c", maxGroupBytes / 2}, {"d", maxGroupBytes / 2}, {"e", 1}} {
		name := filepath.Join(dir, f.name)
		names = append(names, name)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, f.size); err != nil {
			t.Fatal(err)
		}
	}
	names = append(names, filepath.Join(dir, "none"))
	var got [][]string
	for _, group := range groupBySize(names) {
		var bases []string
		for _, name := range group {
			bases = append(bases, filepath.Base(name))
		}
		got = append(got, bases)
	}
	want := [][]string{{"a", "b"}, {"large"}, {"huge"}, {"c", "d"}, {"e"}, {"none"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}
