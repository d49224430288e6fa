package flaky_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func result(id, environment string, statuses ...engine.Status) engine.TestResult {
	r := engine.TestResult{ID: engine.TestID(id), Environment: environment}
	for _, s := range statuses {
		r.Attempts = append(r.Attempts, engine.Attempt{Status: s})
	}
	return r
}

func entries(ids ...string) []flaky.Entry {
	var out []flaky.Entry
	for _, id := range ids {
		out = append(out, flaky.Entry{TestID: engine.TestID(id), Reason: "flip rate 0.44", Since: time.Date(2026, 3, 9, 23, 0, 0, 0, time.UTC)})
	}
	return out
}

func TestDecide(t *testing.T) {
	passed := result("other", "", engine.StatusPassed)
	failed := result("t", "", engine.StatusFailed)
	chromium := entries("t [chromium]")
	limited := []flaky.Entry{{TestID: "t", Environment: "chromium"}}
	blocking := engine.Notice{Severity: engine.SeverityBlocking, Reason: "truncated"}
	for _, c := range []struct {
		name              string
		in                flaky.DecideInput
		pass              bool
		blocking, excused int
	}{
		{"all passed", flaky.DecideInput{Results: []engine.TestResult{passed}}, true, 0, 0},
		{"a skipped test passes", flaky.DecideInput{Results: []engine.TestResult{passed, result("t", "", engine.StatusSkipped)}}, true, 0, 0},
		{"a failure blocks", flaky.DecideInput{Results: []engine.TestResult{passed, failed}}, false, 1, 0},
		{"an error blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusError)}}, false, 1, 0},
		{"a result without attempts blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "")}}, false, 1, 0},
		{"a retry that passed passes", flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusFailed, engine.StatusPassed)}}, true, 0, 0},
		{"a retry that failed blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusPassed, engine.StatusFailed)}}, false, 1, 0},
		{"quarantined before and after is excused", flaky.DecideInput{Results: []engine.TestResult{failed, passed}, Before: entries("t"), After: entries("t")}, true, 0, 1},
		{"an error in quarantine is excused", flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusError)}, Before: entries("t"), After: entries("t")}, true, 0, 1},
		{"entering by this run blocks", flaky.DecideInput{Results: []engine.TestResult{failed}, After: entries("t")}, false, 1, 0},
		{"released by this run blocks", flaky.DecideInput{Results: []engine.TestResult{failed}, Before: entries("t")}, false, 1, 0},
		{"another test in quarantine blocks", flaky.DecideInput{Results: []engine.TestResult{failed}, Before: entries("u"), After: entries("u")}, false, 1, 0},
		{"an identity is not trimmed or folded", flaky.DecideInput{Results: []engine.TestResult{failed}, Before: entries("T", "t ", "t › t"), After: entries("T", "t ", "t › t")}, false, 1, 0},
		{"another environment blocks", flaky.DecideInput{Results: []engine.TestResult{result("t [firefox]", "firefox", engine.StatusFailed)}, Before: chromium, After: chromium}, false, 1, 0},
		{"no environment is another one", flaky.DecideInput{Results: []engine.TestResult{failed}, Before: chromium, After: chromium}, false, 1, 0},
		{"the same environment is excused", flaky.DecideInput{Results: []engine.TestResult{result("t [chromium]", "chromium", engine.StatusFailed)}, Before: chromium, After: chromium}, true, 0, 1},
		{"an ID without environment holds for no ID with one", flaky.DecideInput{Results: []engine.TestResult{result("t [chromium]", "chromium", engine.StatusFailed)}, Before: entries("t"), After: entries("t")}, false, 1, 0},
		{"an entry for another environment of the same ID blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "firefox", engine.StatusFailed)}, Before: limited, After: limited}, false, 1, 0},
		{"an entry for an environment blocks where there is none", flaky.DecideInput{Results: []engine.TestResult{failed}, Before: limited, After: limited}, false, 1, 0},
		{"an entry for the environment of the same ID is excused", flaky.DecideInput{Results: []engine.TestResult{result("t", "chromium", engine.StatusFailed)}, Before: limited, After: limited}, true, 0, 1},
		{"an entry that changes its environment in this run blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "firefox", engine.StatusFailed)}, Before: limited, After: entries("t")}, false, 1, 0},
		{"an entry without environment holds for the whole ID", flaky.DecideInput{Results: []engine.TestResult{result("t", "chromium", engine.StatusFailed)}, Before: entries("t"), After: entries("t")}, true, 0, 1},
		{"an entry without a name excuses nobody", flaky.DecideInput{Results: []engine.TestResult{result("", "", engine.StatusFailed)}, Before: entries(""), After: entries("")}, false, 1, 0},
		{"an unknown status blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "", "PASSED")}}, false, 1, 0},
		{"an unknown status is no excused failure", flaky.DecideInput{Results: []engine.TestResult{result("t", "", "")}, Before: entries("t"), After: entries("t")}, false, 1, 0},
		{"the same test once green and once red blocks", flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusPassed), failed}}, false, 1, 0},
		{"no results", flaky.DecideInput{}, false, 0, 0},
		{"missing tests block when they may", flaky.DecideInput{Results: []engine.TestResult{passed}, Missing: []engine.TestID{"m"}, MissingBlocks: true}, false, 0, 0},
		{"missing tests are told otherwise", flaky.DecideInput{Results: []engine.TestResult{passed}, Missing: []engine.TestID{"m"}}, true, 0, 0},
		{"a missing quarantined test blocks", flaky.DecideInput{Results: []engine.TestResult{passed}, Missing: []engine.TestID{"t"}, MissingBlocks: true, Before: entries("t"), After: entries("t")}, false, 0, 0},
		{"a blocking notice blocks", flaky.DecideInput{Results: []engine.TestResult{passed}, Notices: []engine.Notice{blocking}}, false, 0, 0},
		{"a warning does not", flaky.DecideInput{Results: []engine.TestResult{passed}, Notices: []engine.Notice{{Severity: engine.SeverityWarning}}}, true, 0, 0},
		{"an unknown severity does", flaky.DecideInput{Results: []engine.TestResult{passed}, Notices: []engine.Notice{{Severity: ""}}}, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := flaky.Decide(c.in)
			if v.Pass() != c.pass || len(v.Blocking) != c.blocking || len(v.Excused) != c.excused {
				t.Errorf("pass %v, %d blocking, %d excused; want %v, %d, %d\n%+v",
					v.Pass(), len(v.Blocking), len(v.Excused), c.pass, c.blocking, c.excused, v)
			}
		})
	}
}

