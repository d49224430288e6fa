package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
)

// gatherRuns puts the runs in the order in which a judge takes them in, commit after
// commit. Commits are in the order of the forge's time of their first run, then its
// id; runs of a commit in that of their time, id and attempt. Ties are broken by what
// is the same in every copy of the history, which row ids are not.
func gatherRuns(rows []runRow) []runRow {
	straightenClocks(rows)
	slices.SortStableFunc(rows, func(a, b runRow) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.tie, b.tie))
	})
	type key struct{ commit, sources string }
	commits := map[key]int{}
	order := make([]int, len(rows)) // of the commits, by run
	for i, r := range rows {
		k := key{r.Commit, strings.Join(r.Sources, "\n")}
		first, known := commits[k]
		if !known || r.Commit == "" {
			first = i
			commits[k] = i
		}
		order[i] = first
		rows[i].At = rows[first].startedAt()
	}
	gathered := make([]runRow, 0, len(rows))
	places := make([]int, len(rows))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(order[a], order[b]) })
	for _, i := range places {
		gathered = append(gathered, rows[i])
	}
	return gathered
}

func (r runRow) startedAt() time.Time {
	if r.Started == 0 {
		return time.Time{}
	}
	return FromUnix(r.Started)
}

// clockError is how far the time of a run may be from those of its neighbours by id
// before it is taken for wrong, in seconds: runs wait, and old rows have the time at
// which a runner took them.
const clockError = 24 * 60 * 60

// straightenClocks corrects times that cannot be. A forge numbers its runs in the
// order of time, so of the times by id the longest run of ascending ones is true; a
// time that contradicts it, as in rows that hold the clock of a runner that was
// years ahead, becomes that of the run before.
func straightenClocks(rows []runRow) {
	var byID []int
	for i, r := range rows {
		if r.RunID != 0 {
			byID = append(byID, i)
		}
	}
	slices.SortStableFunc(byID, func(a, b int) int { return cmp.Compare(rows[a].RunID, rows[b].RunID) })
	ascending := func(a, b int) int { return cmp.Compare(rows[a].Started, rows[b].Started) }
	if slices.IsSortedFunc(byID, ascending) {
		return
	}
	times := make([]float64, len(byID))
	for i, row := range byID {
		times[i] = rows[row].Started
	}
	straight := longestAscending(times)
	for n, i := range straight {
		next := len(times)
		if n+1 < len(straight) {
			next = straight[n+1]
		}
		for between := i + 1; between < next; between++ {
			if t := times[between]; t < times[i]-clockError || next < len(times) && t > times[next]+clockError {
				rows[byID[between]].Started = times[i]
			}
		}
	}
	for first := range straight[0] {
		if t := times[first]; t < times[straight[0]]-clockError || t > times[straight[0]]+clockError {
			rows[byID[first]].Started = times[straight[0]]
		}
	}
}

// longestAscending returns the indexes of a longest subsequence that does not descend.
func longestAscending(values []float64) []int {
	var ends []int // index of the lowest end of a subsequence of each length
	before := make([]int, len(values))
	for i, v := range values {
		at, _ := slices.BinarySearchFunc(ends, v, func(end int, v float64) int {
			if values[end] <= v {
				return -1
			}
			return 1
		})
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	longest := make([]int, len(ends))
	for at, i := len(ends)-1, ends[len(ends)-1]; at >= 0; at-- {
		longest[at] = i
		i = before[i]
	}
	return longest
}

// Commits returns the runs gathered by commit.
func (e Evidence) Commits() []flaky.Commit {
	var commits []flaky.Commit
	for i, r := range e.Runs {
		if i == 0 || !sameCommit(e.Runs[i-1].Run, r.Run) {
			commits = append(commits, nil)
		}
		last := &commits[len(commits)-1]
		*last = append(*last, r.Run)
	}
	return commits
}

func sameCommit(a, b flaky.Run) bool {
	return a.Commit == b.Commit && a.Commit != "" && slices.Equal(a.Sources, b.Sources)
}
