package trial

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// scene is a page of the tried app with one control that its test is about.
type scene struct {
	name  string
	kind  string
	words []string // of the controls on the page, the test's first
	trap  string   // what became of the control: "" changed, "removed", "replaced" or "look-alike"
	weak  string   // what the test checks: "" the effect, "heading" or "any" effect
}

// kinds are the kinds of controls, with the words of four pages each.
var kinds = map[string][][]string{
	"button": {
		{"Save draft", "Discard draft", "Print draft"}, {"Place order", "Empty cart", "Continue shopping"},
		{"Book room", "Cancel booking", "Change dates"}, {"Send invoice", "Download invoice", "Void invoice"}, {"Deploy to staging", "Deploy to preview", "Roll back"},
	},
	"field": {
		{"Full name", "Company", "Street"}, {"Email address", "Phone number", "Fax number"},
		{"Card holder", "Voucher code", "Tax number"}, {"Project title", "Budget code", "Cost centre"}, {"First name", "Last name", "Nickname"},
	},
	"check": {
		{"Gift wrap", "Express delivery", "Insurance"}, {"Newsletter", "Product news", "Surveys"},
		{"Dark mode", "Compact view", "Large text"}, {"Two-factor login", "Login alerts", "Trusted devices"}, {"Include tax", "Include shipping", "Include tips"},
	},
	"select": {
		{"Country", "Language", "Currency"}, {"Room size", "Floor", "View"},
		{"Priority", "Severity", "Category"}, {"Payment terms", "Shipping terms", "Return terms"}, {"Sort order", "Page size", "Group by"},
	},
	"link": {
		{"Invoices", "Customers", "Suppliers"}, {"Opening hours", "Directions", "Parking"},
		{"Release notes", "Roadmap", "Known issues"}, {"Team members", "Open roles", "Benefits"}, {"Privacy policy", "Imprint", "Terms"},
	},
	"row": {
		{"Alice", "Bob", "Carol"}, {"Blue mug", "Red plate", "Green bowl"},
		{"Invoice 17", "Invoice 18", "Invoice 19"}, {"Berlin", "Paris", "Rome"}, {"Monday", "Tuesday", "Friday"},
	},
	"tab": {
		{"Billing", "Security", "Notifications"}, {"Ingredients", "Nutrition", "Reviews"},
		{"Overview", "Activity", "Files"}, {"Departures", "Arrivals", "Transfers"}, {"Profile", "Orders", "Addresses"},
	},
	"dialog": {
		{"Invite a colleague", "Export members", "Archive team"}, {"Write a review", "Ask a question", "Report a problem"},
		{"Upload a picture", "Crop picture", "Remove picture"}, {"Add a note", "Pin the note", "Share notes"}, {"New event", "Import calendar", "Print month"},
	},
	"read": {{"Total", "Subtotal", "Shipping"}, {"Balance", "Pending", "Overdraft"}, {"Temperature", "Humidity", "Pressure"}, {"Open tickets", "Closed tickets", "Average age"}},
	"search": {
		{"Search products", "Coupon", "Postcode"}, {"Find a person", "Find a room", "Find a desk"},
		{"Filter orders", "Filter returns", "Filter credits"}, {"Search articles", "Jump to page", "Search images"},
	},
}

var order = []string{"button", "field", "check", "select", "link", "row", "tab", "dialog", "read", "search"}

// scenes returns 20 changed controls and 24 traps, each of the three on a control of each
// kind, and with BREADCRUMB_LONG=1 40 of both.
func scenes() (list []scene) {
	pages, traps := 2, 24
	if os.Getenv("BREADCRUMB_LONG") != "" {
		pages, traps = 4, 40
	}
	for _, kind := range order {
		for i, words := range kinds[kind][:pages] {
			list = append(list, scene{name: fmt.Sprintf("changed-%s-%d", kind, i), kind: kind, words: words})
		}
	}
	for i := range traps {
		kind := order[i%8]
		s := scene{kind: kind, words: kinds[kind][i/8], trap: []string{"removed", "replaced", "look-alike"}[i%3], weak: []string{"", "heading", "any"}[(i/3)%3]}
		s.name = fmt.Sprintf("trap-%s-%s-%d", s.trap, kind, i)
		list = append(list, s)
	}
	return list
}

