package patch

func goGrid() sharedGrid {
	const three = `package e2e

import (
	"testing"

	"example.com/shop/pages"
)

func TestBuys(t *testing.T) {
	{make}
	{use}
}

func TestPays(t *testing.T) {
	{make}
	{use}
}

func TestLooks(t *testing.T) {
	{make}
	{apart}
}
`
	return sharedGrid{
		pageFile: "pages/cart.go", testFile: "cart_test.go", kept: 450,
		tests: [3]string{"TestBuys", "TestPays", "TestLooks"},
		class: `package pages

import "fmt"

type Cart struct {
	page playwright.Page
	Base
}

func NewCart(page playwright.Page) *Cart { return &Cart{page: page} }

{member}

func (c *Cart) Other() { c.page.Locator("#other").Click() }
`,
		make: "cart := pages.NewCart(page)", apart: "cart.Other()",
		decorations: []string{
			"", "// Stop() {\n", "/* func Stop() { */ ", "//go:noinline\n", "/*\nfunc Stop() {\n*/\n",
		},
		neighbours: []string{
			"", "const limit = 1\n", "var a = map[string]struct{}{}\n", "var a, b = 1, \"x\"\n", "func Stop() {}\n", "type stop func()\n", "type Stop interface {\n\tStop()\n}\n",
			"type alias = struct{ a int }\n", "var stop = func() {}\n", "const (\n\ta = iota\n\tb\n)\n", "var _ = fmt.Sprint\n", "type list []int\n", "var c Cart\n", "var d *Cart\n", "type e = Cart\n",
		},
		members: goMembers(), modules: goModules(),
		ways: []way{
			{name: "direct", files: map[string]string{"go.mod": "module example.com/shop\n", "cart_test.go": three}},
			{name: "helper", files: map[string]string{
				"go.mod":         "module example.com/shop\n",
				"cart_test.go":   fillIn(three, "{make}\n\t{use}", "buy[int](t)"),
				"helper_test.go": "package e2e\n\nimport \"example.com/shop/pages\"\n\nconst limit = 1\n\nfunc buy[T any](t *testing.T) (map[string]struct{}, interface{ A() }) {\n\t{make}\n\t{use}\n\treturn nil, nil\n}\n",
			}},
			{name: "embedded", classOnly: true, files: map[string]string{
				"go.mod":       "module example.com/shop\n",
				"cart_test.go": fillIn(three, "{make}", "cart := pages.NewBig(page)"),
				"pages/big.go": "package pages\n\ntype Big struct{ *Cart }\n\nfunc NewBig(page playwright.Page) Big { return Big{Cart: NewCart(page)} }\n",
			}},
			{name: "part", classOnly: true, files: map[string]string{
				"go.mod":        "module example.com/shop\n",
				"cart_test.go":  fillIn(three, "{make}", "shop := pages.Shop{page}", "{use}", "shop.Buy()", "{apart}", "shop.Look()"),
				"pages/shop.go": "package pages\n\ntype Shop struct{ page playwright.Page }\n\nfunc (s Shop) Buy() struct{ a int } {\n\tpage := s.page\n\t" + "cart := NewCart(page)\n\t{use}\n\treturn struct{ a int }{1}\n}\n\nfunc (s Shop) Look() {\n\tcart := NewCart(s.page)\n\t{apart}\n}\n",
			}},
			{name: "suite", classOnly: true, files: map[string]string{
				"go.mod":        "module example.com/shop\n",
				"cart_test.go":  fillIn(three, "{make}", "cart := open(t).cart"),
				"suite_test.go": "package e2e\n\nimport \"example.com/shop/pages\"\n\ntype suite struct {\n\tcart *pages.Cart\n}\n\nfunc open(t *testing.T) (s suite) {\n\ts.cart = pages.NewCart(nil)\n\treturn s\n}\n",
			}},
		},
	}
}

