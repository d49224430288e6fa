package patch

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

const twoTests = `test('a', async ({ page }) => {
  await page.locator('#a').click(); await page.locator('#b').click();
});
async function open(page) { await page.locator('#shared').click(); }
`

func proposals(t *testing.T, heals ...[3]string) []Proposal {
	t.Helper()
	p := New(fstest.MapFS{"a.spec.ts": {Data: []byte(twoTests)}})
	var out []Proposal
	for _, h := range heals {
		out = append(out, p.Propose(engine.HealEvent{TestID: engine.TestID("a.spec.ts › " + h[0]), Locator: h[1], HealedLocator: h[2], Confidence: 1}, nil))
	}
	return out
}

func TestResolve(t *testing.T) {
	ps := proposals(t,
		[3]string{"a", "#b", "#b2"},
		[3]string{"x", "#shared", "#one"},
		[3]string{"y", "#shared", "#two"},
		[3]string{"a", "#a", "#a2"},
		[3]string{"b", "#none", "#n"},
		[3]string{"a", "#a", "#a2"},
		[3]string{"z", "#shared", "#one"},
	)
	want := Resolve(ps)
	var got []string
	for _, p := range want {
		line := string(p.Heal.TestID) + string(" ") + p.Locator
		if p.Edit != nil {
			line += " edits " + p.Edit.Old
		} else if strings.Contains(p.Reason, "another heal or suggestion wants") {
			line += " loses"
		}
		if p.SameAs > 0 {
			line += " again"
		}
		got = append(got, line)
	}
	diff := cmp.Diff([]string{
		"a.spec.ts › a #a2 edits '#a'",
		"a.spec.ts › a #a2 edits '#a' again",
		"a.spec.ts › a #b2 edits '#b'",
		"a.spec.ts › b #n",
		"a.spec.ts › x #one loses",
		"a.spec.ts › y #two loses",
		"a.spec.ts › z #one loses",
	}, got)
	if diff != "" {
		t.Error(diff)
	}
	if want[1].SameAs != 1 {
		t.Errorf("SameAs %d, want 1", want[1].SameAs)
	}
	for seed := range int64(20) {
		shuffled := append([]Proposal(nil), ps...)
		rand.New(rand.NewSource(seed)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := cmp.Diff(want, Resolve(shuffled)); diff != "" {
			t.Fatalf("order of the input shows:\n%s", diff)
		}
	}
}

func TestVerifyEditRefusesAnEditThatBreaksOut(t *testing.T) {
	d, _ := source.DialectOf("a.ts")
	src, err := source.New("a.ts", d, []byte("f('a', 'b');\n// c\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"another argument": `'x', y`, "another value": `'y'`, "comment": `'x' /* */`, "unclosed": `'x`, "line": "`x\n`", "template": "`${x}`",
	} {
		t.Run(name, func(t *testing.T) {
			e := Edit{File: "a.ts", Line: 1, Start: 2, End: 5, Old: "'a'", New: text}
			if value, err := verifyEdit(src, e, 2); err == nil && value == "x" {
				t.Errorf("f(%s, 'b') passed", text)
			}
		})
	}
	if value, err := verifyEdit(src, Edit{File: "a.ts", Line: 1, Start: 2, End: 5, Old: "'a'", New: "'x'"}, 2); err != nil || value != "x" {
		t.Error(value, err)
	}
}

func TestDiffAppliesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.spec.ts")
	if err := os.WriteFile(file, []byte(twoTests), 0o600); err != nil {
		t.Fatal(err)
	}
	e := *proposals(t, [3]string{"a", "#a", "[title=\"x\"]"})[0].Edit
	cmd := exec.CommandContext(t.Context(), git, "apply", "--unidiff-zero", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(Diff(e))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s%s", err, out, Diff(e))
	}
	got, _ := os.ReadFile(file)
	want, err := Apply([]byte(twoTests), []Edit{e})
	if err != nil || string(got) != string(want) {
		t.Errorf("git made\n%s\nApply made\n%s (%v)", got, want, err)
	}
}

func TestDiffQuotesUnusualPaths(t *testing.T) {
	got := Diff(Edit{File: "a\n+++ b/x.ts", Line: 3, Before: "x", After: "y"})
	want := "--- \"a/a\\n+++ b/x.ts\"\n+++ \"b/a\\n+++ b/x.ts\"\n@@ -3 +3 @@\n-x\n+y\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestApply(t *testing.T) {
	one := Edit{File: "f", Start: 1, End: 2, Old: "b", New: "BB"}
	two := Edit{File: "f", Start: 3, End: 4, Old: "d", New: ""}
	cases := map[string]struct {
		edits []Edit
		want  string
		fails bool
	}{
		"none":      {nil, "abcde", false},
		"any order": {[]Edit{two, one}, "aBBce", false},
		"equal":     {[]Edit{one, one}, "aBBcde", false},
		"stale":     {[]Edit{{File: "f", Start: 1, End: 2, Old: "x"}}, "", true},
		"past end":  {[]Edit{{File: "f", Start: 4, End: 9, Old: "e"}}, "", true},
		"negative":  {[]Edit{{File: "f", Start: -1, End: 0}}, "", true},
		"reversed":  {[]Edit{{File: "f", Start: 3, End: 1}}, "", true},
		"overlap":   {[]Edit{{File: "f", Start: 1, End: 3, Old: "bc"}, {File: "f", Start: 2, End: 3, Old: "c"}}, "", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Apply([]byte("abcde"), c.edits)
			if string(got) != c.want || (err != nil) != c.fails {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestHealsComeBeforeSuggestionsAndAreTheFirstOfEqualEdits(t *testing.T) {
	edit := func(file string, start int) *Edit {
		return &Edit{File: file, Start: start, End: start + 3, Old: "'a'", New: "'b'"}
	}
	of := func(test engine.TestID, o engine.HealOutcome, e *Edit) Proposal {
		return Proposal{Heal: engine.HealEvent{TestID: test, Outcome: o, Confidence: 0.9}, Edit: e, Confidence: 0.9}
	}
	all := []Proposal{
		of("a", engine.OutcomeSuggested, edit("a.ts", 1)), of("b", engine.OutcomeHealed, edit("a.ts", 1)), of("c", engine.OutcomeSuggested, edit("a.ts", 9)),
		of("d", engine.OutcomeSuggested, edit("a.ts", 9)), of("e", engine.OutcomeHealed, edit("b.ts", 1)), of("f", engine.OutcomeSuggested, nil), of("g", engine.OutcomeHealed, nil),
	}
	var got []string
	for _, p := range Resolve(all) {
		got = append(got, fmt.Sprintf("%s%d", p.Heal.TestID, p.SameAs))
	}
	if want := []string{"b0", "e0", "g0", "a1", "c0", "d5", "f0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestASuggestionIsSureWhereItsPlaceIs(t *testing.T) {
	for _, tt := range []struct {
		outcome        engine.HealOutcome
		heal, proposal float64
		want           bool
	}{
		{engine.OutcomeHealed, 0.9, 0.9, true},
		{engine.OutcomeHealed, 0.7, 0.7, false},
		{engine.OutcomeSuggested, 0.3, 0.3, true},
		{engine.OutcomeSuggested, 0.3, 0.3 * 0.75, true},
		{engine.OutcomeSuggested, 0.3, 0.3 * 0.7, false},
	} {
		p := Proposal{Heal: engine.HealEvent{Outcome: tt.outcome, Confidence: tt.heal}, Confidence: tt.proposal, Edit: &Edit{}}
		if p.Sure() != tt.want {
			t.Errorf("%s of %.2f at %.3f: sure %t", tt.outcome, tt.heal, tt.proposal, p.Sure())
		}
		if p.Edit = nil; p.Sure() {
			t.Error("sure without an edit")
		}
	}
}
