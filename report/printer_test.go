package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		width, limit int
		want         []string
	}{
		{"what fits stays", "one two", 7, 3, []string{"one two"}},
		{"breaks at spaces", "one two three", 8, 3, []string{"one two", "three"}},
		{"breaks long words", "abcdefgh", 3, 4, []string{"abc", "def", "gh"}},
		{"a break just behind a word", "abc def", 3, 3, []string{"abc", "def"}},
		{"counts cells, not characters", "日本語日本語", 5, 4, []string{"日本", "語日", "本語"}},
		{"never inside a character", "e\u0301e\u0301e\u0301", 2, 3, []string{"e\u0301e\u0301", "e\u0301"}},
		{"flags stay whole", "🇩🇪🇫🇷", 2, 3, []string{"🇩🇪", "🇫🇷"}},
		{"the last line is cut", "one two three four", 8, 2, []string{"one two", "three f…"}},
		{"a cut of wide characters", "日本語日本語", 5, 1, []string{"日本…"}},
		{"a line never begins like a command", "abc ::error::x", 5, 5, []string{"abc", ":", ":erro", "r::x"}},
		{"nor a line broken inside a word", "abcde::f", 5, 5, []string{"abcde", ": :f"}},
		{"nothing", "", 5, 5, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, wrapText(c.text, c.width, c.limit)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlow(t *testing.T) {
	got := flowItems([]string{"10 tests", "9 passed", "1 failed", "3 s"}, " · ", 22)
	want := []string{"10 tests · 9 passed ·", "1 failed · 3 s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
