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

// do performs an action of a locator and heals it. It fills in the timeout that
// the options do not name.
func do[O any](s *subject, action string, option O, perform func(playwright.Locator, ...O) error) error {
	s.page.fillTimeout(timeoutOf(&option))
	return doAt(s, action, func() error { return perform(s.raw, option) },
		func(at playwright.Locator) error { return perform(at, option) })
}

// read is do for an action that returns something.
func read[T, O any](s *subject, action string, option O, perform func(playwright.Locator, ...O) (T, error)) (T, error) {
	s.page.fillTimeout(timeoutOf(&option))
	return readAt(s, action, func() (T, error) { return perform(s.raw, option) },
		func(at playwright.Locator) (T, error) { return perform(at, option) })
}

// selecting is a page or a frame: it has actions of its own that take a selector.
type selecting interface {
	subject(selector string, timeout **float64) *subject
}

// doOn performs an action of a page or frame, and heals it by the locator's.
func doOn[O, L any](on selecting, selector, action string, option O,
	original func(string, ...O) error, replay func(playwright.Locator, ...L) error) error {
	s := on.subject(selector, timeoutOf(&option))
	return doAt(s, action, func() error { return original(selector, option) },
		func(at playwright.Locator) error { return replay(at, convertOption[L](option)) })
}

// readOn is doOn for an action that returns something.
func readOn[T, O, L any](on selecting, selector, action string, option O,
	original func(string, ...O) (T, error), replay func(playwright.Locator, ...L) (T, error)) (T, error) {
	s := on.subject(selector, timeoutOf(&option))
	return readAt(s, action, func() (T, error) { return original(selector, option) },
		func(at playwright.Locator) (T, error) { return replay(at, convertOption[L](option)) })
}

// timeoutOf returns the timeout in an action's options, which all have one.
func timeoutOf(option any) **float64 {
	return reflect.ValueOf(option).Elem().FieldByName("Timeout").Addr().Interface().(**float64)
}

// convertOption returns the options of a locator's action with what they share
// with those of a page or frame.
func convertOption[L, O any](option O) (converted L) {
	from, to := reflect.ValueOf(option), reflect.ValueOf(&converted).Elem()
	for field, value := range to.Fields() {
		if given := from.FieldByName(field.Name); given.IsValid() && given.Type() == field.Type {
			value.Set(given)
		}
	}
	return converted
}

// doWith returns an action with its argument.
func doWith[On, A, O any](perform func(On, A, ...O) error, argument A) func(On, ...O) error {
	return func(on On, options ...O) error { return perform(on, argument, options...) }
}

// doWith2 returns an action with its arguments.
func doWith2[On, A, B, O any](perform func(On, A, B, ...O) error, a A, b B) func(On, ...O) error {
	return func(on On, options ...O) error { return perform(on, a, b, options...) }
}

// readWith is doWith for an action that returns something.
func readWith[T, On, A, O any](perform func(On, A, ...O) (T, error), argument A) func(On, ...O) (T, error) {
	return func(on On, options ...O) (T, error) { return perform(on, argument, options...) }
}

// readWith2 is doWith2 for an action that returns something.
func readWith2[T, On, A, B, O any](perform func(On, A, B, ...O) (T, error), a A, b B) func(On, ...O) (T, error) {
	return func(on On, options ...O) (T, error) { return perform(on, a, b, options...) }
}

// doAt performs an action that is written in two ways: as the test did, and
// with the locator of a healed element.
func doAt(s *subject, action string, original func() error, replay func(playwright.Locator) error) error {
	_, err := readAt(s, action,
		func() (struct{}, error) { return struct{}{}, original() },
		func(at playwright.Locator) (struct{}, error) { return struct{}{}, replay(at) })
	return err
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
	if h, at := t.findHealed(s, key, action); at != nil {
		return replayAtOnce(h, at, replay)
	}
	seen := t.observe(s, key)
	recall, stop := t.prepareRecall(s, key, seen != nil || !t.heals())
	value, err := original()
	stop()
	switch {
	case err == nil:
		t.learnElement(s, key, seen)
	case t.heals() && neverFound(err) && !t.countAgain(s, key):
		h := &healing{subject: s, test: t, key: key, action: action, recall: recall}
		value, err = replayHealed(h, value, err, replay)
	}
	return value, err
}

// heals reports whether lost elements are looked for.
func (t *test) heals() bool { return t.options.Heal != string(engine.HealOff) }

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

// storedName returns the name a locator is stored under.
func (k key) storedName() string { return engine.StoredLocator(k.locator, k.occurrence) }

// keyOf returns the key of what s looks for. Places in the test that look for the
// same are numbered as the test comes to them.
func (t *test) keyOf(s *subject) key {
	l, name, most := t.learning, s.selector(), heal.MaxOccurrences
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sites) >= 2*maxLearned {
		most = 0
	}
	return key{name, l.sites.Occurrence(name, s.site.relativeTo(t.root), most)}
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
	learned, known := t.findLearned(s, k)
	return lostElement{learned.Unpack(), known}
}
