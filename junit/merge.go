package junit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// mergedAttempts bounds the attempts of one test over all files.
const mergedAttempts = 200

// Merge returns one result per identity over all files, sorted by identity.
//
// The same test in two files is a rerun, or one test run in two places (matrix
// legs, modules). It is a rerun where the later file, by its suites'
// timestamps, holds nothing but tests that failed in the earlier one, and the
// earlier one held more: then attempts are joined in the order of time and the
// last one decides, unless it was skipped. Anything else is joined with the failing attempts last, so
// that a pass on one leg never hides a failure on another. A file with the
// same content as one before it is left out, and so is one of Playwright's
// reporters on a run that another of them told.
func Merge(files []*File) ([]engine.TestResult, []engine.Notice) {
	files, notices := distinct(files)
	files, retold := once(files)
	notices = append(notices, retold...)
	if len(files) == 1 {
		return sorted(files[0].Results()), notices
	}
	m := merger{files: files, at: map[string]int{}, sources: map[int][]source{}}
	for i, f := range files {
		var u unpacker
		for j := range f.Len() {
			m.add(i, u.result(&f.packed, j, f.Name))
		}
	}
	notices = append(notices, m.settle()...)
	return sorted(m.results), notices
}

func sorted(results []engine.TestResult) []engine.TestResult {
	slices.SortFunc(results, func(a, b engine.TestResult) int { return strings.Compare(a.ID, b.ID) })
	return results
}

// distinct orders files by start and name and drops copies.
func distinct(files []*File) ([]*File, []engine.Notice) {
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
	at      map[string]int
	sources map[int][]source // of results that stand in more than one file
	reruns  map[[2]int]bool
}

// source is how many attempts of a result one file gave.
type source struct{ file, attempts int }

func (m *merger) add(file int, r engine.TestResult) {
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
		res.Properties = joinProperties(res.Properties, r.Properties)
	}
}

// joinProperties returns both sets; the first file's value stays. The maps of
// the files themselves are left alone.
func joinProperties(first, second map[string]string) map[string]string {
	out := maps.Clone(second)
	maps.Copy(out, first)
	return out
}

// settle orders the attempts of every test of several files and tells where
// files disagree.
func (m *merger) settle() []engine.Notice {
	disagree, example := 0, ""
	for at, sources := range m.sources {
		res := &m.results[at]
		if m.rerun(sources) && res.Final().Status != engine.StatusSkipped { // a skip proves nothing
			continue
		}
		sizes := make([]int, len(sources))
		for i, s := range sources {
			sizes[i] = s.attempts
		}
		if !mixed(res.Attempts) {
			continue
		}
		failingLast(res.Attempts, sizes)
		if disagree++; example == "" || res.ID < example {
			example = res.ID
		}
	}
	if disagree == 0 {
		return nil
	}
	return []engine.Notice{{
		Severity: engine.SeverityWarning,
		Reason:   fmt.Sprintf("%d tests stand in several reports with different outcomes; where the later report is no rerun of the failures alone, the failing one decides (first: %s)", disagree, text.Cut(example, 120)),
	}}
}

// rerun reports whether every file of sources but the first is a rerun of the
// failures of the one before it.
func (m *merger) rerun(sources []source) bool {
	for i := 1; i < len(sources); i++ {
		if !m.rerunOf(sources[i-1].file, sources[i].file) {
			return false
		}
	}
	return true
}

func (m *merger) rerunOf(earlier, later int) bool {
	key := [2]int{earlier, later}
	if known, ok := m.reruns[key]; ok {
		return known
	}
	if m.reruns == nil {
		m.reruns = map[[2]int]bool{}
	}
	is := isRerun(m.files[earlier], m.files[later])
	m.reruns[key] = is
	return is
}

// isRerun reports whether later holds only tests that failed in earlier, which
// held others too, and began after it.
func isRerun(earlier, later *File) bool {
	if earlier.Started.IsZero() || !later.Started.After(earlier.Started) || later.Len() >= earlier.Len() {
		return false
	}
	failed := map[string]bool{}
	for i := range earlier.Len() {
		if earlier.packed.results.at(i).flags.final().Failing() {
			failed[earlier.packed.id(i)] = true
		}
	}
	for i := range later.Len() {
		if !failed[later.packed.id(i)] {
			return false
		}
	}
	return true
}
