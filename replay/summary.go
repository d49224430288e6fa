package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/breadcrumb/action/engine/flaky"
)

// Summary is what a replay came to.
type Summary struct {
	Runs, MainRuns  int
	Failures        int   // tests that failed for good, each run by itself
	Excused         int   // of these
	Confirmed       int   // of the excused ones: blocked until a rerun passed
	Guarded         int   // of the failures: blocked although in quarantine
	Confirm         int   // of the guarded ones: a rerun would have decided, and there was none
	RedRuns         int   // runs with a failure
	GreenByExcuse   int   // of these: runs whose failures were all excused
	Entries, Leaves int   // of quarantine
	Most            int   // tests in quarantine at once
	Left            []int // tests in quarantine at the end

	byTest map[int]*TestSummary
	names  map[int]string
	held   []int
}

// TestSummary is one test that was in quarantine.
type TestSummary struct {
	Test    int
	Entries int
	Runs    int // judged while it was in quarantine
	Excused int
	Guarded int
	Reason  string // of the last entry
}

// maxNames bounds the names that are kept.
const maxNames = 1 << 20

// Name returns the test's identity, or its number where the history has none.
func (s *Summary) Name(test int) string {
	if name := s.names[test]; name != "" {
		return name
	}
	return "test " + strconv.Itoa(test)
}

// addVerdict counts what was decided of a run.
func (s *Summary) addVerdict(run flaky.Run, v Verdict, failures int) {
	s.Runs++
	if len(run.Sources) == 0 {
		s.MainRuns++
	}
	s.Failures += failures
	s.Excused += len(v.Excused)
	s.Guarded += len(v.Guarded)
	s.Confirmed += len(v.Confirmed)
	s.Confirm += len(v.Confirm)
	if failures > 0 {
		s.RedRuns++
		if failures == len(v.Excused) {
			s.GreenByExcuse++
		}
	}
	for _, t := range v.Quarantined {
		s.test(t).Runs++
	}
	for _, t := range v.Excused {
		s.test(t).Excused++
	}
	for _, t := range v.Guarded {
		s.test(t).Guarded++
	}
}

// addLine takes in the names of a run, and the quarantine as the run left it.
func (s *Summary) addLine(l Line, held []int, reason func(int) string) {
	for number, name := range l.Names {
		if t, err := strconv.Atoi(number); err == nil && len(s.names) < maxNames {
			s.names[t] = name
		}
	}
	for _, t := range held {
		if _, before := slices.BinarySearch(s.held, t); !before {
			s.Entries++
			s.test(t).Entries++
			s.test(t).Reason = reason(t)
		}
	}
	for _, t := range s.held {
		if _, still := slices.BinarySearch(held, t); !still {
			s.Leaves++
		}
	}
	s.held, s.Left = held, held
	s.Most = max(s.Most, len(held))
}

func (s *Summary) test(t int) *TestSummary {
	if s.byTest[t] == nil {
		s.byTest[t] = &TestSummary{Test: t}
	}
	return s.byTest[t]
}

// shownTests is how many tests the summary lists.
const shownTests = 20

// Write writes the summary for people. clean takes out of a test's name what
// must not reach a terminal.
func (s *Summary) Write(w io.Writer, policy flaky.Policy, clean func(string) string) error {
	fmt.Fprintf(w, "Policy %s over %d runs, %d of them on the default branch.\n\n", policy, s.Runs, s.MainRuns)
	fmt.Fprintf(w, "  %d of %d red runs would have been green: all their failures excused.\n", s.GreenByExcuse, s.RedRuns)
	fmt.Fprintf(w, "  %d of %d failures would have been excused, %d of them once a rerun passed.\n", s.Excused, s.Failures, s.Confirmed)
	fmt.Fprintf(w, "  %d failures of quarantined tests would have blocked: new error, too many in a row, or no rerun passed.\n", s.Guarded)
	if s.Confirm > 0 {
		fmt.Fprintf(w, "  A rerun would have decided %d of these, and the history has none.\n", s.Confirm)
	}
	fmt.Fprintf(w, "  %d entries into quarantine, %d releases; at most %d tests at once, %d at the end.\n", s.Entries, s.Leaves, s.Most, len(s.Left))
	if len(s.byTest) == 0 {
		return nil
	}
	tests := slices.SortedFunc(maps.Values(s.byTest), func(a, b *TestSummary) int {
		return cmp.Or(cmp.Compare(b.Excused, a.Excused), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Test, b.Test))
	})
	fmt.Fprintf(w, "\nTests by excused failures:\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  EXCUSED\tBLOCKED\tRUNS IN\tENTRIES\tTEST")
	for _, t := range tests[:min(len(tests), shownTests)] {
		fmt.Fprintf(table, "  %d\t%d\t%d\t%d\t%s\n", t.Excused, t.Guarded, t.Runs, t.Entries, clean(s.Name(t.Test)))
		fmt.Fprintf(table, "  \t\t\t\t  %s\n", clean(t.Reason))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(tests) - shownTests; more > 0 {
		_, err := fmt.Fprintf(w, "  and %d more\n", more)
		return err
	}
	return nil
}
