package store

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// execution is one attempt of the current test.
type execution struct {
	rank, attempt int
	status        engine.Status
}

// newestStatuses returns the statuses of the last window executions, newest last.
func newestStatuses(executions []execution, window int) []engine.Status {
	order := func(a, b execution) int { return cmp.Or(a.rank-b.rank, a.attempt-b.attempt) }
	if !slices.IsSortedFunc(executions, order) {
		slices.SortFunc(executions, order)
	}
	if window > 0 && len(executions) > window {
		executions = executions[len(executions)-window:]
	}
	statuses := make([]engine.Status, len(executions))
	for i, e := range executions {
		statuses[i] = e.status
	}
	return statuses
}

// HistoryBuilder makes histories of attempts, one test after the other.
type HistoryBuilder struct {
	names      map[int64]engine.TestID
	ranks      map[int64]int
	window     int
	current    int64
	executions []execution
	done       []flaky.History
}

// NewHistoryBuilder returns a builder. Names are test ids by row id, ranks the
// order of the runs that count by row id; a window of 0 or less is unbounded.
func NewHistoryBuilder(names map[int64]engine.TestID, ranks map[int64]int, window int) *HistoryBuilder {
	return &HistoryBuilder{names: names, ranks: ranks, window: window}
}

// Add adds an attempt. Rows must come sorted by test.
func (s *HistoryBuilder) Add(test, run int64, attempt, status int) {
	if test != s.current {
		s.finishTest()
		s.current = test
	}
	if rank, ok := s.ranks[run]; ok {
		s.executions = append(s.executions, execution{rank, attempt, Statuses[status]})
	}
}

func (s *HistoryBuilder) finishTest() {
	if name, ok := s.names[s.current]; ok && len(s.executions) > 0 {
		s.done = append(s.done, flaky.History{TestID: name, Statuses: newestStatuses(s.executions, s.window)})
	}
	s.executions = s.executions[:0]
}

// Histories returns the histories, sorted by test id.
func (s *HistoryBuilder) Histories() []flaky.History {
	s.finishTest()
	slices.SortFunc(s.done, func(a, b flaky.History) int { return cmp.Compare(a.TestID, b.TestID) })
	return s.done
}
