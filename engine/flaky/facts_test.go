package flaky_test

import (
	"testing"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
)

func TestReasonsSayWhatHappenedWhereAndHowOften(t *testing.T) {
	const timeout = "TimeoutError: locator.click: Timeout <n>ms exceeded."
	piece := func(kind flaky.Kind, commit, signature, place string) flaky.Evidence {
		p := flaky.Evidence{Kind: kind, Commit: commit, Place: place}
		if signature != "" {
			p.Signatures = []string{signature}
		}
		return p
	}
	for _, c := range []struct {
		name  string
		facts flaky.Facts
		want  string
	}{
		{
			"two retries", flaky.Facts{Executions: 41, Rate: 2.2 / 61, Evidence: []flaky.Evidence{
				piece(flaky.KindSameCommit, "a1b2c3d4e5f6", timeout, "login.spec.ts:10"),
				piece(flaky.KindSameCommit, "d4e5f60718293a", timeout, "login.spec.ts:12"),
			}},
			"failed then passed on a1b2c3d and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a burst; TimeoutError at login.spec.ts:12",
		},
		{
			"a message that says more than its class, and another error", flaky.Facts{Executions: 300, Rate: .0134, Evidence: []flaky.Evidence{
				piece(flaky.KindSameCommit, "a1b2c3d", timeout, ""),
				piece(flaky.KindLoneMain, "d4e5f60", "AssertionError: expected <n> to be <n>.", "tests/test_cart.py:7"),
				piece(flaky.KindSameCommit, "", "", ""),
			}},
			"failed then passed on a1b2c3d and a run without a commit; red alone on the default branch, green at the next run: d4e5f60; " +
				"3 of 300 runs flaked (estimated rate 1.3 %); not a burst; AssertionError: expected … to be … at tests/test_cart.py:7 (and 1 other error)",
		},
		{
			"a class with its package", flaky.Facts{Executions: 20, Rate: .1, PullsOnly: true, Evidence: []flaky.Evidence{
				piece(flaky.KindLonePull, "a1b2c3d", "org.openqa.selenium.StaleElementReferenceException", "LoginTest.java:5"),
			}},
			"red alone on a pull request, green at its next push: a1b2c3d; 1 of 20 runs flaked (estimated rate 10 %); not a burst; " +
				"StaleElementReferenceException at LoginTest.java:5; on pull requests only, the default branch has not shown it",
		},
		{
			"one leg of a matrix", flaky.Facts{Executions: 41, Rate: 2.2 / 61, Only: "7\ne2e\n{\"os\":\"linux\",\"shard\":2}", Evidence: []flaky.Evidence{piece(flaky.KindSameCommit, "a1b2c3d", timeout, "")}},
			"failed then passed on a1b2c3d; 1 of 41 runs flaked (estimated rate 4 %); not a burst; only in leg linux, 2 of job e2e; TimeoutError",
		},
		{
			"one job", flaky.Facts{Executions: 41, Rate: 2.2 / 61, Only: "acme/shop/.github/workflows/ci.yml@\nnightly / e2e\n", Evidence: []flaky.Evidence{piece(flaky.KindSameCommit, "a1b2c3d", timeout, "")}},
			"failed then passed on a1b2c3d; 1 of 41 runs flaked (estimated rate 4 %); not a burst; only in job nightly / e2e; TimeoutError",
		},
		{
			"one workflow", flaky.Facts{Executions: 41, Rate: 2.2 / 61, Only: "acme/shop/.github/workflows/ci.yml@\n\n", Evidence: []flaky.Evidence{piece(flaky.KindSameCommit, "a1b2c3d", timeout, "")}},
			"failed then passed on a1b2c3d; 1 of 41 runs flaked (estimated rate 4 %); not a burst; only in workflow acme/shop/.github/workflows/ci.yml; TimeoutError",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.facts.String(); got != c.want {
				t.Errorf("reason %s\nwant   %s", got, c.want)
			}
		})
	}
}

func TestWayOut(t *testing.T) {
	since := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	evidence := flaky.Entry{Since: since, AutoUnquarantine: true, Commits: []string{"a1b2c3d"}}
	progress, pulls, late := evidence, evidence, evidence
	progress.Clean, progress.Release = 6, 18
	pulls.Clean, pulls.Release, pulls.PullsOnly = 10, 75, true
	late.Clean, late.Release = 20, 18
	for _, c := range []struct {
		entry flaky.Entry
		want  string
	}{
		{progress, "12 of 18 clean runs to go; expires 2026-12-01"},
		{late, "0 of 18 clean runs to go; expires 2026-12-01"},
		{evidence, "leaves after enough clean runs; expires 2026-12-01"},
		{pulls, "65 of 75 clean runs to go"},
		{flaky.Entry{Since: since}, "stays until it is released by hand"},
		{flaky.Entry{AutoUnquarantine: true}, "leaves when its flip rate is at most 0.20"},
		{flaky.Entry{Configured: true}, "stays while the configuration says always"},
	} {
		if got := c.entry.ExitCriteria(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.entry, got, c.want)
		}
	}
}
