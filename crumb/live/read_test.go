package live

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errOfBinding = errors.New("timeout")

// lostLocator finds nothing, and counts how often a heal asks for that.
type lostLocator struct{ asked int }

func (*lostLocator) Selector() string                        { return "#a" }
func (*lostLocator) Err() error                              { return nil }
func (*lostLocator) EvaluateAll(string, ...any) (any, error) { return "", nil }
func (l *lostLocator) Count() (int, error)                   { l.asked++; return 0, nil }

type emptyPage struct{}

func (emptyPage) URL() string     { return "http://shop.example/" }
func (emptyPage) Frames() []Frame { return nil }

func TestOnlyATimeoutOfTheBindingIsHealed(t *testing.T) {
	for _, c := range []struct {
		name   string
		failed error
		heals  bool
	}{
		{"timed out", fmt.Errorf("%w: waiting for locator('#a')", errOfBinding), true},
		{"found two", errors.New("strict mode violation: waiting for locator('#a')"), false},
		{"another binding's timeout", errors.New("timeout: waiting for locator('#a')"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened, err := Open(Options{TestID: t.Name(), DB: None}, errOfBinding)
			must(t, err)
			locator := &lostLocator{}
			s := &Subject{Page: emptyPage{}, Locator: locator, Document: func() (Frame, bool) { return nil, true }}
			_, err = Read(opened, s, "click", func() (int, error) { return 0, c.failed }, func(Locator) (int, error) { return 1, nil })
			if !errors.Is(err, c.failed) || locator.asked > 0 != c.heals {
				t.Errorf("error %v, asked %d times whether it finds something", err, locator.asked)
			}
		})
	}
}

// slowLocator answers when nobody waits for it any more, and finds nothing.
type slowLocator struct {
	lostLocator
	observed atomic.Int32
}

func (l *slowLocator) EvaluateAll(string, ...any) (any, error) {
	l.observed.Add(1)
	time.Sleep(observeTime + 100*time.Millisecond)
	return "", nil
}

func TestAPageThatTellsLateOfNoElementIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, err := Open(Options{TestID: t.Name(), DB: None}, errOfBinding)
		must(t, err)
		page, locator := emptyPage{}, &slowLocator{}
		opened.Enter(page)
		s := &Subject{Page: page, Locator: locator, Document: func() (Frame, bool) { return nil, true }}
		value, err := Read(opened, s, "click", func() (int, error) { time.Sleep(2 * observeTime); return 1, nil }, nil)
		must(t, err)
		opened.Leave(page)
		opened.Flush()
		if n := locator.observed.Load(); value != 1 || n != 2 {
			t.Errorf("the call returned %d, the page was asked %d times", value, n)
		}
		time.Sleep(2 * answerTime) // until nobody waits for the page any more
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
