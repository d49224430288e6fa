package heal

import (
	"strings"
	"testing"
)

func TestTheSameWordsAreTheSame(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    string // removed > added
	}{
		{"Save profile", "SAVE  PROFILE!", ">"},
		{"Next", "Next →", ">"},
		{"Bold (Ctrl-B)", "Bold", ">"},
		{"Undo (⌘Z)", "Undo", ">"},
		{"City", "City *", ">"},
		{"Data Tables", "DataTables", ">"},
		{"Dashboard v 1", "dashboard v1", ">"},
		{"Confirm order", "Order: confirm", ">"},
		{"Delete comment", "Delete comments", ">"},
		{"Уведомление", "Уведомления", "уведомление > уведомления"},
		{"Archive", "Archived", "archive > archived"},
		{"Use IPv4", "Use IPv6", "4 > 6"},
		{"Donate $10", "Donate €10", "$ > €"},
		{"Save 10 %", "Save 10", "% >"},
		{"+1", "-1", "+ > -"},
		{"▶", "⏸", "▶ > ⏸"},
		{"Scale to 2 0", "Scale to 20", "2 0 > 20"},
		{"EUR to USD", "USD to EUR", "turned"},
		{"Price (incl. tax)", "Price (excl. tax)", "incl > excl"},
		{"開く", "閉じる", "開 く > 閉 じ る"},
	} {
		d := diffWords(contentWords(c.was), contentWords(c.is))
		got := strings.TrimSpace(strings.Join(d.removed, " ")) + " > " + strings.Join(d.added, " ")
		if got = strings.TrimSpace(got); d.turned {
			got = "turned"
		}
		if got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.was, c.is, got, c.want)
		}
	}
}

func FuzzWordsOfTheSameTextAreTheSame(f *testing.F) {
	f.Add("Sign in", "Log in")
	f.Add("(ctrl-\xff", "漢字€10%\u200b")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := contentWords(a), contentWords(b)
		if !diffWords(x, x).same() {
			t.Fatalf("%q differs from itself", x)
		}
		if len(x) > maxWords || diffWords(x, y).same() != diffWords(y, x).same() {
			t.Fatalf("%q and %q compare otherwise the other way round", x, y)
		}
	})
}
