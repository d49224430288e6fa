package junit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/formats"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/results"
)

// mergedAttempts bounds the attempts of one test in all files together.
const mergedAttempts = 200

// Merge returns one result per identity over all files, sorted by identity.
//
// The same test in two files is a rerun, or one test that ran in two places
// (matrix legs, modules). It is a rerun where the later file, by its suites'
// timestamps, holds only tests that failed in the earlier one, the earlier
// one held more, and the later one is named after it. Then attempts are joined in the order of time and the last one
// decides, unless it was skipped. Otherwise the failing attempts are put last, so
// that a pass on one leg never hides a failure on another. A copy of another file
// is left out, and so is a second report of one run of Playwright in another
// format.
func Merge(files []*File) ([]engine.TestResult, []engine.Notice) {
	files, notices := dropCopies(files)
	files, more := dropSameRuns(files)
	notices = append(notices, more...)
	if len(files) == 1 {
		return sortByID(files[0].Results()), notices
	}
	m := merger{files: files, at: map[engine.TestID]int{}, sources: map[int][]source{}, reruns: map[[2]int]bool{}}
	for i, f := range files {
		for r := range f.results.All(f.Name) {
			m.addResult(i, r)
		}
	}
	notices = append(notices, m.orderAttempts()...)
	return sortByID(m.results), notices
}

func sortByID(results []engine.TestResult) []engine.TestResult {
	slices.SortFunc(results, func(a, b engine.TestResult) int { return cmp.Compare(a.ID, b.ID) })
	return results
}

// dropCopies orders files by start and name and drops those with the content of
// another.
func dropCopies(files []*File) ([]*File, []engine.Notice) {
	ordered := slices.Clone(files)
	slices.SortStableFunc(ordered, func(a, b *File) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Name, b.Name))
	})
	var kept []*File
	var notices []engine.Notice
	first := map[string]string{}
	for _, f := range ordered {
		if earlier, copied := first[f.Digest]; copied && f.Digest != "" {
			notices = append(notices, engine.Notice{File: f.Name, Severity: engine.SeverityWarning, Reason: fmt.Sprintf("the report is a copy of %s and was left out", earlier)})
			f.LeftOut = true
			continue
		}
		first[f.Digest] = f.Name
		kept = append(kept, f)
	}
	return kept, notices
}

type merger struct {
	files   []*File
	results []engine.TestResult
	origins []source // where each result was first found
	at      map[engine.TestID]int
	sources map[int][]source // of results that stand in more than one file
	reruns  map[[2]int]bool
}

// source says how many attempts of a result one file has.
type source struct{ file, attempts int }

func (m *merger) addResult(file int, r engine.TestResult) {
	at, known := m.at[r.ID]
	if !known {
		m.at[r.ID] = len(m.results)
		m.origins = append(m.origins, source{file, len(r.Attempts)})
		m.results = append(m.results, r)
		return
	}
	res := &m.results[at]
	attempts := r.Attempts
	if room := mergedAttempts - len(res.Attempts); len(attempts) > room {
		attempts = attempts[len(attempts)-max(room, 1):]
	}
	res.Attempts = append(slices.Clip(res.Attempts), attempts...)
	if m.sources[at] == nil {
		m.sources[at] = []source{m.origins[at]}
	}
	m.sources[at] = append(m.sources[at], source{file, len(attempts)})
	if res.Line == 0 && r.Line > 0 {
		res.File, res.Line = r.File, r.Line
	}
	res.Attachments = append(slices.Clip(res.Attachments), r.Attachments...)
	if len(r.Properties) > 0 {
		joined := maps.Clone(r.Properties) // the files' own maps stay as they are
		maps.Copy(joined, res.Properties)  // the first file's value stays
		res.Properties = joined
	}
}

// orderAttempts orders the attempts of every test of several files and notes where
// files disagree.
func (m *merger) orderAttempts() []engine.Notice {
	disagree, example := 0, engine.NewTestID("")
	for at, sources := range m.sources {
		res := &m.results[at]
		if m.areReruns(sources) && res.Final().Status != engine.StatusSkipped { // a skip proves nothing
			continue
		}
		sizes := make([]int, len(sources))
		for i, s := range sources {
			sizes[i] = s.attempts
		}
		if !results.Mixed(res.Attempts) {
			continue
		}
		results.PutFailingLast(res.Attempts, sizes)
		if disagree++; example == "" || res.ID < example {
			example = res.ID
		}
	}
	if disagree == 0 {
		return nil
	}
	return []engine.Notice{{
		Severity: engine.SeverityWarning,
		Reason:   fmt.Sprintf("%s in several reports with different outcomes; where the later report is no rerun of the failures alone, the failing one decides (first: %s)", text.Count(disagree, "test stands", "tests stand"), text.Cut(string(example), 120)),
	}}
}

