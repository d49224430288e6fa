package locator

import (
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// reviewed are elements with what a reviewer would accept as their locator; "" is for
// none at all.
var reviewed = []struct {
	name    string
	element engine.Fingerprint
	accept  []string
}{
	{"a price", element("span", "text", "total: $37.00", "accname", "Total: $37.00"), []string{"page.getByText('Total')"}},
	{"a price with its test id", element("span", "data-testid", "total", "text", "total: $37.00"), []string{"page.getByTestId('total')"}},
	{"a button with a price", element("button", "accname", "Pay €12,99", "text", "pay €12,99"), []string{"page.getByRole('button', { name: 'Pay' })"}},
	{"a price behind", element("button", "accname", "Add to cart – 12.99 EUR"), []string{"page.getByRole('button', { name: 'Add to cart' })"}},
	{"a price alone", element("span", "text", "$37.00", "id", "sum"), []string{"page.locator('#sum')"}},
	{"a price alone without more", element("span", "text", "$37.00"), nil},
	{"a count before", element("span", "text", "3 items"), nil},
	{"a count in brackets", element("a", "href", "/cart", "accname", "Cart (3)"), []string{"page.getByRole('link', { name: 'Cart' })"}},
	{"a count behind", element("a", "href", "/cart", "accname", "Cart 3"), []string{"page.getByRole('link', { name: 'Cart' })"}},
	{"a count inside", element("p", "text", "you have 3 new messages", "accname", "You have 3 new messages"), []string{"page.getByText('You have')"}},
	{"a count in German", element("p", "text", "3 artikel im warenkorb"), nil},
	{"a page of pages", element("p", "text", "page 2 of 9", "accname", "Page 2 of 9"), []string{"page.getByText('Page')"}},
	{"a large count", element("a", "href", "/", "accname", "Followers 1,204"), []string{"page.getByRole('link', { name: 'Followers' })"}},
	{"a placeholder with a count", element("input", "placeholder", "Search 1,204 products"), []string{"page.getByPlaceholder('Search')"}},
	{"an aria-label with a count", element("button", "aria-label", "Notifications, 5 unread", "role", "button", "accname", "Notifications, 5 unread"), []string{"page.getByRole('button', { name: 'Notifications' })"}},
	{"an order number", element("h2", "text", "order 10293 shipped", "accname", "Order 10293 shipped"), []string{"page.getByRole('heading', { name: 'Order' })"}},
	{"a short order number", element("a", "href", "/", "accname", "Invoice #42"), []string{"page.getByRole('link', { name: 'Invoice' })"}},
	{"a case number", element("a", "href", "/", "accname", "INV-2024-0012"), nil},
	{"a date", element("td", "text", "2026-11-23"), nil},
	{"a date in words", element("p", "text", "delivered on 3 march", "accname", "Delivered on 3 March"), []string{"page.getByText('Delivered on')"}},
	{"a year", element("p", "text", "© 2026 acme"), nil},
	{"a time", element("p", "text", "last saved at 10:45", "accname", "Last saved at 10:45"), []string{"page.getByText('Last saved at')"}},
	{"a time ago", element("span", "text", "posted 2 hours ago", "accname", "Posted 2 hours ago"), []string{"page.getByText('Posted')"}},
	{"a greeting", element("h1", "text", "welcome back, alice", "accname", "Welcome back, Alice"), []string{"page.getByRole('heading', { name: 'Welcome back' })"}},
	{"a greeting without comma", element("h1", "text", "hello alice smith", "accname", "Hello Alice Smith"), []string{"page.getByRole('heading', { name: 'Hello' })"}},
	{"who is signed in", element("span", "text", "signed in as alice"), []string{"page.getByText('signed in as')"}},
	{"an address", element("button", "accname", "alice@example.com"), nil},
	{"a tracking number", element("p", "text", "tracking number: 1z999aa10123456784", "accname", "Tracking number: 1Z999AA10123456784"), []string{"page.getByText('Tracking number')"}},
	{"a day of a week and month", element("p", "text", "monday, 24 november", "accname", "Monday, 24 November"), nil},
	{"a day of the week alone", element("button", "accname", "Monday"), []string{"page.getByRole('button', { name: 'Monday' })"}},
	{"a bank account", element("td", "accname", "DE89 3704 0044 0532 0130 00"), nil},
	{"the end of a card", element("span", "text", "visa ending in 4242", "accname", "Visa ending in 4242"), []string{"page.getByText('Visa ending in')"}},
	{"a card", element("button", "accname", "Pay with •••• 4242"), []string{"page.getByRole('button', { name: 'Pay with' })"}},
	{"a greeting in French", element("h1", "accname", "Bonjour Marie"), []string{"page.getByRole('heading', { name: 'Bonjour' })"}},
	{"a greeting in German", element("h1", "accname", "Guten Morgen Anna"), []string{"page.getByRole('heading', { name: 'Guten Morgen' })"}},
	{"a greeting of the world", element("h1", "accname", "Hallo Welt"), []string{"page.getByRole('heading', { name: 'Hallo Welt' })"}},
	{"a session in a link", element("a", "href", "/account?sid=af83b1c09d22e4", "accname", "$12.00"), nil},
	{"a session before a link's name", element("a", "href", "/cart;jsessionid=8F3A9C1D2E", "accname", "Cart"), []string{"page.getByRole('link', { name: 'Cart' })"}},
	{"a hash", element("a", "href", "/", "accname", "Commit 9f86d08"), []string{"page.getByRole('link', { name: 'Commit' })"}},
	{"a version", element("span", "text", "version 1.4.2", "accname", "Version 1.4.2"), []string{"page.getByText('Version')"}},
	{"a share", element("p", "text", "87 % done"), nil},
	{"an id of Math.random", element("textarea", "id", "task-add-textarea-g1wcxurlz", "placeholder", "Add a task"), []string{"page.getByPlaceholder('Add a task')"}},
	{"an id of React", element("input", "id", ":r1:", "label", "E-mail"), []string{"page.getByLabel('E-mail')"}},
	{"a title with a time", element("button", "title", "Updated 10:45", "accname", "Refresh"), []string{"page.getByRole('button', { name: 'Refresh' })"}},
	{"an alternative text with a number", element("img", "alt", "Photo 48213", "id", "hero"), []string{"page.getByRole('img', { name: 'Photo' })", "page.getByAltText('Photo')"}},

	{"a step", element("h2", "accname", "Step 1"), []string{"page.getByRole('heading', { name: 'Step 1' })"}},
	{"a line of an address", element("input", "label", "Address line 2"), []string{"page.getByLabel('Address line 2')"}},
	{"a product", element("button", "accname", "Windows 11"), []string{"page.getByRole('button', { name: 'Windows 11' })"}},
	{"two factors", element("button", "accname", "Sign in with 2FA"), []string{"page.getByRole('button', { name: 'Sign in with 2FA' })"}},
	{"always open", element("p", "text", "24/7 support"), []string{"page.getByText('24/7 support')"}},
	{"a period to choose", element("button", "accname", "Last 7 days"), []string{"page.getByRole('button', { name: 'Last 7 days' })"}},
	{"a trial", element("a", "href", "/", "accname", "30 days free trial"), []string{"page.getByRole('link', { name: '30 days free trial' })"}},
	{"an error", element("h1", "accname", "404 Not Found"), []string{"page.getByRole('heading', { name: '404 Not Found' })"}},
	{"a greeting of nobody", element("h1", "accname", "Welcome back"), []string{"page.getByRole('heading', { name: 'Welcome back' })"}},
	{"a welcome somewhere", element("h1", "accname", "Welcome to Acme"), []string{"page.getByRole('heading', { name: 'Welcome to Acme' })"}},
	{"hello world", element("h1", "accname", "Hello, world"), []string{"page.getByRole('heading', { name: 'Hello, world' })"}},
	{"an address of the house", element("a", "href", "/", "accname", "support@acme.com"), []string{"page.getByRole('link', { name: 'support@acme.com' })"}},
	{"a month", element("button", "accname", "March"), []string{"page.getByRole('button', { name: 'March' })"}},
	{"words like hashes", element("button", "accname", "Feedback"), []string{"page.getByRole('button', { name: 'Feedback' })"}},
	{"an id with a number", element("input", "id", "address2line"), []string{"page.locator('#address2line')"}},
	{"a technical id", element("div", "id", "oauth2-callback-s3bucket"), []string{"page.locator('#oauth2-callback-s3bucket')"}},
	{"an id of abbreviations", element("div", "id", "btn-sbmt-frm"), []string{"page.locator('#btn-sbmt-frm')"}},
}

func TestALocatorIsWhatAReviewerAccepts(t *testing.T) {
	right := 0
	for _, c := range reviewed {
		got := ""
		if all := Candidates(engine.HealEvent{Healed: c.element}, "data-testid"); len(all) > 0 {
			got = Print(all[0], TypeScript)
		}
		if got == "" && c.accept == nil || slices.Contains(c.accept, got) {
			right++
			continue
		}
		t.Errorf("%s: %q, a reviewer accepts %q", c.name, got, c.accept)
	}
	t.Logf("%d of %d are what a reviewer accepts", right, len(reviewed))
}

func TestWhatDifferedIsNoLocator(t *testing.T) {
	varying := func(f engine.Fingerprint, unsteady string, words ...string) engine.Fingerprint {
		f.Varies = words
		if unsteady != "" {
			f.Unsteady = []string{unsteady}
		}
		return f
	}
	for _, c := range []struct {
		name, old      string
		before, healed engine.Fingerprint
		want           string
	}{
		{"a number that the author wrote", `internal:role=link[name="Invoice 1041"s]`, element("a", "href", "/", "accname", "Invoice 1041"), element("a", "href", "/", "accname", "Tax invoice 1041"), `internal:role=link[name="Tax invoice 1041"s]`},
		{"an id that had another value before", ".add", varying(element("textarea", "id", "kavobemil"), "id"), element("textarea", "id", "dutipalor", "name", "task"), `[name="task"]`},
		{"a generated end that is another one", ".add", element("textarea", "id", "add-g1wcxurlz"), element("textarea", "id", "add-kavobemil", "name", "task"), `[name="task"]`},
		{"a word that varies", `internal:role=button[name="Open"i]`, varying(element("button", "accname", "Open Rome"), "", "rome"), element("button", "accname", "Show Rome"), `internal:role=button[name="Show"i]`},
		{"a word in the place of one that varies", `internal:role=button[name="Rome"i]`, varying(element("button", "accname", "Open Rome"), "", "rome"), element("button", "accname", "Open Oslo"), `internal:role=button[name="Open"i]`},
		{"a word around it that varies", `internal:role=button[name="Open"i]`, varying(element("button", "accname", "Open"), "", "orders"), element("button", "accname", "Show orders"), `internal:role=button[name="Show orders"i]`},
		{"what the author asks for himself", `internal:text="Total: $37.00"i`, element("p", "accname", "Total: $37.00"), element("p", "text", "sum: $37.00", "accname", "Sum: $37.00"), `internal:text="Sum: $37.00"i`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := engine.HealEvent{Locator: c.old, Original: c.before, Healed: c.healed}
			if got, why := Replacement(h); got.String() != c.want || why != "" {
				t.Errorf("%s (%s), want %s", got, why, c.want)
			}
		})
	}
}

