package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

// pageOf puts together the last of a frame's snapshots.
func pageOf(t *testing.T, snapshots ...string) *page {
	t.Helper()
	var events strings.Builder
	events.WriteString(newest)
	for _, html := range snapshots {
		events.WriteString(`{"type":"frame-snapshot","snapshot":{"callId":"c","phase":"before","frameId":"f","html":` + strings.ReplaceAll(html, "\n", " ") + `,"isMainFrame":true}}` + "\n")
	}
	trace, err := read(pack(t, file{"1-trace.trace", events.String()}))
	if err != nil {
		t.Fatal(err)
	}
	return trace.page(trace.order[len(trace.order)-1])
}

func tags(p *page) string {
	var out []string
	for _, e := range p.elements {
		name := e.Tag
		if id, ok := e.Attributes.Get("id"); ok {
			name += "#" + id
		}
		if e.OwnText != "" {
			name += "=" + e.OwnText
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestReferencesCountNodesFromTheInnermostOut(t *testing.T) {
	first := `["HTML",{},["BODY",{},["P",{},"one"],"between",["P",{"id":"b"},"two"]]]`
	// one=0 P=1 between=2 two=3 P#b=4 BODY=5 HTML=6
	second := `["HTML",{},["BODY",{},[[1,4]],["P",{},"three"],[[1,1]]]]`
	// three=0 P=1 BODY=2 HTML=3: references are not counted
	third := `["HTML",{},["BODY",{},[[1,1]],[[2,4]]]]`
	cases := map[string]struct {
		snapshots []string
		want      string
	}{
		"as written":              {[]string{first}, "html body=between p=one p#b=two"},
		"the whole again":         {[]string{first, `[[1,6]]`, `[[2,6]]`}, "html body=between p=one p#b=two"},
		"parts of the one before": {[]string{first, second}, "html body p#b=two p=three p=one"},
		"of several before":       {[]string{first, second, third}, "html body p=three p#b=two"},
		"into a shadow":           {[]string{`["HTML",{},["BODY",{},["X-A",{},["template",{"__playwright_shadow_root_":"open"},["B",{},"in"]],["I",{},"out"]]]]`}, "html body x-a b=in i=out"},
		"a template is no page":   {[]string{`["HTML",{},["BODY",{},["TEMPLATE",{},["B",{},"in"]]]]`}, "html body"},
		"references to nothing":   {[]string{`["HTML",{},["BODY",{},[[1,1]],[[0,0]],[[-1,2]],[[1e9,1]],[["a",1]],[[1]],[],7,null,["P",{},"here"]]]`}, "html body p=here"},
		"what is beside":          {[]string{`["HTML",null,["BODY"],["P",{"id":7},"x"]]`}, "html body p=x"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := pageOf(t, c.snapshots...)
			if p == nil {
				t.Fatal("no page")
			}
			if diff := cmp.Diff(c.want, tags(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPagesThatAreNoneAreNil(t *testing.T) {
	for name, html := range map[string]string{
		"a text": `"text"`, "nothing": `null`, "a reference to nothing": `[[3,1]]`, "an empty list": `[]`, "an object": `{}`,
	} {
		if p := pageOf(t, html); p != nil {
			t.Errorf("%s: %v", name, tags(p))
		}
	}
}

func TestAFewBytesMakeNoHugePage(t *testing.T) {
	snapshots := []string{`["HTML",{},["P",{},"x"]]`}
	for range 60 { // each holds the one before it twice: 2^60 nodes
		last := "2"
		if len(snapshots) > 1 {
			last = "0"
		}
		snapshots = append(snapshots, `["HTML",{},[[1,`+last+`]],[[1,`+last+`]]]`)
	}
	if p := pageOf(t, snapshots...); p != nil {
		t.Errorf("made a page of %d elements", len(p.elements))
	}
	deep := strings.Repeat(`["DIV",{},`, 5000) + `"x"` + strings.Repeat(`]`, 5000)
	if p := pageOf(t, deep); p != nil && len(p.elements) > maxDepth+2 {
		t.Errorf("made a page %d deep", len(p.elements))
	}
}

func TestOnlyThePagesOwnIsKept(t *testing.T) {
	p := pageOf(t, `["HTML",{},["BODY",{},
		["INPUT",{"type":"password","value":"hunter2x","__playwright_value_":"hunter3x","name":"old"}],
		["INPUT",{"type":"text","value":"typed","__playwright_value_":"typed","id":"n"}],
		["INPUT",{"type":"submit","value":"Send"}],
		["TEXTAREA",{},"letters"], ["DIV",{"contenteditable":""},"draft",["B",{},"bold draft"]],
		["P",{"onclick":"x()","style":"color:red","data-csrf-token":"t0k3n","data-x":"1"},"says hunter3x and hunter2x"],
		["A",{"href":"https://ada:pw@shop.example/a?session=s3cr3t&b=2#c"},"go"],
		["IMG",{"src":"data:image/png;base64,AAAA"}],
		["IFRAME",{"src":"/snapshot/frame@1","id":"pay"}]]]`)
	type kept struct {
		Tag, Text  string
		Attributes engine.Attributes
	}
	var got []kept
	for _, e := range p.elements[2:] {
		got = append(got, kept{e.Tag, e.Text, e.Attributes})
	}
	want := []kept{
		{"input", "", engine.Attributes{{Name: "name", Value: "old"}, {Name: "type", Value: "password"}}},
		{"input", "", engine.Attributes{{Name: "id", Value: "n"}, {Name: "type", Value: "text"}}},
		{"input", "", engine.Attributes{{Name: "type", Value: "submit"}, {Name: "value", Value: "Send"}}},
		{"textarea", "", nil},
		{"div", "", engine.Attributes{{Name: "contenteditable"}}},
		{"b", "", nil},
		{"p", "says and", engine.Attributes{{Name: "data-x", Value: "1"}}},
		{"a", "go", engine.Attributes{{Name: "href", Value: "https://shop.example/a?session=&b=#c"}}},
		{"img", "", engine.Attributes{{Name: "src", Value: "data:"}}},
		{"iframe", "", engine.Attributes{{Name: "id", Value: "pay"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, e := range p.elements {
		if e.Value != "" && e.Value != "Send" {
			t.Errorf("element %d keeps the value %q", i, e.Value)
		}
	}
	if p.frames[len(p.elements)-1] != "frame@1" {
		t.Errorf("frames: %v", p.frames)
	}
}
