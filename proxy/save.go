package proxy

import (
	"slices"
	"sync"
	"time"

	"github.com/breadcrumb/action/crumb/live"
)

// savePause is how long what tests learned waits to be saved with what comes next. Each save
// reads the whole database, which grows with the suite, and takes processor time from the
// tests.
const savePause = 15 * time.Second

// Saver saves what the tests of all its connections learned together, a pause after the first
// of them ended. It must be closed.
type Saver struct {
	mu      sync.Mutex
	unsaved []*live.Test
	saving  bool
	ending  chan struct{} // closed when nothing waits for the pause any more
	work    sync.WaitGroup
}

// NewSaver returns a Saver that has nothing to save.
func NewSaver() *Saver { return &Saver{ending: make(chan struct{})} }

// Close saves what is left.
func (s *Saver) Close() {
	close(s.ending)
	s.work.Wait()
}

// add has a test saved.
func (s *Saver) add(t *live.Test) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.unsaved, t) {
		s.unsaved = append(s.unsaved, t)
	}
	if !s.saving {
		s.saving = true
		s.work.Go(s.save)
	}
}

// save saves after a pause, until nothing is left.
func (s *Saver) save() {
	for {
		select {
		case <-s.ending:
		case <-time.After(savePause):
		}
		s.mu.Lock()
		tests := s.unsaved
		s.unsaved = nil
		s.saving = len(tests) > 0
		s.mu.Unlock()
		if len(tests) == 0 {
			return
		}
		for _, t := range tests {
			t.Flush()
		}
	}
}

// closeTest ends a test's use of a page.
func (r *relay) closeTest(t *live.Test, page string) {
	t.Leave(page)
	r.saver.add(t)
}

// saveAgain saves what a call tells of a page that its test has closed meanwhile.
func (r *relay) saveAgain(t *live.Test, page string) {
	r.mu.Lock()
	open := r.tests[page].Test == t
	r.mu.Unlock()
	if !open {
		r.closeTest(t, page)
	}
}
