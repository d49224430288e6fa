package junit

import (
	"fmt"
	"math"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Two reports of one run of Playwright: its reporters write times to the
// millisecond, and begin theirs within moments of each other.
const (
	retoldMS    = 1.5
	retoldStart = time.Minute
)

// once leaves out a report of Playwright that tells the same run as another in
// another format. Of the two the one with more attempts stays, else the first.
func once(files []*File) ([]*File, []engine.Notice) {
	var notices []engine.Notice
	var kept []*File
	for _, f := range files {
		twin := -1
		for i, have := range kept {
			if retold(have, f) {
				twin = i
			}
		}
		if twin < 0 {
			kept = append(kept, f)
			continue
		}
		left := f
		if attemptsIn(f) > attemptsIn(kept[twin]) {
			left, kept[twin] = kept[twin], f
		}
		notices = append(notices, engine.Notice{File: left.Name, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("the report tells the same run of Playwright as %s and was left out", kept[twin].Name)})
	}
	return kept, notices
}

// retold reports whether two files tell one run: another format, about the same
// start, the same tests, and each with the same end after the same time. Then
// neither holds a failure that the other has not.
func retold(a, b *File) bool {
	if !playwrightFormat(a) || !playwrightFormat(b) || a.Len() != b.Len() || a.Len() == 0 ||
		a.Started.IsZero() || b.Started.IsZero() || a.Started.Sub(b.Started).Abs() > retoldStart {
		return false
	}
	var ua, ub unpacker
	at := make(map[string]int, a.Len())
	for i := range a.Len() {
		at[a.ID(i)] = i
	}
	for i := range b.Len() {
		j, ok := at[b.ID(i)]
		if !ok || !sameEnd(ua.result(&a.packed, j, a.Name), ub.result(&b.packed, i, b.Name)) {
			return false
		}
	}
	return true
}

func playwrightFormat(f *File) bool {
	return f.Format == formatPlaywright || f.Format == string(RunnerPlaywright)
}

func sameEnd(a, b engine.TestResult) bool {
	x, y := a.Final().Status, b.Final().Status
	return x.Failing() == y.Failing() && (x == engine.StatusSkipped) == (y == engine.StatusSkipped) &&
		math.Abs(lasted(a)-lasted(b)) <= retoldMS
}

// lasted returns how long all attempts took, in milliseconds.
func lasted(r engine.TestResult) float64 {
	sum := 0.0
	for _, a := range r.Attempts {
		sum += a.DurationMS
	}
	return sum
}

func attemptsIn(f *File) int {
	n := 0
	var u unpacker
	for i := range f.Len() {
		n += len(u.result(&f.packed, i, f.Name).Attempts)
	}
	return n
}
