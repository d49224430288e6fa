package crumb

import (
	"reflect"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb/live"
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
func readAt[T any](s *subject, action string, original func() (T, error), replay func(playwright.Locator) (T, error)) (T, error) {
	return live.Read(s.page.served(), s.live(), action, original,
		func(at live.Locator) (T, error) { return replay(at.(locatorView).Locator) })
}
