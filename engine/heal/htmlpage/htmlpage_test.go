package htmlpage_test

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/htmlpage"
)

// only parses a document and returns the element with the tag.
func only(t *testing.T, source, tag string) heal.Element {
	t.Helper()
	p, err := htmlpage.Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Elements {
		if e.Tag == tag {
			return e
		}
	}
	t.Fatalf("no <%s> in %s", tag, source)
	return heal.Element{}
}

func TestRolesAndNames(t *testing.T) {
	for _, c := range []struct{ name, source, tag, role, accessible string }{
		{"a link is named by its text", `<a href="/">Home</a>`, "a", "link", "Home"},
		{"a button by its text", `<button>  Save
 all </button>`, "button", "button", "Save all"},
		{"an icon button by aria-label", `<button aria-label="Close">×</button>`, "button", "button", "Close"},
		{"a field by its label", `<label for=q>Search</label><input id=q type=search>`, "input", "searchbox", "Search"},
		{"a field inside its label", `<label>Age <input type=number></label>`, "input", "spinbutton", "Age"},
		{"a field by its placeholder", `<input placeholder="Your name">`, "input", "textbox", "Your name"},
		{"a submit button by its value", `<input type=submit value=Send>`, "input", "button", "Send"},
		{"by another element", `<b id=t>Total</b><span role=status aria-labelledby=t>9</span>`, "span", "status", "Total"},
		{"a linked image by its text", `<a href=/><img alt=Logo></a>`, "a", "link", "Logo"},
		{"an explicit role wins", `<div role="tab button">One</div>`, "div", "tab", "One"},
		{"an anchor without address is no link", `<a>x</a>`, "a", "generic", ""},
	} {
		e := only(t, c.source, c.tag)
		if e.Role != c.role || e.Name != c.accessible {
			t.Errorf("%s: role %q name %q, want %q %q", c.name, e.Role, e.Name, c.role, c.accessible)
		}
	}
}

func TestWhatMarkupHidesIsInvisible(t *testing.T) {
	for source, visible := range map[string]bool{
		`<p>x</p>`: true, `<p hidden>x</p>`: false, `<div style="display: none"><p>x</p></div>`: false, `<p style="VISIBILITY:hidden">x</p>`: false,
		`<div style="color:red"><p>x</p></div>`: true,
	} {
		if e := only(t, source, "p"); e.Visible != visible {
			t.Errorf("%s: visible %v", source, e.Visible)
		}
	}
	if e := only(t, `<body>a<script>b</script><p hidden>c</p><template>d</template></body>`, "body"); e.Text != "a" {
		t.Errorf("text %q", e.Text)
	}
}

func TestParentsComeFirst(t *testing.T) {
	p, err := htmlpage.Parse([]byte(`<ul><li><a href=/>x</a></ul>`))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range p.Elements {
		if e.Parent >= i || i > 0 && e.Parent < 0 {
			t.Errorf("element %d <%s> has parent %d", i, e.Tag, e.Parent)
		}
		if p.Index(p.Nodes[i]) != i {
			t.Errorf("element %d is not found by its node", i)
		}
	}
	if e := heal.NewPage(p.Elements).Fingerprint(len(p.Elements) - 1); strings.Join(e.DOMPath, " ") != "html body ul li a" {
		t.Errorf("path %v", e.DOMPath)
	}
}

func TestDeepAndHugeDocumentsAreBounded(t *testing.T) {
	deep := strings.Repeat("<div>", 2000) + "x"
	p, err := htmlpage.Parse([]byte(deep))
	if err != nil {
		t.Skipf("the parser refuses: %v", err)
	}
	if len(p.Notes) != 1 {
		t.Errorf("notes %q", p.Notes)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`<a href=/ id=x class="a b">Home</a><label for=q>S</label><input id=q>`))
	f.Add([]byte("<table><svg><a xlink:href='x'>\xff"))
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 20_000 {
			return
		}
		p, err := htmlpage.Parse(source)
		if err != nil {
			return
		}
		page := heal.NewPage(p.Elements)
		for i := range min(page.Len(), 5) {
			page.Fingerprint(i)
		}
	})
}

func TestATitleTellsPagesApart(t *testing.T) {
	page := func(title, id string) *heal.Page {
		p, err := htmlpage.Parse([]byte(`<title>` + title + `</title><main><h1>Checkout</h1><p>Step</p><button id=` + id + `>Next</button><button id=b>Back</button></main>`))
		if err != nil {
			t.Fatal(err)
		}
		return heal.NewPage(p.Elements)
	}
	for _, c := range []struct{ was, is, want string }{
		{"Shipping", "Payment", engine.ReasonOtherPage},
		{"Shipping – Shop", "Payment – Shop", ""},
		{"(3) Inbox", "(12) Inbox", ""},
		{"3", "12", ""},
		{"", "Payment", ""},
	} {
		old := page(c.was, "a")
		d := heal.Compare(old, page(c.is, "z")).Heal(5, heal.Options{})
		if tag := old.Element(5); tag.Text != "Next" {
			t.Fatalf("element 5 is %+v", tag)
		}
		if d.Reason != c.want {
			t.Errorf("%q, now %q: %s %q, want %q", c.was, c.is, d.Outcome, d.Reason, c.want)
		}
	}
}
