package ci

import (
	"context"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/ahead"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/trace"
)

// Bounds of what is looked for ahead in one run.
const (
	maxAhead      = 2_000            // looks for an element
	maxAheadPages = 100              // pages of lost calls
	aheadTime     = 30 * time.Second // that all of it takes
)

// lookingAhead looks for what was learned of pages that traces show changed.
type lookingAhead struct {
	db          elements
	corrections func(ctx context.Context, id engine.TestID, stored string) (heal.Options, error)
	now         time.Time
	ending      context.Context // of the run: when it is told to end

	search  *ahead.Search // nil until it is first needed
	release context.CancelFunc
	pages   int
	cut     bool // something was left out for a bound
}

// tracedPage is the page of a lost call in a trace.
type tracedPage struct {
	*trace.LostPage
	file string
	now  time.Time
}

// LookAhead implements [ahead.Page].
func (p tracedPage) LookAhead(known heal.Learned, options heal.Options) (engine.HealEvent, int) {
	e, i := p.LostPage.LookAhead(known, options)
	e.Trace, e.Source = p.file, p.file
	e.Timestamp = float64(p.now.UnixMicro()) / 1e6
	return e, i
}

// look looks on the page of a lost call for every other element that was learned of
// it and that its locator no longer finds.
func (a *lookingAhead) look(ctx context.Context, file string, c *trace.Call) error {
	p, ok := c.LostPage()
	switch {
	case !ok:
		return nil
	case a.pages == maxAheadPages:
		a.cut = true
		return nil
	case a.search == nil:
		if err := a.begin(ctx); err != nil {
			return err
		}
	}
	a.pages++
	return a.search.Look(tracedPage{p, file, a.now})
}

// begin reads what was learned, and begins the time that all of it may take.
func (a *lookingAhead) begin(ctx context.Context) error {
	learned, _, err := store.LearnedElements(ctx, a.db)
	if err != nil {
		return err
	}
	var bound context.Context
	bound, a.release = context.WithTimeout(a.ending, aheadTime)
	a.search = ahead.New(ahead.Suite{
		Learned: learned, MaxLooks: maxAhead, IsOver: func() bool { return bound.Err() != nil },
		Recall: func(f engine.Fingerprint) (l heal.Learned, options heal.Options, known bool, err error) {
			_, state, known, err := a.db.Recall(ctx, f.TestID, f.Locator)
			if err != nil || !known {
				return l, options, false, err
			}
			options, err = a.corrections(ctx, f.TestID, f.Locator)
			return heal.Learned{Fingerprint: f, State: state}, options, err == nil, err
		},
	})
	return nil
}

// end returns the events of what was found.
func (a *lookingAhead) end() []engine.HealEvent {
	if a.search == nil {
		return nil
	}
	a.release()
	a.cut = a.cut || a.search.IsCut()
	return a.search.Events()
}
