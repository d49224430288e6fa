package text_test

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/text"
)

func TestCutStandsBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "longe…"}, {"aé", 2, "a…"}, {"a日", 3, "a…"}, {"x💥", 4, "x…"}, {"é", 1, "…"}, {"abe\u0301x", 3, "ab…"}, {"a👍🏽x", 5, "a…"},
		{"e" + strings.Repeat("\u0301", 40), 61, "e" + strings.Repeat("\u0301", 30) + "…"}, // marks without end
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80…"},                                           // no character begins here: cut anywhere
	} {
		if got := text.Cut(c.text, c.limit); got != c.want {
			t.Errorf("%q cut at %d is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestCutsByCharacters(t *testing.T) {
	for _, c := range []struct{ what, got, want string }{
		{"a head that fits", text.Head("äöü", 3), "äöü"},
		{"a head", text.Head("äöüß", 3), "äöü…"},
		{"a head with a mark", text.Head("abe\u0301x", 3), "ab…"},
		{"a tail that fits", text.Tail("äöü", 3), "äöü"},
		{"a tail", text.Tail("äöüß", 3), "…öüß"},
		{"a tail with a mark", text.Tail("e\u0301bc", 3), "…bc"},
		{"both ends that fit", text.Shorten("abcdef", 6), "abcdef"},
		{"both ends", text.Shorten("abcdefg", 6), "abc…fg"},
		{"other letters that fit", text.Shorten("äöüäöü", 6), "äöüäöü"},
		{"other letters", text.Shorten("äöüäöüß", 5), "äö…üß"},
		{"one character", text.Shorten("ab", 1), "…"},
		{"marks at both ends", text.Shorten("abe\u0301xxxxe\u0301y", 5), "ab…y"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
}
