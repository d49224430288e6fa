// Package crumb wraps a Playwright page so that a test survives a redesign that
// only renamed or moved what it uses.
//
//	page, err := crumb.Wrap(raw, crumb.Options{TestID: t.Name()})
//	…
//	err = page.Locator("#login-btn").Click()
//
// While a test passes, the elements it acts on are learned. When an action later
// times out because its locator finds nothing any more, the page's elements are
// compared with what was learned; if one of them is the lost one with enough
// certainty, and far enough ahead of every other, the action is done again on
// that. Otherwise the test fails with its own error. Every heal and every
// refusal is an event for the breadcrumb action, which proposes the edit.
//
// Only actions and reads that wait for an element heal. Assertions, Count,
// IsVisible, IsHidden and waiting for an element to go never do, nor does a
// locator that still finds something, be it disabled or hidden.
//
// A [Page] is a playwright.Page, and what it hands out are Playwright's
// interfaces, so tests and page objects stay as they are. Assertions come from
// [Expect], since Playwright's own take only its own locators; [Unwrap] is for
// other code of that kind. [Summary] tells at the end of a run what was healed.
//
// What is kept are derived signals: cut texts, roles, labels, attributes, boxes.
// Markup, scripts, styles, what was typed and what looks like a token stay in
// the page. Nothing is sent anywhere: fingerprints and events are files.
package crumb

//go:generate go run ./internal/surface
