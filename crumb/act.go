package crumb

import (
	"errors"
	"regexp"
	"strings"

	"github.com/playwright-community/playwright-go"
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
	look := t.look(s, key)
	recall, stop := t.recaller(s, key, look != nil)
	value, err := original()
	stop()
	switch {
	case err == nil:
		t.learn(s, key, look)
	case neverFound(err):
		value, err = healAction(s, key, recall, action, value, err, replay)
	}
	return value, err
}

// search is the line of Playwright's call log where it begins to look for an
// element.
var search = regexp.MustCompile(`^\s*-?\s*waiting for (locator|getBy\w+|frameLocator)\(`)

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
		case search.MatchString(line):
			found = false // what is dragged may be found, and then its target not
		case strings.Contains(line, "locator resolved to"), strings.Contains(line, "performing "), strings.Contains(line, "action done"):
			found = true
		}
	}
	return !found
}
