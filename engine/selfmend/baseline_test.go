package selfmend

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestBaselineBytesAreStable(t *testing.T) {
	want, err := os.ReadFile("testdata/baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := ReadBaseline(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // maps have no order
		var got bytes.Buffer
		if err := baseline.Write(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Fatalf("written back (-want +got):\n%s", diff)
		}
	}
}

func TestBaselineEscapesAsJavaScript(t *testing.T) {
	var b Baseline
	if err := b.Put(engine.Fingerprint{TestID: "T", Locator: "#pay", Tag: "p", Text: "<\u2028\u2029> \\u2028 \\\u2028 \""}); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	if want := "\"<\u2028\u2029> \\\\u2028 \\\\\u2028 \\\"\""; !strings.Contains(file.String(), want) {
		t.Errorf("want %q in %q", want, file.String())
	}
}

func TestBaselineKeepsFingerprints(t *testing.T) {
	f := engine.Fingerprint{TestID: "TestPay", Locator: "#pay #2", Tag: "button", Text: "pay", DOMPath: []string{"form", "button"},
		Attributes: engine.Attributes{{Name: "data-testid", Value: "pay"}, {Name: "type", Value: "submit"}},
		Place:      &engine.Place{Ordinal: 3, Before: "label", After: "p"}}
	var b Baseline
	if err := b.Put(f); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadBaseline(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := read.Fingerprint("TestPay", "#pay #2")
	if diff := cmp.Diff(f, got); !ok || diff != "" {
		t.Errorf("found %v (-want +got):\n%s", ok, diff)
	}
	if _, ok := read.Fingerprint("TestPay", "#pay"); ok {
		t.Error("another occurrence was found")
	}
}

func TestBadBaselinesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         "x",
		"another version": `{"version":2,"entries":{}}`,
		"raw markup":      `{"version":1,"entries":{"k":{"tag":"p","innerHTML":"<b>"}}}`,
		"no tag":          `{"version":1,"entries":{"k":{"text":"x"}}}`,
	} {
		if _, err := ReadBaseline(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	golden, err := os.ReadFile("testdata/baseline.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := first.Write(&once); err != nil {
			t.Fatal(err)
		}
		second, err := ReadBaseline(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, once.Bytes())
		}
		if err := second.Write(&twice); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("not stable:\n%s\n%s", once.Bytes(), twice.Bytes())
		}
	})
}

// Keys as selfmend v0.2 writes them, from the calls of the test, beside what Playwright
// calls the locator.
var keys = []struct{ selector, description string }{
	{"#save", "page.locator(#save)"},
	{"#form >> .save", "page.locator(#form >> .save)"},
	{"#form >> .save", "page.locator(#form) >> locator(.save)"},
	{`internal:testid=[data-testid="pay"s]`, "page.getByTestId(pay)"},
	{`internal:role=button`, "page.getByRole(button)"},
	{`internal:role=button[name="Pay, \"now\""i]`, `page.getByRole(button,{"name":"Pay, \"now\""})`},
	{`internal:role=button[name="Pay"s]`, `page.getByRole(button,{"name":"Pay","exact":true})`},
	{`internal:role=button[name="Pay"s]`, `page.getByRole(button,{"exact":true,"name":"Pay"})`},
	{`internal:label="E-Mail"i`, "page.getByLabel(E-Mail)"},
	{`internal:label="E-Mail"s`, `page.getByLabel(E-Mail,{"exact":true})`},
	{`internal:text="Überweisung"i`, "page.getByText(Überweisung)"},
	{`internal:attr=[placeholder="Search"i]`, "page.getByPlaceholder(Search)"},
	{`internal:attr=[alt="Logo"i]`, "page.getByAltText(Logo)"},
	{`internal:attr=[title="Close"s]`, `page.getByTitle(Close,{"exact":true})`},
	{`#form >> internal:role=button[name="Pay"i]`, `page.locator(#form) >> getByRole(button,{"name":"Pay"})`},
	{`li >> internal:has-text="Mug"i >> internal:role=button`, `page.locator(li) >> filter({"hasText":"Mug"}) >> getByRole(button)`},
	{`li >> internal:has-text="Mug"i`, `page.locator(li) >> filter({"hasText":"Mug"})`},
	{`li >> internal:has-text="Mug"i`, `page.locator(li,{"hasText":"Mug"})`},
	{`internal:role=listitem >> nth=0`, "page.getByRole(listitem) >> first()"},
	{`internal:role=listitem >> nth=0`, "page.getByRole(listitem) >> nth(0)"},
	{`internal:role=listitem >> nth=-1`, "page.getByRole(listitem) >> last()"},
	{`internal:role=listitem >> nth=2`, "page.getByRole(listitem) >> nth(2)"},
	{`internal:text=/save/i`, "page.locator(internal:text=/save/i)"}, // selfmend's key does not say the pattern
}

