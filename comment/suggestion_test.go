package comment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

const loginPatch = `@@ -9,4 +9,5 @@ test.describe('Login', () => {
   test('signs in', async ({ page }) => {
     await page.goto('/login');
-  await page.locator('#login').click();
+  // the new form
+  await page.locator('#login-btn').click();
   });`

func TestLinesOfTheNewSide(t *testing.T) {
	got := linesOfHunks("@@ -1,2 +10,3 @@ x\n a\n-b\n+c\n+d\\\n@@ -30 +40 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file")
	want := map[int]string{10: "a", 11: "c", 12: `d\`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "a\nb", "@@ -1 +99999999999999999999 @@\n+x", "@@ nonsense @@\n+x"} {
		if got := linesOfHunks(bad); len(got) != 0 {
			t.Errorf("%q has lines %v", bad, got)
		}
	}
}

func TestSuggestionsInTheDiffAreDrafted(t *testing.T) {
	run := withSuggestions(healsRun())
	drafts := Drafts(run, run.Edits, changes("tests/login.spec.ts", loginPatch), "e2e")
	if len(drafts) != 1 || drafts[0].Line != 12 || drafts[0].Path != "tests/login.spec.ts" {
		t.Fatalf("drafts %+v", drafts)
	}
	goldenPage(t, "suggestion.md", drafts[0].Body)
}

// changes is a diff of one file that is what was tested.
func changes(path, patch string) Diff {
	return Diff{Files: map[string]ChangedFile{path: {Blob: strings.Repeat("b", 40), Patch: patch}}}
}

func TestAFileThatWasNotTestedAsItIsHasNoSuggestion(t *testing.T) {
	run := withSuggestions(healsRun())
	diff := changes("tests/login.spec.ts", loginPatch)
	file := diff.Files["tests/login.spec.ts"]
	file.Blob = strings.Repeat("c", 40)
	diff.Files["tests/login.spec.ts"] = file
	if drafts := Drafts(run, run.Edits, diff, "e2e"); len(drafts) != 0 {
		t.Errorf("drafts %+v", drafts)
	}
}

func TestWhatASuggestionCouldNotKeepIsNoSuggestion(t *testing.T) {
	for name, hunk := range map[string]string{
		"no hunk":              "",
		"other text":           strings.Replace(loginPatch, "#login-btn", "#login-button", 1),
		"windows line ending":  strings.ReplaceAll(loginPatch, "\n", "\r\n"),
		"no line ending":       strings.Replace(loginPatch, "\n   });", "\n\\ No newline at end of file", 1),
		"only on the old side": strings.Replace(loginPatch, "+  await", "-  await", 1),
		"another line":         strings.Replace(loginPatch, "+9,5", "+10,5", 1),
	} {
		run := withSuggestions(healsRun())
		if drafts := Drafts(run, run.Edits, changes("tests/login.spec.ts", hunk), "e2e"); len(drafts) != 0 {
			t.Errorf("%s: %+v", name, drafts)
		}
	}
	run := withSuggestions(healsRun())
	run.Edits[0].Edit.Before = strings.Replace(run.Edits[0].Edit.Before, "await", "aw\u202eait", 1)
	run.Edits[0].Column += 3
	hunk := strings.Replace(loginPatch, "  await page.locator('#login-btn')", "  aw\u202eait page.locator('#login-btn')", 1)
	if drafts := Drafts(run, run.Edits, changes("tests/login.spec.ts", hunk), "e2e"); len(drafts) != 0 {
		t.Errorf("a line that hides something is suggested: %+v", drafts)
	}
}

// line returns a run with offers on one line of a.ts, at columns.
func lineRun(before string, edits ...[2]string) outcome.Run {
	run := outcome.Run{Info: pullRequest}
	for i, e := range edits {
		column := strings.Index(before, e[0])
		run.Proposals = append(run.Proposals, patch.Proposal{Heal: engine.HealEvent{TestID: "t", Locator: e[0], HealedLocator: e[1]}, Confidence: 0.9})
		run.Edits = append(run.Edits, outcome.OfferedEdit{
			ID: fmt.Sprintf("%08x", i), Proposal: i, Path: "a.ts", Blob: strings.Repeat("b", 40), Column: column, Tests: []engine.TestID{"t"},
			Edit: patch.Edit{File: "a.ts", Line: 1, Start: column, End: column + len(e[0]), Old: e[0], New: e[1], Before: before,
				After: before[:column] + e[1] + before[column+len(e[0]):]},
		})
	}
	return run
}

func TestEditsOfOneLineAreOneSuggestion(t *testing.T) {
	before := `  a('#one'); b("#two"); c('#three');`
	run := lineRun(before, [2]string{`'#three'`, `'#3'`}, [2]string{`'#one'`, `'#first-of-all'`})
	drafts := Drafts(run, run.Edits, changes("a.ts", "@@ -0,0 +1 @@\n+"+before), "e2e")
	if len(drafts) != 1 || len(drafts[0].IDs) != 2 {
		t.Fatalf("drafts %+v", drafts)
	}
	if want := "```suggestion\n  a('#first-of-all'); b(\"#two\"); c('#3');\n```\n"; !strings.HasSuffix(drafts[0].Body, want) {
		t.Errorf("body\n%s", drafts[0].Body)
	}
	run.Edits[1].Column++
	if drafts := Drafts(run, run.Edits, changes("a.ts", "@@ -0,0 +1 @@\n+"+before), "e2e"); len(drafts) != 0 {
		t.Errorf("an edit that is not where it says is suggested: %+v", drafts)
	}
}

func TestTheFenceIsLongerThanWhatItHolds(t *testing.T) {
	before := "a('#x'); b(`````)"
	run := lineRun(before, [2]string{"'#x'", "'```'"})
	drafts := Drafts(run, run.Edits, changes("a.ts", "@@ -0,0 +1 @@\n+"+before), "e2e")
	if len(drafts) != 1 || !strings.HasSuffix(drafts[0].Body, "\n``````suggestion\na('```'); b(`````)\n``````\n") {
		t.Errorf("drafts %+v", drafts)
	}
}

func TestAReviewHasTheThirtySurest(t *testing.T) {
	run := outcome.Run{Info: pullRequest}
	var hunk strings.Builder
	hunk.WriteString("@@ -0,0 +1,50 @@\n")
	for i := range 50 {
		one := lineRun(fmt.Sprintf("  a('#n%d');", i), [2]string{fmt.Sprintf("'#n%d'", i), "'#x'"})
		one.Proposals[0].Confidence = 0.75 + float64(i%25)/100
		o := one.Edits[0]
		o.ID, o.Proposal, o.Edit.Line = fmt.Sprintf("%08x", i), i, i+1
		run.Proposals, run.Edits = append(run.Proposals, one.Proposals[0]), append(run.Edits, o)
		hunk.WriteString("+" + o.Edit.Before + "\n")
	}
	drafts := Drafts(run, run.Edits, changes("a.ts", hunk.String()), "e2e")
	if len(drafts) != MaxSuggestions {
		t.Fatalf("%d drafts", len(drafts))
	}
	for i, d := range drafts {
		if i > 0 && d.Line <= drafts[i-1].Line {
			t.Error("not in the order of lines")
		}
		if (d.Line-1)%25 < 10 {
			t.Errorf("line %d is one of the least sure", d.Line)
		}
	}
}

func FuzzLinesOfHunks(f *testing.F) {
	f.Add(loginPatch)
	f.Add("@@ -1 +1 @@\n+a\n\\ No newline")
	f.Fuzz(func(t *testing.T, patch string) {
		for n, text := range linesOfHunks(patch) {
			if n < 0 || !strings.Contains(patch, text) {
				t.Errorf("line %d is %q", n, text)
			}
		}
	})
}

func TestAHealByASynonymSaysWhichWordIsKnown(t *testing.T) {
	t.Parallel()
	h := engine.HealEvent{TestID: "a", Outcome: engine.OutcomeHealed, Synonym: true, Changed: []engine.Change{{What: "name", Was: "Save <b>", Now: "Store <b>"}}}
	line := func() string { return Render(outcome.Run{Proposals: []patch.Proposal{{Heal: h}}}, Options{}) }
	if got, want := line(), " · *Store* is known to mean *Save* · "; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	h.Changed[0].Now = "<img src=x>"
	if got := line(); strings.Contains(strings.ReplaceAll(got, "`<img src=x>`", ""), "<img") {
		t.Errorf("markup: %q", got)
	}
}
