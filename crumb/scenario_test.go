package crumb_test

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

//go:embed testdata/shop.html
var shop string

// hitScript logs on the console which element every input hit: the right one or
// another.
const hitScript = `<script>document.currentScript.remove(); addEventListener("dragover", (event) => event.preventDefault());
for (const type of ["click", "dblclick", "input", "change", "focusin", "keydown", "dragstart", "drop"]) {
  addEventListener(type, (event) => {
    const hit = event.composedPath()[0];
    const right = hit.closest && hit.closest(%q);
    if (right && type === "dragstart") return; // what counts is where it is dropped
    console.log("HIT " + (right ? "right" : "wrong " + hit.outerHTML.slice(0, 80)));
  }, true);
}</script>`

// scenario is a page that a test passed on, the page it became, and what the
// test does on both.
type scenario struct {
	name   string
	before string            // "" for shop.html
	change []string          // old and new texts of the page, in pairs
	extra  map[string]string // further pages
	do     func(p *crumb.Page) error
	truth  string // finds the right element on the new page
	want   string // "heals", "suggested", "refused" or so, "passes" without a loss, "fails" without an attempt, or the reason of a refusal
	preset string
	quiet  bool // the action hits nothing; the heal's selector is truth then

	located string // healed_locator, "" for any
}

func click(selector string) func(*crumb.Page) error {
	return func(p *crumb.Page) error { return p.Locator(selector).Click() }
}

// text returns an action that reads and wants a text.
func text(selector, want string) func(*crumb.Page) error {
	return func(p *crumb.Page) error {
		got, err := p.Locator(selector).InnerText()
		if err == nil && got != want {
			return fmt.Errorf("read %q, want %q", got, want)
		}
		return err
	}
}

const frameBefore = `<!doctype html><body><h1>Checkout</h1><p>Pay below.</p><iframe id="pay" name="pay" src="/pay"></iframe><button id="back">Back to cart</button></body>`
const payForm = `<!doctype html><body><h2>Card</h2><label for="card">Card number</label><input id="card" name="card"><label for="cvc">Security code</label><input id="cvc" name="cvc"><button id="pay-now">Pay now</button></body>`

const iconsBefore = `<!doctype html><body><h1>Files</h1><p>One file is open.</p><button aria-label="Delete the file"><svg id="bin" class="icon-bin" width="24" height="24" viewBox="0 0 20 20"><path d="M2 2h16v16H2z"/></svg></button>
<button aria-label="Share the file"><svg id="arrow" class="icon-share" width="24" height="24" viewBox="0 0 20 20"><path d="M2 10h16M10 2v16"/></svg></button></body>`

const chartBefore = `<!doctype html><body><h1>Sales</h1><p>Of three months.</p><svg width="300" height="140" role="img" aria-label="Sales by month">
<g><rect id="bar-may" class="bar" aria-label="May: 12 sold" x="10" y="60" width="60" height="50"/><text id="label-may" x="20" y="130">May</text></g>
<g><rect id="bar-june" class="bar" aria-label="June: 31 sold" x="110" y="10" width="60" height="100"/><text id="label-june" x="120" y="130">June</text></g>
<g><rect id="bar-july" class="bar" aria-label="July: 20 sold" x="210" y="40" width="60" height="70"/><text id="label-july" x="220" y="130">July</text></g></svg></body>`

const shadowBefore = `<!doctype html><body><h1>Profile</h1><shop-card></shop-card><p>Below</p><script>
customElements.define("shop-card", class extends HTMLElement { constructor() { super();
this.attachShadow({mode: "open"}).innerHTML = '<h2>Gift card</h2><label>Amount <input id="amount" name="amount"></label><button id="redeem">Redeem card</button><button id="later">Not now</button>'; } });
</script></body>`

const lateBefore = `<!doctype html><body><h1>Reports</h1><div id="root"><p>Loading</p></div><script>
setTimeout(() => { document.getElementById("root").innerHTML = '<h2>Weekly report</h2><p>All sales</p><button id="export-csv">Export as CSV</button><button id="print">Print</button>'; }, 300);
</script></body>`

const dialogBefore = `<!doctype html><body><h1>Files</h1><ul><li>a.txt <button id="del-a">Delete a.txt</button></li><li>b.txt <button id="del-b">Delete b.txt</button></li><li>c.txt <button id="del-c">Delete c.txt</button></li></ul></body>`

