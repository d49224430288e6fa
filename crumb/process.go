package crumb

import (
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// process is what all tests of a process share: a file is written by one of
// them at a time, and Summary tells of all of them.
var process = &shared{tests: map[testKey]*test{}, keepers: map[files]*keeper{}}

// Bounds of what Summary can tell.
const (
	maxTold     = 10_000
	maxTroubles = 50
)

type shared struct {
	mu       sync.Mutex
	tests    map[testKey]*test
	keepers  map[files]*keeper
	events   []engine.HealEvent
	more     int // events beyond maxTold
	troubles []string
}

// files are those that a test keeps what it knows in.
type files struct{ db, baseline string }

type testKey struct {
	files
	events, id string
}

// test returns the test of that name, as long as one of its pages is open.
func (s *shared) test(o Options, scorer heal.Options, root string) *test {
	key := testKey{files{o.DB, o.Baseline}, o.Events, o.TestID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tests[key]; t != nil {
		return t
	}
	k := s.keepers[key.files]
	if k == nil {
		k = newKeeper(key.files, s.trouble)
		s.keepers[key.files] = k
	}
	t := &test{
		options: o, scorer: scorer, root: root, keeper: k, lessons: newLessons(),
		pages: map[playwright.Page]*Page{}, frames: map[playwright.Frame]*frame{}, contexts: map[playwright.BrowserContext]*browserContext{},
	}
	t.leave = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tests[key] == t {
			delete(s.tests, key)
		}
	}
	s.tests[key] = t
	return t
}

// tell keeps an event for Summary.
func (s *shared) tell(e engine.HealEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) < maxTold {
		s.events = append(s.events, e)
	} else {
		s.more++
	}
}

// trouble keeps what could not be saved or learned, once.
func (s *shared) trouble(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.troubles {
		if known == text {
			return
		}
	}
	if len(s.troubles) < maxTroubles {
		s.troubles = append(s.troubles, text)
	}
}