func TestARunWithoutResultsSaysSo(t *testing.T) {
	truncated := engine.Notice{File: "a.xml", Severity: engine.SeverityBlocking, Reason: "truncated"}
	v := flaky.Decide(flaky.DecideInput{Notices: []engine.Notice{truncated}})
	want := []engine.Notice{truncated, {Severity: engine.SeverityBlocking,
		Reason: "there is not one test result, so nothing shows that the tests pass"}}
	if diff := cmp.Diff(want, v.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestExcuseNamesReasonAndDate(t *testing.T) {
	for _, c := range []struct {
		entry flaky.Entry
		want  string
	}{
		{flaky.Entry{TestID: "t", Reason: "flip rate 0.44", Since: time.Date(2026, 3, 9, 1, 0, 0, 0, time.FixedZone("", 7200))},
			"in quarantine since 2026-03-08: flip rate 0.44; stays until it is released by hand"},
		{flaky.Entry{TestID: "t", Reason: "by hand"}, "in quarantine: by hand; stays until it is released by hand"},
		{flaky.Entry{TestID: "t"}, "in quarantine: no reason was given; stays until it is released by hand"},
	} {
		quarantine := []flaky.Entry{c.entry}
		v := flaky.Decide(flaky.DecideInput{Results: []engine.TestResult{result("t", "", engine.StatusFailed)}, Before: quarantine, After: quarantine})
		if len(v.Excused) != 1 || v.Excused[0].Excuse != c.want {
			t.Errorf("excused %+v, want %q", v.Excused, c.want)
		}
	}
}

func TestDecideSorts(t *testing.T) {
	in := flaky.DecideInput{
		Results: []engine.TestResult{
			result("c", "", engine.StatusFailed), result("b", "webkit", engine.StatusFailed),
			result("b", "chromium", engine.StatusFailed), result("a", "", engine.StatusFailed),
		},
		Missing: []engine.TestID{"z", "y", "z"}, MissingBlocks: true,
		Notices: []engine.Notice{{File: "b.xml", Reason: "x"}, {File: "a.xml", Line: 9, Reason: "x"}, {File: "a.xml", Line: 2, Reason: "x"}},
	}
	v := flaky.Decide(in)
	var order []string
	for _, f := range v.Blocking {
		order = append(order, string(f.Result.ID)+f.Result.Environment)
	}
	for _, n := range v.Notices {
		order = append(order, fmt.Sprintf("%s:%d", n.File, n.Line))
	}
	want := []string{"a", "bchromium", "bwebkit", "c", "a.xml:2", "a.xml:9", "b.xml:0"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]engine.TestID{"y", "z"}, v.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

// randomInput draws an input from so few names that collisions are common.
func randomInput(r *rand.Rand) flaky.DecideInput {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	quarantine := func() []flaky.Entry {
		var out []flaky.Entry
		for range r.IntN(4) {
			out = append(out, flaky.Entry{TestID: engine.TestID(pick("", "a", "b", "c")), Environment: pick("", "", "x", "y"), Reason: pick("r", "s")})
		}
		return out
	}
	in := flaky.DecideInput{Before: quarantine(), After: quarantine(), MissingBlocks: r.IntN(2) == 0}
	for range r.IntN(5) {
		x := result(pick("", "a", "b", "c"), pick("", "x", "y"))
		x.Name = fmt.Sprint(r.IntN(100))
		for range r.IntN(3) {
			x.Attempts = append(x.Attempts, engine.Attempt{Status: engine.Status(pick("passed", "passed", "skipped", "failed", "error", "odd"))})
		}
		in.Results = append(in.Results, x)
	}
	for range r.IntN(8) / 6 {
		in.Missing = append(in.Missing, engine.TestID(pick("m", "n")))
	}
	for range r.IntN(8) / 6 {
		in.Notices = append(in.Notices, engine.Notice{Severity: engine.Severity(pick("warning", "blocking")), Line: r.IntN(9)})
	}
	return in
}

// mayPass says in the words of the rule, and without Decide's tables, whether
// nothing in the input speaks against passing.
func mayPass(in flaky.DecideInput) bool {
	holds := func(quarantine []flaky.Entry, r engine.TestResult) bool {
		return slices.ContainsFunc(quarantine, func(e flaky.Entry) bool {
			return e.TestID != "" && e.TestID == r.ID && (e.Environment == "" || e.Environment == r.Environment)
		})
	}
	for _, r := range in.Results {
		switch r.Final().Status {
		case engine.StatusPassed, engine.StatusSkipped:
		case engine.StatusFailed, engine.StatusError:
			if !holds(in.Before, r) || !holds(in.After, r) {
				return false
			}
		default:
			return false
		}
	}
	blocked := slices.ContainsFunc(in.Notices, func(n engine.Notice) bool { return n.Severity == engine.SeverityBlocking })
	return len(in.Results) > 0 && !blocked && (len(in.Missing) == 0 || !in.MissingBlocks)
}

func TestDecideProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	passes := 0
	for range 20_000 {
		in := randomInput(r)
		v := flaky.Decide(in)
		if v.Pass() != mayPass(in) {
			t.Fatalf("pass %v, want %v for %+v", v.Pass(), mayPass(in), in)
		}
		if v.Pass() {
			passes++
		}
		red := 0
		for _, x := range in.Results {
			if s := x.Final().Status; s != engine.StatusPassed && s != engine.StatusSkipped {
				red++
			}
		}
		if len(v.Blocking)+len(v.Excused) != red {
			t.Fatalf("%d results are not green, but %d block and %d are excused", red, len(v.Blocking), len(v.Excused))
		}
		for _, f := range v.Excused {
			if f.Excuse == "" {
				t.Fatalf("%q is excused without a reason", f.Result.ID)
			}
		}
		in.Results = append(in.Results, result("regression", "x", engine.StatusFailed))
		if flaky.Decide(in).Pass() {
			t.Fatalf("passes with a failing test that is not quarantined: %+v", in)
		}
	}
	if passes < 500 {
		t.Errorf("only %d inputs passed: the properties were hardly tried", passes)
	}
}

func TestDecideDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 13))
	for range 2_000 {
		in := randomInput(r)
		want := flaky.Decide(in)
		before := slices.Clone(in.Results)
		shuffle(r, in.Results)
		shuffle(r, in.Before)
		shuffle(r, in.After)
		shuffle(r, in.Missing)
		shuffle(r, in.Notices)
		after := slices.Clone(in.Results)
		if diff := cmp.Diff(want, flaky.Decide(in)); diff != "" {
			t.Fatalf("another order of %+v (-want +got):\n%s", before, diff)
		}
		if diff := cmp.Diff(after, in.Results); diff != "" {
			t.Fatalf("the argument was modified:\n%s", diff)
		}
	}
}

func shuffle[T any](r *rand.Rand, items []T) {
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}
