package live

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Read makes a call that is written in two ways: as the test did, and with the locator
// of a healed element. It returns what the call returns.
//
// An element is looked at before the call, because a click may take the page away, and
// learned when the call succeeded. An element that was not there yet is looked at when the
// call says that it has come, with [Subject.LookAgain], or else afterwards.
func Read[T any](t *Test, s *Subject, action string, original func() (T, error), replay func(Locator) (T, error)) (T, error) {
	if t.options.Disabled || s.Locator.Err() != nil {
		return original()
	}
	key := t.keyOf(s)
	if !s.Made {
		if h, at := t.findHealed(s, key, action); at != nil {
			return replayAtOnce(h, at, replay)
		}
	}
	seen := t.observeAhead(s, key, action)
	recall, stop := t.prepareRecall(s, key, seen != nil || !t.Heals())
	s.lookAgain = func() { seen = t.observeAhead(s, key, action) }
	value, err := original()
	s.lookAgain = nil
	stop()
	switch {
	case err == nil:
		t.learnElement(s, key, seen)
	case t.Heals() && errors.Is(err, t.timeout) && neverFound(err) && !s.stuckBefore() && !t.countAgain(s, key):
		h := &healing{Subject: s, test: t, key: key, action: action, recall: recall}
		value, err = replayHealed(h, value, err, replay)
	}
	return value, err
}

// observeAhead asks the page what s finds right now, before a call on it. It waits a
// moment for the answer, unless the page is asked ahead or read while the call is made. It
// returns nil when s does not find exactly one element, or is known already. A page that
// is busy answers later, but still before it acts on what is asked next.
func (t *Test) observeAhead(s *Subject, k key, action string) *observation {
	if _, ahead := s.Locator.(SelfReading); ahead {
		return t.observe(s, k, 0)
	}
	if tellByEvent[action] && len(s.Page.Frames()) == 1 {
		return t.observeAside(s, k)
	}
	return t.observeNow(s, k)
}

// tellByEvent are the actions that change a page by nothing before an event, and by that
// only after every handler saw it.
var tellByEvent = map[string]bool{"click": true, "dblclick": true, "hover": true, "tap": true, "check": true, "uncheck": true, "setChecked": true}

// observeAside marks what s finds right now, and has the page read while the call on it is
// made, before any event of that: the call waits for the mark alone. It is for pages of one
// frame, because what other frames show could change meanwhile.
func (t *Test) observeAside(s *Subject, k key) *observation {
	if t.options.Frozen || !t.learning.wantsLocator(k) {
		return nil
	}
	frame, name := s.Page.Frames()[0], rand.Text()
	g := &observation{done: make(chan struct{}), hurry: func() { _, _ = frame.Evaluate(hurryScript, name) }} // gone with its page anyway
	marked := make(chan bool, 1)
	go t.protect(func() {
		defer close(g.done)
		value, err := s.Locator.EvaluateAll(markScript, []any{t.options.TestIDAttribute, name})
		found, _ := value.(bool)
		before := pageAddress(s.Page)
		marked <- err == nil && found
		if err != nil || !found {
			return
		}
		value, err = frame.Evaluate(readScript, name)
		text, _ := value.(string)
		if err != nil || text == "" || len(text) > maxViewBytes {
			return
		}
		if page, known := readAt(text, before, s.Page); known {
			g.texts, g.page = []string{text}, page
		}
	})
	select {
	case found := <-marked:
		if !found {
			return nil
		}
	case <-time.After(observeTime):
	}
	return g
}

// replayAtOnce does an action on an element that was healed before, without waiting
// for the lost one.
func replayAtOnce[T any](h *healing, at Locator, replay func(Locator) (T, error)) (T, error) {
	defer func() { go h.now.dispose() }()
	value, err := replay(at)
	if err != nil {
		h.refuse(reasonReplayFailed)
		err = fmt.Errorf("%s finds nothing and is healed to %s, which failed: %w", h.key.locator, at.Selector(), err)
	}
	h.reportEvent(at)
	return value, err
}

// replayHealed is called when an action timed out, and does it on the element that
// took the place of the lost one. It returns what the action returned there. When
// there is no heal it returns value and cause, the original error; when the healed
// element failed as well, both errors.
func replayHealed[T any](h *healing, value T, cause error, replay func(Locator) (T, error)) (T, error) {
	at, index := h.findElement()
	defer func() { go h.now.dispose() }()
	switch {
	case h.found:
		return value, cause
	case at == nil:
		if h.Settle == nil || !h.Settle() {
			h.reportEvent(nil)
		}
		return value, cause
	}
	healed, err := replay(at)
	if err != nil {
		h.refuse(reasonReplayFailed)
		h.reportEvent(at)
		return value, fmt.Errorf("%w\nhealed to %s, which failed too: %w", cause, at.Selector(), err)
	}
	h.reportEvent(at)
	h.learnHealed(index)
	return healed, nil
}