const formsBefore = `<!doctype html><body><h1>Subscriptions</h1><p>Choose one.</p><form id="weekly-form" onsubmit="return false"><label>Weekly mail <input></label><button>Subscribe</button></form>
<form id="daily-form" onsubmit="return false"><label>Daily mail <input></label><button>Subscribe</button></form></body>`

var scenarios = []scenario{
	{name: "id of an ancestor renamed, two alike in it", before: formsBefore, change: []string{`id="daily-form"`, `id="each-day"`}, do: click("#daily-form button"),
		truth: "#each-day button", want: "heals", located: "#each-day button"},
	// What a redesign renames.
	{name: "id renamed", change: []string{`id="save-account"`, `id="store-account"`}, do: click("#save-account"), truth: "#store-account", want: "heals"},
	{name: "id gone", change: []string{` id="save-account"`, ``}, do: click("#save-account"), truth: "[type=submit]", want: "heals"},
	{name: "id became a test id", change: []string{`id="save-account"`, `data-testid="save"`}, do: click("#save-account"), truth: "[data-testid=save]", want: "heals"},
	{name: "class renamed", change: []string{`class="btn btn-primary"`, `class="button button--main"`}, do: click(".btn-primary"), truth: "#save-account", want: "heals"},
	{name: "href changed", change: []string{`href="/offers"`, `href="/deals"`}, do: click(`a[href="/offers"]`), truth: `a[href="/deals"]`, want: "heals"},
	{name: "name attribute changed", change: []string{`name="city"`, `name="town"`},
		do: func(p *crumb.Page) error { return p.Locator("[name=city]").Fill("Lyon") }, truth: "#city", want: "heals"},
	{name: "aria-label changed", change: []string{`aria-label="Chat with us"`, `aria-label="Chat"`}, do: click(`[aria-label="Chat with us"]`), truth: "#chat", want: "heals"},
	{name: "test id renamed", before: strings.Replace(shop, `id="add-mug"`, `data-testid="add-mug"`, 1), change: []string{`data-testid="add-mug"`, `data-testid="mug-add"`},
		do: func(p *crumb.Page) error { return p.GetByTestId("add-mug").Click() }, truth: "[data-testid=mug-add]", want: "heals"},
	{name: "placeholder changed", change: []string{`placeholder="Town or city"`, `placeholder="Where you live"`},
		do: func(p *crumb.Page) error { return p.GetByPlaceholder("Town or city").Fill("Lyon") }, truth: "#city", want: "heals"},
	// What a redesign moves and turns into something else.
	{name: "moved to another place", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`, ``,
		`<label for="email">`, `<button class="btn btn-primary" type="submit">Save changes</button> <label for="email">`}, do: click("#save-account"), truth: "[type=submit]", want: "heals"},
	{name: "renamed, reworded and moved at once", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`, ``,
		`<label for="email">`, `<button type="submit">Apply</button> <label for="email">`}, do: click("#save-account"), want: "refused"},
	{name: "moved and said of something else", change: []string{`<p id="status" class="state">3 orders are on their way</p>`, ``,
		`<h2>Your account</h2>`, `<h2>Your account</h2><p class="state">2 letters are on their way</p>`}, do: text("#status", "3 orders are on their way"), want: "refused"},
	{name: "wrapped in another element", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`,
		`<div class="row"><div class="cell"><button class="btn btn-primary" type="submit">Save changes</button></div></div>`}, do: click("#save-account"), truth: "[type=submit]", want: "heals"},
	{name: "structural path broken", change: []string{`<form onsubmit="return false">`, `<div class="grid"><form onsubmit="return false">`, `</form>`, `</form></div>`},
		do: click("#account > form > button[type=submit]"), truth: "#save-account", want: "heals"},
	{name: "button became a link", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`,
		`<a role="button" href="#" class="btn btn-primary">Save changes</a>`}, do: click("#save-account"), truth: "a[role=button]", want: "heals"},
	{name: "button became an input", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`,
		`<input type="submit" class="btn btn-primary" value="Save changes">`}, do: click("#save-account"), truth: "[type=submit]", want: "heals"},
	{name: "a plain link that became a button elsewhere", change: []string{`<a id="nav-cart" href="/cart" class="nav-link">Cart</a>`, `<button>Cart</button>`}, do: click("#nav-cart"), want: "refused"},
	{name: "text edited and id renamed", change: []string{`id="save-account" class="btn btn-primary" type="submit">Save changes`, `id="store" class="btn btn-primary" type="submit">Save all changes`},
		do: click("#save-account"), want: "suggested"},
	{name: "found by text that changed", change: []string{`>Save changes<`, `>Save my changes<`},
		do: func(p *crumb.Page) error { return p.GetByText("Save changes").Click() }, truth: "#save-account", want: "heals"},
	{name: "found by text= that changed", change: []string{`>Save changes<`, `>Save my changes<`},
		do: click("text=Save changes"), truth: "#save-account", want: "heals"},
	{name: "found by a quoted text that changed", change: []string{`>Save changes<`, `>Save my changes<`},
		do: click(`text="Save changes"`), truth: "#save-account", want: "heals"},
	{name: "an icon in a button", before: iconsBefore, change: []string{`id="bin"`, `id="trash"`}, do: click("#bin"), truth: "#trash, #trash *, button:has(#trash)", want: "heals"},
	{name: "an icon's class in a button", before: iconsBefore, change: []string{`class="icon-bin"`, `class="glyph-bin"`}, do: click("svg.icon-bin"), truth: "#bin, #bin *, button:has(#bin)", want: "heals"},
	{name: "a shape of a chart", before: chartBefore, change: []string{`id="bar-june"`, `id="june"`}, do: click("#bar-june"), truth: "#june", want: "heals"},
	{name: "a text of a chart", before: chartBefore, change: []string{`id="label-june"`, `id="june-text"`}, do: click("#label-june"), truth: "#june-text", want: "heals"},
	{name: "found by role and name that changed", change: []string{`>Discard<`, `>Discard all<`},
		do: func(p *crumb.Page) error {
			return p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Discard", Exact: playwright.Bool(true)}).Click()
		}, truth: "#discard", want: "heals"},
	{name: "found by label that changed", change: []string{`>Email address<`, `>E-mail address<`},
		do: func(p *crumb.Page) error { return p.GetByLabel("Email address").Fill("a@b.org") }, truth: "#email", want: "heals"},
	{name: "list item among others", change: []string{`id="add-towel"`, `id="towel"`, `id="add-mug"`, `id="mug"`, `id="add-apron"`, `id="apron"`}, do: click("#add-towel"), truth: "#towel", want: "heals"},
	{name: "list reordered and renamed", change: []string{
		`<li class="card"><h3>Blue mug</h3><p class="price">$8.00</p><button id="add-mug" class="add">Add mug to cart</button></li>`, ``,
		`<h3>Apron</h3><p class="price">$24.00</p><button id="add-apron" class="add">Add apron to cart</button></li>`,
		`<h3>Apron</h3><p class="price">$24.00</p><button id="apron" class="add">Add apron to cart</button></li><li class="card"><h3>Blue mug</h3><p class="price">$8.00</p><button id="mug" class="add">Add mug to cart</button></li>`},
		do: click("#add-mug"), truth: "#mug", want: "heals"},
	// Every kind of action.
	{name: "fill", change: []string{`for="city"`, `for="town"`, `id="city"`, `id="town"`}, do: func(p *crumb.Page) error { return p.Locator("#city").Fill("Lyon") }, truth: "[name=city]", want: "heals"},
	{name: "check", change: []string{`id="news"`, `id="letter"`}, do: func(p *crumb.Page) error { return p.Locator("#news").Check() }, truth: "[name=news], label:has([name=news])", want: "heals"},
	{name: "select", change: []string{`for="country"`, `for="land"`, `id="country"`, `id="land"`}, do: func(p *crumb.Page) error {
		got, err := p.Locator("#country").SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice("de")})
		if err == nil && !slices.Equal(got, []string{"de"}) {
			return fmt.Errorf("selected %q", got)
		}
		return err
	}, truth: "[name=country]", want: "heals"},
	{name: "press", change: []string{`for="note"`, `for="remark"`, `id="note"`, `id="remark"`}, do: func(p *crumb.Page) error { return p.Locator("#note").Press("a") }, truth: "[name=note]", want: "heals"},
	{name: "double click", change: []string{`id="discard"`, `id="reset"`}, do: func(p *crumb.Page) error { return p.Locator("#discard").Dblclick() }, truth: "#reset", want: "heals"},
	{name: "hover", change: []string{`id="chat"`, `id="talk"`}, do: func(p *crumb.Page) error {
		if err := p.Locator("#chat").Hover(); err != nil {
			return err
		}
		n, err := p.Locator("#chat:hover, #talk:hover").Count()
		if err == nil && n != 1 {
			return errors.New("the mouse is over something else")
		}
		return err
	}, truth: "#talk", want: "heals", quiet: true},
	{name: "upload", change: []string{`for="photo"`, `for="picture"`, `id="photo"`, `id="picture"`}, do: func(p *crumb.Page) error {
		return p.Locator("#photo").SetInputFiles([]playwright.InputFile{{Name: "a.png", MimeType: "image/png", Buffer: []byte("x")}})
	}, truth: "[name=photo]", want: "heals"},
	{name: "drag: what is dragged", change: []string{`id="token"`, `id="voucher"`},
		do: func(p *crumb.Page) error { return p.Locator("#token").DragTo(p.Locator("#basket")) }, truth: "#voucher, #basket", want: "heals"},
	{name: "drag: where it is dropped", change: []string{`id="basket"`, `id="tray"`},
		do: func(p *crumb.Page) error { return p.Locator("#token").DragTo(p.Locator("#basket")) }, truth: "#token, #tray", want: "heals"},
	{name: "drag: both", change: []string{`id="token"`, `id="voucher"`, `id="basket"`, `id="tray"`},
		do: func(p *crumb.Page) error { return p.Locator("#token").DragTo(p.Locator("#basket")) }, truth: "#voucher, #tray", want: "heals"},
	{name: "read a text", change: []string{`id="status"`, `id="summary"`}, do: text("#status", "3 orders are on their way"), truth: "#summary", want: "heals", quiet: true},
	{name: "wait for an element", change: []string{`id="status"`, `id="summary"`}, do: func(p *crumb.Page) error { return p.Locator("#status").WaitFor() }, truth: "#summary", want: "heals", quiet: true},
	{name: "the page's own click", change: []string{`id="discard"`, `id="reset"`}, do: func(p *crumb.Page) error { return p.Click("#discard") }, truth: "#reset", want: "heals"},
	{name: "a chain", change: []string{`class="add"`, `class="put"`},
		do: func(p *crumb.Page) error { return p.Locator("#products").Locator("li").Nth(1).Locator(".add").Click() }, truth: "#add-towel", want: "heals"},
	{name: "filtered by an element inside", change: []string{`id="add-apron" class="add"`, `class="put"`}, do: func(p *crumb.Page) error {
		return p.Locator("li").Filter(playwright.LocatorFilterOptions{Has: p.GetByText("Apron", playwright.PageGetByTextOptions{Exact: playwright.Bool(true)})}).Locator("#add-apron").Click()
	}, truth: ".put", want: "heals"},
	{name: "found by its exact role and name", before: `<!doctype html><body><h1>Editor</h1><p>Two ways to leave.</p><button id="a">Save</button><button id="b">Save all</button></body>`,
		change: []string{` id="a"`, ``, ` id="b"`, ``}, do: func(p *crumb.Page) error { return p.Locator("#a").Focus() },
		truth: `internal:role=button[name="Save"s]`, want: "heals", quiet: true},
	{name: "in a form with a field that is named as a property", before: strings.Replace(shop, `<form onsubmit="return false">`, `<form onsubmit="return false"><input name="attributes" type="hidden">`, 1),
		change: []string{`id="save-account"`, `id="store-account"`}, do: click("#save-account"), truth: "#store-account", want: "heals"},
	// Frames, shadow roots, popups, time.
	{name: "in a frame", before: frameBefore, extra: map[string]string{"/pay": payForm, "/pay changed": strings.Replace(payForm, `id="pay-now"`, `id="confirm"`, 1)},
		do: func(p *crumb.Page) error { return p.FrameLocator("#pay").Locator("#pay-now").Click() }, truth: "#confirm", want: "heals"},
	{name: "the frame itself renamed", before: frameBefore, change: []string{`id="pay" name="pay"`, `id="card-frame"`}, extra: map[string]string{"/pay": payForm},
		do: func(p *crumb.Page) error { return p.FrameLocator("#pay").Locator("#pay-now").Click() }, truth: "#pay-now", want: "heals",
		located: "#card-frame >> internal:control=enter-frame >> #pay-now"},
	{name: "in a frame got by name", before: frameBefore, extra: map[string]string{"/pay": payForm, "/pay changed": strings.Replace(payForm, `id="pay-now"`, `id="confirm"`, 1)},
		do: func(p *crumb.Page) error {
			return p.Frame(playwright.PageFrameOptions{Name: playwright.String("pay")}).Locator("#pay-now").Click()
		}, truth: "#confirm", want: "heals"},
	{name: "in a frame in a frame, both renamed", before: strings.Replace(frameBefore, `src="/pay"`, `src="/outer"`, 1), change: []string{`id="pay" name="pay"`, `id="card-frame"`},
		extra: map[string]string{"/outer": `<!doctype html><body><h2>Outer</h2><iframe id="inner" src="/pay"></iframe>`,
			"/outer changed": `<!doctype html><body><h2>Outer</h2><iframe title="Card" src="/pay"></iframe>`, "/pay": payForm},
		do: func(p *crumb.Page) error {
			return p.FrameLocator("#pay").FrameLocator("#inner").Locator("#pay-now").Click()
		}, truth: "#pay-now", want: "heals", located: `#card-frame >> internal:control=enter-frame >> [title="Card"] >> internal:control=enter-frame >> #pay-now`},
	{name: "in a shadow root", before: shadowBefore, change: []string{`id="redeem"`, `id="use"`}, do: click("#redeem"), truth: "#use", want: "heals"},
	{name: "rendered late, still there", before: lateBefore, do: click("#export-csv"), truth: "#export-csv", want: "passes"},
	{name: "rendered late, renamed", before: lateBefore, change: []string{`id="export-csv"`, `id="export"`}, do: click("#export-csv"), truth: "#export", want: "heals"},
	{name: "after a navigation", before: `<!doctype html><body><h1>Start</h1><a id="go" href="/shop">Go shopping</a></body>`,
		extra: map[string]string{"/shop": shop, "/shop changed": strings.Replace(shop, `id="save-account"`, `id="keep"`, 1)},
		do: func(p *crumb.Page) error {
			if err := p.Locator("#go").Click(); err != nil {
				return err
			}
			return p.Locator("#save-account").Click()
		}, truth: "#keep, #go", want: "heals"},
	{name: "sent to the login", before: adminForm("admin-email", "Admin e-mail", "Admin", "Invite"),
		change: []string{adminForm("admin-email", "Admin e-mail", "Admin", "Invite"), `<!doctype html><body><script>location.replace("/login")</script>`},
		extra:  map[string]string{"/login": adminForm("email", "E-mail", "Log in", "Log in")},
		do:     click("#admin-email"), want: "other-page"},
	{name: "a step on every page", before: step("address", "next", "/payment"),
		change: []string{step("address", "next", "/payment"), step("address", "forth", "/payment")},
		extra:  map[string]string{"/payment": step("payment", "next", "/done"), "/payment changed": step("payment", "forth", "/done"), "/done": "<p>Done"},
		do: func(p *crumb.Page) error {
			for range 2 {
				if err := p.Locator("#next").Click(); err != nil {
					return err
				}
			}
			return nil
		}, truth: "#forth, #next", want: "heals"},
	{name: "in a popup", before: `<!doctype html><body><h1>Start</h1><a id="go" href="/shop" target="_blank">Open the shop</a></body>`,
		extra: map[string]string{"/shop": shop, "/shop changed": strings.Replace(shop, `id="save-account"`, `id="keep"`, 1)},
		do: func(p *crumb.Page) error {
			popup, err := p.ExpectPopup(func() error { return p.Locator("#go").Click() })
			if err != nil {
				return err
			}
			return popup.Locator("#save-account").Click()
		}, truth: "#keep, #go", want: "heals"},
	{name: "second place that looks for the same", before: `<!doctype html><body><h1>One</h1><p>First page</p><button id="ok">Accept terms</button><a id="next" href="/two">Next</a></body>`,
		extra: map[string]string{"/two": `<!doctype html><body><h1>Two</h1><p>Second page</p><button id="ok">Place the order</button><button id="no">Cancel</button></body>`,
			"/two changed": `<!doctype html><body><h1>Two</h1><p>Second page</p><button id="go">Place the order</button><button id="no">Cancel</button></body>`},
		do: func(p *crumb.Page) error {
			if err := p.Locator("#ok").Click(); err != nil {
				return err
			}
			if err := p.Locator("#next").Click(); err != nil {
				return err
			}
			return p.Locator("#ok").Click()
		}, truth: "#ok, #next, #go", want: "heals"},
	{name: "stale occurrence: the line moved", change: []string{`id="save-account"`, `id="store-account"`, `<title>Corner Shop`, `<title>Shop`}, do: func(p *crumb.Page) error {
		if title, _ := p.Title(); title == "Shop" {
			return p.Locator("#save-account").Click()
		}
		return p.Locator("#save-account").Click()
	}, truth: "#store-account", want: "heals"},
	{name: "stale occurrence: the first use is gone from the test", before: `<!doctype html><body><h1>One</h1><p>First page</p><button id="ok">Accept terms</button><a id="next" href="/two">Next</a></body>`,
		change: []string{`<h1>One`, `<h1>Uno`},
		extra: map[string]string{"/two": `<!doctype html><body><h1>Two</h1><p>Second page</p><button id="ok">Place the order</button><button id="no">Cancel</button></body>`,
			"/two changed": `<!doctype html><body><h1>Two</h1><p>Second page</p><button id="go">Place the order</button><button id="no">Cancel</button></body>`},
		do: func(p *crumb.Page) error {
			if title, _ := p.Locator("h1").InnerText(); title == "Uno" { // the test as it was edited since
				if err := p.Locator("#next").Click(); err != nil {
					return err
				}
				return p.Locator("#ok").Click()
			}
			for _, step := range []string{"#ok", "#next", "#ok"} {
				if err := p.Locator(step).Click(); err != nil {
					return err
				}
			}
			return nil
		}, truth: "#next", want: "refused"},
	// What must not be healed.
	{name: "gone", change: []string{`<button id="save-account" class="btn btn-primary" type="submit">Save changes</button>`, ``}, do: click("#save-account"), want: "refused"},
	{name: "gone with its section", change: []string{`<p id="status" class="state">3 orders are on their way</p>`, ``}, do: text("#status", "3 orders are on their way"), want: "refused"},
	{name: "replaced by a similar neighbour", before: dialogBefore, change: []string{`<li>a.txt <button id="del-a">Delete a.txt</button></li>`, ``}, do: click("#del-a"), want: "refused"},
	{name: "list item gone", change: []string{`<li class="card"><h3>Tea towel</h3><p class="price">$10.00</p><button id="add-towel" class="add">Add towel to cart</button></li>`, ``}, do: click("#add-towel"), want: "refused"},
	{name: "two look-alikes", change: []string{`<button id="discard" class="btn" type="button">Discard</button>`,
		`<button class="btn" type="button">Discard</button> <button class="btn" type="button">Discard</button>`}, do: click("#discard"), want: "refused"},
	{name: "look-alike in another frame", before: strings.Replace(frameBefore, `<button id="back">Back to cart</button>`, `<button id="pay-now">Pay now</button>`, 1),
		extra: map[string]string{"/pay": payForm, "/pay changed": strings.Replace(payForm, `<button id="pay-now">Pay now</button>`, ``, 1)},
		do:    func(p *crumb.Page) error { return p.FrameLocator("#pay").Locator("#pay-now").Click() }, want: "refused"},
	{name: "another page altogether", change: []string{shop[strings.Index(shop, "<body>"):], `<body><h1>Sorry</h1><p>We are closed for maintenance.</p><a href="/">Try again</a></body></html>`}, do: click("#save-account"), want: "refused"},
	{name: "an empty page", change: []string{shop[strings.Index(shop, "<body>"):], `<body></body></html>`}, do: click("#save-account"), want: "no-candidates"},
	{name: "says something else", change: []string{`id="save-account" class="btn btn-primary" type="submit">Save changes`, `id="close-account" class="btn btn-primary" type="submit">Close account`},
		do: click("#save-account"), want: "suggested"},
	{name: "hidden after the change", change: []string{`id="save-account" class`, `id="keep" style="display:none" class`}, do: click("#save-account"), want: "refused"},
	{name: "never learned", do: func(p *crumb.Page) error {
		if title, _ := p.Title(); title == "Corner Shop" {
			return nil // the run that learns does not come by
		}
		return p.Locator("#new").Click()
	}, change: []string{`<title>Corner Shop`, `<title>Shop`}, want: "no-fingerprint"},
	{name: "disabled, not lost", change: []string{`id="save-account"`, `id="save-account" disabled`}, do: click("#save-account"), want: "fails"},
	{name: "hidden, not lost", change: []string{`id="save-account"`, `id="save-account" hidden`}, do: click("#save-account"), want: "fails"},
	{name: "several, not lost", change: []string{`id="discard"`, `id="save-account"`}, do: click("#save-account"), want: "fails"},
	{name: "wait for it to go", change: []string{`id="status"`, `id="summary"`}, do: func(p *crumb.Page) error {
		if n, err := p.Locator("#summary").Count(); n == 0 || err != nil {
			return p.Locator("#status").WaitFor()
		}
		return p.Locator("#status").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateHidden})
	}, want: "passes"},
	{name: "count and visibility look once", change: []string{`id="status"`, `id="summary"`}, do: func(p *crumb.Page) error {
		n, err := p.Locator("#status").Count()
		if err != nil {
			return err
		}
		seen, err := p.Locator("#status").IsVisible()
		if seen != (n == 1) {
			return fmt.Errorf("visible %v, count %d", seen, n)
		}
		return err
	}, want: "passes"},
	{name: "an assertion", change: []string{`id="status"`, `id="summary"`}, do: func(p *crumb.Page) error {
		if err := p.Locator("#orders").WaitFor(); err != nil {
			return err
		}
		return p.Expect(300).Locator(p.Locator("#status")).ToBeVisible()
	}, want: "fails"},
	// The presets of the tools before.
	{name: "selfmend's scorer", preset: "selfmend", change: []string{`id="save-account"`, `id="store-account"`}, do: click("#save-account"), truth: "#store-account", want: "heals"},
	{name: "selfmend's margin", preset: "selfmend", change: []string{`<button class="row-remove">Remove</button></td></tr>
      <tr><td>1002`, `<button class="row-drop">Remove</button></td></tr>
      <tr><td>1002`, `<td>packed</td><td><button class="row-remove">`, `<td>packed</td><td><button class="row-drop">`},
		do: func(p *crumb.Page) error { return p.Locator(".row-remove").First().Click() }, want: "refused"},
	{name: "the first Breadcrumb's scorer", preset: "breadcrumb", change: []string{`id="save-account"`, `id="store-account"`}, do: click("#save-account"), truth: "#store-account", want: "heals"},
}

