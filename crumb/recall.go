package crumb

import (
	"sync"
	"time"

	"github.com/breadcrumb/action/engine/heal"
)

// foresight is how long an action waits for its element until what was learned
// of that is read, so that a heal need not wait for a large database.
const foresight = time.Second

// recollection is what is known of a lost element.
type recollection struct {
	lesson
	known bool
	page  *heal.Page // that it was learned on, nil when that is not known
	index int        // of the element there
}

// recaller returns a function that recalls what was learned of a locator, once,
// and stop, which is called when the action has ended. An action that found its
// element is slow for another reason and needs no recollection.
func (t *test) recaller(s *subject, k key, found bool) (recall func() recollection, stop func()) {
	recall = sync.OnceValue(func() recollection { return t.recall(s, k) })
	if found {
		return recall, func() {}
	}
	timer := time.AfterFunc(foresight, func() { recall() })
	return recall, func() { timer.Stop() }
}

func (t *test) recall(s *subject, k key) (r recollection) {
	r.lesson, r.known = t.lookUp(s, k)
	if r.state == nil {
		return r
	}
	if page, err := heal.ReadState(r.state); err == nil {
		if i, ok := page.Find(r.fingerprint); ok {
			r.page, r.index = page, i
		}
	}
	return r
}

// lookUp returns what was learned of a locator: by this run, or by earlier ones.
// Of several occurrences of the locator it takes the one learned at the same
// place in the test; where none was, the one with the same number.
func (t *test) lookUp(s *subject, k key) (lesson, bool) {
	t.lessons.wait()
	if l, ok := t.lessons.get(k); ok {
		return l, true
	}
	stored := make([]string, maxOccurrences)
	for n := range stored {
		stored[n] = key{k.locator, n}.stored()
	}
	known := t.keeper.recall(t.options.TestID, stored)
	if site := s.site.in(t.root); site != nil {
		for _, l := range known {
			if l.fingerprint.Site != nil && *site == *l.fingerprint.Site {
				return l, true
			}
		}
	}
	if k.occurrence < len(known) {
		return known[k.occurrence], true
	}
	return lesson{}, false
}
