package live

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/breadcrumb/action/engine"
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

// A call that was made before anybody looked for a healed element is not made there as well.
func TestAMadeCallIsNotMadeOnAHealedElementToo(t *testing.T) {
	for _, made := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			opened, err := Open(Options{TestID: t.Name(), DB: None}, errOfBinding)
			must(t, err)
			healed := &loss{event: engine.HealEvent{Outcome: engine.OutcomeHealed}}
			opened.learning.losses[key{locator: "#a"}] = []*loss{healed}
			locator := &lostLocator{}
			s := &Subject{Page: emptyPage{}, Locator: locator, Made: made, Document: func() (Frame, bool) { return nil, true }}
			_, err = Read(opened, s, "click", func() (int, error) { return 1, nil }, nil)
			must(t, err)
			if looked := locator.asked > 0; looked == made {
				t.Errorf("made %t: looked for the healed element %t", made, looked)
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

// movingPage shows another address as soon as its element is read.
type movingPage struct{ address atomic.Value }

func (p *movingPage) URL() string   { return p.address.Load().(string) }
func (*movingPage) Frames() []Frame { return nil }

// readLocator is asked ahead, and answers what was read of its page.
type readLocator struct {
	lostLocator
	page *movingPage
	next string // address of the page by then
	text string
	told []string // by its frames
}

var _ SelfReading = &readLocator{}

func (l *readLocator) StartReading(string) Reading {
	text := l.text
	l.text = "" // by the next question it is gone
	return func() (string, []Answer, error) {
		l.page.address.Store(l.next)
		var frames []Answer
		for _, told := range l.told {
			frames = append(frames, func() (string, error) { return told, nil })
		}
		return text, frames, nil
	}
}

func TestAnElementIsLearnedOnThePageThatItWasReadOn(t *testing.T) {
	const cart, checkout = "http://shop.example/cart", "http://shop.example/checkout"
	const elements = "\n" + `[{"p":-1,"t":"body","a":[],"v":1},{"p":0,"t":"a","a":[["id","a"]],"x":"To the checkout","b":[0,0,10,10],"v":1}]`
	for _, c := range []struct{ name, about, next, want string }{
		{"it tells where it is", `{"target":1,"at":"` + cart + `"}`, checkout, "/cart"},
		{"a frame on a page that moves", `{"target":1}`, checkout, ""},
		{"a frame on a page that stays", `{"target":1}`, cart, "/cart"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened, err := Open(Options{TestID: t.Name(), DB: None}, errOfBinding)
			must(t, err)
			page := &movingPage{}
			page.address.Store(cart)
			s := &Subject{Page: page, Locator: &readLocator{page: page, next: c.next, text: c.about + elements}, Document: func() (Frame, bool) { return nil, true }}
			_, err = Read(opened, s, "click", func() (int, error) { return 1, nil }, nil)
			must(t, err)
			opened.learning.waitUntilIdle()
			learned, _ := opened.learning.getLearned(key{locator: "#a"})
			if got := learned.Fingerprint.PageAddress; got != c.want {
				t.Errorf("learned on %q, want %q", got, c.want)
			}
		})
	}
}

// A page is read with its frames. The document that the element is in may be among them.
func TestAnElementIsLearnedWithWhatOtherFramesShow(t *testing.T) {
	const elements = "\n" + `[{"p":-1,"t":"body","a":[],"v":1},{"p":0,"t":"a","a":[["id","a"]],"x":"Pay","b":[0,0,10,10],"v":1}]`
	const own, other, nameless = `{"target":1,"document":"own"}` + elements, `{"target":-1,"document":"other"}` + elements, `{"target":-1}` + elements
	for name, c := range map[string]struct {
		told []string
		want int // documents
	}{
		"another":              {[]string{other}, 2},
		"its own and another":  {[]string{own, other}, 2},
		"its own alone":        {[]string{own}, 1},
		"one read by a script": {[]string{own, nameless}, 2},
		"one that says naught": {[]string{other, ""}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			opened, err := Open(Options{TestID: t.Name(), DB: None}, errOfBinding)
			must(t, err)
			const address = "http://shop.example/"
			l := &readLocator{page: &movingPage{}, next: address, text: own, told: c.told}
			l.page.address.Store(address)
			g := opened.observe(&Subject{Page: l.page, Locator: l}, key{locator: "#a"}, time.Minute)
			if g == nil || len(g.texts) != c.want || g.texts[0] != own {
				t.Fatalf("observed %+v", g)
			}
			if got, want := slices.Contains(g.texts, unanswered), slices.Contains(c.told, ""); got != want {
				t.Errorf("a frame that told nothing: %t, want %t", got, want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