func goMembers() []member {
	const click = `c.page.Locator("#go").Click()`
	call := func(name, source string) member { return member{name: name, source: source, use: "cart.Go()"} }
	return []member{
		call("method", "func (c *Cart) Go() { "+click+" }"),
		call("error", "func (c *Cart) Go() error {\n\treturn "+click+"\n}"),
		call("two results", "func (c *Cart) Go() (int, error) { return 1, "+click+" }"),
		call("named results", "func (c *Cart) Go(a, b int) (n int, err error) { err = "+click+"; return }"),
		call("returns a struct", "func (c *Cart) Go() struct{ A int } { "+click+"; return struct{ A int }{1} }"),
		call("returns an interface", "func (c *Cart) Go() interface{} { "+click+"; return nil }"),
		call("returns interfaces", "func (c *Cart) Go() map[string]interface{ A() } { "+click+"; return nil }"),
		call("returns a function", "func (c *Cart) Go() func(a struct{ b int }) error { "+click+"; return nil }"),
		call("returns a channel", "func (c *Cart) Go() <-chan struct{} { "+click+"; return nil }"),
		call("generic receiver", "func (c *Cart[T, U]) Go() { "+click+" }"),
		call("parameters", "func (c *Cart) Go(a map[string]struct{}, f func() struct{}, x ...interface{}) { "+click+" }"),
		call("lines", "func (\n\tc *Cart,\n) Go(\n\ta int,\n) (\n\terror,\n) {\n\treturn "+click+"\n}"),
		call("private", "func (c *Cart) Go() { c.run() }\n\nfunc (c *Cart) run() map[string]struct{} { "+click+"; return nil }"),
		call("closure", "func (c *Cart) Go() { run := func() { "+click+" }; run() }"),
		call("closure that is called", "func (c *Cart) Go() { func() { "+click+" }() }"),
		call("callback", "func (c *Cart) Go() { c.page.ExpectPopup(func() error { return "+click+" }) }"),
		call("deferred", "func (c *Cart) Go() { defer func() { "+click+" }(); go c.Other() }"),
		call("blocks", "func (c *Cart) Go() {\nouter:\n\tfor i := range 2 {\n\t\tswitch x := any(i).(type) {\n\t\tcase int, string:\n\t\t\tif x != nil {\n\t\t\t\t"+click+"\n\t\t\t}\n\t\tdefault:\n\t\t\tbreak outer\n\t\t}\n\t}\n}"),
		call("select", "func (c *Cart) Go() {\n\tselect {\n\tcase <-make(chan struct{}):\n\t\t"+click+"\n\t}\n}"),
		call("table", "func (c *Cart) Go() {\n\tfor _, step := range []struct{ run func() error }{\n\t\t{run: func() error { return "+click+" }},\n\t} {\n\t\tstep.run()\n\t}\n}"),
		call("map", "func (c *Cart) Go() {\n\tsteps := map[string]func(){\"run\": func() { "+click+" }}\n\tsteps[\"run\"]()\n}"),
		call("method value", "func (c *Cart) Go() { f := c.run; f() }\n\nfunc (c *Cart) run() { "+click+" }"),
		call("method expression", "func (c *Cart) Go() { (*Cart).run(c) }\n\nfunc (c *Cart) run() { "+click+" }"),
		call("interface", "type runner interface{ run() map[string]struct{} }\n\nfunc (c *Cart) Go() { runner(c).run() }\n\nfunc (c *Cart) run() map[string]struct{} { "+click+"; return nil }"),
		call("generic function", "func (c *Cart) Go() { run[int](c, 1) }\n\nfunc run[T interface{ ~int | string }, U any](c *Cart, x T) map[string]T { "+click+"; return nil }"),
		call("constant", "const selector = \"#go\"\n\nfunc (c *Cart) Go() { c.page.Locator(selector).Click() }"),
		call("typed constant", "const (\n\tstop string = \"#stop\"\n\tselector string = \"#go\"\n)\n\nfunc (c *Cart) Go() { c.page.Locator(selector).Click() }"),
		call("variable of a function", "var run = func(c *Cart) struct{} { "+click+"; return struct{}{} }\n\nfunc (c *Cart) Go() { run(c) }"),
		call("variables", "var (\n\tlimit = 1\n\trun   = func(c *Cart) { "+click+" }\n)\n\nfunc (c *Cart) Go() { run(c) }"),
		{name: "function", source: "func Go[T any](page playwright.Page) (x T, err error) { page.Locator(\"#go\").Click(); return }", use: "pages.Go[int](page)"},
		{name: "printed", source: "func (c *Cart) String() string { " + click + "; return \"\" }", use: "fmt.Println(cart)"},
		{name: "init", source: "func init() { start(func(c *Cart) { " + click + " }) }", use: "cart.Stop()"},
		{name: "blank", source: "var _ = start(func(c *Cart) { " + click + " })", use: "cart.Stop()"},
		{name: "handed on", source: "func (c *Cart) Go() { " + click + " }", use: "run(cart.Go)"},
		{name: "by reflection", source: "func (c *Cart) Go() { " + click + " }", use: "reflect.ValueOf(cart).MethodByName(\"Go\").Call(nil)"},
		{name: "by reflection of a variable", source: "func (c *Cart) Go() { " + click + " }", use: "name := \"G\" + \"o\"; reflect.ValueOf(cart).MethodByName(name).Call(nil)"},
		{name: "field of the struct", source: "type Bar struct{ Go playwright.Locator }\n\nfunc (c *Cart) Bar() *Bar { return &Bar{Go: c.page.Locator(\"#go\")} }", use: "cart.Bar().Go.Click()"},
	}
}

func goModules() []member {
	cart := func(name, source string) member {
		return member{name: name, source: "package pages\n\n" + source + "\n\nfunc (c *Cart) Other() {}\n", use: "cart.Go.Click()", make: "cart := pages.NewCart(page)"}
	}
	const fields = "type Cart struct{ Go, other playwright.Locator }\n\n"
	return []member{
		cart("field", fields+"func NewCart(page playwright.Page) *Cart {\n\treturn &Cart{\n\t\tGo: page.Locator(\"#go\"),\n\t}\n}"),
		cart("fields without names", fields+"func NewCart(page playwright.Page) *Cart {\n\treturn &Cart{page.Locator(\"#go\"), nil}\n}"),
		cart("field set later", fields+"func NewCart(page playwright.Page) *Cart {\n\tc := new(Cart)\n\tc.Go = page.Locator(\"#go\")\n\treturn c\n}"),
		cart("acts when made", fields+"func NewCart(page playwright.Page) *Cart {\n\tpage.Locator(\"#go\").Click()\n\treturn nil\n}"),
		cart("variable of the constructor", fields+"var NewCart = func(page playwright.Page) *Cart {\n\treturn &Cart{Go: page.Locator(\"#go\")}\n}"),
		cart("options", fields+"type option func(*Cart)\n\nfunc with(page playwright.Page) option { return func(c *Cart) { c.Go = page.Locator(\"#go\") } }\n\nfunc NewCart(page playwright.Page) *Cart { c := &Cart{}; with(page)(c); return c }"),
	}
}