func TestHealing(t *testing.T) {
	browsertest.Browser(t)
	t.Parallel()
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c scenario) run(t *testing.T) {
	t.Helper()
	patiently(t, func(p patience) string { return c.try(t, p) })
}

// try returns what is not as it should be, "" for nothing.
func (c scenario) try(t *testing.T, patient patience) string {
	t.Helper()
	pages := map[string]string{"/": cmp.Or(c.before, shop)}
	for path, body := range c.extra {
		if !strings.HasSuffix(path, " changed") {
			pages[path] = body
		}
	}
	first := pages["/"]
	s := newSite(t, pages)
	s.head = fmt.Sprintf(hitScript, cmp.Or(c.truth, "#nothing"))
	folder := t.TempDir()
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"),
		Timeout: learningTime, Preset: c.preset}

	learning := c
	learning.do = func(p *crumb.Page) (err error) { measurePace(func() { err = c.do(p) }); return err }
	_, err := learning.visit(t, options, s.URL)
	if got := events(t, options.Events); err != nil || len(got) > 0 {
		return fmt.Sprintf("on the page before: %v %s", err, formatEvents(got))
	}

	s.set("/", strings.NewReplacer(c.change...).Replace(first))
	for path, body := range c.extra {
		if changed, ok := strings.CutSuffix(path, " changed"); ok {
			s.set(changed, body)
		}
	}
	options.Timeout = patient.timeout()
	hits, err := c.visit(t, options, s.URL)
	return c.checkOutcome(t, err, events(t, options.Events), hits)
}

