package store

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// execution is one attempt of the test being scanned.
type execution struct {
	rank, attempt int
	status        engine.Status
}

// newest returns the statuses of the last window executions, newest last.
func newest(executions []execution, window int) []engine.Status {
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

// historyBuilder collects the executions of one test after the other.
type historyBuilder struct {
	names      map[int64]string
	ranks      map[int64]int
	window     int
	current    int64
	executions []execution
	done       []flaky.History
}

func NewHistoryBuilder(names map[int64]string, ranks map[int64]int, window int) *historyBuilder {
	return &historyBuilder{names: names, ranks: ranks, window: window}
}

// Add takes an attempt; rows come sorted by test.
func (s *historyBuilder) Add(test, run int64, attempt, status int) {
	if test != s.current {
		s.finish()
		s.current = test
	}
	if rank, ok := s.ranks[run]; ok {
		s.executions = append(s.executions, execution{rank, attempt, Statuses[status]})
	}
}

func (s *historyBuilder) finish() {
	if name, ok := s.names[s.current]; ok && len(s.executions) > 0 {
		s.done = append(s.done, flaky.History{TestID: name, Statuses: newest(s.executions, s.window)})
	}
	s.executions = s.executions[:0]
}

func (s *historyBuilder) Histories() []flaky.History {
	s.finish()
	slices.SortFunc(s.done, func(a, b flaky.History) int { return cmp.Compare(a.TestID, b.TestID) })
	return s.done
}