// Heals reports whether lost elements are looked for.
func (t *Test) Heals() bool { return t.options.Heal != string(engine.HealOff) }

// stuckBefore reports whether a call that found nothing still looked for what comes first.
func (s *Subject) stuckBefore() bool {
	if s.Before == nil {
		return false
	}
	n, err := s.Before.Count()
	return err == nil && n == 0
}

// searchLine is the line of Playwright's call log where it begins to look for an
// element, which it names as the binding's language writes it.
var searchLine = lazyregexp.New(`^\s*-?\s*waiting for (?i:locator|get_?by\w+|frame_?locator)\(`)

// neverFound reports whether an action that timed out says that it was still looking for
// its element. One that timed out later has found it and may have acted on it already, so
// doing it again somewhere else would be wrong: a click that navigates to a slow page
// looks just like a lost element afterwards.
func neverFound(timeout error) bool {
	looked, found := readLog(timeout)
	return looked && !found
}

// Found reports whether a call that failed says that it had found its element.
func Found(failed error) bool {
	_, found := readLog(failed)
	return found
}

// readLog returns what the log of a call says: that it looked for an element, and that it
// found the last one that it looked for.
func readLog(failed error) (looked, found bool) {
	for line := range strings.Lines(failed.Error()) {
		looked = looked || strings.Contains(line, "waiting for ")
		switch {
		case searchLine.MatchString(line):
			found = false // what is dragged may be found, and then its target not
		case strings.Contains(line, "locator resolved to"), strings.Contains(line, "performing "), strings.Contains(line, "action done"):
			found = true
		}
	}
	return looked, found
}

// key identifies a locator within its test: what it looks for, and which of the
// places in the test that look for the same it is.
type key struct {
	locator    string
	occurrence int
}

// storedName returns the name a locator is stored under.
func (k key) storedName() string { return engine.StoredLocator(k.locator, k.occurrence) }

// keyOf returns the key of what s looks for. Places in the test that look for the
// same are numbered as the test comes to them.
func (t *Test) keyOf(s *Subject) key {
	l, name, most := t.learning, s.selector(), heal.MaxOccurrences
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sites) >= 2*maxLearned {
		most = 0
	}
	return key{name, l.sites.Occurrence(name, s.Site.relativeTo(t.root), most)}
}

// selector returns what s looks for in Playwright's own notation.
func (s *Subject) selector() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Locator.Selector()
}

// lostElement is what is known of a lost element.
type lostElement struct {
	heal.Original
	known     bool
	otherData bool // it was learned with other data of the test: it is only suggested
}

// recallDelay is how long an action looks for its element before what was learned
// of it is read ahead of a heal, which then need not wait for a large database.
const recallDelay = time.Second

// prepareRecall returns a function that loads what was learned of a locator, once,
// and stop, which is to be called when the action has ended. Nothing is loaded ahead
// for an action that found its element.
func (t *Test) prepareRecall(s *Subject, k key, found bool) (recall func() lostElement, stop func()) {
	recall = sync.OnceValue(func() lostElement { return t.recall(s, k) })
	if found {
		return recall, func() {}
	}
	timer := time.AfterFunc(recallDelay, func() { recall() })
	return recall, func() { timer.Stop() }
}

func (t *Test) recall(s *Subject, k key) lostElement {
	learned, known := t.findLearned(s, k)
	if known {
		return lostElement{Original: learned.Unpack(), known: true}
	}
	learned, known = t.findOtherData(s, k)
	return lostElement{Original: learned.Unpack(), known: known, otherData: known}
}

// findLearned returns what was learned of a locator: by this run, or by earlier ones.
func (t *Test) findLearned(s *Subject, k key) (heal.Learned, bool) {
	t.learning.waitUntilIdle()
	if l, ok := t.learning.getLearned(k); ok {
		return l, true
	}
	stored := make([]string, heal.MaxOccurrences)
	for n := range stored {
		stored[n] = key{k.locator, n}.storedName()
	}
	known := t.recorder.Load(engine.NewTestID(t.options.TestID), stored)
	return heal.ChooseLearned(slices.All(known), s.Site.relativeTo(t.root), k.occurrence)
}
