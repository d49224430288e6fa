// Package golden compares what tests make with files kept of it, which
// `go test -update` rewrites: read the diff before committing it.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Update reports whether golden files are to be rewritten.
func Update() bool { return *update }

// Check fails the test where got is not what file holds.
func Check(tb testing.TB, file, got string) {
	tb.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s (-want +got; -update rewrites it):\n%s", file, diff)
	}
}