func TestVolatileTextIsRefusedThoughItWasProven(t *testing.T) {
	for _, c := range []struct{ name, old, healed, want string }{
		{"a price", `internal:text="Sum"i`, `internal:text="Total: $37.00"i`, ""},
		{"a price that the author wrote", `internal:text="Sum: $37.00"i`, `internal:text="Total: $37.00"i`, `internal:text="Total: $37.00"i`},
		{"an attribute", "#cart", `[aria-label="Cart (3)"]`, ""},
		{"a session in a link", "#cart", `a[href="/cart?sid=x7Kd92QpL0aZ"]`, ""},
		{"a position", "li >> nth=1", "li >> nth=2", ""},
		{"a price in CSS", `li:has-text("Sum")`, `li:has-text("Total: $37.00")`, ""},
		{"an order in CSS", `h2:text-is("Sent")`, `h2:text-is('Order 10293 shipped')`, ""},
		{"a count in CSS that the author wrote", `li:has-text("3 items")`, `p:has-text("3 items")`, `p:has-text("3 items")`},
		{"a text in CSS", `li:has-text("Sum")`, `li:has-text("Total")`, `li:has-text("Total")`},
		{"a count in XPath", `//b[text()="Sum"]`, `//b[text()="3 items"]`, ""},
		{"a name in XPath", `//h1[.="Hello"]`, `//h1[contains(., "Welcome back, Alice")]`, ""},
		{"an id of one load in XPath", `//textarea[@id="add"]`, `//textarea[@id="task-add-textarea-g1wcxurlz"]`, ""},
		{"an id in XPath", `//textarea[@id="add"]`, `//textarea[@id="new-task"]`, `//textarea[@id="new-task"]`},
	} {
		got, why := Replacement(engine.HealEvent{Locator: c.old, HealedLocator: c.healed})
		if (why == "") != (c.want != "") || c.want != "" && got.String() != c.want {
			t.Errorf("%s: %s (%s), want %q", c.name, got, why, c.want)
		}
	}
}
