package locator

import (
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestARenamedClassIsWrittenInTheAuthorsCSS(t *testing.T) {
	for _, c := range []struct {
		css, tag, was, is string
		want              []string
	}{
		{".destroy", "button", "destroy", "remove", []string{".remove"}},
		{".todo-list li > .destroy", "button", "destroy", "remove", []string{".todo-list li > .remove"}},
		{"button.btn.save", "button", "btn save", "btn store", []string{"button.btn.store"}},
		{"button.save", "a", "save", "save", []string{"a.save"}},
		{"button.save", "a", "save", "store", []string{"a.store"}},
		{".card .save:not(.old)[type='a.b']", "button", "save", "store", []string{".card .store:not(.old)[type='a.b']"}},
		{"css=.save", "button", "save", "store", []string{"css=.store"}},
		{".save", "button", "save", "store keep", []string{".store", ".keep"}},
		{".save", "button", "save", "is-active mt-2 hover:bg btn css-1q2w3e text-muted store", []string{".btn", ".store"}},
		{".save", "button", "save old", "old", nil},
		{".a.b", "button", "a b", "c d", nil},
		{".save", "button", "save", "save", nil},
		{".save, .store", "button", "save", "keep", nil},
		{`.sa\:ve`, "button", "sa:ve", "keep", nil},
		{"#save", "button", "save", "keep", nil},
		{".save", "button", "save", `a"b`, nil},
	} {
		h := engine.HealEvent{Locator: c.css, Original: engine.Fingerprint{Attributes: engine.Attributes{{Name: "class", Value: c.was}}},
			Healed: engine.Fingerprint{Tag: c.tag, Attributes: engine.Attributes{{Name: "class", Value: c.is}}}}
		var got []string
		for _, s := range AuthorForms(h) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s of %q: %q, want %q", c.css, c.is, got, c.want)
		}
	}
}

// Who wrote an id or a name writes the new one, not a placeholder; a test id comes before both.
func TestTheAttributeThatTheAuthorNamedComesBeforeOthers(t *testing.T) {
	for _, c := range []struct {
		css, attribute, was, is string
		more                    engine.Attributes
		want                    string
	}{
		{"#targetUrl", "id", "targetUrl", "webhook-url", nil, "#webhook-url"},
		{"form input#title", "id", "title", "project-name", nil, "form input#project-name"},
		{"input[id=title]", "id", "title", "project-name", nil, "input[id=project-name]"},
		{"input[name='mail']", "name", "mail", "email", nil, "input[name='email']"},
		{"#targetUrl", "id", "targetUrl", "webhook-url", engine.Attributes{{Name: "data-testid", Value: "hook"}}, `[data-testid="hook"]`},
		{"#targetUrl", "id", "targetUrl", "input-g1wcxurlz", nil, `[placeholder="Target"]`},
		{"#targetUrl", "id", "targetUrl", ":r3:", nil, `[placeholder="Target"]`},
		{"#targetUrl", "id", "targetUrl", "targetUrl", nil, `[placeholder="Target"]`},
		{"#targetUrl", "name", "url", "hook", nil, `[placeholder="Target"]`},
		{"[data-row='a']", "data-row", "a", "b", nil, `[placeholder='Target']`},
		{"#a#targetUrl", "id", "targetUrl", "webhook-url", nil, `[placeholder="Target"]`},
		{"#targetUrl, #url", "id", "targetUrl", "webhook-url", nil, `[placeholder="Target"]`},
	} {
		h := engine.HealEvent{Locator: c.css, Original: engine.Fingerprint{Tag: "input", Attributes: engine.Attributes{{Name: c.attribute, Value: c.was}}},
			Healed: engine.Fingerprint{Tag: "input", Attributes: append(engine.Attributes{{Name: c.attribute, Value: c.is}, {Name: "placeholder", Value: "Target"}}, c.more...)}}
		if got := AuthorForms(h)[0].String(); got != c.want {
			t.Errorf("%s, now %s=%s: %s, want %s", c.css, c.attribute, c.is, got, c.want)
		}
	}
}

// Signs of an icon font are part of what Chromium calls an element; a person who writes
// a test leaves them out.
func TestSignsOfAnIconFontAreNotWritten(t *testing.T) {
	for _, f := range []engine.Fingerprint{
		{Tag: "button", Name: "\uf2ed Delete user", Text: "\uf2ed Delete user"},
		{Tag: "button", Name: "Delete user \U000f0101", Text: "Delete user"},
	} {
		h := engine.HealEvent{Locator: `internal:role=button[name="Remove user"i]`, Original: engine.Fingerprint{Tag: "button", Name: "Remove user"}, Healed: f}
		var got []string
		for _, s := range AuthorForms(h) {
			got = append(got, s.String())
		}
		if want := `internal:role=button[name="Delete user"i]`; !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q among them", f.Name, got, want)
		}
	}
}

// getByLabel reads aria-label, too.
func TestALabelIsWrittenWhereTheElementHasItAsAnAttribute(t *testing.T) {
	h := engine.HealEvent{Locator: `internal:role=listitem >> internal:label="Toggle"i`, Original: engine.Fingerprint{Tag: "input"},
		Healed: engine.Fingerprint{Tag: "input", Attributes: engine.Attributes{{Name: "aria-label", Value: "Complete"}}}}
	var got []string
	for _, s := range AuthorForms(h) {
		got = append(got, s.String())
	}
	if want := `internal:role=listitem >> internal:label="Complete"i`; !slices.Contains(got, want) {
		t.Errorf("%q, want %q among them", got, want)
	}
}
