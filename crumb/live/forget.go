package live

import (
	"errors"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
)

// Forget forgets what the test that the options name learned of a locator, in their files
// and in this process. The locator is Playwright's selector or a call as the test writes
// it; all of its uses in the test are forgotten. It reports whether anything was known.
// The log of heals stays.
func Forget(options Options, locator string) (bool, error) {
	if locator == "" {
		return false, errors.New("forget: name the locator")
	}
	n, err := forget(options, locator)
	return n > 0, err
}

// Clear forgets what all tests learned in the files that the options name, and returns how
// many elements that were. The log of heals stays.
func Clear(options Options) (int, error) {
	if options.TestID == "" {
		options.TestID = "all tests" // which any name stands for
	}
	return forget(options, "")
}

// forget forgets one locator of the options' test, or everything for "".
func forget(options Options, locator string) (int, error) {
	around, err := readEnvironment()
	if err != nil {
		return 0, err
	}
	resolved, _, err := options.resolved(around)
	if err != nil {
		return 0, err
	}
	meant := record.Meant{Locator: locator}
	if locator != "" {
		meant.TestID = engine.NewTestID(resolved.TestID)
	}
	recorder, tests := process.sharing(resolved.files())
	for _, t := range tests {
		t.learning.waitUntilIdle()
		if meant.TestID == "" || string(meant.TestID) == t.options.TestID {
			t.learning.forget(meant)
		}
	}
	return recorder.Forget(meant, resolved.Now())
}

// sharing returns the recorder of files and the open tests that use it.
func (s *shared) sharing(f record.Files) (*record.Recorder, []*Test) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tests []*Test
	for key, t := range s.tests {
		if key.Files == f {
			tests = append(tests, t)
		}
	}
	return s.recorder(f), tests
}

// forget forgets what was learned of elements, which are then learned again.
func (l *learning) forget(what record.Meant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.tries {
		if what.Holds(k.storedName()) {
			delete(l.tries, k)
			delete(l.known, k)
		}
	}
	for k, list := range l.losses {
		if what.Holds(k.storedName()) {
			for _, x := range list {
				x.lost = lostElement{}
			}
		}
	}
}
