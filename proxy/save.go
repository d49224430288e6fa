package proxy

import (
	"slices"
	"time"

	"github.com/breadcrumb/action/crumb/live"
)

// savePause is how long after a save the next one is made. Each reads the whole database,
// which grows with the suite, and takes processor time from the tests.
const savePause = 15 * time.Second

// closeTest ends a test's use of a page. What it learned is saved at once, or when the pause
// after the last save or the connection ends.
func (r *relay) closeTest(t openTest, page string) {
	t.Leave(page)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.unsaved, t) {
		r.unsaved = append(r.unsaved, t)
	}
	if !r.saving {
		r.saving = true
		r.work.Go(r.save)
	}
}

// saveAgain saves what a call tells of a page that its test has closed meanwhile.
func (r *relay) saveAgain(t *live.Test, page string) {
	r.mu.Lock()
	open := r.tests[page].Test == t
	r.mu.Unlock()
	if !open {
		r.closeTest(openTest{Test: t}, page)
	}
}

// save saves until nothing is left.
func (r *relay) save() {
	for {
		r.mu.Lock()
		tests := r.unsaved
		r.unsaved = nil
		r.saving = len(tests) > 0
		r.mu.Unlock()
		if len(tests) == 0 {
			return
		}
		for _, t := range tests {
			t.Flush()
		}
		select {
		case <-r.ending:
		case <-time.After(savePause):
		}
	}
}
