package comment

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsStandAtTheStartOfALine(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []Command
	}{
		{"one", "/breadcrumb apply all", []Command{{"apply", "all"}}},
		{"among words", "please\r\n/breadcrumb  Apply\t1234abcd  \r\nthanks", []Command{{"apply", "1234abcd"}}},
		{"bare", "/breadcrumb", []Command{{"", ""}}},
		{"two", "/breadcrumb help\n/breadcrumb ignore x", []Command{{"help", ""}, {"ignore", "x"}}},
		{"another word", "/breadcrumbs apply", nil},
		{"another case", "/Breadcrumb apply", nil},
		{"inside a line", "use /breadcrumb apply", nil},
		{"indented", " /breadcrumb apply", nil},
		{"in code", "`/breadcrumb apply`", nil},
		{"quoted", "> /breadcrumb apply", nil},
		{"under a quote", "> text\n/breadcrumb apply", nil},
		{"after a quote", "> text\n\n/breadcrumb apply", []Command{{"apply", ""}}},
		{"fenced", "```\n/breadcrumb apply\n```", nil},
		{"fenced to the end", "~~~sh\n/breadcrumb apply", nil},
		{"a shorter fence closes nothing", "````\n```\n/breadcrumb apply\n````\n/breadcrumb help", []Command{{"help", ""}}},
		{"another fence closes nothing", "```\n~~~\n/breadcrumb apply", nil},
		{"a fence with words closes nothing", "```\n``` x\n/breadcrumb apply", nil},
		{"after a fence", "```\nx\n```\n/breadcrumb help", []Command{{"help", ""}}},
		{"hidden", "<!--\n/breadcrumb apply\n-->", nil},
		{"hidden on one line", "<!-- x -->\n/breadcrumb help", []Command{{"help", ""}}},
		{"after what was hidden", "a <!-- x\ny -->\n/breadcrumb help", []Command{{"help", ""}}},
		{"too long", "/breadcrumb explain " + strings.Repeat("x", maxRest+1), []Command{{"explain", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Commands(tt.body)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := Commands(strings.Repeat("/breadcrumb help\n", 50)); len(got) != maxCommands {
		t.Errorf("%d commands", len(got))
	}
}

func TestWhatFollowsTheVerb(t *testing.T) {
	for rest, want := range map[string]string{
		"a › b": "a › b", "`a › b`": "a › b", "``a``": "a", "`": "`", "": "", "a\x00b": "", "a\u0085b": "", "\xff": "", "` a `": "a",
	} {
		if got := (Command{Rest: rest}).Test(); got != want {
			t.Errorf("test of %q is %q, want %q", rest, got, want)
		}
	}
	if diff := cmp.Diff([]string{"1234abcd", "all", "x"}, Command{Rest: "`1234ABCD`, all  `x`"}.IDs()); diff != "" {
		t.Error(diff)
	}
}

func TestNewlyTickedIsWhatIsNewlyTicked(t *testing.T) {
	const box = "- [ ] apply `aaaaaaaa` · x\n- [ ] apply `bbbbbbbb` · y\n- [x] apply `cccccccc` · z\n"
	for _, tt := range []struct {
		name, after string
		want        []string
	}{
		{"nothing", box, nil},
		{"one", strings.Replace(box, "[ ] apply `b", "[x] apply `b", 1), []string{"bbbbbbbb"}},
		{"two, with windows line endings", strings.ReplaceAll(strings.ReplaceAll(box, "[ ]", "[X]"), "\n", "\r\n"), []string{"aaaaaaaa", "bbbbbbbb"}},
		{"unticked", strings.ReplaceAll(box, "[x]", "[ ]"), nil},
		{"no box", box + "  - [x] apply `dddddddd`\n- [x] apply dddddddd\n- [x] apply `DDDDDDDD`\n", nil},
		{"struck", box + "- [x] ~~apply `dddddddd`~~\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NewlyTicked(box, tt.after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("> x\n/breadcrumb apply all\n```\n/breadcrumb help\n```\n<!-- -->")
	f.Add("/breadcrumb quarantine `a › b`")
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range Commands(body) {
			if len(c.Rest) > maxRest || strings.ContainsAny(c.Verb+c.Rest, "\n") {
				t.Errorf("command %+v", c)
			}
			if test := c.Test(); !utf8.ValidString(test) || strings.ContainsAny(test, "\n\r\x00") {
				t.Errorf("test %q", test)
			}
			c.IDs()
		}
		NewlyTicked("", body)
	})
}

func TestCommitLineDoesNothingInACommitMessage(t *testing.T) {
	for text, want := range map[string]string{
		"a › b":                             "a › b",
		"'#login' to '[data-testid=\"x\"]'": "'#login' to '[data-testid=\"x\"]'",
		"fixes #12":                         "fixes # 12",
		"closes GH-12 and gh-3":             "closes G H-12 and g h-3",
		"fixes https://github.com/a/b/1":    "fixes https: //github.com/a/b/1",
		"@mona":                             "@ mona",
		"x [skip ci] [CI skip]":             "x (skip ci] (CI skip]",
		"a\nCo-authored-by: x":              "a Co-authored-by: x",
		"skip-checks: true\r\n\r\nx":        "skip-checks: true x",
		"\x1b[31mred\u202e":                 "red⟨U+202E⟩",
	} {
		if got := CommitLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
