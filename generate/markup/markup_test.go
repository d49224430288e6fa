package markup

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

// parse returns a document and its first element with the attribute x.
func parse(t *testing.T, text string) (*Document, *html.Node) {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range d.Elements {
		if Has(n, "x") {
			return d, n
		}
	}
	t.Fatalf("nothing is marked in %s", text)
	return nil, nil
}

// rolesAndNames are elements with the role and name that Playwright gives them;
// a name with a ? depends on the style sheet.
var rolesAndNames = map[string]string{
	`<button x>Sign  in</button>`:                                                "button Sign in",
	`<button x aria-label=" Close ">×</button>`:                                  "button Close",
	`<button x><b>A</b> <i>B</i></button>`:                                       "button A B",
	`<button x>Cart<span>3</span></button>`:                                      "button Cart3?",
	`<button x>Cart<div>3</div></button>`:                                        "button Cart 3",
	`<button x><img alt="Print"></button>`:                                       "button Print",
	`<button x><svg><title>Star</title></svg></button>`:                          "button Star",
	`<button x><span aria-hidden=true>×</span> Close</button>`:                   "button Close",
	`<button x><span hidden>no</span>Yes</button>`:                               "button Yes",
	`<button x title="Save it"></button>`:                                        "button Save it",
	`<a x href="/">Home</a>`:                                                     "link Home",
	`<a x>Home</a>`:                                                              " ",
	`<label>Name <input x></label>`:                                              "textbox Name",
	`<label for=a>Name</label><input x id=a placeholder=P>`:                      "textbox Name",
	`<label>Size <select x><option>S</select></label>`:                           "combobox Size",
	`<label>Size <select><option>S</select> <input x></label>`:                   "textbox ",
	`<input x placeholder="Search">`:                                             "textbox Search",
	`<input x placeholder="Search" title="Find">`:                                "textbox Find",
	`<input x type=password placeholder=Secret>`:                                 "textbox Secret",
	`<input x type=search aria-label=S>`:                                         "searchbox S",
	`<input x type=number title=N>`:                                              "spinbutton N",
	`<input x type=submit>`:                                                      "button Submit",
	`<input x type=submit value=Go>`:                                             "button Go",
	`<input x type=reset>`:                                                       "button Reset",
	`<input x type=image alt=Go>`:                                                "button Go",
	`<input x type=file>`:                                                        "button Choose File",
	`<input x list=l title=T><datalist id=l></datalist>`:                         "combobox T",
	`<input x type=hidden title=T>`:                                              " ",
	`<select x multiple title=T></select>`:                                       "listbox T",
	`<p id=a>First</p><p id=b>Last</p><i x role=img aria-labelledby="a b none">`: "img First Last",
	`<h1 x>One <small>two</small></h1>`:                                          "heading One two",
	`<h1 x role=presentation>One</h1>`:                                           "presentation ",
	`<button x role=none>One</button>`:                                           "button One",
	`<div x role="unknown switch">One</div>`:                                     "switch One",
	`<img x alt="">`:                                                             "presentation ",
	`<img x alt=Logo>`:                                                           "img Logo",
	`<header x></header>`:                                                        "banner ",
	`<main><header x></header></main>`:                                           " ",
	`<section x></section>`:                                                      " ",
	`<section x aria-label=Part></section>`:                                      "region Part",
	`<form x></form>`:                                                            " ",
	`<fieldset x><legend>You</legend></fieldset>`:                                "group You",
	`<table><tr x><td>A<td>B</table>`:                                            "row A B",
	`<ul><li x>A</li></ul>`:                                                      "listitem ",
	`<p x title=T>A</p>`:                                                         "paragraph ",
	`<nav x aria-label=Main></nav>`:                                              "navigation Main",
}

