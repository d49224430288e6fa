package comment

import (
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// The runs of the golden files, named as the files are.
func goldenRuns() map[string]outcome.Run {
	return map[string]outcome.Run{
		"green":      greenRun(),
		"mixed":      mixedRun(),
		"blocked":    blockedRun(),
		"heals":      healsRun(),
		"suggested":  suggestedRun(),
		"quarantine": quarantineRun(),
		"untrusted":  untrustedRun(),
		"huge":       hugeRun(10_000),
		"local":      localRun(),
		"nothing":    {},
	}
}

var pullRequest = engine.RunInfo{
	RepositoryID: 1, Repository: "octo-shop/web", RunID: 18234567890, RunAttempt: 1,
	Workflow: "octo-shop/web/.github/workflows/e2e.yml@refs/pull/214/merge", Job: "e2e",
	Commit:      "6f1d2c3b4a5968778695a4b3c2d1e0f9a8b7c6d5",
	HeadSHA:     "4be81a7c90d2e3f4051627384950a1b2c3d4e5f6",
	Branch:      "checkout-redesign",
	PullRequest: 214,
}

func greenRun() outcome.Run {
	return outcome.Run{
		Info:     pullRequest,
		Counts:   outcome.Counts{Tests: 312, Passed: 309, Skipped: 3, DurationMS: 252_300},
		Reports:  []string{"results/e2e.xml", "results/unit.xml"},
		Database: ".breadcrumb.db",
	}
}

func playwrightFailure() flaky.Failure {
	return flaky.Failure{Result: engine.TestResult{
		ID: "tests/checkout.spec.ts › Checkout › applies the discount code [chromium]", Suite: "tests/checkout.spec.ts",
		Class: "tests/checkout.spec.ts", Name: "Checkout › applies the discount code",
		File: "tests/checkout.spec.ts", Line: 48, Environment: "chromium", Report: "results/e2e.xml",
		Attempts: []engine.Attempt{
			{Status: engine.StatusFailed, Message: "expect(locator).toHaveText(expected) failed"},
			{
				Status: engine.StatusFailed, ErrorType: "expect.toHaveText",
				Message: "expect(locator).toHaveText(expected) failed",
				Text: `  [chromium] › tests/checkout.spec.ts:48:3 › Checkout › applies the discount code ────────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator:  getByTestId('cart-total')
    Expected: "$ 90.00"
    Received: "$ 100.00"
    Timeout:  5000ms

      46 |     await page.getByLabel('Discount code').fill('SPRING10');
      47 |     await page.getByRole('button', { name: 'Apply' }).click();
    > 48 |     await expect(page.getByTestId('cart-total')).toHaveText('$ 90.00');
         |                                                  ^
      49 |   });
        at /home/runner/work/web/web/tests/checkout.spec.ts:48:50
`,
			},
		},
	}}
}

func pytestFailure() flaky.Failure {
	return flaky.Failure{Triage: "also fails on the default branch since a1b2c3d (3 runs); its owner is @acme/orders",
		Order: outcome.DescribeOrder("tests/api/test_cart.py::test_adds[*]") + "; this pull request changes tests/api/test_cart.py: take it as a regression of one of the two", Result: engine.TestResult{
			ID: "tests/api/test_orders.py::test_refund_is_idempotent", Suite: "pytest", Class: "tests.api.test_orders",
			Name: "test_refund_is_idempotent", File: "tests/api/test_orders.py", Line: 112,
			Attempts: []engine.Attempt{{
				Status: engine.StatusFailed, Message: "AssertionError: assert 2 == 1\n +  where 2 = len([<Refund 41>, <Refund 42>])",
				Text: `def test_refund_is_idempotent(client, order):
        client.post(f"/orders/{order.id}/refund")
        client.post(f"/orders/{order.id}/refund")
>       assert len(order.refunds) == 1
E       AssertionError: assert 2 == 1
E        +  where 2 = len([<Refund 41>, <Refund 42>])

tests/api/test_orders.py:112: AssertionError`,
			}},
		}}
}

func loginHeal() patch.Proposal {
	return patch.Proposal{
		Heal: engine.HealEvent{
			TestID: "tests/login.spec.ts › Login › signs in with a password", Locator: "#login-btn", Outcome: engine.OutcomeHealed, Count: 5,
			HealedLocator: `[data-testid="login-submit"]`, Confidence: 0.97,
			Site: &engine.Site{File: "tests/login.spec.ts", Line: 12, Column: 20},
		},
		Locator: `internal:testid=[data-testid="login-submit"s]`, Code: `page.getByTestId('login-submit')`, Confidence: 0.97, Place: 1,
		Edit: &patch.Edit{
			File: "tests/login.spec.ts", Line: 12,
			Old: "locator('#login-btn')", New: "getByTestId('login-submit')",
			Before: "  await page.locator('#login-btn').click();",
			After:  "  await page.getByTestId('login-submit').click();",
		},
	}
}

func cartHeal() patch.Proposal {
	return patch.Proposal{
		Heal: engine.HealEvent{
			TestID: "tests/cart.spec.ts › Cart › removes a line", Locator: "div.cart > ul > li:nth-child(2) > button.remove",
			Outcome: engine.OutcomeHealed, HealedLocator: `button[aria-label="Remove Blue mug"]`, Confidence: 0.91,
			Site: &engine.Site{File: "tests/pages/cart.ts", Line: 31},
		},
		Locator: `button[aria-label="Remove Blue mug"]`, Confidence: 0.91 * 0.95, Place: 0.95,
		Code: `page.locator('button[aria-label="Remove Blue mug"]')`, Modern: `page.getByRole('button', { name: 'Remove Blue mug' })`,
		Edit: &patch.Edit{
			File: "tests/pages/cart.ts", Line: 31,
			Before: "  removeSecond = () => this.page.locator('div.cart > ul > li:nth-child(2) > button.remove');",
			After:  `  removeSecond = () => this.page.locator('button[aria-label="Remove Blue mug"]');`,
		},
	}
}

func refusedHeal() engine.HealEvent {
	return engine.HealEvent{
		TestID: "tests/profile.spec.ts › Profile › uploads a picture", Locator: "input.avatar", Outcome: engine.OutcomeRefused, Count: 3,
		Reason: "ambiguous", Confidence: 0.64, RunnerUp: 0.62, Site: &engine.Site{File: "tests/profile.spec.ts", Line: 27},
	}
}

func excusedFailure() flaky.Failure {
	return flaky.Failure{
		Excuse: "in quarantine since 2026-11-02: " + evidenceEntry().Reason + "; " + evidenceEntry().ExitCriteria(),
		Order:  outcome.DescribeOrder("tests/cart.spec.ts › Cart › empties **the** cart"),
		Result: engine.TestResult{
			ID: "tests/search.spec.ts › Search › debounces the input", Suite: "tests/search.spec.ts",
			Name: "Search › debounces the input", File: "tests/search.spec.ts", Line: 19,
			Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: "Error: page.waitForResponse: Timeout 5000ms exceeded."}},
		},
	}
}

