// Package golden compares the output of tests with files of expected output.
// `go test -update` rewrites these files: read the diff before committing it.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Update reports whether the tests should rewrite the golden files.
func Update() bool { return *update }

// Check fails the test where got differs from the content of file.
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
