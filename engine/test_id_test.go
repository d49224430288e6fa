package engine_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
)

func TestNewTestID(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"plain", "a.spec.ts › signs in [chromium]", "a.spec.ts › signs in [chromium]"},
		{"spaces and line ends stay", " a\n b ", " a\n b "},
		{"invalid UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"NUL", "a\x00b", "a\uFFFDb"},
		{"as long as allowed", strings.Repeat("x", 4096), strings.Repeat("x", 4096)},
		{"too long", strings.Repeat("x", 4097), strings.Repeat("x", 4077) + "…3e97197f4b8d46a8"},
		{"not cut inside a character", strings.Repeat("é", 4096), strings.Repeat("é", 2038) + "…9a74b60bb3129364"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := engine.NewTestID(c.text); string(got) != c.want {
				t.Errorf("got  …%q\nwant …%q", got[max(0, len(got)-40):], c.want[max(0, len(c.want)-40):])
			}
			checkTestID(t, c.text)
		})
	}
}

func FuzzNewTestID(f *testing.F) {
	for _, seed := range []string{"", "a.spec.ts › b", "\xff", "a\x00", strings.Repeat("é", 4096), strings.Repeat("\xff", 4096), strings.Repeat("a\x00", 3000)} {
		f.Add(seed)
	}
	f.Fuzz(checkTestID)
}

func checkTestID(t *testing.T, text string) {
	t.Helper()
	id := engine.NewTestID(text)
	if again := engine.NewTestID(string(id)); again != id {
		t.Errorf("it does not stay as it is: %q became %q", id, again)
	}
	if !utf8.ValidString(string(id)) || strings.ContainsRune(string(id), 0) || len(id) > 4096 {
		t.Errorf("%q, of %d bytes", id, len(id))
	}
	if long := text + strings.Repeat("x", 4096); engine.NewTestID(long) == engine.NewTestID(long+"!") {
		t.Errorf("two long ids became one: %q", long)
	}
}

func TestPartsOfATestID(t *testing.T) {
	for _, c := range []struct {
		id                             engine.TestID
		withoutEnvironment             engine.TestID
		environment, file, rest, title string
		segments                       []string
	}{
		{"a.ts › Login › signs in [chromium]", "a.ts › Login › signs in", " [chromium]", "a.ts", "Login › signs in [chromium]", "signs in [chromium]",
			[]string{"a.ts", "Login", "signs in [chromium]"}},
		{"t.py::TestX::test_ok[a-1]", "t.py::TestX::test_ok[a-1]", "", "t.py", "TestX::test_ok[a-1]", "test_ok[a-1]",
			[]string{"t.py", "TestX", "test_ok[a-1]"}},
		{"a.rs › mod::test", "a.rs › mod::test", "", "a.rs", "mod::test", "test", []string{"a.rs", "mod::test"}},
		{"alone", "alone", "", "alone", "", "alone", []string{"alone"}},
		{"", "", "", "", "", "", []string{""}},
	} {
		t.Run(string(c.id), func(t *testing.T) {
			if id, environment := c.id.CutEnvironment(); id != c.withoutEnvironment || environment != c.environment {
				t.Errorf("environment %q of %q", environment, id)
			}
			if file, rest, ok := c.id.CutFile(); file != c.file || rest != c.rest || ok != (rest != "") {
				t.Errorf("file %q, rest %q, %v", file, rest, ok)
			}
			if got := c.id.Segments(); !slices.Equal(got, c.segments) {
				t.Errorf("segments %q", got)
			}
			if got := c.id.Title(); got != c.title {
				t.Errorf("title %q", got)
			}
		})
	}
}
