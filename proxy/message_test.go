package proxy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPartsOfAMessageAreFound(t *testing.T) {
	for _, c := range []struct{ name, text, id, method, selector string }{
		{"a number", `{"id":7,"guid":"frame@1","method":"click","params":{"selector":"#a"}}`, "7", "click", "#a"},
		{"a string, with spaces", ` { "id" : "yvpk@43" , "method":"click","params": {"strict" :true, "selector": "a\"b\\" } } `, `"yvpk@43"`, "click", `a"b\`},
		{"the last one counts", `{"id":1,"id":2}`, "2", "", ""},
		{"deeper ones do not count", `{"params":{"id":3,"x":[{"id":4},"]}"],"selector":"x"}}`, "", "", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ok := readMessage([]byte(c.text))
			if !ok {
				t.Fatal("no message")
			}
			selector, _ := m.field(m.params, "selector")
			if got := string(m.id.of(m.text)); got != c.id || m.string(m.method) != c.method || m.string(selector) != c.selector {
				t.Errorf("id %s, method %q, selector %q", got, m.string(m.method), m.string(selector))
			}
		})
	}
}

func TestAnEditLeavesTheRestAsItIs(t *testing.T) {
	m, _ := readMessage([]byte(`{"id": 7,  "params" :{"a":1, "selector":"#a" },"metadata":{}}`))
	selector, _ := m.field(m.params, "selector")
	got := m.edited(edit{selector, []byte(`"#longer"`)}, edit{m.id, []byte(`"x"`)})
	if want := `{"id": "x",  "params" :{"a":1, "selector":"#longer" },"metadata":{}}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}

// What the reader finds in valid JSON is what encoding/json finds.
func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{`{"id":1,"guid":"a","method":"click","params":{"selector":"#a"},"metadata":{}}`, `{"a":[1,{"b":"\\\"}"}],"id":null}`,
		`{}`, `[]`, `{"id"`, `{"a":`, `{"a":1,}`, `{"id":-1.5e3 ,"log":["a","b"]}`, `"{"`, `{"a":"\u0041\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, ok := readMessage(text)
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil || want == nil || bytes.ContainsRune(text, '\uFFFD') {
			return
		}
		if !ok {
			t.Fatalf("valid, and not read: %q", text)
		}
		if strings.Contains(string(text), `\u`) {
			return // keys that are written with escapes are not looked at
		}
		for key, got := range map[string]span{"id": m.id, "guid": m.guid, "params": m.params, "error": m.fault, "log": m.log} {
			if string(got.of(text)) != string(want[key]) {
				t.Errorf("%s is %q, want %q in %q", key, got.of(text), want[key], text)
			}
		}
		if copied := m.edited(); !bytes.Equal(copied, text) {
			t.Errorf("an edit of nothing made %q", copied)
		}
	})
}
