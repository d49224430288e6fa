package comment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// manyOf returns a run with n of everything.
func manyOf(n int) outcome.Run {
	run := hugeRun(n)
	run.Proposals = nil
	for i := range n {
		q := loginHeal()
		q.Heal.TestID = engine.TestID(fmt.Sprintf("tests/login.spec.ts › heal %d", i))
		run.Proposals = append(run.Proposals, q)
		run.Changes = append(run.Changes, flaky.Change{TestID: engine.TestID(fmt.Sprintf("change %d", i)), Reason: "flip rate 0.50"})
		run.Verdict.Missing = append(run.Verdict.Missing, engine.TestID(fmt.Sprintf("missing %d", i)))
		run.Notices = append(run.Notices, engine.Notice{Severity: engine.SeverityWarning, Reason: fmt.Sprint("warning ", i)})
	}
	return run
}

func TestTheLimitHoldsAndEntriesStayWhole(t *testing.T) {
	run := manyOf(60)
	for limit := 1500; limit <= CommentLimit; limit = limit*5/4 + 1 {
		body := Render(run, Options{Limit: limit})
		if len(body) > limit {
			t.Errorf("limit %d: %d bytes", limit, len(body))
		}
		if strings.Count(body, "<details>") != strings.Count(body, "</details>") || strings.Count(body, "```")%2 != 0 {
			t.Errorf("limit %d cuts inside an entry:\n%s", limit, body)
		}
		if problems := check(body); len(problems) > 0 {
			t.Errorf("limit %d: %v", limit, problems)
		}
		if limit < CommentLimit/2 && !strings.Contains(body, "**Left out for length:** ") {
			t.Errorf("limit %d: nothing says what is left out", limit)
		}
	}
}

func TestASmallLimitKeepsTheHeadline(t *testing.T) {
	body := Render(manyOf(60), Options{Limit: 1})
	if !strings.HasPrefix(body, marker(DefaultKey)+"\n### ❌ Breadcrumb: 60 tests and 61 missing tests block this merge\n") {
		t.Error(body)
	}
	if strings.Contains(body, "####") || !strings.Contains(body, "60 blocking failures") {
		t.Error(body)
	}
}

func TestLessImportantPartsAreLeftOutFirst(t *testing.T) {
	run := manyOf(8)
	whole := len(Render(run, Options{}))
	order := []string{"blocking failure", "healed locator", "quarantine change", "warning"}
	marks := []string{"total of cart 7", "`#login-btn` → ", "change 7`", "warning 7"}
	for limit := whole; limit > 1200; limit -= 150 {
		body := Render(run, Options{Limit: limit})
		seenMissing := false
		for i, mark := range marks {
			has := strings.Contains(body, mark)
			if has && seenMissing {
				t.Fatalf("limit %d keeps the last %s but not a more important one:\n%s", limit, order[i], body)
			}
			seenMissing = seenMissing || !has
		}
	}
}

func TestWhatIsLeftOutIsCounted(t *testing.T) {
	const failures = 500
	run := outcome.Run{Info: pullRequest, Counts: outcome.Counts{Tests: failures, Failed: failures}}
	for i := range failures {
		run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: engine.TestResult{Name: fmt.Sprintf("test number %d", i)}})
	}
	body := Render(run, Options{Limit: 8_000})
	shown := strings.Count(body, "`test number ")
	m := regexp.MustCompile(`Left out for length:\*\* ([\d,]+) blocking failures`).FindStringSubmatch(body)
	if m == nil {
		t.Fatal(body)
	}
	left, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if shown == 0 || shown+left != failures {
		t.Errorf("%d shown and %d left out of %d", shown, left, failures)
	}
}

func TestNothingIsLeftOutOfACommonRun(t *testing.T) {
	for name, run := range goldenRuns() {
		if name != "huge" && strings.Contains(Render(run, Options{}), "Left out") {
			t.Errorf("%s is cut", name)
		}
	}
}

func TestTheSummaryHoldsWhatTheCommentCannot(t *testing.T) {
	run := hugeRun(1000)
	if body := Render(run, Options{}); !strings.Contains(body, "Left out") || len(body) > CommentLimit {
		t.Errorf("the comment of 1,000 failures has %d bytes", len(body))
	}
	summary := Summary(run, Options{})
	if len(summary) > SummaryLimit || strings.Contains(summary, "Left out") || !strings.Contains(summary, "total of cart 999") {
		t.Errorf("the summary of 1,000 failures has %d bytes", len(summary))
	}
}

func BenchmarkRender(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000, 100_000} {
		run := hugeRun(n)
		b.Run(fmt.Sprintf("%d failures", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Render(run, Options{})
			}
		})
		b.Run(fmt.Sprintf("%d failures in the summary", n), func(b *testing.B) {
			for b.Loop() {
				Summary(run, Options{})
			}
		})
	}
}
