package generate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/locator"
)

func locators(p Page) (all []string) {
	for _, e := range p.Elements {
		all = append(all, locator.Print(e.Locator, locator.Python))
	}
	return all
}

func TestOpenShadowRootsAreLookedInto(t *testing.T) {
	page := readInChromium(t, "shadow.html").Pages[0]
	if diff := cmp.Diff([]string{
		`page.get_by_role("heading", name="Shadow roots")`, `page.get_by_role("button", name="Save", exact=True).first`, `page.get_by_label("Surname")`,
		`page.get_by_role("link", name="Details")`,
		`page.get_by_label("Nickname")`, `page.get_by_role("button", name="Send")`, `page.get_by_role("button", name="Order now")`,
		`page.get_by_role("heading", name="Blue mug")`, `page.get_by_role("button", name="Add")`, `page.get_by_role("region").get_by_role("button", name="Save")`,
		`page.get_by_role("link", name="One")`, `page.get_by_role("link", name="Two")`, `page.get_by_role("button", name="Deep")`,
		`page.get_by_label("User name")`, `page.get_by_label("Password")`, `page.get_by_label("Stay")`, `page.get_by_label("Size")`,
		`page.get_by_role("button", name="Sign in")`, `page.get_by_role("spinbutton")`, `page.get_by_role("button", name="Up")`,
	}, locators(page)); diff != "" {
		t.Error(diff)
	}
	if want := []string{"not looked into: 2 closed shadow roots"}; !cmp.Equal(page.Notes, want) {
		t.Errorf("notes %q, want %q", page.Notes, want)
	}
}

// declared are pages as they are sent, with how many elements have a locator.
// OPEN makes an open shadow root.
var declared = []struct {
	page string
	want int
}{
	{`<div>OPEN<button>Save</button></template></div><button>Send</button>`, 2},
	{`<x-a>OPEN<button><slot></slot></button></template>Save</x-a><x-a>OPEN<button><slot></slot></button></template>Send</x-a>`, 2},
	{`<x-a>OPEN<button>A <slot name=b>none</slot></button><button><slot name=c>C</slot></button></template><i slot=b>B</i></x-a>`, 2},
	{`<x-a>OPEN<h2><slot></slot></h2></template>Title</x-a>`, 1},
	{`<x-a>OPEN<p>Nothing is shown of the rest</p></template><button>Save</button></x-a><button>Save</button>`, 1},
	{`<x-a>OPEN<div hidden><slot></slot></div></template><button>Save</button></x-a><button>Send</button>`, 1},
	{`<x-a>OPEN<div aria-hidden=true><slot></slot></div></template><button>Save</button></x-a><button>Send</button>`, 1},
	{`<label for=a>A</label><input id=a><x-a>OPEN<label for=a>B</label><input id=a></template></x-a>`, 2},
	{`<p id=a>A</p><x-a>OPEN<p id=a>B</p><button aria-labelledby=a></button></template></x-a><button aria-labelledby=a></button>`, 2},
	{`<label>A <x-a>OPEN<input title=B></template></x-a></label>`, 1},
	{`<form><x-a>OPEN<input type=password><button>In</button></template></x-a></form>`, 2},
	{`<x-a>OPEN<x-b>OPEN<x-c>OPEN<nav><a href=/a>A</a></nav></template></x-c></template></x-b><a href=/b>A</a></template></x-a>`, 2},
	{`<x-a>OPEN<button title=""></button></template></x-a><x-a id=b>OPEN<button></button></template></x-a><p id=c><button></button></p>`, 2},
	{`<div id=a>OPEN<button></button><p><button></button></p></template><button></button></div>`, 0},
	{`<p><template><button>Inert</button>OPEN<button>Inert</button></template></template></p><button>Inert</button>`, 1},
	{`<a href=/>OPEN<button>Save</button></template></a><button>Save</button>`, 1},
	{`<div>OPEN<button>A</button></template>OPEN<button>A</button></template></div>`, 1},
	{`<div><template shadowrootmode=OPEN><button>A</button></template></div><div><template shadowrootmode=shut><button>A</button></template></div>`, 1},
	{`<p>SAY</p><x-a>OPEN<p>SAY</p><button>Say</button></template></x-a>`, 1},
	{strings.Repeat(`<x-a>OPEN<button>A</button></template></x-a><button>A</button>`, 3), 6},
	{`<fieldset disabled><x-a>OPEN<input title=A></template></x-a></fieldset>`, 1},
	{`<main><x-a>OPEN<header><a href=/>A</a></header></template></x-a></main><header><a href=/>A</a></header>`, 2},
	{`<ul><li>Mug <x-a>OPEN<button>Add</button></template></x-a><li>Cup <x-a>OPEN<button>Add</button></template></x-a></ul>`, 2},
}

// TestDeclaredShadowRootsAreProvenAsChromiumHasThem compares what the document
// proves with what Chromium finds.
func TestDeclaredShadowRootsAreProvenAsChromiumHasThem(t *testing.T) {
	page := newPage(t)
	for _, c := range declared {
		agreed, notes := compareWithChromium(t, page, c.page, strings.ReplaceAll(c.page, "OPEN<", "<template shadowrootmode=open><"))
		if agreed != c.want {
			t.Errorf("%s: %d locators, want %d; %s", c.page, agreed, c.want, strings.Join(notes, "; "))
		}
	}
}