// visit does what the test does, on a page that it shares with scenarios before
// and after it, and returns what was hit.
func (c scenario) visit(t *testing.T, options crumb.Options, url string) (hits []string, outcome error) {
	t.Helper()
	raw, giveBack := borrowPage(t)
	lines := make(chan string, 1000)
	listen := func(m playwright.ConsoleMessage) { lines <- m.Text() }
	raw.Context().OnConsole(listen)
	page, err := crumb.Wrap(raw, options)
	must(t, err)
	_, err = page.Goto(url)
	must(t, err)
	outcome = c.do(page)
	crumb.CloseWrapper(page)
	giveBack()
	raw.Context().RemoveListener("console", listen)
	for len(lines) > 0 {
		if hit, ok := strings.CutPrefix(<-lines, "HIT "); ok {
			hits = append(hits, hit)
		}
	}
	return hits, outcome
}

// checkOutcome returns what is wrong with an outcome; a wrong heal fails the test.
func (c scenario) checkOutcome(t *testing.T, err error, got []engine.HealEvent, hits []string) string {
	t.Helper()
	for _, hit := range hits {
		if hit != "right" {
			t.Errorf("WRONG HEAL: %s\n%s", hit, formatEvents(got))
		}
	}
	healed := slices.ContainsFunc(got, func(e engine.HealEvent) bool { return e.Outcome == engine.OutcomeHealed })
	if healed && c.want != "heals" {
		t.Errorf("WRONG HEAL:\n%s", formatEvents(got))
	}
	ok := false
	switch c.want {
	case "heals":
		refused := func(e engine.HealEvent) bool { return e.Outcome == engine.OutcomeRefused }
		ok = err == nil && healed && !slices.ContainsFunc(got, refused) && c.wasActedOn(got, hits)
	case "passes":
		ok = err == nil && len(got) == 0
	case "fails":
		ok = err != nil && len(got) == 0
	case "suggested":
		ok = isSuggested(got, err) && len(hits) == 0
	case "refused":
		ok = err != nil && len(got) == 1
	default:
		ok = err != nil && len(got) == 1 && got[0].Outcome == engine.OutcomeRefused && got[0].Reason == c.want
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("want %q, got error %v and %d events\n%s", c.want, err, len(got), formatEvents(got))
}

// isSuggested reports whether a call failed with its own error alone, and its event
// says what to write instead and what changed.
func isSuggested(got []engine.HealEvent, err error) bool {
	return errors.Is(err, playwright.ErrTimeout) && !strings.Contains(err.Error(), "healed to") && len(got) == 1 &&
		got[0].Outcome == engine.OutcomeSuggested && got[0].Reason == engine.ReasonOtherMeaning &&
		got[0].HealedLocator != "" && got[0].Healed.Tag != "" && len(got[0].Changed) > 0
}

// wasActedOn reports whether the healed action reached the right element.
func (c scenario) wasActedOn(got []engine.HealEvent, hits []string) bool {
	if c.quiet {
		return got[0].HealedLocator == c.truth
	}
	if c.located != "" && got[0].HealedLocator != c.located {
		return false
	}
	return slices.Contains(hits, "right")
}

func formatEvents(events []engine.HealEvent) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %q -> %q %.3f (next %.3f) %s\n", e.Action, e.Outcome, e.Locator, e.HealedLocator, e.Confidence, e.RunnerUp, e.Reason)
	}
	return b.String()
}

// adminForm is a page of an application around one field.
func adminForm(id, label, title, button string) string {
	return fmt.Sprintf(`<!doctype html><body><header><nav><a href="/users">Users</a> <a href="/reports">Reports</a></nav></header>
<main><h1>%s</h1><form onsubmit="return false"><input id=%q aria-label=%q><button>%s</button></form></main><footer><a href="/imprint">Imprint</a></footer>`, title, id, label, button)
}

// step is one page of several that look alike.
func step(name, id, to string) string {
	return fmt.Sprintf(`<!doctype html><body><header><a href="/help">Help</a></header><main><h1>Your %s</h1><label>Note <input></label>
<a id=%q class="button" href=%q>Continue</a> <button>Cancel</button></main>`, name, id, to)
}
