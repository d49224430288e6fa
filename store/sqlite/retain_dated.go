package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/store/packed"
)

// datedResult is a result of a test of which some have times of their own.
type datedResult struct {
	run      int64
	place    int
	ahead    bool
	boundary bool
	own      bool // it has a time of its own
	at       float64
	n        int   // its number in the run
	attempt  int64 // that it was recorded as
}

// chooseDated chooses anew the results that go of tests of which some have times of their
// own: those of the seed, which are in runs as we grouped them.
func (r *retention) chooseDated(ctx context.Context) error {
	if len(r.dated) == 0 {
		return nil
	}
	err := r.each(ctx, r.order, func(id int64, n int, row *packed.Row, was packed.Key) error {
		run := r.runs[id]
		test := ledgerTest{was.Test, run.trusted}
		list, dated := r.dated[test]
		if !dated {
			return nil
		}
		d := datedResult{run: id, place: run.place, ahead: run.ahead, at: run.started, boundary: run.boundary, n: n, attempt: was.Attempt}
		if row.At.Known && row.At.Value != run.started {
			d.own, d.at = true, row.At.Value
			d.boundary = isBoundary(r.keep, strconv.FormatFloat(d.at, 'f', -1, 64))
		}
		r.dated[test] = append(list, d)
		r.choose(id, n, false)
		return nil
	})
	if err != nil {
		return err
	}
	for _, list := range r.dated {
		slices.SortFunc(list, datedResult.compare)
		part, goes, last := keptPart{}, false, datedResult{own: true}
		for _, d := range slices.Backward(list) {
			if d.own || last.own || d.run != last.run {
				goes = part.goes(r.keep, d.boundary)
			}
			if last = d; goes {
				r.choose(d.run, d.n, true)
			}
		}
	}
	return nil
}

// compare puts what goes first before the others.
func (d datedResult) compare(other datedResult) int {
	if d.ahead != other.ahead {
		return map[bool]int{true: -1, false: 1}[d.ahead]
	}
	return cmp.Or(cmp.Compare(d.at, other.at), cmp.Compare(d.place, other.place), cmp.Compare(d.attempt, other.attempt))
}
