package comment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// suggestionsRun has one edit in a review, one with a box, one that was ignored, and
// a heal without an edit.
func suggestionsRun() (outcome.Run, Options) {
	run := healsRun()
	other := loginHeal()
	other.Heal.TestID, other.Heal.Locator, other.Confidence = "tests/logout.spec.ts › Logout › signs out", "#out", 0.86
	edit := *other.Edit
	edit.File, edit.Line = "tests/logout.spec.ts", 8
	other.Edit = &edit
	run.Proposals = append(run.Proposals, other)
	run = withSuggestions(run)
	state := NewState(run, map[string]bool{run.Edits[0].ID: true}, []string{run.Edits[2].ID})
	return run, Options{Key: "e2e", State: &state}
}

func TestSuggestionsAreAsInTheGoldenFile(t *testing.T) {
	run, options := suggestionsRun()
	goldenPage(t, "offers.md", Render(run, options))
	options.State.Fork = true
	if body := Render(run, options); strings.Contains(body, "- [ ]") || strings.Contains(body, "/breadcrumb") {
		t.Error("a fork's comment offers what cannot be done")
	}
}

func TestBoxesAreLeftOutInWholeLines(t *testing.T) {
	run, options := suggestionsRun()
	for limit := 800; limit < 9000; limit += 37 {
		options.Limit = limit
		body := Render(run, options)
		if _, ok := ParseState(body); !ok {
			t.Fatalf("limit %d: the state is gone", limit)
		}
	}
}

// A suggestion has a box of its own, apart from those of heals and never ticked, and
// is remembered as one.
func TestBoxesOfSuggestionsStandApart(t *testing.T) {
	run := withSuggestions(suggestedRun())
	state := NewState(run, nil, nil)
	for i, s := range state.Edits {
		if want := i > 0; s.Changed != want {
			t.Errorf("%d: remembered as suggested: %t", i, s.Changed)
		}
	}
	text := Render(run, Options{Key: "e2e", State: &state})
	goldenPage(t, "suggested_boxes.md", text)
	if ids := tickedIDs(text); len(ids) != 0 {
		t.Errorf("ticked: %v", ids)
	}
	heals, suggestions, _ := strings.Cut(text, "Tick a suggestion to commit it")
	for i, s := range state.Edits {
		box := "- [ ] apply `" + s.ID + "`"
		if strings.Contains(heals, box) == s.Changed || strings.Contains(suggestions, box) != s.Changed {
			t.Errorf("%d: its box stands elsewhere", i)
		}
	}
}

func TestASuggestionOnALineOfTheDiffSaysWhatChanged(t *testing.T) {
	run := withSuggestions(suggestedRun())
	deploy := run.Edits[1]
	hunk := "@@ -9 +9 @@\n " + deploy.Edit.Before
	diff := Diff{Files: map[string]ChangedFile{deploy.Path: {Blob: deploy.Blob, Patch: hunk}}}
	drafts := Drafts(run, []outcome.OfferedEdit{deploy}, diff, "e2e")
	if len(drafts) != 1 {
		t.Fatalf("%d drafts", len(drafts))
	}
	for _, want := range []string{"Suggested, not healed: ", "said *Deploy to staging*, says *Deploy to production*"} {
		if !strings.Contains(drafts[0].Body, want) {
			t.Errorf("no %q in %s", want, drafts[0].Body)
		}
	}
}

// replies are one of every answer.
func replies(s string) map[string]*Reply {
	all := map[string]*Reply{}
	add := func(name string, say ...func(*Reply)) {
		r := &Reply{To: "101"}
		for _, f := range say {
			f(r)
		}
		all[name] = r
	}
	saved := SavedEdit{SavedElement: SavedElement{ID: "a1b2c300", Test: s}, Path: s, Line: 12, Old: s, New: s}
	commit := Commit{SHA: pullRequest.HeadSHA, URL: "https://github.com/octo-shop/web/commit/" + pullRequest.HeadSHA}
	entry := flaky.Entry{TestID: engine.TestID(s), Reason: s, Since: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}
	add("help", func(r *Reply) { r.Help() })
	add("denied", func(r *Reply) { r.Denied(s) })
	add("committed", func(r *Reply) { r.Committed(2, commit) }, func(r *Reply) { r.Unproven(saved, s) })
	add("aside", func(r *Reply) { r.MovedToBranch(1, "breadcrumb/heal-7", "https://github.com/octo-shop/web/pull/215") })
	add("aside without a pull request", func(r *Reply) { r.MovedToBranch(3, "breadcrumb/heal-7", "") })
	add("stale", func(r *Reply) { r.Stale(pullRequest.HeadSHA, pullRequest.Commit) })
	add("fork", func(r *Reply) { r.Fork() })
	add("closed", func(r *Reply) { r.Closed() })
	add("wrong", func(r *Reply) { r.Vetoed(SavedElement{ID: "a1b2c300", Locator: s}, "0a1b2c3d") })
	add("undone", func(r *Reply) { r.Unvetoed("0a1b2c3d", s, s) }, func(r *Reply) { r.NoVeto(s) })
	add("nothing", func(r *Reply) { r.NothingToApply(false) }, func(r *Reply) { r.NothingToApply(true) })
	add("unknown", func(r *Reply) { r.Unknown(Command{Verb: s + "x"}) }, func(r *Reply) { r.NoSuggestion(s) })
	add("needs", func(r *Reply) { r.NeedsID("ignore") }, func(r *Reply) { r.NeedsTest("explain") })
	add("failed", func(r *Reply) { r.Failed("commit", s) })
	add("ignored", func(r *Reply) { r.Ignored(s) })
	add("quarantined", func(r *Reply) { r.Quarantined(s, true) })
	add("quarantined unknown", func(r *Reply) { r.Quarantined(s, false) })
	add("released", func(r *Reply) { r.Released(s, true) }, func(r *Reply) { r.Released(s, false) })
	add("explained", func(r *Reply) {
		r.Explain(Explanation{Test: s, Known: true, Quarantine: &entry, Who: "ada",
			Health: flaky.TestHealth{Runs: 10, FlipRate: 0.44, Tier: flaky.TierFlaky}})
	})
	add("explained stable", func(r *Reply) {
		r.Explain(Explanation{Test: s, Known: true, Health: flaky.TestHealth{Runs: 1, Tier: flaky.TierStable}})
	})
	add("explained unknown", func(r *Reply) { r.Explain(Explanation{Test: s}) })
	return all
}