func flakyTest() engine.TestResult {
	return engine.TestResult{
		ID: "tests/map.spec.ts › Map › shows the nearest shop", Suite: "tests/map.spec.ts", Name: "Map › shows the nearest shop",
		File: "tests/map.spec.ts", Line: 33,
		Attempts: []engine.Attempt{
			{Status: engine.StatusFailed, Message: "TimeoutError: locator.click: Timeout 10000ms exceeded."},
			{Status: engine.StatusPassed},
		},
	}
}

func quarantineEntry() flaky.Entry {
	return flaky.Entry{
		TestID: "tests/search.spec.ts › Search › debounces the input", AutoUnquarantine: true,
		Since: time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC), Reason: "flip rate 0.78 over the last 10 executions (Chronic)",
	}
}

// evidenceEntry is what policy evidence puts into quarantine.
func evidenceEntry() flaky.Entry {
	facts := flaky.Facts{Executions: 41, Rate: 2.2 / 61, Release: 28, Evidence: []flaky.Evidence{
		{Kind: flaky.KindSameCommit, Commit: "a1b2c3d4e5f6a7b8"},
		{Kind: flaky.KindSameCommit, Commit: "d4e5f60718293a4b", Signatures: []string{"TimeoutError: locator.click: Timeout <n>ms exceeded."}, Place: "tests/login.spec.ts:12"},
	}}
	return flaky.Entry{
		TestID: "tests/login.spec.ts › Login › signs in", AutoUnquarantine: true, Since: time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC),
		Reason: facts.String(), Commits: facts.Commits(), Clean: 9, Release: 28, Owner: "@acme/login",
	}
}

