package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/report"
)

func console(t *testing.T, run outcome.Run, o report.ConsoleOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Console(&out, run, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestConsole(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		golden.Check(t, fmt.Sprintf("testdata/fail-%d.txt", width), console(t, failingRun(), report.ConsoleOptions{Width: width}))
		golden.Check(t, fmt.Sprintf("testdata/fail-%d-color.txt", width), console(t, failingRun(), report.ConsoleOptions{Width: width, Color: true}))
	}
	for _, width := range []int{60, 80, 120} {
		golden.Check(t, fmt.Sprintf("testdata/redesign-%d.txt", width), console(t, redesignRun(), report.ConsoleOptions{Width: width}))
	}
	golden.Check(t, "testdata/pass-80.txt", console(t, passingRun(), report.ConsoleOptions{}))
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestConsoleStaysWithinItsWidth(t *testing.T) {
	for width := 40; width <= 130; width++ {
		text := console(t, failingRun(), report.ConsoleOptions{Width: width, Color: true})
		for _, line := range strings.Split(text, "\n") {
			if cells := uniseg.StringWidth(sgr.ReplaceAllString(line, "")); cells > width {
				t.Errorf("width %d: %d cells in %q", width, cells, line)
			}
		}
	}
}

func TestColourChangesNothingElse(t *testing.T) {
	plain := console(t, failingRun(), report.ConsoleOptions{Width: 80})
	coloured := console(t, failingRun(), report.ConsoleOptions{Width: 80, Color: true})
	if diff := cmp.Diff(plain, sgr.ReplaceAllString(coloured, "")); diff != "" {
		t.Errorf("without its colours (-plain +coloured):\n%s", diff)
	}
	if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[1;31m✗") {
		t.Error("colour does not follow the option")
	}
}

func TestConsoleReturnsWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := report.Console(failingWriter{full}, failingRun(), report.ConsoleOptions{}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if err := report.JSON(failingWriter{full}, failingRun()); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestConsoleHeadline(t *testing.T) {
	failure := []flaky.Failure{{Result: failing("t", "", 0, "x", "")}}
	for _, c := range []struct {
		run  outcome.Run
		want string
	}{
		{outcome.Run{Counts: outcome.Counts{Tests: 3, Passed: 3}}, "✓ Breadcrumb: passed"},
		{outcome.Run{}, "! Breadcrumb: no test ran"},
		{outcome.Run{Verdict: flaky.Verdict{Blocking: failure}}, "✗ Breadcrumb: 1 test fails this run"},
	} {
		got, _, _ := strings.Cut(console(t, c.run, report.ConsoleOptions{}), "\n")
		if got != c.want {
			t.Errorf("headline %q, want %q", got, c.want)
		}
	}
}

func TestPlacesOfACheckoutFolderBeginAtTheRepositorysTop(t *testing.T) {
	run := failingRun()
	run.Root = "apps/web"
	text := console(t, run, report.ConsoleOptions{Width: 120})
	for _, want := range []string{
		"\n    apps/web/tests/checkout.spec.ts:42\n",
		" · edit apps/web/tests/login.spec.ts:12\n",
		"\n    apps/web/tests/profile.spec.ts:27\n",
		"✗ results/api.xml:204: ", // a report, named from the working directory
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	_, doc := jsonReport(t, run)
	if doc.Root != "apps/web" || doc.Blocking[0].File != "tests/checkout.spec.ts" || doc.Healed[0].Edit.File != "tests/login.spec.ts" {
		t.Errorf("root %q, file %q, edit in %q", doc.Root, doc.Blocking[0].File, doc.Healed[0].Edit.File)
	}
}

func TestConsoleSaysWhereTheDatabaseIs(t *testing.T) {
	for _, c := range []struct {
		run  outcome.Run
		want string
	}{
		{outcome.Run{Database: "/srv/x.db"}, "Database   /srv/x.db\n"},
		{outcome.Run{Database: "/srv/x.db", DryRun: true}, "Database   not written, this is a dry run\n"},
		{outcome.Run{}, "Database   not written\n"},
	} {
		if got := console(t, c.run, report.ConsoleOptions{}); !strings.HasSuffix(got, "\n"+c.want) {
			t.Errorf("%q does not end in %q", got, c.want)
		}
	}
}

func TestConsoleCutsLongSectionsAndSaysSo(t *testing.T) {
	var run outcome.Run
	for i := range 1300 {
		run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: failing(fmt.Sprintf("test %04d", i), "", 0, "one error "+strings.Repeat("x", i), "")})
		run.Verdict.Missing = append(run.Verdict.Missing, engine.TestID(fmt.Sprintf("missing %04d", i)))
	}
	text := console(t, run, report.ConsoleOptions{})
	for _, want := range []string{"Causes (1,301)\n", "✗ test 0099\n", "… and 1,201 more; --format json lists all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the output", want)
		}
	}
	for _, beyond := range []string{"test 0100"} {
		if strings.Contains(text, beyond) {
			t.Errorf("%q is in the output", beyond)
		}
	}
}

