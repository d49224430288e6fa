package shop

import "testing"

func TestCartTotal(t *testing.T) {
	page := open(t, "/cart.html")
	must(t, page.Locator("#qty-towel").Fill("1"))
	wantText(t, page, ".total", "$20.00")
}

func TestCartSurvivesReload(t *testing.T) {
	t.Skip("the cart is not stored yet")
}