// mixedRun has one of everything that matters.
func mixedRun() outcome.Run {
	run := greenRun()
	run.Counts = outcome.Counts{Tests: 312, Passed: 308, Failed: 1, Skipped: 3, Flaky: 1, DurationMS: 252_300}
	run.Base = &outcome.Base{RunID: 18234567000, Branch: "main", Commit: "c0ffee7890abcdef1234567890abcdef12345678", Tests: 310, Failing: 2, DurationMS: 202_000}
	run.Verdict.Blocking = []flaky.Failure{playwrightFailure()}
	run.Proposals = []patch.Proposal{loginHeal(), cartHeal()}
	run.Changes = []flaky.Change{{
		TestID: "tests/map.spec.ts › Map › shows the nearest shop", Tier: flaky.TierFlaky, FlipRate: 0.44,
		Reason: "flip rate 0.44 over the last 10 executions (Flaky)", Pending: true,
	}}
	run.FlakyTests = []engine.TestResult{flakyTest()}
	return run
}

func blockedRun() outcome.Run {
	run := mixedRun()
	run.Counts.Failed, run.Counts.Errors, run.Counts.Passed = 3, 1, 305
	run.Verdict.Blocking = append(run.Verdict.Blocking, pytestFailure(), flaky.Failure{Result: engine.TestResult{
		ID: "com.shop.PriceTest › rounds", Suite: "com.shop.PriceTest", Class: "com.shop.PriceTest", Name: "rounds",
		Attempts: slices.Repeat([]engine.Attempt{{
			Status: engine.StatusError, ErrorType: "java.lang.ArithmeticException", Message: "Rounding necessary",
			Text: "java.lang.ArithmeticException: Rounding necessary\n\tat java.base/java.math.BigDecimal.commonNeedIncrement(BigDecimal.java:4628)\n\tat com.shop.Price.round(Price.java:42)",
		}}, 3),
	}, Guard: "all 3 attempts failed; " + flaky.RerunToConfirm})
	run.Verdict.Excused = []flaky.Failure{excusedFailure()}
	run.Verdict.Missing = []engine.TestID{"tests/checkout.spec.ts › Checkout › pays by card"}
	run.Quarantine = []flaky.Entry{quarantineEntry()}
	run.Refused = []engine.HealEvent{refusedHeal()}
	run.TestHealths = []flaky.TestHealth{
		{TestID: "tests/login.spec.ts › Login › signs in with a password", Runs: 10, Tier: flaky.TierStable},
		{TestID: "tests/map.spec.ts › Map › shows the nearest shop", Runs: 10, FlipRate: 0.44, Tier: flaky.TierFlaky},
		{TestID: "tests/search.spec.ts › Search › debounces the input", Runs: 10, FlipRate: 0.78, Tier: flaky.TierChronic},
	}
	run.Notices = []engine.Notice{{
		File: "heals/cart.ndjson", Line: 7, Severity: engine.SeverityWarning,
		Reason: "the line is not JSON (unexpected end of input) and was left out",
	}}
	return run
}

