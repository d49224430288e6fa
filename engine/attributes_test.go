package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The short way to read attributes reads what the long one does, or leaves it to that.
func TestPlainAttributesAreReadAsAnyOthers(t *testing.T) {
	for text, plain := range map[string]bool{
		`[]`:              true,
		`[["id","save"]]`: true,
		`[["id",""],["class","a b [c], d"],["","größe 😀 ] ["]]`: true,
		"[[\"x\",\"\u2028\x7f\"]]":                              true,
		`[["a","],["],["b",",,"]]`:                              true,
		`[["a", "b"], ["c", ""]]`:                               true,
		`[["a" ,"b"]]`:                                          false,
		`[["a","b"] ]`:                                          false,
		`[["a","b\"c"]]`:                                        false,
		`[["a","\u0062"]]`:                                      false,
		"[[\"a\",\"\xff\"]]":                                    false,
		`[["a",null]]`:                                          false,
		`[["a",null],["b","c"]]`:                                false,
		`[["a"],["b","c"]]`:                                     false,
		`[["a","b","c"]]`:                                       false,
		`[["a","b"],[]]`:                                        false,
		`[["a",1]]`:                                             false,
		`{"a":"b"}`:                                             false,
		`null`:                                                  false,
	} {
		var short, long Attributes
		if ok := short.readPlain([]byte(text)); ok != plain {
			t.Errorf("%s: read the short way %v, want %v", text, ok, plain)
		}
		if plain && (!long.readStrings([]byte(text)) || !slices.Equal(short, long) || short == nil) {
			t.Errorf("%s: %q, want %q", text, short, long)
		}
	}
	for _, cut := range []string{`[["a","b"]`, `[["a","b"],`, `[["a","b"`, `[["a`, `[`, ``, `[["a","b"]]]`, `[["a","b"]["c","d"]]`} {
		if (&Attributes{}).readPlain([]byte(cut)) {
			t.Errorf("%s was read", cut)
		}
	}
}

func BenchmarkReadAttributes(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`["class","row item"],`, 3) + `["id","item-17"]]`)
	b.ReportAllocs()
	for b.Loop() {
		var as Attributes
		if err := json.Unmarshal(text, &as); err != nil {
			b.Fatal(err)
		}
	}
}