func TestALocatorIsFoundUnderTheKeyThatSelfmendWrote(t *testing.T) {
	const file = "tests/a.spec.ts tests/a.spec.ts > pays"
	for _, c := range keys {
		b := &Baseline{entries: map[string]baselineEntry{}}
		key := file + " " + c.description + " 1"
		b.entries[key] = baselineEntry{Tag: "button", Text: "Pay NOW", TestID: "pay"}
		b.entries[file+" "+c.description+" 0"] = baselineEntry{Tag: "a"}
		b.entries["tests/b.spec.ts tests/b.spec.ts > refunds "+c.description+" 1"] = baselineEntry{Tag: "b"}
		f, ok := b.Fingerprint("tests/a.spec.ts > pays", c.selector+" #2")
		if !ok || f.Tag != "button" {
			t.Errorf("%s: %s was not found: %v", c.selector, c.description, f.Tag)
			continue
		}
		f.Text = engine.NormalizeText(f.Text)
		if err := b.Put(f); err != nil {
			t.Fatal(err)
		}
		if got := b.entries[key]; len(b.entries) != 3 || got.Text != "Pay NOW" || got.TestID != "pay" {
			t.Errorf("%s: written as %+v among %d entries", c.selector, got, len(b.entries))
		}
	}
}

func TestANewLocatorIsWrittenAsSelfmendDescribesIt(t *testing.T) {
	for _, c := range keys {
		var b Baseline
		if err := b.Put(engine.Fingerprint{TestID: "TestPay", Locator: c.selector, Tag: "button"}); err != nil {
			t.Fatal(err)
		}
		for key := range b.entries {
			description := strings.TrimSuffix(strings.TrimPrefix(key, " TestPay "), " 0")
			if !slices.ContainsFunc(keys, func(k struct{ selector, description string }) bool {
				return k.selector == c.selector && k.description == description
			}) {
				t.Errorf("%s is written as %s", c.selector, description)
			}
		}
	}
}

func TestTheProjectsTestIDAttributeIsTheBaselines(t *testing.T) {
	b := Baseline{TestIDAttribute: "data-qa"}
	f := engine.Fingerprint{TestID: "T", Locator: "#pay", Tag: "p", Attributes: engine.Attributes{{Name: "data-qa", Value: "pay"}, {Name: "data-testid", Value: "x"}}}
	if err := b.Put(f); err != nil {
		t.Fatal(err)
	}
	if e := b.entries[" T page.locator(#pay) 0"]; e.TestID != "pay" {
		t.Errorf("written as %+v", e)
	}
	got, _ := b.Fingerprint("T", "#pay")
	if value, _ := got.Attributes.Get("data-qa"); value != "pay" {
		t.Errorf("read as %v", got.Attributes)
	}
}

func TestABaselineForgetsWhatIsMeant(t *testing.T) {
	var b Baseline
	for _, of := range [][2]string{{"one", "#a"}, {"one", "#a #2"}, {"two", "#a"}} {
		if err := b.Put(engine.Fingerprint{TestID: engine.TestID(of[0]), Locator: of[1], Tag: "p"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		test, locator string
		want          int
	}{{"one", "#a", 1}, {"one", "#a", 0}, {"three", "#a", 0}, {"one", "", 0}, {"", "", 2}} {
		if n := b.Forget(c.test, c.locator); n != c.want {
			t.Errorf("%q %q: %d forgotten, want %d", c.test, c.locator, n, c.want)
		}
	}
	if _, ok := b.Fingerprint("one", "#a #2"); ok {
		t.Error("what was forgotten is found")
	}
}