func healsRun() outcome.Run {
	run := greenRun()
	shared := loginHeal()
	shared.Heal.TestID, shared.SameAs = "tests/login.spec.ts › Login › signs in with a passkey", 1
	unplaced := patch.Proposal{
		Heal: engine.HealEvent{
			TestID: "tests/test_menu.py::test_opens", Locator: "//nav/ul/li[3]/a", Outcome: engine.OutcomeHealed,
			HealedLocator: `a[href="/sale"]`, Confidence: 0.82, Site: &engine.Site{File: "tests/test_menu.py", Line: 9},
		},
		Locator: `a[href="/sale"]`, Code: `page.locator("a[href=\"/sale\"]")`,
		Reason: "the literal `//nav/ul/li[3]/a` stands at two places in `tests/test_menu.py`, lines 9 and 31",
	}
	proven, proof := loginHeal(), engine.Trial{File: "tests/login.spec.ts", Line: 12, New: "getByTestId('login-submit')", Tests: 5, Green: 5, Red: 4}
	proven.Heal.Trial, shared.Heal.Trial = &proof, &proof
	tried := cartHeal()
	tried.Edit.New = `'button[aria-label="Remove Blue mug"]'`
	tried.Heal.Trial = &engine.Trial{File: "tests/pages/cart.ts", Line: 31, New: tried.Edit.New, Tests: 1, Green: 1, Reason: engine.TrialOther}
	run.Proposals = []patch.Proposal{proven, shared, tried, unplaced}
	run.Refused = []engine.HealEvent{refusedHeal()}
	return run
}

// suggested returns the proposal for a suggestion with these changes.
func suggested(test engine.TestID, was, now string, changed ...engine.Change) patch.Proposal {
	return patch.Proposal{
		Heal: engine.HealEvent{TestID: test, Locator: was, HealedLocator: now, Outcome: engine.OutcomeSuggested, Count: 2, Confidence: 0.62,
			Reason: engine.ReasonOtherMeaning, Changed: changed},
		Locator: now, Code: "page.locator('" + now + "')", Confidence: 0.62, Place: 1,
		Edit: &patch.Edit{File: "tests/deploy.spec.ts", Line: 9, Old: "'" + was + "'", New: "'" + now + "'",
			Before: "  await page.locator('" + was + "').click();", After: "  await page.locator('" + now + "').click();"},
		Note: "nothing was done with the element, and the test stays red until it passes with the edit",
	}
}

// suggestedRun has a heal, and a suggestion of every kind.
func suggestedRun() outcome.Run {
	run := greenRun()
	run.Counts = outcome.Counts{Tests: 312, Passed: 305, Failed: 4, Skipped: 3, DurationMS: 252_300}
	run.Verdict.Blocking = []flaky.Failure{pytestFailure()}
	untold := suggested("tests/users.spec.ts › removes Alice", "#row-7 >> button", "#row-8 >> button")
	untold.Heal.Reason, untold.Edit, untold.Note, untold.Reason = engine.ReasonNotToldApart, nil, "", "the literal is composed of pieces"
	hostile := suggested("tests/x.spec.ts › x", "#x", "#y", engine.Change{What: "name", Was: "@octocat | **bold**", Now: "<b>#12</b>\n| a *b*"})
	hostile.Heal.Trace = "trace.zip"
	run.Unedited = []outcome.UneditedElement{{ID: "5a1d0c0b", Proposal: 5, Test: "tests/users.spec.ts › removes Alice", Locator: "#row-7 >> button", Signature: "00000000000000aa"}}
	run.Proposals = []patch.Proposal{
		loginHeal(),
		suggested("tests/deploy.spec.ts › Deploy › deploys", "text=Deploy to staging", "text=Deploy to production",
			engine.Change{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}),
		suggested("tests/users.spec.ts › renames Alice", "#rename", "#edit",
			engine.Change{What: "icon", Was: "pencil", Now: "trash"}, engine.Change{What: "row", Was: "Alice", Now: "Bob"}),
		suggested("tests/users.spec.ts › opens billing", "#more", "#other", engine.Change{What: "section", Was: "Billing", Now: "Danger zone"}),
		suggested("tests/users.spec.ts › opens the invoice", "#open", "#show", engine.Change{What: "page", Was: "Orders", Now: "Invoices"}),
		untold, hostile,
	}
	return run
}

