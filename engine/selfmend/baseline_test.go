package selfmend

import (
	"bytes"
	"os"
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
