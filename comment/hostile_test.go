package comment

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/promise"
)

// payloads are what must never work, and openers are what might get them out of
// the place they are put in.
var (
	payloads = []string{
		"@octocat", "@octo-org/security", "ping @octocat please", "#1", "fixes #1", "octo-org/repo#12", "GH-123", "JIRA-4711", "ABC123",
		"GHSA-jfh8-c2jp-5v3q", "GHSA-abcd-efgh-ijkl", "CVE-2026-12345",
		"4be81a7c90d2e3f4051627384950a1b2c3d4e5f6", "deadbeef", "1234567", "octo-org/repo@4be81a7c90d2e3f4",
		"https://evil.example/x?a=b&c=d", "http://evil.example", "ftp://evil.example/f", "www.evil.example", "WWW.evil.example", "www.", "www", "(www.`x`)", "evil@example.com",
		"mailto:evil@example.com", "xmpp:evil@example.com/x", "//evil.example", "javascript:alert(1)",
		"<https://evil.example>", "<evil@example.com>", "[click](https://evil.example)", "[click][ref]", "[ref]: https://evil.example",
		"![img](https://evil.example/x.png)", "[^1]", "[^1]: note", "[[wiki]]",
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- hidden", "--> shown", "<!-- breadcrumb:comment v1 key=default -->",
		"breadcrumb:comment", "bread\u200bcrumb:comment", "bread\x1b[0mcrumb:comment", "<details>", "</details>", "</summary>", "<summary>", "</code>", "</sub><br>",
		"<?php ?>", "<!DOCTYPE html>", "<![CDATA[x]]>", "<a href='https://evil.example'>x</a>", "<pre>", "<table><tr><td>", "&lt;b&gt;", "&#64;octocat", "&commat;octocat", "&#x40;octocat",
		"**bold**", "_it_", "~~gone~~", "***", "* * *", "---", "===", "# heading", "####### seven", "> quote", "> [!CAUTION]", "- item", "+ item", "* item", "1. item", "1) item", "- [ ] task", "- [x] done",
		"    indented code", "\tindented code", "```", "````", "~~~", "```suggestion", "```mermaid", "`", "``", "`````", "`a", "a`", "``a`b```",
		"|", "||", "a | b", `\|`, `\\|`, `\\\|`, "|--|--|", "| a | b | c | d | e |", "`|`", "|`", "`|", "`\\|`", "\\", `\\`, "a\\", "\\`", "\\`\\`", "`\\", "\\*",
		":tada:", ":+1:", "::warning::x", "::error file=a::b", "##[error]x", "::stop-commands::x",
		"$x$", "$$x$$", "$`x`$", "$\\rm x$", "```math\nx\n```",
		"\u202egnp.exe", "a\u2066b\u2069c", "\u200bzero", "z\u200dj", "\ufeffbom", "so\u00adft", "\U000e0041tag", "\u3164", "\u2028ls", "\u2029ps", "\u0085nel", "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307",
		"\x00", "\x07bell", "\x1b[31mred\x1b[0m", "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "[31mred[39m", "\x7f", "\u009b31m", "\b\b\b", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xf0\x9f",
		"a\nb", "a\r\nb", "a\rb", "a\n\nb", "\n", "\r", "a\n\n    b", "a  \nb", "a\\\nb", "\n# heading", "\n- item", "\n| a | b | c | d |", "\n```\n@octocat", "\n~~~\n@octocat", "\n</details>\n\n@octocat", "\n\n<!-- -->\n\n@octocat",
		"(", ")", "](https://evil.example)", ")](https://evil.example", "`](https://evil.example)", "../../etc/passwd", "/etc/passwd", `C:\x`, "a/../../b", "a b/c d.ts", "a%2e%2e/b", "tests/ü 💥.spec.ts", "a?b#c", "a)b.ts", "a//b", "./a", ".",
		"%s%d%n", "{{ secrets.TOKEN }}", "${{ github.token }}", "$(id)", "';--", "💥", "日本語テスト", "שלום", "العربية",
	}
	openers = []string{"%s", "x %s", "`%s", "`` %s", "```\n%s", "~~~\n%s\n~~~", "</code></summary>\n\n%s\n\n", "|%s|", "\n\n%s\n\n", "\\%s", "` | %s | `", "a\u200b%s", "](%s)", "(%s)", "'%s'", "words then %s, more words: %s."}
)

func hostileTexts() []string {
	var texts []string
	for _, opener := range openers {
		for _, payload := range payloads {
			texts = append(texts, strings.ReplaceAll(opener, "%s", payload))
		}
	}
	for _, r := range []string{"`", "|", "\\", "@a ", "<", "[", "*", "$", "\u202e", "a\n", "a\u0301", "💥", "- ", "> ", "\xff", "x", "[31m", "\x1b]"} {
		texts = append(texts, strings.Repeat(r, 5000))
	}
	return texts
}

// hostileRun has s in every text of a run.
func hostileRun(s string) outcome.Run {
	result := engine.TestResult{
		ID: engine.TestID(s), Suite: s, Class: s, Name: s + " test", File: s, Line: 3, Environment: s, Report: s,
		Attempts: []engine.Attempt{
			{Status: engine.StatusFailed, ErrorType: s, Message: s, Text: s},
			{Status: engine.StatusFailed, ErrorType: s, Message: s, Text: s + "\n\n1\n2\n3\n4\n5\n6"},
		},
		Properties: map[string]string{s: s},
	}
	passed := result
	passed.Attempts = []engine.Attempt{result.Attempts[0], {Status: engine.StatusPassed}}
	bare := result
	bare.Name, bare.Attempts = "", []engine.Attempt{{Status: engine.StatusError, ErrorType: s, Text: "first\n2\n3\n4\n5\n6"}}
	heal := engine.HealEvent{
		TestID: engine.TestID(s), Locator: s, API: s, Action: s, Confidence: 0.5, Outcome: engine.OutcomeHealed, Reason: s, HealedLocator: s,
		Site: &engine.Site{File: s, Line: 2}, PageURL: s,
	}
	edit := &patch.Edit{File: s, Line: 4, Old: s, New: s, Before: s, After: s}
	notice := engine.Notice{File: s, Line: 5, Severity: engine.SeverityBlocking, Reason: s}
	warning := notice
	warning.Severity = engine.SeverityWarning
	return outcome.Run{
		Info: engine.RunInfo{
			Repository: pullRequest.Repository, RunID: 1, RunAttempt: 2, Workflow: s, Job: s, Leg: s, Branch: s, PullRequest: 7,
			Commit: s, HeadSHA: pullRequest.HeadSHA,
		},
		Root:   "apps/a b",
		Counts: outcome.Counts{Tests: 9, Failed: 9},
		Verdict: flaky.Verdict{
			Blocking: []flaky.Failure{{Result: result, Guard: s, Triage: s, Order: s}, {Result: bare}, {Result: result}, {Result: result}, {Result: result}, {Result: result, Guard: s, Triage: s, Order: s}},
			Excused:  []flaky.Failure{{Result: result, Excuse: s, Order: s}},
			Missing:  []engine.TestID{engine.TestID(s)}, Notices: []engine.Notice{notice},
		},
		FlakyTests: []engine.TestResult{passed},
		Proposals: []patch.Proposal{
			{Heal: heal, Locator: s, Code: s, Modern: s, Edit: edit, Confidence: 0.5},
			{Heal: heal, Locator: "", Code: s, Reason: s, Confidence: 0.5},
			{Heal: heal, Locator: s, Code: s, Modern: s, Edit: edit, SameAs: 1},
		},
		Refused:     []engine.HealEvent{heal},
		Changes:     []flaky.Change{{TestID: engine.TestID(s), Reason: s, Tier: flaky.Tier(s)}, {TestID: engine.TestID(s), Reason: s, Pending: true, Released: true}},
		Quarantine:  []flaky.Entry{{TestID: engine.TestID(s), Reason: s, Environment: s}},
		TestHealths: []flaky.TestHealth{{TestID: engine.TestID(s), Tier: flaky.Tier("x" + s)}},
		Notices:     []engine.Notice{notice, warning},
		Reports:     []string{s}, Database: s,
	}
}

func TestHostileTextChangesNeitherStructureNorLinks(t *testing.T) {
	texts := hostileTexts()
	promise.Tried(t, "texts", len(texts))
	want := outline(Render(hostileRun("calm"), Options{}))
	for _, s := range texts {
		body := Render(hostileRun(s), Options{})
		if problems := check(body); len(problems) > 0 {
			t.Errorf("%.80q: %v", s, problems)
		}
		if diff := cmp.Diff(want, outline(body)); diff != "" {
			t.Errorf("%.80q changes the blocks:\n%s", s, diff)
		}
	}
}

func TestHostileRunInfoAndOptionsGiveNoForeignLink(t *testing.T) {
	for _, s := range payloads {
		run := hostileRun("calm")
		run.Info = engine.RunInfo{Repository: s, Workflow: s, Job: s, Leg: s, Commit: s, HeadSHA: s, Branch: s, RunID: 5}
		for _, o := range []Options{{}, {Key: s}, {ServerURL: s}, {ServerURL: "https://" + s}} {
			body := Render(run, o)
			if problems := check(body); len(problems) > 0 {
				t.Fatalf("%.80q with %+v: %v", s, o, problems)
			}
		}
	}
}

func TestEmptyTextsKeepTheTable(t *testing.T) {
	if problems := check(Render(hostileRun(""), Options{})); len(problems) > 0 {
		t.Error(problems)
	}
}

// The same promise, held against the parser GitHub itself uses. Many comments
// make one document: what one of them leaves open shows in the next.
func TestHostileTextInCmarkGFM(t *testing.T) {
	tool, err := exec.LookPath("cmark-gfm")
	if err != nil {
		t.Skip("cmark-gfm is not installed (Debian: apt-get install cmark-gfm)")
	}
	want := cmarkOutline(t, tool, Render(hostileRun("calm"), Options{}))
	var texts []string
	for i, s := range hostileTexts() {
		if i%5 == 0 { // meets every payload and every opener
			texts = append(texts, s)
		}
	}
	for batch := range slices.Chunk(texts, 200) {
		var bodies strings.Builder
		for _, s := range batch {
			bodies.WriteString(Render(hostileRun(s), Options{}) + "\n")
		}
		got := cmarkOutline(t, tool, bodies.String())
		for i, s := range batch {
			if !strings.HasPrefix(got, want) {
				t.Errorf("text %d, %.80q, changes the blocks:\n%s", i, s, cmp.Diff(want, got[:min(len(got), len(want))]))
				break
			}
			got = got[len(want):]
		}
	}
}

var (
	cmarkBlock = regexp.MustCompile(`^ *<(/?(?:heading|paragraph|list|item|code_block|html_block|table|table_row|table_header|table_cell|block_quote|thematic_break|footnote_definition|tasklist))\b`)
	cmarkLink  = regexp.MustCompile(`<link destination="` + ownAddress + `" title=""`)
)

// cmarkOutline returns the blocks that cmark-gfm reads in body, a line each, and
// fails the test for a link that is not our own.
func cmarkOutline(t *testing.T, tool, body string) string {
	t.Helper()
	cmd := exec.Command(tool, "--unsafe", "-t", "xml", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist", "-e", "footnotes")
	cmd.Stdin = strings.NewReader(body)
	xml, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for l := range strings.Lines(string(xml)) {
		if strings.Contains(l, "<link ") && !cmarkLink.MatchString(l) || strings.Contains(l, "<image ") {
			t.Errorf("cmark-gfm reads %s", strings.TrimSpace(l))
		}
		if m := cmarkBlock.FindStringSubmatch(l); m != nil {
			b.WriteString(m[1] + "\n")
		}
	}
	return b.String()
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// outline returns the kinds of the blocks of body, indented by depth.
func outline(body string) string {
	var b strings.Builder
	depth := 0
	walk(body, func(n ast.Node, entering bool) {
		if n.Type() == ast.TypeInline {
			return
		}
		if entering {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat(" ", depth), n.Kind())
			depth++
		} else {
			depth--
		}
	})
	return b.String()
}

func walk(body string, visit func(n ast.Node, entering bool)) {
	doc := markdown.Parser().Parse(text.NewReader([]byte(body)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		visit(n, entering)
		return ast.WalkContinue, nil
	})
}

const ownAddress = `https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~%-]+)*/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/(blob/[0-9a-f]{40,64}/[A-Za-z0-9._~%/-]+(#L[0-9]+)?|commit/[0-9a-f]{40,64}|actions/runs/[0-9]+(/attempts/[0-9]+)?)`

var (
	ownLink    = regexp.MustCompile(`^` + ownAddress + `$`)
	ownMarker  = regexp.MustCompile(`^<!-- breadcrumb:comment v1 key=[A-Za-z0-9._-]{1,64} -->\n$`)
	ownSummary = regexp.MustCompile(`^<details>\n<summary>([^<>\n]|<code>[^<>\n]*</code>)*</summary>\n$`)
	ownClose   = regexp.MustCompile(`^</details>\n$`)
	codeInHTML = regexp.MustCompile(`<code>[^<]*</code>`)
	active     = regexp.MustCompile(`(?i)@|#[0-9]|\bGH-[0-9]|\bGHSA-|[a-z]-?[0-9]|\b[0-9a-f]{7,64}\b|://|www\.|:[a-z0-9+_-]+:|\$|[<>\\*_~|{}\[\]]`)
)

// check returns what hostile text achieved in body, nil for nothing.
func check(body string) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if len(body) > CommentLimit {
		bad("%d bytes", len(body))
	}
	if !utf8.ValidString(body) {
		bad("not UTF-8")
	}
	if strings.Count(body, markerName) != 1 || !strings.HasPrefix(body, markerStart) {
		bad("marker is not once, at the start")
	}
	for _, r := range body {
		if r != '\n' && r != '\t' && r != utf8.RuneError && (!unicode.IsGraphic(r) || clean(string(r)) != string(r)) {
			bad("character %U", r)
		}
	}
	source := []byte(body)
	columns := 0
	walk(body, func(n ast.Node, entering bool) {
		if !entering {
			return
		}
		switch n := n.(type) {
		case *ast.Link:
			if !ownLink.Match(n.Destination) || len(n.Title) > 0 {
				bad("link to %s", n.Destination)
			}
		case *ast.AutoLink, *ast.Image, *east.TaskCheckBox, *east.Strikethrough, *east.FootnoteLink, *ast.Blockquote, *ast.ThematicBreak, *ast.CodeBlock:
			bad("a %s", n.Kind())
		case *ast.RawHTML:
			if html := string(n.Segments.Value(source)); html != "<br>" {
				bad("HTML %s", html)
			}
		case *ast.HTMLBlock:
			problems = append(problems, checkBlock(string(n.Lines().Value(source))+closing(n, source))...)
		case *ast.FencedCodeBlock:
			if info := string(n.Language(source)); info != "" && info != "diff" {
				bad("fence of %s", info)
			}
		case *east.TableHeader:
			columns = n.ChildCount()
		case *east.TableRow:
			if n.ChildCount() != columns || columns != 5 || len(cells(source, n)) != columns {
				bad("row of %d cells under %d", n.ChildCount(), columns)
			}
		case *ast.Text:
			if _, inCode := n.Parent().(*ast.CodeSpan); !inCode && active.Match(n.Value(source)) {
				bad("outside code: %s", n.Value(source))
			}
		}
	})
	return problems
}

// cells returns the cells that the source line of a row has: goldmark drops a
// cell too many without a trace.
func cells(source []byte, row ast.Node) []string {
	first := row.FirstChild()
	start := first.Lines().At(0).Start
	line := string(source[start:])
	line = strings.TrimSpace(line[:strings.IndexByte(line, '\n')])
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(line, `\|`, ""), "|"), "|")
}

func closing(n *ast.HTMLBlock, source []byte) string {
	if !n.HasClosure() {
		return ""
	}
	line := string(n.ClosureLine.Value(source))
	if strings.HasSuffix(string(n.Lines().Value(source)), line) {
		return ""
	}
	return line
}

// checkBlock returns what is foreign in a block of HTML.
func checkBlock(html string) (problems []string) {
	if !ownMarker.MatchString(html) && !ownSummary.MatchString(html) && !ownClose.MatchString(html) {
		return []string{fmt.Sprintf("HTML block %q", html)}
	}
	if ownSummary.MatchString(html) {
		words := codeInHTML.ReplaceAllString(html[len("<details>\n<summary>"):len(html)-len("</summary>\n")], "")
		if active.MatchString(words) {
			return []string{fmt.Sprintf("in a summary, outside code: %q", words)}
		}
	}
	return nil
}