func TestRepliesAreAsInTheGoldenFile(t *testing.T) {
	var all strings.Builder
	texts := replies("tests/login.spec.ts › Login › signs in")
	for _, name := range sorted(texts) {
		all.WriteString("#### " + name + "\n\n" + texts[name].Render() + "\n")
	}
	goldenPage(t, "replies.md", all.String())
}

func sorted(m map[string]*Reply) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// foreign returns what of body acts and is not ours.
func foreign(body string) (problems []string) {
	walk(body, func(n ast.Node, entering bool) {
		if !entering {
			return
		}
		switch n := n.(type) {
		case *ast.Link:
			if !strings.HasPrefix(string(n.Destination), "https://github.com/octo-shop/web/") {
				problems = append(problems, "link to "+string(n.Destination))
			}
		case *ast.AutoLink, *ast.Image, *east.Strikethrough, *east.FootnoteLink, *ast.Blockquote, *ast.ThematicBreak, *ast.CodeBlock, *ast.RawHTML:
			problems = append(problems, n.Kind().String())
		case *ast.Text:
			if _, inCode := n.Parent().(*ast.CodeSpan); !inCode && strings.Contains(string(n.Value([]byte(body))), "@") {
				problems = append(problems, "mention in "+string(n.Value([]byte(body))))
			}
		}
	})
	return problems
}

func TestHostileTextInRepliesIsOnlyText(t *testing.T) {
	want := replies("calm")
	for i, s := range hostileTexts() {
		if i%5 > 0 { // meets every payload and every opener
			continue
		}
		for name, r := range replies(s) {
			body := r.Render()
			if problems := foreign(body); len(problems) > 0 {
				t.Errorf("%s of %.80q: %v", name, s, problems)
			}
			if diff := cmp.Diff(outline(want[name].Render()), outline(body)); diff != "" {
				t.Errorf("%s of %.80q changes the blocks:\n%s", name, s, diff)
			}
		}
	}
}

func TestHostileTextInSuggestionsIsOnlyText(t *testing.T) {
	outlineOf := func(s string) string {
		before := "a('#x');"
		run := lineRun(before, [2]string{"'#x'", "'" + strings.NewReplacer("\n", " ", "\r", " ").Replace(s) + "'"})
		run.Proposals[0].Heal.TestID, run.Proposals[0].Heal.Locator, run.Proposals[0].Heal.HealedLocator = engine.TestID(s), s, s
		drafts := Drafts(run, run.Edits, changes("a.ts", "@@ -0,0 +1 @@\n+"+before), "e2e")
		if len(drafts) == 0 { // it holds what is not shown
			return ""
		}
		if problems := foreign(drafts[0].Body); len(problems) > 0 {
			t.Errorf("%.80q: %v", s, problems)
		}
		return outline(drafts[0].Body)
	}
	want := outlineOf("calm")
	suggested := 0
	for i, s := range hostileTexts() {
		if i%5 > 0 {
			continue
		}
		got := outlineOf(s)
		if got == "" {
			continue
		}
		suggested++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.80q changes the blocks:\n%s", s, diff)
		}
	}
	if suggested < 200 {
		t.Errorf("only %d suggestions", suggested)
	}
}

func TestHostileTextInBoxesIsOnlyText(t *testing.T) {
	outlineOf := func(s string) string {
		run := hostileRun(s)
		run.Proposals[0].Edit.Old = "'x'"
		run = withSuggestions(run)
		run.Edits[0].Tests, run.Edits[0].Path = []engine.TestID{engine.TestID(s)}, s
		state := NewState(run, nil, nil)
		body := Render(run, Options{State: &state})
		if strings.Count(body, "- [ ] apply") != strings.Count(outline(body), "TextBlock")-strings.Count(outline(Render(run, Options{})), "TextBlock") {
			t.Errorf("%.80q: boxes", s)
		}
		return outline(body)
	}
	want := outlineOf("calm")
	for i, s := range hostileTexts() {
		if i%7 > 0 {
			continue
		}
		if diff := cmp.Diff(want, outlineOf(s)); diff != "" {
			t.Errorf("%.80q changes the blocks:\n%s", s, diff)
		}
	}
}

// The pages that people look at: BREADCRUMB_PAGES names a folder to write the
// golden files to as HTML.
func TestGoldenFilesAsPages(t *testing.T) {
	dir := os.Getenv("BREADCRUMB_PAGES")
	if dir == "" {
		t.Skip("BREADCRUMB_PAGES names no folder to write pages to")
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	for _, name := range []string{"offers.md", "replies.md", "suggestion.md"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		page.WriteString(`<meta charset="utf-8"><style>body{font:14px/1.5 sans-serif;max-width:860px;margin:24px auto}code,pre{background:#f0f2f4;padding:2px 4px;font-size:12px}pre{padding:12px}table{border-collapse:collapse}td,th{border:1px solid #d0d7de;padding:6px 13px}</style>`)
		if err := md.Convert(text, &page); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
