package crumb

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// do performs an action and heals it.
func do(s *subject, action string, perform func(playwright.Locator) error) error {
	return doAt(s, action, func() error { return perform(s.raw) }, perform)
}

// doAt performs an action that is written in two ways: as the test did, and
// with the locator of a healed element.
func doAt(s *subject, action string, original func() error, replay func(playwright.Locator) error) error {
	_, err := readAt(s, action,
		func() (struct{}, error) { return struct{}{}, original() },
		func(at playwright.Locator) (struct{}, error) { return struct{}{}, replay(at) })
	return err
}

// read performs an action that returns something, and heals it.
func read[T any](s *subject, action string, perform func(playwright.Locator) (T, error)) (T, error) {
	return readAt(s, action, func() (T, error) { return perform(s.raw) }, perform)
}

// readAt is doAt for an action that returns something.
//
// An element is looked at before the action, because a click may take the page
// away, and learned when the action succeeded. An element that was not there
// yet is looked at afterwards.
func readAt[T any](s *subject, action string, original func() (T, error), replay func(playwright.Locator) (T, error)) (T, error) {
	t := s.page.test
	if t.options.Disabled || s.raw.Err() != nil {
		return original()
	}
	key := t.keyOf(s)
	seen := t.observe(s, key)
	recall, stop := t.prepareRecall(s, key, seen != nil)
	value, err := original()
	stop()
	switch {
	case err == nil:
		t.learn(s, key, seen)
	case neverFound(err):
		h := &healing{subject: s, test: t, key: key, action: action, recall: recall}
		value, err = replayHealed(h, value, err, replay)
	}
	return value, err
}

// searchLine is the line of Playwright's call log where it begins to look for an
// element.
var searchLine = regexp.MustCompile(`^\s*-?\s*waiting for (locator|getBy\w+|frameLocator)\(`)

// neverFound reports whether an action timed out while Playwright still looked
// for its element. One that timed out later has found it and may have acted on
// it already, so doing it again somewhere else would be wrong: a click that
// navigates to a slow page looks just like a lost element afterwards.
func neverFound(err error) bool {
	if !errors.Is(err, playwright.ErrTimeout) {
		return false
	}
	found := false
	for line := range strings.Lines(err.Error()) {
		switch {
		case searchLine.MatchString(line):
			found = false // what is dragged may be found, and then its target not
		case strings.Contains(line, "locator resolved to"), strings.Contains(line, "performing "), strings.Contains(line, "action done"):
			found = true
		}
	}
	return !found
}

// key identifies a locator within its test: what it looks for, and which of the
// places in the test that look for the same it is.
type key struct {
	locator    string
	occurrence int
}

// stored returns the name a locator is stored under.
func (k key) stored() string { return engine.StoredLocator(k.locator, k.occurrence) }

// keyOf returns the key of what s looks for. Places in the test that look for the
// same are numbered as the test comes to them.
func (t *test) keyOf(s *subject) key {
	l, name, most := t.learning, s.selector(), maxOccurrences
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sites) >= 2*maxLearned {
		most = 0
	}
	return key{name, l.sites.Occurrence(name, s.site.in(t.root), most)}
}

// selector returns what s looks for in Playwright's own notation. playwright-go
// keeps it in a field that nothing returns; its text stands for it should that
// field ever go.
func (s *subject) selector() string {
	if s.name != "" {
		return s.name
	}
	return selectorOf(s.raw)
}

func selectorOf(raw playwright.Locator) string {
	v := reflect.Indirect(reflect.ValueOf(raw))
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("selector"); f.Kind() == reflect.String {
			return f.String()
		}
	}
	return fmt.Sprint(raw)
}

// lostElement is what is known of a lost element.
type lostElement struct {
	heal.Original
	known bool
}

// recallDelay is how long an action looks for its element before what was learned
// of it is read ahead of a heal, which then need not wait for a large database.
const recallDelay = time.Second

// prepareRecall returns a function that loads what was learned of a locator, once,
// and stop, which is to be called when the action has ended. Nothing is loaded ahead
// for an action that found its element.
func (t *test) prepareRecall(s *subject, k key, found bool) (recall func() lostElement, stop func()) {
	recall = sync.OnceValue(func() lostElement { return t.recall(s, k) })
	if found {
		return recall, func() {}
	}
	timer := time.AfterFunc(recallDelay, func() { recall() })
	return recall, func() { timer.Stop() }
}

func (t *test) recall(s *subject, k key) lostElement {
	learned, known := t.lookUp(s, k)
	return lostElement{learned.Unpack(), known}
}