func TestConsoleShowsTheUsefulLines(t *testing.T) {
	for _, c := range []struct{ name, message, text, want string }{
		{"the message", "boom", "trace", "boom"},
		{"both sides of a comparison", "toBe failed", "Error: toBe failed\n\nExpected: 2\nReceived: \x1b[31m1\x1b[39m", "toBe failed\n    Expected: 2\n    Received: 1"},
		{"only a type", "", "", "Error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := outcome.Run{Verdict: flaky.Verdict{Blocking: []flaky.Failure{{Result: failing("the test", "", 0, c.message, c.text)}}}}
			if got := console(t, run, report.ConsoleOptions{}); !strings.Contains(got, "✗ the test\n    "+c.want+"\n") {
				t.Errorf("%q is not below the test in:\n%s", c.want, got)
			}
		})
	}
}

func BenchmarkConsole(b *testing.B) {
	run := failingRun()
	for len(run.Verdict.Blocking) < 200 {
		run.Verdict.Blocking = append(run.Verdict.Blocking, run.Verdict.Blocking...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := report.Console(io.Discard, run, report.ConsoleOptions{Color: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTheConsoleNamesACauseOnceAndTheFirstOfItsTests(t *testing.T) {
	var run outcome.Run
	for i := range 40 {
		id := engine.TestID(fmt.Sprintf("tests/a.spec.ts › test %02d", i))
		message := "TimeoutError: locator.fill: Timeout 10000ms exceeded."
		r := failing(string(id), "tests/a.spec.ts", i+1, message, message+"\nCall log:\n  - waiting for locator('#email')\n")
		run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: r})
		if i < 30 {
			run.Proposals = append(run.Proposals, patch.Proposal{Heal: engine.HealEvent{TestID: id, Locator: "#email", HealedLocator: "#mail", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning, Confidence: .9,
				Source: "heals/run.ndjson", Pictures: &engine.Pictures{Found: strings.Repeat("0a", 16) + ".jpg"}}, Locator: "#mail"})
		}
		run.Verdict.Missing = append(run.Verdict.Missing, engine.TestID(fmt.Sprintf("missing %02d", i)))
	}
	run.Verdict.Missing = append(run.Verdict.Missing, "missing 40")
	text := console(t, run, report.ConsoleOptions{})
	for _, want := range []string{"Causes (3)\n", "✗ Lost locator, stops 30 tests\n    #email → #mail\n", "    picture: heals/pictures/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.jpg\n", "    · tests/a.spec.ts › test 04 · tests/a.spec.ts:5\n    … and 25 more; --format json lists all\n",
		"✗ 10 tests: TimeoutError: locator.fill: Timeout 10000ms exceeded.\n    waiting for locator('#email')\n", "✗ 41 missing tests\n    · missing 00\n", "    · missing 39\n    … and 1 more; --format json lists all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "#email →"); n != 1 {
		t.Errorf("the lost locator is told %d times", n)
	}
}

func TestConsoleSaysOfACauseOnceWhatIsTrueOfItsTests(t *testing.T) {
	var run outcome.Run
	for i := range 3 {
		run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Triage: []string{"fails since a1b2c3d (3 runs)", "fails since a1b2c3d (3 runs)", "new here"}[i],
			Result: engine.TestResult{ID: engine.TestID(fmt.Sprintf("a.spec.ts › t%d", i)), Name: fmt.Sprintf("t%d", i),
				Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: "Error: boom"}}}})
	}
	out := console(t, run, report.ConsoleOptions{})
	if strings.Count(out, "triage: fails since") != 1 || strings.Count(out, "triage: new here") != 1 {
		t.Error(out)
	}
}
