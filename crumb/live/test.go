package live

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Test is what the pages of one test share.
type Test struct {
	options  Options
	scorer   heal.Options
	root     string
	timeout  error // is in the error of every call that timed out
	recorder *record.Recorder
	learning *learning
	forget   func() // tells the process that the last page is closed

	mu       sync.Mutex
	wrappers map[any]any        // what stands around a value of the binding's, by that value
	pages    map[any]bool       // that are the test's now
	looks    []chan struct{}    // ahead, that are under way; each is closed at its end
	ahead    []engine.HealEvent // found, which OnHeal is to be told
}

// Open returns the test that the options name, the same as long as it has a page.
// timeout is the error of the binding's calls that timed out. The error is of the
// options.
func Open(options Options, timeout error) (*Test, error) {
	around, err := readEnvironment()
	if err != nil {
		return nil, err
	}
	resolved, scorer, err := options.resolved(around)
	if err != nil {
		return nil, err
	}
	return process.test(&Test{options: resolved, scorer: scorer, root: around.root, timeout: timeout}), nil
}

// readEnvironment reads what the process is started with; tests run in the folder
// of their package.
func readEnvironment() (environment, error) {
	folder, err := os.Getwd()
	if err != nil {
		return environment{}, err
	}
	return environment{env: os.Getenv, now: time.Now, root: findRoot(folder)}, nil
}

// test returns the test that is open already under the name of a new one, or the new one.
func (s *shared) test(t *Test) *Test {
	o := t.options
	key := testKey{o.files(), o.Events, o.TestID, t.timeout}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.tests[key]; known != nil {
		return known
	}
	t.recorder = s.recorder(key.Files)
	t.learning, t.wrappers, t.pages = newLearning(), map[any]any{}, map[any]bool{}
	t.forget = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tests[key] == t {
			delete(s.tests, key)
		}
	}
	s.tests[key] = t
	return t
}

// recorder returns the one recorder of files.
func (s *shared) recorder(f record.Files) *record.Recorder {
	r := s.recorders[f]
	if r == nil {
		r = record.New(f, s.noteTrouble)
		s.recorders[f] = r
	}
	return r
}

func newLearning() *learning {
	l := &learning{
		sites: engine.CallSites{}, tries: map[key]int{}, known: map[key]heal.Learned{}, losses: map[key][]*loss{},
		slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// Options returns the test's options with everything filled in.
func (t *Test) Options() Options { return t.options }

// Pending returns how many learned elements and heals wait to be saved.
func (t *Test) Pending() int { return t.recorder.Pending() }

// Wrapper returns the one value that stands around a value of the binding's, which wrap
// makes when there is none.
func (t *Test) Wrapper(raw any, wrap func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wrappers[raw]
	if w == nil {
		w = wrap()
		t.wrappers[raw] = w
	}
	return w
}

// ForgetWrappers forgets the wrappers that belong to something that is gone.
func (t *Test) ForgetWrappers(belongs func(wrapper any) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.wrappers, func(_, w any) bool { return belongs(w) })
}

// Enter makes a page the test's. The test is open as long as it has one.
func (t *Test) Enter(page any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pages[page] = true
}

// Leave notes that a page is closed, or another test's from now on.
func (t *Test) Leave(page any) {
	t.mu.Lock()
	delete(t.pages, page)
	last := len(t.pages) == 0
	t.mu.Unlock()
	if last {
		t.forget()
	}
}

// Named returns the test of a name with the options of this one.
func (t *Test) Named(id engine.TestID) *Test {
	next := &Test{options: t.options, scorer: t.scorer, root: t.root, timeout: t.timeout}
	next.options.TestID = string(id)
	return process.test(next)
}

// Flush saves what was learned so far and, when the test has no page any more, what was
// lost.
func (t *Test) Flush() {
	t.mu.Lock()
	atEnd := len(t.pages) == 0
	t.mu.Unlock()
	t.flushAt(atEnd)
}

func (t *Test) flushAt(end bool) {
	t.learning.waitUntilIdle()
	t.awaitAhead()
	t.saveLosses(end)
	for _, e := range t.recorder.Flush(t.options.Now(), t.options.Log) {
		t.tellDrift(e)
	}
}

// awaitAhead waits for the looks that are under way, and hands what was found to OnHeal.
func (t *Test) awaitAhead() {
	t.mu.Lock()
	looks := t.looks
	t.looks = nil
	t.mu.Unlock()
	for _, done := range looks {
		<-done
	}
	t.mu.Lock()
	found := t.ahead
	t.ahead = nil
	t.mu.Unlock()
	for _, e := range found {
		t.callOnHeal(e)
	}
}

// tellDrift tells of a locator that finds another element than the one learned, in the
// file of events, to OnHeal and for Summary.
func (t *Test) tellDrift(e engine.HealEvent) {
	process.addEvent(e)
	if t.options.Events != "" {
		if _, err := record.AppendEvent(t.options.Events, e); err != nil {
			t.warn(fmt.Errorf("write heal event: %w", err))
		}
	}
	t.callOnHeal(e)
}

// callOnHeal hands an event to whom the options name. A fault there is told and ends
// nothing.
func (t *Test) callOnHeal(e engine.HealEvent) {
	if t.options.OnHeal == nil {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			t.warn(fmt.Errorf("OnHeal in %.80q: %v", t.options.TestID, fault))
		}
	}()
	t.options.OnHeal(e)
}
