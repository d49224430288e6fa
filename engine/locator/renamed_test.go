package locator

import "testing"

func TestWhatOfALocatorWasRenamed(t *testing.T) {
	for _, tt := range []struct{ old, next, was, now string }{
		{".card >> nth=0 >> .add", ".card >> nth=0 >> .buy", ".add", ".buy"},
		{".card .add", ".card .buy", ".add", ".buy"},
		{".card > .add:visible", ".card > .buy:visible", ".add:visible", ".buy:visible"},
		{`internal:testid=[data-testid="todo"s] >> nth=1 >> internal:role=checkbox`, `internal:testid=[data-testid="task"s] >> nth=1 >> internal:role=checkbox`, `internal:testid=[data-testid="todo"s]`, `internal:testid=[data-testid="task"s]`},
		{"ul .card >> .row .add", "ul .card >> .row .buy", ".add", ".buy"},
		{".card >> nth=0", ".card >> nth=1", "", ""},
		{".add", ".buy", "", ""},
		{".list .add", ".rows .buy", "", ""},
		{".card >> .add", ".tile >> .buy", "", ""},
		{".card .add", ".card .row .add", "", ""},
		{".card, .add", ".card, .buy", "", ""},
		{"", ".buy", "", ""},
		{"page.", "x'", "", ""},
	} {
		if was, now, ok := Renamed(tt.old, tt.next); ok != (tt.was != "") || ok && (was != tt.was || now != tt.now) {
			t.Errorf("%s became %s: %q, %q, %v, want %q, %q", tt.old, tt.next, was, now, ok, tt.was, tt.now)
		}
	}
}
