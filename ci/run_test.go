package ci_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// big is a run the size of a large suite: 10,000 test cases of 200 files, 200
// of them failing, and 50 heals whose locators stand in their test's file.
type big struct{ files, perFile, failEvery, heals int }

var large = big{files: 200, perFile: 50, failEvery: 50, heals: 50}

func (b big) write(tb testing.TB, dir string) {
	tb.Helper()
	var heals strings.Builder
	for f := range b.files {
		name := fmt.Sprintf("suite%03d.spec.ts", f)
		var xml, src strings.Builder
		fmt.Fprintf(&xml, `<testsuites><testsuite name="%s" hostname="chromium" timestamp="2026-03-01T10:00:00Z">`, name)
		for i := range b.perFile {
			title := fmt.Sprintf("case %d of file %d", i, f)
			fmt.Fprintf(&src, "test('%s', async ({ page }) => {\n  await page.locator('#button-%d-%d').click();\n});\n", title, f, i)
			fmt.Fprintf(&xml, `<testcase name="%s" classname="%s" time="0.25">`, title, name)
			if (f*b.perFile+i)%b.failEvery == 0 {
				fmt.Fprintf(&xml, `<failure message="expected %d">%s</failure>`, i, strings.Repeat("Error: expected 1, got 2\n    at tests/"+name+":3:5\n", 20))
			}
			xml.WriteString(`</testcase>`)
		}
		xml.WriteString(`</testsuite></testsuites>`)
		writeFile(tb, filepath.Join(dir, "results", name+".xml"), xml.String())
		writeFile(tb, filepath.Join(dir, "repo", "tests", name), src.String())
		if f < b.heals {
			event, err := json.Marshal(engine.HealEvent{
				TestID: engine.TestID(fmt.Sprintf("tests/%s › case 7 of file %d", name, f)), Locator: fmt.Sprintf("#button-%d-7", f), API: "locator",
				Confidence: 0.93, Outcome: engine.OutcomeHealed, HealedLocator: fmt.Sprintf("#renamed-%d", f),
				Site: &engine.Site{File: "tests/" + name, Line: 7*3 + 2}, Timestamp: 1772359200 + float64(f),
			})
			if err != nil {
				tb.Fatal(err)
			}
			heals.Write(append(event, '\n'))
		}
	}
	writeFile(tb, filepath.Join(dir, "heals.ndjson"), heals.String())
}

func (b big) config(dir string) ci.Config {
	return ci.Config{
		JUnit: []string{filepath.Join(dir, "results", "*.xml")}, HealEvents: []string{filepath.Join(dir, "heals.ndjson")},
		DB: filepath.Join(dir, ".breadcrumb.db"), Repo: filepath.Join(dir, "repo"),
		Policy: flaky.PolicySeed, Missing: ci.MissingAuto, CommentKey: "default",
	}
}

func deps() ci.Deps {
	return ci.Deps{Now: func() time.Time { return time.Unix(1772359300, 0) }, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func writeFile(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func TestRunCountsEveryTestCaseOfALargeRun(t *testing.T) {
	dir := t.TempDir()
	small := big{files: 20, perFile: 50, failEvery: 50, heals: 5}
	small.write(t, dir)
	result, err := ci.Run(t.Context(), small.config(dir), deps())
	if err != nil {
		t.Fatal(err)
	}
	run := result.Outcome
	if run.Counts.Tests != 1000 || len(run.Verdict.Blocking) != 20 || len(run.Proposals) != 5 || result.Exit != ci.ExitBlocked {
		t.Fatalf("tests %d, blocking %d, proposals %d, exit %d; want 1000, 20, 5, 1",
			run.Counts.Tests, len(run.Verdict.Blocking), len(run.Proposals), result.Exit)
	}
	for i, p := range run.Proposals {
		if p.Edit == nil {
			t.Errorf("heal of %s has no edit: %s", p.Heal.Locator, p.Reason)
			continue
		}
		if want := fmt.Sprintf("  await page.locator('#renamed-%d').click();", i); p.Edit.After != want {
			t.Errorf("edited line is %q, want %q", p.Edit.After, want)
		}
	}
}

func BenchmarkRunOf10000TestCases(b *testing.B) { benchmarkRun(b, large) }

// What is said of each failing test is looked up, not searched for.
func BenchmarkRunOf10000FailingTestCases(b *testing.B) {
	failing := large
	failing.failEvery, failing.heals = 1, 0
	benchmarkRun(b, failing)
}

func benchmarkRun(b *testing.B, of big) {
	b.Helper()
	dir := b.TempDir()
	of.write(b, dir)
	cfg := of.config(dir)
	for b.Loop() {
		os.Remove(cfg.DB)
		result, err := ci.Run(b.Context(), cfg, deps())
		if err != nil {
			b.Fatal(err)
		}
		if n := result.Outcome.Counts.Tests; n != 10_000 {
			b.Fatalf("%d test cases, want 10000", n)
		}
	}
}
