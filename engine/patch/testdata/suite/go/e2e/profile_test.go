package e2e

import (
	"testing"

	shop "example.com/shop/pages"
)

const toast = ".toast"

func TestRenames(t *testing.T) {
	dismissTour(page)
	profile := shop.NewProfile(page)
	profile.Rename("bo")
	title := "#title"
	page.Locator(title).Click()
	page.Locator(toast).WaitFor()
	page.GetByLabel("Bio").Fill("x")
}

func TestOther(t *testing.T) {
	page.GetByText("Other only").Click()
}