func quarantineRun() outcome.Run {
	run := greenRun()
	run.Info.PullRequest, run.Info.DefaultBranch, run.Info.Branch, run.Info.HeadSHA = 0, true, "main", ""
	run.Counts = outcome.Counts{Tests: 312, Passed: 308, Failed: 1, Skipped: 3, DurationMS: 252_300}
	run.Verdict.Excused = []flaky.Failure{excusedFailure()}
	run.Changes = []flaky.Change{
		{TestID: "tests/search.spec.ts › Search › debounces the input", Tier: flaky.TierChronic, FlipRate: 0.78, Reason: "flip rate 0.78 over the last 10 executions (Chronic)"},
		{TestID: "tests/inbox.spec.ts › Inbox › marks as read", Tier: flaky.TierStable, Released: true, Reason: "flip rate 0.00 over the last 10 executions (Stable)"},
	}
	price := evidenceEntry()
	for _, currency := range []string{"eur", "usd", "jpy"} {
		price.TestID = engine.TestID("tests/test_price.py::test_price[" + currency + "]")
		run.Quarantine = append(run.Quarantine, price)
	}
	run.Groups = map[engine.TestID]int{"tests/test_price.py::test_price": 12}
	entered := evidenceEntry()
	run.Changes = append(run.Changes, flaky.Change{TestID: entered.TestID, Reason: entered.Reason, ExitCriteria: entered.ExitCriteria(), Owner: entered.Owner})
	run.Quarantine = append(run.Quarantine, evidenceEntry(), quarantineEntry(), flaky.Entry{
		TestID: "tests/legacy.spec.ts › Legacy › prints", Since: time.Date(2026, 8, 14, 0, 0, 0, 0, time.UTC), Reason: "printer service is being replaced (OPS-311)",
	})
	return run
}

func untrustedRun() outcome.Run {
	run := greenRun()
	run.Counts = outcome.Counts{Tests: 140, Passed: 140, DurationMS: 98_000}
	run.Verdict.Notices = []engine.Notice{
		{File: "results/e2e-firefox.xml", Line: 2210, Severity: engine.SeverityBlocking, Reason: "the report ends in the middle of <testcase name=\"pays by card\">, so later tests are unknown"},
		{File: "results/e2e-webkit.xml", Severity: engine.SeverityBlocking, Reason: "the report is empty"},
	}
	run.Notices = run.Verdict.Notices
	return run
}

func localRun() outcome.Run {
	run := mixedRun()
	run.Info, run.Base, run.DryRun, run.Database = engine.RunInfo{}, nil, true, ""
	return run
}

func hugeRun(failures int) outcome.Run {
	run := blockedRun()
	run.Counts = outcome.Counts{Tests: 3 * failures, Passed: 2 * failures, Failed: failures, DurationMS: 7_512_000}
	base := playwrightFailure().Result
	run.Verdict.Blocking = nil
	for i := range failures {
		r := base
		r.Name, r.Line = fmt.Sprintf("Checkout › total of cart %d", i), i+1
		r.ID = engine.TestID(r.File + " › " + r.Name)
		run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: r})
	}
	for i := range 50 {
		q := loginHeal()
		q.Heal.TestID = engine.TestID(fmt.Sprintf("tests/login.spec.ts › Login › signs in as user %d", i))
		edit := *q.Edit
		edit.Line = 12 + i
		q.Edit = &edit
		run.Proposals = append(run.Proposals, q)
	}
	return run
}
