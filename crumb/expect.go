package crumb

import "github.com/playwright-community/playwright-go"

// Expect returns Playwright's assertions, which also take pages and locators of
// this package; Playwright's own panic on those. Assertions never heal. The
// timeout is in ms, 5,000 by default.
func Expect(timeout ...float64) playwright.PlaywrightAssertions {
	return assertions{playwright.NewPlaywrightAssertions(timeout...)}
}

type assertions struct {
	playwright.PlaywrightAssertions
}

// Locator returns the assertions of a locator.
func (a assertions) Locator(l playwright.Locator) playwright.LocatorAssertions {
	return a.PlaywrightAssertions.Locator(Unwrap(l))
}

// Page returns the assertions of a page.
func (a assertions) Page(p playwright.Page) playwright.PageAssertions {
	return a.PlaywrightAssertions.Page(Unwrap(p))
}
