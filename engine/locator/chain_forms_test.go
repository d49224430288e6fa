package locator

import (
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// above returns ancestors with an id and classes each, "id class class".
func above(idsAndClasses ...string) (list []engine.Fingerprint) {
	for _, text := range idsAndClasses {
		id, class, _ := strings.Cut(text, " ")
		list = append(list, engine.Fingerprint{Tag: "div", Attributes: engine.Attributes{{Name: "id", Value: id}, {Name: "class", Value: class}}})
	}
	return list
}

func TestARenamedAncestorIsWrittenInTheAuthorsCSS(t *testing.T) {
	for _, c := range []struct {
		css   string
		above []engine.Fingerprint
		want  []string
	}{
		{"#old-form button", above("plain-form ", "page main"), []string{"#plain-form button", "#page button"}},
		{"#old-form > .row button", above(" row", "plain-form "), []string{"#plain-form > .row button"}},
		{".todo-list li .destroy", above(" item", " todos active mt-2 css-1q2w3e"), []string{".item li .destroy", ".todos li .destroy"}},
		{"#app.old .card button[type='a.b']", above(" card", "app new"), []string{"#app.new .card button[type='a.b']"}},
		{"div[data-x='#old'] .list button:not(.old)", above(" items"), []string{"div[data-x='#old'] .items button:not(.old)"}},
		{"#old .list button", above("new items"), nil},
		{"#form button", above("form ", "page "), nil},
		{"#form button", above(" form"), nil},
		{"#form button", above("form-1739281 "), nil},
		{"#form button, #old a", above("new "), nil},
		{`#fo\:rm button`, above("new "), nil},
		{"button", above("new "), nil},
		{"#old", above("new "), nil},
		{"internal:role=button", above("new "), nil},
		{"nav >> #old a", above("new "), []string{"nav >> #new a"}},
	} {
		var got []string
		for _, s := range ChainForms(engine.HealEvent{Locator: c.css}, c.above) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.css, got, c.want)
		}
	}
}

func TestAPartOfAChainIsWrittenAsItsElementIsNow(t *testing.T) {
	element := func(tag string, attributes ...string) engine.Fingerprint {
		f := engine.Fingerprint{Tag: tag}
		for i := 0; i < len(attributes); i += 2 {
			f.Attributes = append(f.Attributes, engine.Attribute{Name: attributes[i], Value: attributes[i+1]})
		}
		return f
	}
	task, box := element("li", "data-testid", "task", "class", "task"), element("input", "type", "checkbox", "class", "tick")
	list := element("ul", "class", "tasks", "data-testid", "tasks")
	for _, c := range []struct {
		name, locator string
		was, is       engine.Fingerprint
		above         []engine.Fingerprint
		want          []string
	}{
		{"the test id of one of a list", `internal:testid=[data-testid="todo"s] >> nth=1`, element("li", "data-testid", "todo"), task, []engine.Fingerprint{list},
			[]string{`internal:testid=[data-testid="task"s] >> nth=1`}},
		{"the class of one of a list", `.todo >> nth=1`, element("li", "class", "todo"), element("li", "class", "task"), nil, []string{`.task >> nth=1`}},
		{"the classes of one and of its list", `.todos li .toggle >> nth=0`, element("input", "class", "toggle"), element("input", "class", "tick"), []engine.Fingerprint{element("li"), element("ul", "class", "tasks")},
			[]string{`.todos li .tick >> nth=0`, `.tasks li .toggle >> nth=0`, `.tasks li .tick >> nth=0`}},
		{"the test id of what it is in", `internal:testid=[data-testid="todo"s] >> nth=1 >> internal:role=checkbox`, box, box, []engine.Fingerprint{element("div"), task, list},
			[]string{`internal:testid=[data-testid="task"s] >> nth=1 >> internal:role=checkbox`, `internal:testid=[data-testid="tasks"s] >> nth=1 >> internal:role=checkbox`}},
		{"the test id of one with a text", `internal:testid=[data-testid="todo"s] >> internal:has-text="feed"i`, element("li", "data-testid", "todo"), task, nil,
			[]string{`internal:testid=[data-testid="task"s] >> internal:has-text="feed"i`}},
		{"the first of a list, by what may be its own name", `internal:testid=[data-testid="todo"s] >> nth=0`, element("li", "data-testid", "todo"), element("li", "data-testid", "task-7"), nil, nil},
		{"the second of a list", `internal:testid=[data-testid="todo"s] >> nth=1`, element("li", "data-testid", "todo"), element("li", "data-testid", "column-2"), nil,
			[]string{`internal:testid=[data-testid="column-2"s] >> nth=1`}},
		{"nothing to name it by", `internal:testid=[data-testid="todo"s] >> nth=1`, element("li", "data-testid", "todo"), element("li"), nil, nil},
		{"one of two", `internal:testid=[data-testid="todo"s] >> internal:or="internal:role=button" >> nth=1`, element("li"), task, nil, nil},
		{"no chain", `internal:testid=[data-testid="todo"s]`, element("li", "data-testid", "todo"), task, []engine.Fingerprint{list}, nil},
	} {
		var got []string
		for _, s := range ChainForms(engine.HealEvent{Locator: c.locator, Original: c.was, Healed: c.is}, c.above) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A class that was there before did not come in the place of another one.
func TestWhatAClassBecameWasNotThereBefore(t *testing.T) {
	for _, c := range []struct {
		locator, own string
		region       []string
		above        []engine.Fingerprint
		want         string
	}{
		{".view .bar p.created", "created", []string{"c:column", "c:bar", "c:view"}, above(" column actions", " view"), ".view .actions p.created"},
		{".view .bar p.created", "created", []string{"c:bar", "c:view"}, above(" column actions", " view"), ".view .column p.created"},
		{".view .bar p.created", "created", nil, above(" column actions", " view"), ".view .column p.created"},
		{".view .bar p.created", "created", []string{"c:column", "c:bar"}, above(" column", " view"), ".view .column p.created"},
		{".menu .opener", "trigger", []string{"c:dropdown", "c:menu"}, above(" dropdown tools"), ".tools .opener"},
		{`.check >> internal:has-text="a"i >> .label`, "label", []string{"c:box", "c:check"}, []engine.Fingerprint{
			{Tag: "div", Attributes: engine.Attributes{{Name: "class", Value: "box event"}, {Name: "data-testid", Value: "box"}}}}, `.event >> internal:has-text="a"i >> .label`},
		{`.check >> internal:has-text="a"i >> .label`, "label", nil, []engine.Fingerprint{
			{Tag: "div", Attributes: engine.Attributes{{Name: "class", Value: "box event"}, {Name: "data-testid", Value: "box"}}}}, `[data-testid="box"] >> internal:has-text="a"i >> .label`},
	} {
		class := func(name string) engine.Attributes { return engine.Attributes{{Name: "class", Value: name}} }
		h := engine.HealEvent{Locator: c.locator, Original: engine.Fingerprint{Tag: "p", Attributes: class("opener"), Region: c.region}, Healed: engine.Fingerprint{Tag: "p", Attributes: class(c.own)}}
		if got := ChainForms(h, c.above); len(got) == 0 || got[0].String() != c.want {
			t.Errorf("%s in %v: %v, want %s first", c.locator, c.region, got, c.want)
		}
	}
}
