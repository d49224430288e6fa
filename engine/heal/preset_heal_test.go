package heal

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
)

func TestSelfmendComparesWhatItCanAddress(t *testing.T) {
	body := Element{Parent: -1, Tag: "body", Visible: true}
	in := func(parent int, tag string, attributes ...engine.Attribute) Element {
		return Element{Parent: parent, Tag: tag, Visible: true, Attributes: attributes}
	}
	hidden := func(e Element) Element { e.Visible = false; return e }
	id := func(id string) engine.Attribute { return engine.Attribute{Name: "id", Value: id} }
	button, dialog := engine.Fingerprint{Tag: "button"}, engine.Fingerprint{Tag: "div", Attributes: engine.Attributes{{Name: "role", Value: "dialog"}}}
	for _, c := range []struct {
		name string
		lost engine.Fingerprint
		page []Element
		want []int // at most two
	}{
		{"the same tag only", button, []Element{body, in(0, "a"), in(0, "button"), in(0, "input", engine.Attribute{Name: "type", Value: "button"})}, []int{2}},
		{"another tag of the same explicit role", dialog, []Element{body, in(0, "div"), in(0, "section", engine.Attribute{Name: "role", Value: "dialog"}), in(0, "p")}, []int{1, 2}},
		{"a role of the element that the lost one had not", button, []Element{body, in(0, "a", engine.Attribute{Name: "role", Value: "button"})}, nil},
		{"a computed role is no explicit one", dialog, []Element{body, {Parent: 0, Tag: "dialog", Role: "dialog", Visible: true}}, nil},
		{"the second of its tag", button, []Element{body, in(0, "button"), in(0, "p"), in(0, "button")}, []int{1, 3}},
		{"the same place under two parents without id", button, []Element{body, in(0, "div"), in(1, "button"), in(0, "div"), in(3, "button")}, nil},
		{"another place under the second", button, []Element{body, in(0, "div"), in(1, "button"), in(0, "div"), in(3, "button"), in(3, "button")}, []int{5}},
		{"the same place under parents of other tags", button, []Element{body, in(0, "div"), in(1, "button"), in(0, "nav"), in(3, "button")}, []int{2, 4}},
		{"a parent with an id", button, []Element{body, in(0, "div"), in(1, "button"), in(0, "div", id("bar")), in(3, "button")}, []int{4}},
		{"two parents of one id", button, []Element{body, in(0, "div", id("bar")), in(1, "button"), in(0, "nav", id("bar")), in(3, "button")}, nil},
		{"ids differ by case", button, []Element{body, in(0, "div", id("bar")), in(1, "button"), in(0, "div", id("Bar")), in(3, "button")}, []int{2, 4}},
		{"its own id is not looked at", button, []Element{body, in(0, "div"), in(1, "button", id("ok")), in(0, "div"), in(3, "button")}, nil},
		{"its own name is not looked at", button, []Element{body, in(0, "div"), in(1, "button", engine.Attribute{Name: "name", Value: "ok"}), in(0, "div"), in(3, "button")}, nil},
		{"a test id", button, []Element{body, in(0, "div"), in(1, "button", engine.Attribute{Name: "data-testid", Value: "ok"}), in(0, "div"), in(3, "button")}, []int{2}},
		{"a test id that another tag has too", button, []Element{body, in(0, "div", engine.Attribute{Name: "data-testid", Value: "ok"}), in(1, "button", engine.Attribute{Name: "data-testid", Value: "ok"}), in(0, "div"), in(3, "button")}, nil},
		{"an invisible one counts", button, []Element{body, in(0, "div"), in(1, "button"), in(0, "div"), hidden(in(3, "button"))}, nil},
		{"and is not taken itself", button, []Element{body, hidden(in(0, "button")), in(0, "button")}, []int{2}},
		{"a page that starts at html", button, []Element{in(-1, "html"), in(0, "body"), in(1, "button")}, []int{2}},
		{"a page without a root", button, []Element{in(-1, "button"), in(-1, "button")}, []int{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := NewPage(c.page)
			if diff := cmp.Diff(c.want, compared(Heal(c.lost, page, Options{Preset: preset.Selfmend}))); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
			for _, p := range []preset.Name{preset.Docs, preset.Py} {
				if len(compared(Heal(c.lost, page, Options{Preset: p}))) != min(2, page.candidates) {
					t.Errorf("%s leaves elements out", p)
				}
			}
		})
	}
}

// compared returns the elements a decision was between, in page order.
func compared(d Decision) []int {
	var list []int
	for _, c := range []*Candidate{d.Best, d.RunnerUp} {
		if c != nil {
			list = append(list, c.Index)
		}
	}
	slices.Sort(list)
	return list
}

func TestSelfmendComparesFingerprintsByTagAndRoleAlone(t *testing.T) {
	lost := engine.Fingerprint{Tag: "a", Attributes: engine.Attributes{{Name: "role", Value: "tab"}}}
	page := NewCandidates([]engine.Fingerprint{{Tag: "a"}, {Tag: "li"}, {Tag: "li", Attributes: engine.Attributes{{Name: "role", Value: "tab"}}}})
	if diff := cmp.Diff([]int{0, 2}, compared(Heal(lost, page, Options{Preset: preset.Selfmend}))); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

func BenchmarkAddressable(b *testing.B) {
	for _, n := range []int{1000, MaxElements} {
		page := NewPage(site(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				page.addressableOnce = sync.Once{}
				page.selfmendAddressable()
			}
		})
	}
}
