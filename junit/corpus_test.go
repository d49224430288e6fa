package junit

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/junit/formats"
	"github.com/breadcrumb/action/junit/scan"
)

const corpusDir = "../../shared/corpus/junit/dev"

type corpusFile struct {
	File      string         `json:"file"`
	Outcome   string         `json:"outcome"`
	Expected  map[string]int `json:"expected"`
	Flaky     int            `json:"flaky"`
	Ambiguous int            `json:"ambiguous"`
}

// corpusRow is a row of expected/<file>.json.
type corpusRow struct {
	Suite, Class, Name, File, Status string
	Seconds                          float64
	Flaky, Reruns                    int
}

func readCorpus(tb testing.TB) []corpusFile {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join(corpusDir, "index.json"))
	if errors.Is(err, os.ErrNotExist) {
		tb.Skip("the corpus of real reports is not on this machine: " + corpusDir)
	}
	if err != nil {
		tb.Fatal(err)
	}
	var files []corpusFile
	if err := json.Unmarshal(raw, &files); err != nil {
		tb.Fatal(err)
	}
	return files
}

func parseCorpus(tb testing.TB, name string) (*File, error) {
	tb.Helper()
	in, err := os.Open(filepath.Join(corpusDir, name))
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	return Parse(name, in, Options{})
}

func rowCounts(f *File) map[string]int {
	c := f.Counts()
	return map[string]int{"tests": c.Tests, "passed": c.Passed, "failed": c.Failed, "errors": c.Errors, "skipped": c.Skipped}
}

func TestCorpusCountsAreThoseOfItsIndex(t *testing.T) {
	t.Parallel()
	scored, exact := 0, 0
	for _, c := range readCorpus(t) {
		f, err := parseCorpus(t, c.File)
		switch {
		case c.Outcome == "error:not-junit":
			if _, other := errors.AsType[*formats.NotJUnitError](err); !other && !errors.Is(err, scan.ErrDoctype) {
				t.Errorf("%s: not refused as another format: %v", c.File, err)
			}
		case c.Outcome == "must-not-be-green":
			if err == nil && f.Green() {
				t.Errorf("%s: green", c.File)
			}
		case c.Outcome == "error-or-recover":
			if err == nil && (f.Green() || len(f.Notices) == 0) {
				t.Errorf("%s: green or without a warning", c.File)
			}
		case err != nil:
			scored++
			t.Errorf("%s: %v", c.File, err)
		default:
			if c.Ambiguous == 0 {
				scored++
				if diff := cmp.Diff(c.Expected, rowCounts(f)); diff != "" {
					t.Errorf("%s: counts (-want +got)\n%s%v", c.File, diff, f.Notices)
				} else {
					exact++
				}
				if got := f.Counts().Flaky; got != c.Flaky {
					t.Errorf("%s: %d flaky tests, want %d", c.File, got, c.Flaky)
				}
			}
			if f.Green() && c.Expected["failed"]+c.Expected["errors"] > 0 {
				t.Errorf("%s: green with failures", c.File)
			}
		}
	}
	t.Logf("%d of %d exact", exact, scored)
	if float64(exact) < 0.98*float64(scored) {
		t.Errorf("%d of %d files have exact counts, want 98 %%", exact, scored)
	}
}

func TestCorpusRowsAreThoseOfItsExpectations(t *testing.T) {
	t.Parallel()
	for _, c := range readCorpus(t) {
		if c.Ambiguous > 0 {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(corpusDir, "expected", c.File+".json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var want []corpusRow
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		f, err := parseCorpus(t, c.File)
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		if diff := cmp.Diff(want, corpusRows(f), cmp.Comparer(nearly)); diff != "" {
			t.Errorf("%s: rows (-want +got)\n%.1500s", c.File, diff)
		}
	}
}

func nearly(a, b float64) bool { return math.Abs(a-b) < 2e-6 || math.Abs(a-b) < 1e-6*math.Abs(a) }

func corpusRows(f *File) []corpusRow {
	rows := []corpusRow{}
	for i, row := range cases(f) {
		suite, class, name := f.CaseNames(i)
		rows = append(rows, corpusRow{suite, class, name, row.File, string(row.Status), row.DurationMS / 1000, row.Flaky, row.Reruns})
	}
	return rows
}

// UnmarshalJSON reads a row's array form.
func (r *corpusRow) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.Suite, &r.Class, &r.Name, &r.File, &r.Status, &r.Seconds, &r.Flaky, &r.Reruns})
}

// A file's cost is measured in what is allocated over its whole reading, which
// does not depend on the machine; 64 MB is the bound on what may live at once.
func TestHostileFilesAllocateLittle(t *testing.T) {
	for _, c := range readCorpus(t) {
		if !strings.HasPrefix(c.File, "adv-") {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = parseCorpus(t, c.File)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 16<<20 {
			t.Errorf("%s allocates %d bytes", c.File, spent)
		}
	}
}
