// Package live learns and heals the locators of tests while they run, whatever drives
// their browser.
//
// What stands around a browser's binding, as package crumb does around playwright-go,
// opens a [Test] for every test of its process and hands each call on an element to
// [Read]: the call as the test wrote it, and the same call with the locator of a
// healed element.
package live
