package report_test

import (
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func failing(id, file string, line int, message, text string) engine.TestResult {
	return engine.TestResult{
		ID: engine.TestID(id), Name: id, File: file, Line: line, Report: "results/junit.xml",
		Attempts: []engine.Attempt{{Status: engine.StatusFailed, ErrorType: "Error", Message: message, Text: text, DurationMS: 1200}},
	}
}

// failingRun is a run in which everything there is to tell happened.
func failingRun() outcome.Run {
	since := time.Date(2026, 2, 3, 8, 0, 0, 0, time.UTC)
	cart := failing("tests/cart.spec.ts › cart › empties [webkit]", "tests/cart.spec.ts", 31, "TimeoutError: locator.click: Timeout 5000ms exceeded.", "")
	cart.Environment = "webkit"
	search := engine.TestResult{ID: "tests/search.spec.ts › finds nothing", Attempts: []engine.Attempt{
		{Status: engine.StatusFailed}, {Status: engine.StatusFailed}, {Status: engine.StatusPassed},
	}}
	invoice := failing("com.acme.shop.InvoiceServiceTest › 日本語の請求書を作成するときに消費税を四捨五入して合計金額を正しく表示する", "src/test/java/com/acme/shop/InvoiceServiceTest.java", 118,
		"java.lang.AssertionError: expected:<1.100> but was:<1.099>\n\tat com.acme.shop.InvoiceServiceTest.rounds(InvoiceServiceTest.java:118)", "")
	invoice.Attempts = slices.Repeat(invoice.Attempts, 3)
	login := engine.HealEvent{TestID: "tests/login.spec.ts › signs in", Locator: "#login-btn", Outcome: engine.OutcomeHealed, Count: 5, Confidence: 0.93, Source: "heals/a.ndjson"}
	login.Trial = &engine.Trial{File: "tests/login.spec.ts", Line: 12, New: "getByTestId('login')", Tests: 2, Green: 2, Red: 2}
	again := login
	again.TestID = "tests/login.spec.ts › signs out and in again"
	menu := login
	menu.Trial = nil
	menu.TestID, menu.Locator = "tests/menu_test.py::test_menu", "text=Menü"
	long := menu
	long.TestID = "tests/checkout.spec.ts › checkout › with a voucher that has expired and a card that was declined twice › shows both errors"
	long.Locator = "div.checkout > form.payment-form:nth-child(3) > div.row.row--buttons > button.btn.btn-primary.btn-lg"
	deploy := engine.HealEvent{TestID: "tests/deploy.spec.ts › deploys", Locator: "text=Deploy to staging", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning,
		Confidence: 0.62, Count: 5, Source: "heals/a.ndjson", Changed: []engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}}}
	deploy.Trial = &engine.Trial{File: "tests/deploy.spec.ts", Line: 9, New: "'text=Deploy to production'", Tests: 1, Green: 1, Reason: engine.TrialUndone}
	deployEdit := &patch.Edit{File: "tests/deploy.spec.ts", Line: 9, Start: 200, End: 224, Old: "'text=Deploy to staging'", New: "'text=Deploy to production'",
		Before: "  await page.click('text=Deploy to staging');", After: "  await page.click('text=Deploy to production');"}
	remove := engine.HealEvent{TestID: "tests/users.spec.ts › removes Alice", Locator: "#row-7 >> button", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonNotToldApart,
		HealedLocator: "#row-8 >> button", Confidence: 0.41, Source: "heals/a.ndjson"}
	edit := &patch.Edit{File: "tests/login.spec.ts", Line: 12, Start: 300, End: 321, Old: "locator('#login-btn')", New: "getByTestId('login')",
		Before: "  await page.locator('#login-btn').click();", After: "  await page.getByTestId('login').click();"}
	warning := engine.Notice{File: "heals/b.ndjson", Line: 7, Severity: engine.SeverityWarning, Reason: `heal event left out: field "confidence" is 1.5; want a ratio from 0 to 1`}
	truncated := engine.Notice{File: "results/api.xml", Line: 204, Severity: engine.SeverityBlocking, Reason: "the report ends in the middle of an element; the tests behind it are unknown"}
	return outcome.Run{
		Info:   engine.RunInfo{Repository: "acme/shop", RunID: 77, RunAttempt: 1, WorkflowID: 901, Job: "web / test", MergeGroup: []int{12, 13}, Commit: "0123456789abcdef0123456789abcdef01234567", Branch: "main", StartedAt: since},
		Counts: outcome.Counts{Tests: 1248, Passed: 1240, Failed: 3, Errors: 1, Skipped: 4, Flaky: 1, DurationMS: 192_340},
		Base:   &outcome.Base{RunID: 76, Branch: "main", Commit: "fedcba9876543210fedcba9876543210fedcba98", Tests: 1260, Failing: 1, DurationMS: 150_000},
		Verdict: flaky.Verdict{
			Blocking: []flaky.Failure{
				{Result: failing("tests/checkout.spec.ts › checkout › pays with a card", "tests/checkout.spec.ts", 42,
					"Error: \x1b[2mexpect(\x1b[22m\x1b[31mlocator\x1b[39m\x1b[2m).\x1b[22mtoHaveText failed\n\nExpected: \"paid\"\nReceived: \"declined\"", ""),
					Triage: "new in this pull request: it passes on the default branch; its owner is @acme/checkout"},
				{Result: invoice, Guard: "all 3 attempts failed; " + flaky.RerunToConfirm, Order: outcome.DescribeOrder("tests/cart.spec.ts › cart › empties\n::error::")},
				{Result: engine.TestResult{ID: "tests/api/test_orders.py::TestOrders::test_refund[eur]"}},
			},
			Excused: []flaky.Failure{{Result: cart, Excuse: "in quarantine since 2026-02-03: flip rate 0.44 over the last 10 executions (Flaky)",
				Order: outcome.DescribeOrder("tests/cart.spec.ts › cart › fills [webkit]")}},
			Missing: []engine.TestID{"tests/profile.spec.ts › profile › changes the picture"},
			Notices: []engine.Notice{truncated},
		},
		FlakyTests: []engine.TestResult{search},
		Proposals: []patch.Proposal{
			{Heal: login, Locator: `internal:testid=[data-testid="login"s]`, Code: `page.getByTestId('login')`, Edit: edit, Confidence: 0.93, Place: 1},
			{Heal: again, Locator: `internal:testid=[data-testid="login"s]`, Code: `page.getByTestId('login')`, Edit: edit, Confidence: 0.93, Place: 1, SameAs: 1},
			{Heal: menu, Locator: "text=Menu", Code: `page.get_by_text("Menu")`, Reason: `"Menü" stands in 3 places of tests/menu_test.py: lines 4, 19 and 33`, Confidence: 0.71},
			{Heal: long, Locator: `role=button[name="Pay now and keep the card for the next time"]`, Code: `page.getByRole('button', { name: 'Pay now and keep the card for the next time' })`, Reason: "tests/checkout.spec.ts is not in the checkout", Confidence: 0.8},
			{Heal: deploy, Locator: "text=Deploy to production", Code: `page.locator('text=Deploy to production')`, Edit: deployEdit, Confidence: 0.62, Place: 1,
				Note: "nothing was done with the element, and the test stays red until it passes with the edit"},
			{Heal: remove, Locator: "#row-8 >> button", Reason: "tests/users.spec.ts is not in the checkout", Confidence: 0.41},
		},
		Edits: []outcome.OfferedEdit{
			{ID: "8e909bbe", Proposal: 0, Path: edit.File, Edit: *edit},
			{ID: "2b7c01aa", Proposal: 4, Path: deployEdit.File, Edit: *deployEdit, Changed: `said "Deploy to staging", says "Deploy to production"`},
		},
		Refused: []engine.HealEvent{
			{TestID: "tests/profile.spec.ts › profile › saves", Locator: "#save", Outcome: engine.OutcomeRefused, Count: 3, Reason: "ambiguous", Confidence: 0.64, RunnerUp: 0.62,
				Site: &engine.Site{File: "tests/profile.spec.ts", Line: 27}, Source: "heals/a.ndjson"},
		},
		Changes: []flaky.Change{
			{TestID: "tests/login.spec.ts › signs in", Reason: "failed then passed on a1b2c3d and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a burst; TimeoutError at tests/login.spec.ts:12",
				ExitCriteria: "28 of 28 clean runs to go; expires 2026-03-05", Owner: "@acme/login"},
			{TestID: "tests/search.spec.ts › finds nothing", Reason: "flip rate 0.44 over the last 10 executions (Flaky)", Tier: flaky.TierFlaky, FlipRate: 4.0 / 9},
			{TestID: "tests/menu_test.py::test_close", Released: true, Reason: "flip rate 0.00 over the last 10 executions (Stable)", Tier: flaky.TierStable},
			{TestID: "tests/orders.spec.ts › orders › sorts", Pending: true, Reason: "flip rate 0.67 over the last 10 executions (Chronic)", Tier: flaky.TierChronic, FlipRate: 6.0 / 9},
		},
		Quarantine: []flaky.Entry{
			{TestID: "tests/login.spec.ts › signs in", Reason: "failed then passed on a1b2c3d and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a burst; TimeoutError at tests/login.spec.ts:12",
				Since: since, AutoUnquarantine: true, Commits: []string{"a1b2c3d", "d4e5f60"}, Clean: 9, Release: 28, Owner: "@acme/login"},
			{TestID: "tests/cart.spec.ts › cart › empties [webkit]", Reason: "flip rate 0.44 over the last 10 executions (Flaky)", Since: since, AutoUnquarantine: true},
			{TestID: "tests/search.spec.ts › finds nothing", Reason: "by hand", Since: since},
		},
		Notices:  []engine.Notice{truncated, warning},
		Reports:  []string{"results/api.xml", "results/junit.xml"},
		Database: ".breadcrumb.db",
	}
}

