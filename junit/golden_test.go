package junit

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
)

func TestFixturesReadAsTheirGoldenFilesSay(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			f, err := Parse(filepath.Base(path), in, Options{Root: "/home/runner/work/shop/shop"})
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, strings.TrimSuffix(path, ".xml")+".golden", describe(f))
		})
	}
}

// describe writes everything a File says, for people.
func describe(f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d rows, green %v, started %s, suites %q\n", f.Name, f.Format, f.Rows, f.Green(), f.Started.Format("2006-01-02T15:04:05.000Z"), f.Suites())
	fmt.Fprintf(&b, "counts %+v\n", f.Counts())
	for _, n := range f.Notices {
		fmt.Fprintf(&b, "%s, line %d: %s\n", n.Severity, n.Line, n.Reason)
	}
	for _, r := range f.Results() {
		fmt.Fprintf(&b, "\n%s\n  suite %q class %q name %q env %q at %s:%d\n", r.ID, r.Suite, r.Class, r.Name, r.Environment, r.File, r.Line)
		for _, a := range r.Attempts {
			fmt.Fprintf(&b, "  %s %gms type %q message %q\n", a.Status, a.DurationMS, a.ErrorType, a.Message)
			if a.Text != "" {
				fmt.Fprintf(&b, "    %q\n", a.Text)
			}
		}
		names := make([]string, 0, len(r.Properties))
		for name := range r.Properties {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Fprintf(&b, "  property %q = %q\n", name, r.Properties[name])
		}
	}
	return b.String()
}

// seedFixtures adds every fixture of testdata to a fuzz target.
func seedFixtures(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(paths) == 0 {
		f.Fatal("no fixtures", err)
	}
	real, err := filepath.Glob("testdata/real/*.*")
	if err != nil {
		f.Fatal(err)
	}
	paths = append(paths, real...)
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(report)
	}
}