// startApp serves the pages of a release: the one before, or the one in which controls are
// renamed, moved and restyled, and the traps' are gone.
func startApp(t *testing.T, after bool) string {
	t.Helper()
	pages := map[string]string{}
	for _, s := range scenes() {
		pages["/"+s.name] = s.page(after)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if text, ok := pages[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		title := html.EscapeString(strings.TrimPrefix(r.URL.Path, "/to/"))
		fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>%s</h1><output>%s</output>", title, title, title)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// control is one element of a page.
type control struct{ id, class, word, effect string }

// controls returns the elements of a page in their order, the test's among them.
func (s scene) controls(after bool) (list []control) {
	for i, word := range s.words {
		list = append(list, control{fmt.Sprintf("c%d", i), "plain", word, word})
	}
	if !after {
		return list
	}
	for i := range list {
		list[i].class = "styled"
	}
	own := list[0]
	switch own.id = "renewed"; s.trap {
	case "":
		return []control{list[1], own, list[2]}
	case "replaced":
		own.word, own.effect = "Reset everything", "Reset everything"
		return []control{own, list[1], list[2]}
	case "look-alike":
		own.effect = own.word + " of last year"
		return []control{list[1], list[2], own}
	}
	return list[1:]
}

// wrong is the id of the element that a wrong edit of a trap names.
func (s scene) wrong() string {
	if s.trap == "removed" {
		return "c1"
	}
	return "renewed"
}

// page returns the page as HTML.
func (s scene) page(after bool) string {
	var body strings.Builder
	controls := s.controls(after)
	for _, c := range controls {
		at := fmt.Sprintf(`id="%s" class="%s" data-effect="%s"`, c.id, c.class, c.effect)
		switch s.kind {
		case "button", "dialog":
			fmt.Fprintf(&body, `<button type="button" %s>%s</button>`, at, c.word)
		case "field", "search":
			fmt.Fprintf(&body, `<p><label for="%s">%s</label> <input %s></p>`, c.id, c.word, at)
		case "check":
			fmt.Fprintf(&body, `<p><label><input type="checkbox" %s> %s</label></p>`, at, c.word)
		case "select":
			fmt.Fprintf(&body, `<p><label for="%s">%s</label> <select %s><option>none</option><option>%s high</option><option>%s low</option></select></p>`, c.id, c.word, at, c.word, c.word)
		case "link":
			fmt.Fprintf(&body, `<li><a href="/to/%s" %s>%s</a></li>`, c.effect, at, c.word)
		case "row":
			fmt.Fprintf(&body, `<tr><td>%s</td><td><button type="button" %s>Remove %s</button></td></tr>`, c.word, at, c.word)
		case "tab":
			fmt.Fprintf(&body, `<button type="button" role="tab" %s>%s</button>`, at, c.word)
		case "read":
			fmt.Fprintf(&body, `<p>%s <strong %s>%s is %d</strong></p>`, c.word, at, c.effect, 10*(1+len(c.word)))
		}
	}
	content, behind := body.String(), ""
	switch s.kind {
	case "row":
		content = "<table><tbody>" + content + "</tbody></table>"
	case "link":
		content = "<ul>" + content + "</ul>"
	case "field", "check", "select":
		behind = `<button type="button" id="apply">Apply</button>`
	}
	return `<!doctype html><meta charset="utf-8"><title>` + s.name + `</title><header><h1>Office</h1><nav><a href="/to/Start">Start</a></nav></header>
<main><section aria-label="Work">` + content + behind + `</section><dialog><h2></h2><button type="button">Close</button></dialog></main><output></output>
<script>` + "const kind = '" + s.kind + "';\n" + appScript + `</script>`
}

const appScript = `
const say = (text) => { document.querySelector("output").textContent = "Done: " + text; };
for (const e of document.querySelectorAll("[data-effect]")) {
  const effect = e.dataset.effect;
  if (kind === "button" || kind === "tab") e.onclick = () => say(effect);
  if (kind === "dialog") e.onclick = () => { document.querySelector("h2").textContent = effect; document.querySelector("dialog").show(); say(effect); };
  if (kind === "row") e.onclick = () => { e.closest("tr").remove(); say("without " + effect); };
  if (kind === "search") e.onkeydown = (event) => { if (event.key === "Enter") say(effect + " for " + e.value); };
}
document.querySelector("#apply")?.addEventListener("click", () => {
  const values = [...document.querySelectorAll("[data-effect]")].map((e) => e.dataset.effect + "=" + (e.type === "checkbox" ? e.checked : e.value));
  say(values.filter((v) => !/=(false|none|)$/.test(v)).join(", "));
});
`

// testOf returns the test of a page, which looks for its control by selector.
func (s scene) test(selector string) string {
	find := "page.locator('" + selector + "')"
	want := "Done: " + s.words[0]
	var steps []string
	switch s.kind {
	case "button", "tab", "dialog":
		steps = []string{"await " + find + ".click();"}
	case "row":
		steps, want = []string{"await " + find + ".click();"}, "Done: without "+s.words[0]
	case "link":
		steps, want = []string{"await " + find + ".click();"}, s.words[0]
	case "field":
		steps, want = []string{"await " + find + ".fill('Ada');", "await page.locator('#apply').click();"}, want+"=Ada"
	case "check":
		steps, want = []string{"await " + find + ".check();", "await page.locator('#apply').click();"}, want+"=true"
	case "select":
		steps, want = []string{"await " + find + ".selectOption({ index: 1 });", "await page.locator('#apply').click();"}, want+"="+s.words[0]+" high"
	case "search":
		steps, want = []string{"const box = " + find + ";", "await box.fill('mug');", "await box.press('Enter');"}, want+" for mug"
	case "read":
		steps = []string{"await expect(" + find + ").toHaveText('" + fmt.Sprintf("%s is %d", s.words[0], 10*(1+len(s.words[0]))) + "');"}
	}
	switch {
	case s.kind == "read": // what an assertion finds is learned while its page is there
		steps = append(steps, "await expect(page.locator('h1')).toHaveText('Office');")
	case s.weak == "heading":
		steps = append(steps, "await expect(page.locator('h1')).toBeVisible();")
	case s.weak == "any":
		steps = append(steps, "await expect(page.locator('output')).not.toHaveText('');")
	default:
		steps = append(steps, "await expect(page.locator('output')).toHaveText('"+want+"');")
	}
	return "test('" + s.name + "', async ({ page }) => {\n  await page.goto('/" + s.name + "');\n  " + strings.Join(steps, "\n  ") + "\n});\n"
}
