package shop

import "testing"

func TestProfile(t *testing.T) {
	t.Run("saves the display name", func(t *testing.T) {
		page := open(t, "/profile.html")
		must(t, page.Locator(`#display-name`).Fill("Countess"))
		must(t, page.Locator("main button").Click())
		wantText(t, page, "h1", "Countess")
	})
	t.Run("links to the cart", func(t *testing.T) {
		page := open(t, "/profile.html")
		must(t, page.Locator("nav a[href='/cart.html']").Click())
		wantText(t, page, "h1", "Cart")
	})
}