func TestRolesAndNames(t *testing.T) {
	for text, want := range rolesAndNames {
		d, n := parse(t, text)
		name := d.Name(n)
		got := d.Role(n) + " " + name.Value
		if !name.Sure && !name.Open {
			got += "?"
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestRolesAndNamesInChromium asks Playwright for the same.
func TestRolesAndNamesInChromium(t *testing.T) {
	page, err := browsertest.Browser(t).NewPage()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range rolesAndNames {
		role, name, _ := strings.Cut(want, " ")
		if role == "" || role == "presentation" || strings.HasSuffix(name, "?") || strings.Contains(text, "<select><option>S</select> <input x>") {
			continue // no role, or what no name says
		}
		if err := page.SetContent(text); err != nil {
			t.Fatal(err)
		}
		s := locator.ByRole(role, name, locator.MatchExact)
		found := page.Locator("[x]").And(page.Locator(s.String()))
		if name == "" {
			found = page.Locator("[x]").And(page.Locator(s.String() + `[name=""s]`))
		}
		if n, err := found.Count(); n != 1 || err != nil {
			t.Errorf("%s is no %q in Chromium (%v)", text, want, err)
		}
	}
}

func TestOnlyWhatIsSureIsProven(t *testing.T) {
	button := func(name string, m locator.Match) locator.Selector { return locator.ByRole("button", name, m) }
	for _, c := range []struct {
		page string
		s    locator.Selector
		want bool
	}{
		{`<button x>Save</button>`, button("Save", locator.MatchLoose), true},
		{`<button x>Save</button>`, button("sAvE", locator.MatchLoose), true},
		{`<button x>Save</button>`, button("sAvE", locator.MatchExact), false},
		{`<button x>Save</button><button>Save all</button>`, button("Save", locator.MatchLoose), false},
		{`<button x>Save</button><button>Save all</button>`, button("Save", locator.MatchExact), true},
		{`<button x>Save</button><button hidden>Save</button>`, button("Save", locator.MatchExact), true},
		{`<button x>Save</button><button data-breadcrumb-hidden>Save</button>`, button("Save", locator.MatchExact), true},
		{`<button x>Save</button><details><button>Save</button></details>`, button("Save", locator.MatchExact), true},
		{`<button x>Save</button><template><button>Save</button></template>`, button("Save", locator.MatchExact), true},
		{`<button x>Save</button><div><template shadowrootmode=open><button>Save</button></template></div>`, locator.ByCSS("button"), false},
		{`<x-a id=a><template shadowrootmode=open><slot></slot><button>A</button></template><button x>A</button></x-a>`, locator.ByCSS(`[id="a"] > button`), false},
		{`<x-a id=a><template shadowrootmode=open><slot></slot><i>A</i></template><button x>A</button></x-a>`, locator.ByCSS(`[id="a"] > button`), true},
		{`<x-a id="a>b"><template shadowrootmode=open><p><button x>A</button></p></template></x-a><button>A</button>`, locator.ByCSS(`[id="a>b"] p > button`), true},
		{`<button x>Save<b>all</b></button>`, button("Save", locator.MatchLoose), true},
		{`<button x>Save<b>all</b></button>`, button("Saveall", locator.MatchLoose), false},
		{`<button x>Save<b>all</b></button>`, button("Save all", locator.MatchLoose), false},
		{`<button x>Save all</button><button>Save<b>all</b></button>`, button("Save all", locator.MatchLoose), false},
		{`<button x>Save</button><label><button></button><select><option>Save</select></label>`, button("Save", locator.MatchLoose), false},
		{`<label>Name <input x></label>`, locator.ByText(locator.KindLabel, "Name", locator.MatchLoose), true},
		{`<label>Name <input x></label><label>Surname <input></label>`, locator.ByText(locator.KindLabel, "Name", locator.MatchLoose), false},
		{`<label>Name <input x></label><label>Surname <input></label>`, locator.ByText(locator.KindLabel, "Name", locator.MatchExact), true},
		{`<label>Name <input x></label><div aria-label=Name></div>`, locator.ByText(locator.KindLabel, "Name", locator.MatchExact), false},
		{`<input x placeholder=Name>`, locator.ByText(locator.KindPlaceholder, "name", locator.MatchLoose), true},
		{`<p><b x>Text</b></p>`, locator.ByText(locator.KindText, "Text", locator.MatchLoose), true},
		{`<p>Text <b x>Text</b></p><i>text</i>`, locator.ByText(locator.KindText, "Text", locator.MatchLoose), false},
		{`<b x data-testid=a></b><b data-testid=A></b>`, locator.ByTestID("data-testid", "a"), true},
		{`<b x data-qa=a></b><b data-testid=a></b>`, locator.ByTestID("data-qa", "a"), true},
		{`<b x id=a></b><b id=a></b>`, locator.ByAttribute("id", "a"), false},
		{`<nav><a x href=/>A</a></nav><a href=/>A</a>`, locator.ByRole("link", "A", locator.MatchLoose).Inside(locator.ByRole("navigation", "", locator.MatchLoose)), true},
		{`<nav><a x href=/>A</a></nav><nav><a href=/>A</a></nav>`, locator.ByRole("link", "A", locator.MatchLoose).Inside(locator.ByRole("navigation", "", locator.MatchLoose)), false},
		{`<a href=/>A</a><a x href=/>A</a>`, locator.ByRole("link", "A", locator.MatchLoose).Nth(1), true},
		{`<a href=/>A</a><a href=/>A<b>b</b></a><a x href=/>A</a>`, locator.ByRole("link", "Ab", locator.MatchLoose).Nth(0), false},
	} {
		d, n := parse(t, c.page)
		if got := d.FindsOnly(c.s, n); got != c.want {
			t.Errorf("%s in %s: %v", locator.Print(c.s, locator.TypeScript), c.page, got)
		}
	}
}

// TestNamesOfAHostilePageAreBounded has names that refer to everything.
func TestNamesOfAHostilePageAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<body id=all>`)
	for range 5000 {
		b.WriteString(`<button aria-labelledby="all">x</button>`)
	}
	d, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range d.Elements {
		d.Name(n)
	}
	if d.work > 0 {
		t.Errorf("%d are left of the work: the page is too small to tell", d.work)
	}
	if d.FindsOnly(locator.ByRole("button", "x", locator.MatchLoose), d.Elements[len(d.Elements)-1]) {
		t.Error("a locator is proven without its names")
	}
}

func TestDisabled(t *testing.T) {
	for text, want := range map[string]bool{
		`<button x>a</button>`: false, `<button x disabled>a</button>`: true, `<fieldset disabled><input x></fieldset>`: true,
		`<fieldset disabled><legend><input x></legend></fieldset>`: false, `<div x role=button aria-disabled=true>a</div>`: true, `<div x disabled>a</div>`: false,
	} {
		if _, n := parse(t, text); Disabled(n) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
}
