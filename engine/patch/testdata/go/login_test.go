package shop

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"
)

const login = "#login-constant"

func openMenu(page playwright.Page) error {
	return page.Locator("#menu-toggle").Click()
}

func TestSignsIn(t *testing.T) {
	page := newPage(t)
	page.Locator("#login-btn").Click()
	page.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: "Sign in"}).Click()
	page.GetByRole("textbox", playwright.PageGetByRoleOptions{
		Exact: playwright.Bool(true),
		Name:  "E-mail",
	}).Fill("ann@shop.example")
	page.GetByTestId(`welcome`).WaitFor()
	page.Locator(fmt.Sprintf("#size-%d", 1)).Click()
	page.Locator("#a" + "b").Click()
	r := '"'
	_ = r
	page.Locator(`[name="q"]`).Click()
}

func TestBuys(t *testing.T) {
	page := newPage(t)
	t.Run("one pair", func(t *testing.T) {
		page.Locator("#buy").Click()
		page.Locator("#shared-sub").Click()
	})
	t.Run("two pairs", func(t *testing.T) {
		page.Locator("#buy-two").Click()
		page.Locator("#shared-sub").Click()
		page.GetByText("Twice").Click()
		page.GetByText("Twice").Hover()
	})
	// page.Locator("#commented").Click()
	page.Locator(".row").Filter(playwright.LocatorFilterOptions{HasText: "Blue"}).Click()
}
