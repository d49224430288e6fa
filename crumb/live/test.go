package live

import (
	"fmt"
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
	wrappers map[any]any // what stands around a value of the binding's, by that value
	pages    int         // that are open
}

// Open returns the test that the options name, as long as one of its pages is open.
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
	t.recorder = s.recorders[key.Files]
	if t.recorder == nil {
		t.recorder = record.New(key.Files, s.noteTrouble)
		s.recorders[key.Files] = t.recorder
	}
	t.learning, t.wrappers = newLearning(), map[any]any{}
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
	return t.wrapper(raw, wrap)
}

func (t *Test) wrapper(raw any, wrap func() any) any {
	w := t.wrappers[raw]
	if w == nil {
		w = wrap()
		t.wrappers[raw] = w
	}
	return w
}

// PageWrapper is Wrapper for a page. The test is open until ForgetPage was called for
// each of its pages.
func (t *Test) PageWrapper(raw any, wrap func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wrapper(raw, func() any {
		t.pages++
		return wrap()
	})
}

// ForgetPage forgets a page that was closed, and every wrapper that belongs to it.
func (t *Test) ForgetPage(raw any, belongs func(wrapper any) bool) {
	t.mu.Lock()
	if _, open := t.wrappers[raw]; open {
		t.pages--
	}
	delete(t.wrappers, raw)
	for value, w := range t.wrappers {
		if belongs(w) {
			delete(t.wrappers, value)
		}
	}
	last := t.pages == 0
	t.mu.Unlock()
	if last {
		t.forget()
	}
}

// Flush saves what was learned so far and, when no page of the test is open any more,
// what was lost.
func (t *Test) Flush() {
	t.mu.Lock()
	atEnd := t.pages == 0
	t.mu.Unlock()
	t.flushAt(atEnd)
}

func (t *Test) flushAt(end bool) {
	t.learning.waitUntilIdle()
	t.saveLosses(end)
	for _, e := range t.recorder.Flush(t.options.Now(), t.options.Log) {
		t.tellDrift(e)
	}
}

// tellDrift tells of a locator that finds another element than the one learned, in the
// file of events and for Summary.
func (t *Test) tellDrift(e engine.HealEvent) {
	process.addEvent(e)
	if t.options.Events == "" {
		return
	}
	if _, err := record.AppendEvent(t.options.Events, e); err != nil {
		t.warn(fmt.Errorf("write heal event: %w", err))
	}
}
