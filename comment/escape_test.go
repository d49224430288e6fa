package comment

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/breadcrumb/action/engine"
)

func TestCodeSpan(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a name", "signs in", "`signs in`"},
		{"empty", "", "(empty)"},
		{"only white space", " \n\t ", "(empty)"},
		{"line endings become spaces", "a\r\nb\nc\rd\u2028e", "`a b c d e`"},
		{"a backtick inside", "a`b", "``a`b``"},
		{"backticks at the ends", "`a``", "``` `a`` ```"},
		{"markup stays as it is", "<b>*x*</b> @me #1", "`<b>*x*</b> @me #1`"},
		{"invalid UTF-8", "a\xffb", "`a\uFFFDb`"},
		{"bidirectional override", "a\u202eb", "`a⟨U+202E⟩b`"},
		{"zero width", "a\u200bb", "`a⟨U+200B⟩b`"},
		{"joiners of emoji go", "👩\u200d🚀", "`👩🚀`"},
		{"control characters", "a\x00b\x7f", "`a␀b␡`"},
		{"terminal colours go", "\x1b[31mred\x1b[0m", "`red`"},
		{"a terminal link keeps its text", "\x1b]8;;https://x.example\x07text\x1b]8;;\x1b\\", "`text`"},
		{"an index is no colour", "a[5m] b[0] c[m", "`a[5m] b[0] c[m`"},
		{"piled-up marks are cut", "a" + strings.Repeat("\u0301", 50), "`a\u0301\u0301\u0301\u0301`"},
		{"our marker's name is broken", "<!-- breadcrumb:comment v1 key=x -->", "`<!-- breadcrumb: comment v1 key=x -->`"},
		{"the middle is cut", strings.Repeat("a", 30) + strings.Repeat("ü", 30), "`" + strings.Repeat("a", 20) + "…" + strings.Repeat("ü", 19) + "`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := codeSpan(tt.in, 40); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"words", "flip rate 0.44 over the last 10 executions (Flaky)", "flip rate 0.44 over the last 10 executions (Flaky)"},
		{"apostrophes, hyphens, quotes", `it doesn't re-run "twice", so there`, `it doesn't re-run "twice", so there`},
		{"a date", "since 2026-11-02", "since 2026-11-02"},
		{"other alphabets", "тест упал: 日本語", "тест упал: 日本語"},
		{"markup is one span", `ends in <testcase name="pays by card">, so the rest is unknown`, "ends in `<testcase name=\"pays by card\">`, so the rest is unknown"},
		{"a mention", "ask @octocat.", "ask `@octocat`."},
		{"a reference", "see #12 or GH-12 or OPS-311", "see `#12 or GH-12 or OPS-311`"},
		{"an address", "at https://x.example/y, yes", "at `https://x.example/y`, yes"},
		{"a file", "login.spec.ts is gone", "`login.spec.ts` is gone"},
		{"a quoted name is one span", `gone: "login.spec.ts › signs in", so`, "gone: `\"login.spec.ts › signs in\"`, so"},
		{"a hash", "since 4be81a7c90", "since `4be81a7c90`"},
		{"hashes in a list", "passed on 4be81a7 and d4e5f60; so", "passed on `4be81a7` and `d4e5f60`; so"},
		{"a hash of letters", "it's 'deadbeef'", "it's `'deadbeef'`"},
		{"a hash before a letter beyond ASCII", "since dddddddا, which is not the éabcdef1", "since `dddddddا`, which is not the `éabcdef1`"},
		{"an advisory in any case", "see ghsa-abcd-efgh or éghſa-abcd", "see `ghsa-abcd-efgh or éghſa-abcd`"},
		{"an emoji name", ":tada: done", "`:tada`: done"},
		{"math", "costs $5 or $6", "costs `$5 or $6`"},
		{"backticks make a span", "the literal `#a b` stands twice", "the literal `#a b` stands twice"},
		{"spans do not touch", "`a`@x`b`", "`a` `@x` `b`"},
		{"a stray backtick", "a ` b", "a `` ` `` b"},
		{"a list item at the start", "1. first", "`1`. first"},
		{"a dash at the start", "- first", "`-` first"},
		{"a dash inside", "first - second", "first - second"},
		{"a pipe", "a | b", "a `|` b"},
		{"empty", "  ", ""},
		{"lines", "a\n\n# b", "a `#` b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := prose(tt.in, 200); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHTMLCode(t *testing.T) {
	got := htmlCode("</code></summary>\n\n<b>&\"x", 80)
	if want := "<code>&lt;/code&gt;&lt;/summary&gt; &lt;b&gt;&amp;&#34;x</code>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWordsThatReachThePageInCode(t *testing.T) {
	run := hostileRun("calm")
	run.Verdict.Missing = []engine.TestID{"@octocat"}
	run.Changes[0].Reason = "blame @octocat"
	body := Render(run, Options{})
	for _, want := range []string{": `@octocat`, expected in", ": blame `@octocat`\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("the text has no %q", want)
		}
	}
}

// seeds gives a fuzz target the corpus of hostile texts.
func seeds(f *testing.F) {
	f.Helper()
	for _, s := range payloads {
		f.Add(s)
	}
}

func FuzzCode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		span := codeSpan(s, 60)
		spans := 0
		walk("x "+span+" y\n", func(n ast.Node, entering bool) {
			switch n.Kind() {
			case ast.KindDocument, ast.KindParagraph, ast.KindText, ast.KindString:
			case ast.KindCodeSpan:
				spans++
			default:
				t.Errorf("%q is a %s", span, n.Kind())
			}
		})
		if span == empty && spans != 0 || span != empty && spans != 2 { // entering and leaving
			t.Errorf("%q has %d spans", span, spans/2)
		}
		if !utf8.ValidString(span) || strings.ContainsAny(span, "\n\r\t") {
			t.Errorf("%q", span)
		}
	})
}

func FuzzFence(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		body := fencedBlock("diff", clipLines(s, 50, 200)) + "\nafter\n"
		if got, want := outline(body), "Document\n FencedCodeBlock\n Paragraph\n"; got != want {
			t.Errorf("%q reads as\n%s", body, got)
		}
	})
}

func FuzzProse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		body := "- `name`: " + prose(s, 300) + "\n"
		if got, want := outline(body), "Document\n List\n  ListItem\n   TextBlock\n"; got != want {
			t.Errorf("%q reads as\n%s", body, got)
		}
		walk(body, func(n ast.Node, entering bool) {
			switch n := n.(type) {
			case *ast.Text:
				if _, inCode := n.Parent().(*ast.CodeSpan); !inCode && active.MatchString(string(n.Value([]byte(body)))) {
					t.Errorf("%q has %q outside code", body, n.Value([]byte(body)))
				}
			case *ast.Document, *ast.List, *ast.ListItem, *ast.TextBlock, *ast.CodeSpan:
			default:
				t.Errorf("%q has a %s", body, n.Kind())
			}
		})
	})
}

func FuzzRender(f *testing.F) {
	seeds(f)
	want := outline(Render(hostileRun("calm"), Options{}))
	f.Fuzz(func(t *testing.T, s string) {
		body := Render(hostileRun(s), Options{})
		for _, problem := range check(body) {
			t.Error(problem)
		}
		if got := outline(body); strings.TrimSpace(clean(s)) != "" && got != want {
			t.Errorf("%q reads as\n%s", body, got)
		}
	})
}
