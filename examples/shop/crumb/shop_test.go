package shop

import "testing"

func TestSignIn(t *testing.T) {
	page := open(t, "/login.html")
	must(t, page.Locator("#username").Fill("ada"))
	must(t, page.Locator("#password").Fill("lovelace"))
	must(t, page.Locator("#password").Press("Enter"))
	wantText(t, page, "h1", "Ada Lovelace")
}

func TestCart(t *testing.T) {
	page := open(t, "/cart.html")
	must(t, page.Locator("#qty-towel").Fill("1"))
	wantText(t, page, ".total", "$20.00")
	must(t, page.Locator("#checkout-link").Click())
	wantText(t, page, "h1", "Check out")
}

func TestProfile(t *testing.T) {
	page := open(t, "/profile.html")
	must(t, page.Locator("#display-name").Fill("Countess"))
	must(t, page.Locator("#save-profile").Click())
	wantText(t, page, "h1", "Countess")
}

func TestSearch(t *testing.T) {
	page := open(t, "/search.html")
	must(t, page.Locator("#search-box").Fill("mug"))
	must(t, page.GetByTestId("search-go").Click())
	wantText(t, page, "[role=status]", "2 found")
}

func TestOrder(t *testing.T) {
	page := open(t, "/checkout.html")
	must(t, page.Locator("#place-order").Click())
	wantText(t, page, "[role=status]", "Thank you for your order")
}

func TestShippingIsAdded(t *testing.T) {
	page := open(t, "/checkout.html")
	must(t, page.Locator("#ship-express").Check())
	wantText(t, page, ".total", "$37.00")
}

func TestWishList(t *testing.T) {
	page := open(t, "/wishlist.html")
	must(t, page.Locator("#move-red-mug").Click())
	wantText(t, page, "[role=status]", "Done: Move red mug to cart")
}

func TestShareWishList(t *testing.T) {
	page := open(t, "/wishlist.html")
	must(t, page.Locator("#share-list").Click())
	wantText(t, page, "[role=status]", "Done: Share this list")
}
