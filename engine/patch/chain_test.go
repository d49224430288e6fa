package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// selfmend's target stands for a whole chain: the chain is written anew.
func TestAChainBecomesTheGetterOfItsElement(t *testing.T) {
	const id, form = `[data-testid="pay"]`, `page.locator("form").getByText("Pay")`
	const several, other = "only a chain in one line", "hangs on another locator"
	for _, c := range []struct{ name, locator, call, healed, want, because string }{
		{"two steps", form, `page.locator('form').getByText('Pay')`, id, `page.getByTestId('pay')`, ""},
		{"in the author's quotes", form, `page.locator("form").getByText("Pay")`, id, `page.getByTestId("pay")`, ""},
		{"a page in a property", form, `this.page.locator('form').getByText('Pay')`, id, `this.page.getByTestId('pay')`, ""},
		{"a role", form, `page.locator('form').getByText('Pay')`, `role=button[name="Pay now"]`, `page.getByRole('button', { name: 'Pay now', exact: true })`, ""},
		{"a condition", `page.getByRole("listitem").filter({ hasText: "Visa" }).getByRole("button")`, `page.getByRole('listitem').filter({ hasText: 'Visa' }).getByRole('button')`, id, "", several},
		{"a named role behind a condition", `page.getByRole("listitem").filter({ hasText: "Visa" }).getByText("Pay")`, `page.getByRole('listitem').filter({ hasText: 'Visa' }).getByText('Pay')`, id, `page.getByTestId('pay')`, ""},
		{"a position", `page.locator("form").getByText("Pay").first()`, `page.locator('form').getByText('Pay').first()`, id, `page.getByTestId('pay')`, ""},
		{"a position that the event has not", form, `page.locator('form').getByText('Pay').nth(1)`, id, "", ""},
		{"over lines", form, "page.locator('form')\n    .getByText('Pay')", id, "", several},
		{"a variable", form, `form.getByText('Pay')`, id, "", several},
		{"another first step", form, `page.locator('main').getByText('Pay')`, id, "", other},
		{"another page", form, `frame.locator('form').getByText('Pay')`, id, "", ""},
		{"a frame", `page.frameLocator("iframe").getByText("Pay")`, `page.frameLocator('iframe').getByText('Pay')`, id, "", ""},
		{"an id", form, `page.locator('form').getByText('Pay')`, "#pay", `page.locator('#pay')`, ""},
		{"a generated id", form, `page.locator('form').getByText('Pay')`, "#input-4f9c2e7ab1", "", "another chain"},
		{"a place in the page", form, `page.locator('form').getByText('Pay')`, "main > div:nth-child(2) button", "", "another chain"},
		{"a generated test id", form, `page.locator('form').getByText('Pay')`, `[data-testid="input-4f9c2e7ab1"]`, "", "another chain"},
		{"one selector of several steps", "form >> text=Pay", `page.locator('form >> text=Pay')`, "#pay", `page.locator('#pay')`, ""},
		{"one selector with a position", "form >> button >> nth=1", `page.locator('form >> button >> nth=1')`, "#pay", `page.locator('#pay')`, ""},
		{"one selector, at another place", "form >> text=Pay", `page.locator('main').locator('form >> text=Pay')`, "#pay", "", ""},
		{"one selector, with a step behind it", "form >> text=Pay", `page.locator('form >> text=Pay').locator('b')`, "#pay", "", ""},
		{"another attribute", form, `page.locator('form').getByText('Pay')`, `[data-qa="pay"]`, `page.locator('[data-qa="pay"]')`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "test('pays', async ({ page }) => {\n  const form = page.locator('form');\n  await " + c.call + ".click();\n});\n"
			got := New(fstest.MapFS{"a.spec.ts": {Data: []byte(text)}}).Propose(engine.HealEvent{TestID: "a.spec.ts › pays", Locator: c.locator,
				Outcome: engine.OutcomeHealed, Confidence: 1, HealedLocator: c.healed}, nil)
			after := ""
			if e := got.Edit; e != nil {
				after = strings.TrimSuffix(strings.TrimPrefix(e.After, "  await "), ".click();")
				if again, err := VerifyEdit("a.spec.ts", []byte(text), e.Start, e.Old, e.New); err != nil || again != *e {
					t.Errorf("verified again: %+v, %v", again, err)
				}
			}
			if after != c.want || !strings.Contains(got.Reason, c.because) {
				t.Errorf("%q, want %q (%s)", after, c.want, got.Reason)
			}
		})
	}
}

func TestAStoredEditOfAChainIsCheckedAgain(t *testing.T) {
	const text = "test('pays', async ({ page }) => {\n  const form = page.locator('form');\n  await page.locator('form').getByText('Pay').click();\n  await form.getByText('a').getByText('b').click();\n});\n"
	for _, c := range []struct{ name, old, with string }{
		{"a part of the chain", "locator('form').getByText('Pay').click()", "getByTestId('pay')"},
		{"more than a call", "locator('form').getByText('Pay')", "getByTestId('pay').first()"},
		{"code", "locator('form').getByText('Pay')", "evaluate(steal)"},
		{"another receiver", "page.locator('form').getByText('Pay')", "getByTestId('pay')"},
		{"a chain on an element", "getByText('a').getByText('b')", "getByTestId('pay')"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if e, err := VerifyEdit("a.spec.ts", []byte(text), strings.LastIndex(text, c.old), c.old, c.with); err == nil {
				t.Errorf("edited: %+v", e)
			}
		})
	}
}
