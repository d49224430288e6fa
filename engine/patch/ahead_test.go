package patch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

const aheadFile = "account.spec.ts"

const aheadText = `import { test, expect } from '@playwright/test';
test('renames', async ({ page }) => {
  await page.goto('/account');
  await page.locator('#name').fill('Ada');
});
test('saves', async ({ page }) => {
  await page.goto('/account');
  await page.locator('#save').click();
});
test('saves again', async ({ page }) => {
  await page.goto('/account');
  await page.locator('#save').click();
});
test('shows', async ({ page }) => {
  await page.goto('/account');
  await expect(page.locator('#state')).toBeVisible();
});
test('counts', async ({ page }) => {
  await page.goto('/account');
  expect((await page.locator('#sum').first().textContent()).trim()).toBe('3');
  expect(await page.textContent('#left')).toBe('2');
  expect(await page.locator('#rows').count()).toBe(2);
});
test('keeps', async ({ page }) => {
  await page.goto('/account');
  const state = page.locator('#kept');
  await expect(state).toHaveCount(1);
  const total = page.locator('#total');
  await expect(total).toBeVisible();
  await total.click();
});
`

// aheadOf returns the event of an element that was found ahead for the locator on a line.
func aheadOf(test, locator string, line int) engine.HealEvent {
	f := engine.Fingerprint{Tag: "button", Name: strings.TrimPrefix(locator, "#"), Page: "/account", PageAddress: "/account", TestID: engine.TestID(aheadFile + " › " + test),
		Locator: locator, Site: &engine.Site{File: aheadFile, Line: line}}
	return engine.HealEvent{TestID: f.TestID, Locator: locator, HealedLocator: locator + "-new", Confidence: 0.97, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead,
		Ahead: true, Site: f.Site, Original: f, Healed: engine.Fingerprint{Tag: "button", Name: f.Name}, Trace: "trace.zip"}
}

// lostBy returns the event of the test that lost its locator itself.
func lostBy(h engine.HealEvent) engine.HealEvent {
	h.Ahead, h.Outcome, h.Reason = false, engine.OutcomeHealed, ""
	return h
}

func TestWhatWasFoundAheadIsEdited(t *testing.T) {
	name, save, again, state := aheadOf("renames", "#name", 4), aheadOf("saves", "#save", 8), aheadOf("saves again", "#save", 12), aheadOf("shows", "#state", 16)
	sum, left, rows := aheadOf("counts", "#sum", 20), aheadOf("counts", "#left", 21), aheadOf("counts", "#rows", 22)
	kept, total := aheadOf("keeps", "#kept", 26), aheadOf("keeps", "#total", 28)
	passed := func(test string) PassedTest {
		return PassedTest{Test: engine.TestResult{ID: engine.TestID(aheadFile + " › " + test), File: aheadFile, Name: test}}
	}
	refused := lostBy(save)
	refused.Outcome, refused.Reason, refused.HealedLocator = engine.OutcomeRefused, engine.ReasonBelowThreshold, ""
	elsewhere := refused // the same locator, lost on another page
	elsewhere.Occurrence, elsewhere.Original.Name, elsewhere.Original.Page, elsewhere.Site = 1, "cart", "/cart", nil
	asserted := state
	asserted.Action, asserted.Reason = "expect", engine.ReasonSuggestOnly
	healed := passed("saves")
	healed.Heals = []engine.HealEvent{{Locator: "#save"}}
	for _, c := range []struct {
		about  string
		heals  []engine.HealEvent
		passed []PassedTest
		want   []string // edited lines
	}{
		{"a locator that no test reached", []engine.HealEvent{lostBy(name), save}, nil, []string{"12 #save-new", "4 #name-new", "8 #save-new"}},
		{"one element for two tests is one lead", []engine.HealEvent{lostBy(name), save, again}, nil, []string{"12 #save-new", "4 #name-new", "8 #save-new"}},
		{"what a test lost itself says more", []engine.HealEvent{lostBy(save), save}, nil, []string{"12 #save-new", "8 #save-new"}},
		{"what a test lost and was refused", []engine.HealEvent{lostBy(name), refused, save}, nil, []string{"4 #name-new"}},
		{"a test that passed has not lost it", []engine.HealEvent{lostBy(name), save}, []PassedTest{passed("saves"), passed("saves again")}, []string{"4 #name-new"}},
		{"a test that passed without another element of the locator", []engine.HealEvent{lostBy(name), save, elsewhere}, []PassedTest{healed}, []string{"12 #save-new", "4 #name-new", "8 #save-new"}},
		{"what only an assertion looks for", []engine.HealEvent{lostBy(name), state}, nil, []string{"4 #name-new"}},
		{"what only assertions look for in a variable", []engine.HealEvent{lostBy(name), kept}, nil, []string{"4 #name-new"}},
		{"what is clicked in a variable, too", []engine.HealEvent{lostBy(name), total}, nil, []string{"28 #total-new", "4 #name-new"}},
		{"what is read, and asserted then", []engine.HealEvent{lostBy(name), sum, left}, nil, []string{"20 #sum-new", "21 #left-new", "4 #name-new"}},
		{"what is counted, which waits for nothing", []engine.HealEvent{lostBy(name), rows}, nil, []string{"4 #name-new"}},
		{"what an assertion lost itself, in a trial", []engine.HealEvent{lostBy(name), asserted}, nil, []string{"16 #state-new", "4 #name-new"}},
		{"nothing else was lost", []engine.HealEvent{save}, nil, []string{"12 #save-new", "8 #save-new"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			p := New(fstest.MapFS{aheadFile: {Data: []byte(aheadText)}})
			p.SetPassed(c.passed)
			var learned []engine.Fingerprint
			for _, h := range []engine.HealEvent{name, save, again, state, sum, left, rows, kept, total} {
				learned = append(learned, h.Original)
			}
			all, err := p.ProposeAll(c.heals, Suite{Heals: c.heals, Learned: learned,
				Result: func(id engine.TestID) *engine.TestResult {
					_, title, _ := strings.Cut(string(id), " › ")
					return &engine.TestResult{ID: id, File: aheadFile, Name: title}
				},
				Failed: func(id engine.TestID) bool {
					return !slices.ContainsFunc(c.passed, func(t PassedTest) bool { return t.Test.ID == id })
				},
				Editable: func(string) bool { return true },
				Same:     func(a, b engine.Fingerprint) bool { return a.Name == b.Name && a.Page == b.Page },
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range all {
				if q.Edit != nil && q.SameAs == 0 {
					got = append(got, fmt.Sprintf("%d %s", q.Edit.Line, q.Heal.HealedLocator))
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("edited (-want +got):\n%s", diff)
			}
		})
	}
}