// areReruns reports whether every file of sources but the first is a rerun of the
// failures of the file before it.
func (m *merger) areReruns(sources []source) bool {
	for i := 1; i < len(sources); i++ {
		if !m.isRerunOf(sources[i-1].file, sources[i].file) {
			return false
		}
	}
	return true
}

func (m *merger) isRerunOf(earlier, later int) bool {
	key := [2]int{earlier, later}
	if known, ok := m.reruns[key]; ok {
		return known
	}
	m.reruns[key] = isRerun(m.files[earlier], m.files[later])
	return m.reruns[key]
}

// isRerun reports whether later holds only tests that failed in earlier, which
// held others too, began after it and is named as a rerun of it: another suite may have
// a test of that name.
func isRerun(earlier, later *File) bool {
	if !namedAsRerun(filepath.ToSlash(earlier.Name), filepath.ToSlash(later.Name)) || earlier.Started.IsZero() || !later.Started.After(earlier.Started) || later.Len() >= earlier.Len() {
		return false
	}
	failed := map[engine.TestID]bool{}
	for i := range earlier.Len() {
		if earlier.results.Final(i).Failing() {
			failed[earlier.ID(i)] = true
		}
	}
	for i := range later.Len() {
		if !failed[later.ID(i)] {
			return false
		}
	}
	return true
}

// rerunWords matches what tells the name of a rerun's report from that of the first run:
// "results-rerun.xml", "results.2.xml", "last-failed.xml".
var rerunWords = lazyregexp.New(`(?i)re-?runs?|re-?tr(?:y|ies)|again|last|fail(?:ed|ures?)|attempts?|second|[\d_.-]+`)

// namedAsRerun reports whether the file later stands beside earlier and has its name, but
// for words of reruns and numbers, or no other words.
func namedAsRerun(earlier, later string) bool {
	first := rerunWords.ReplaceAllString(path.Base(earlier), "")
	again := rerunWords.ReplaceAllString(path.Base(later), "")
	return path.Dir(earlier) == path.Dir(later) && (again == first || again == strings.TrimPrefix(path.Ext(later), "."))
}

// Two reports of one run of Playwright: its reporters write times to the
// millisecond and begin within moments of each other.
const (
	sameRunMS    = 1.5
	sameRunStart = time.Minute
)

// dropSameRuns leaves out a report of a run of Playwright that another report
// describes in another format. The one with more attempts stays, else the first.
func dropSameRuns(files []*File) ([]*File, []engine.Notice) {
	var notices []engine.Notice
	var kept []*File
	for _, f := range files {
		twin := -1
		for i, have := range kept {
			if isSameRun(have, f) {
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
		left.LeftOut = true
		notices = append(notices, engine.Notice{File: left.Name, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("the report tells the same run of Playwright as %s and was left out", kept[twin].Name)})
	}
	return kept, notices
}

// isSameRun reports whether two files describe one run of Playwright: they start at
// about the same time and hold the same tests, each with the same outcome after
// the same time. Then neither holds a failure that the other lacks.
func isSameRun(a, b *File) bool {
	if !playwrightFormat(a) || !playwrightFormat(b) || a.Len() != b.Len() || a.Len() == 0 ||
		a.Started.IsZero() || b.Started.IsZero() || a.Started.Sub(b.Started).Abs() > sameRunStart {
		return false
	}
	at := make(map[engine.TestID]int, a.Len())
	for i := range a.Len() {
		at[a.ID(i)] = i
	}
	for r := range b.results.All(b.Name) {
		i, found := at[r.ID]
		if !found || !isSameOutcome(a.Result(i), r) {
			return false
		}
	}
	return true
}

func playwrightFormat(f *File) bool {
	return f.Format == formats.Playwright || f.Format == string(identity.RunnerPlaywright)
}

func isSameOutcome(a, b engine.TestResult) bool {
	x, y := a.Final().Status, b.Final().Status
	return x.Failing() == y.Failing() && (x == engine.StatusSkipped) == (y == engine.StatusSkipped) &&
		math.Abs(totalMS(a)-totalMS(b)) <= sameRunMS
}

// totalMS returns how long all attempts took, in milliseconds.
func totalMS(r engine.TestResult) float64 {
	sum := 0.0
	for _, a := range r.Attempts {
		sum += a.DurationMS
	}
	return sum
}

func attemptsIn(f *File) int {
	n := 0
	for r := range f.results.All(f.Name) {
		n += len(r.Attempts)
	}
	return n
}