// passingRun is a run that passes and healed one locator.
func passingRun() outcome.Run {
	run := failingRun()
	return outcome.Run{
		Counts:    outcome.Counts{Tests: 24, Passed: 24, DurationMS: 4210},
		Proposals: run.Proposals[:1],
		Reports:   run.Reports[1:],
		Database:  ".breadcrumb.db",
	}
}

// redesignRun is a run whose one lost locator showed a page that changed, on which a
// second was found ahead and proven the same, and a third is only suggested.
func redesignRun() outcome.Run {
	run := outcome.Run{Counts: outcome.Counts{Tests: 20, Passed: 19, Failed: 1, DurationMS: 61_000}, Reports: []string{"results/junit.xml"}, Database: ".breadcrumb.db"}
	run.Verdict.Blocking = []flaky.Failure{{Result: failing("tests/account.spec.ts › changes the name", "tests/account.spec.ts", 9, "TimeoutError: locator.fill: Timeout 10000ms exceeded.", "")}}
	for i, h := range []engine.HealEvent{
		{TestID: "tests/account.spec.ts › changes the name", Locator: "#name", HealedLocator: "#full-name", Outcome: engine.OutcomeHealed},
		{TestID: "tests/account.spec.ts › changes the e-mail", Locator: "#email", HealedLocator: "#contact-email", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true},
		{TestID: "tests/account.spec.ts › closes the account", Locator: "#close", HealedLocator: "#pause", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning, Ahead: true,
			Changed: []engine.Change{{What: "name", Was: "Close account", Now: "Pause account"}}},
	} {
		h.Trace, h.Confidence, h.PageURL = "trace.zip", 0.97, "/account"
		e := patch.Edit{File: "tests/account.spec.ts", Line: 9 + 10*i, Start: 100 * i, End: 100*i + 2 + len(h.Locator), Old: "'" + h.Locator + "'", New: "'" + h.HealedLocator + "'",
			Before: "  await page.locator('" + h.Locator + "').click();", After: "  await page.locator('" + h.HealedLocator + "').click();"}
		p := patch.Proposal{Heal: h, Locator: h.HealedLocator, Code: "page.locator('" + h.HealedLocator + "')", Edit: &e, Confidence: 0.97, Place: 1}
		run.Proposals = append(run.Proposals, p)
		offered := outcome.OfferedEdit{ID: []string{"8e909bbe", "2b7c01aa", "77aa01cd"}[i], Proposal: i, Path: e.File, Edit: e, Tests: []engine.TestID{h.TestID}}
		if p.Suggested() {
			offered.Changed = outcome.DescribeSuggestion(h, outcome.Quote)
		}
		run.Edits = append(run.Edits, offered)
	}
	return run
}
