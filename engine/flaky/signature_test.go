package flaky_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func TestSignaturesOfOneErrorAreEqual(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"timeouts", "Timeout 30000ms exceeded.", "Timeout 5000ms exceeded."},
		{"ANSI", "\x1b[31mexpect\x1b[39m(received)", "expect(received)"},
		{"addresses", "net::ERR_CONNECTION_REFUSED at http://localhost:3000/login", "net::ERR_CONNECTION_REFUSED at http://127.0.0.1:41235/cart?id=9"},
		{"ports", "connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:6543"},
		{"paths", "ENOENT: no such file, open '/tmp/run-8a/out.json'", "ENOENT: no such file, open '/home/x/w/other.json'"},
		{"Windows paths", `cannot open C:\Users\ada\tmp\a.txt`, `cannot open D:\b\c.txt`},
		{"ids", "order 3f2504e0-4f89-11d3-9a0c-0305e82c3301 not found", "order 00000000-0000-4000-8000-000000000000 not found"},
		{"Java objects", "expected com.acme.Cart@1b6d3586", "expected com.acme.Cart@4554617c"},
		{"pointers", "nil dereference at 0xc0001230", "nil dereference at 0xdeadbeef"},
		{"times", "token expired at 2026-03-09T10:11:12.123Z", "token expired at 2025-12-31 23:59:59"},
		{"line breaks", "expected\n  true", "expected true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := signature(c.a), signature(c.b)
			if a != b || a == "" {
				t.Errorf("signatures differ:\n%s\n%s", a, b)
			}
		})
	}
}

func TestSignaturesOfDifferentErrorsDiffer(t *testing.T) {
	for _, c := range [][2]string{
		{"Timeout 30000ms exceeded.", "expect(locator).toBeVisible() failed"},
		{"expected 'Total' to be 'Sum'", "expected 'Total' to be 'Net'"},
		{"locator('#pay') resolved to 2 elements", "locator('#buy') resolved to 2 elements"},
	} {
		if a, b := signature(c[0]), signature(c[1]); a == b {
			t.Errorf("%q and %q both give %q", c[0], c[1], a)
		}
	}
}

const visible = "expect(locator).toBeVisible() failed"

func TestErrorsOfOtherLocatorsPlacesOrRetriesDiffer(t *testing.T) {
	playwright := func(locator string) string {
		return "Error: " + visible + "\n\nLocator: " + locator + "\nExpected: visible\nTimeout: 5000ms\nError: element(s) not found\n\n" +
			"Call log:\n  - Expect \"toBeVisible\" with timeout 5000ms\n  - waiting for " + locator + "\n"
	}
	log := func(locator string) string { return "Call log:\n  - waiting for " + locator + "\n" }
	for _, c := range []struct {
		name string
		a, b engine.Attempt
	}{
		{"assertion", engine.Attempt{Message: visible, Text: playwright("getByRole('button', { name: 'Pay' })")},
			engine.Attempt{Message: visible, Text: playwright("getByRole('button', { name: 'Help' })")}},
		{"position", engine.Attempt{Message: visible, Text: playwright("locator('tr').nth(1)")}, engine.Attempt{Message: visible, Text: playwright("locator('tr').nth(2)")}},
		{"XPath", engine.Attempt{Message: visible, Text: playwright("locator('//main/form/a')")}, engine.Attempt{Message: visible, Text: playwright("locator('//main/nav/a')")}},
		{"call log", engine.Attempt{Message: "locator.click: Timeout 30000ms exceeded.", Text: log("locator('#pay')")},
			engine.Attempt{Message: "locator.click: Timeout 30000ms exceeded.", Text: log("locator('#help')")}},
		{"Python's call log in the message", engine.Attempt{Message: "Locator.click: Timeout 30000ms exceeded.\n" + log(`get_by_test_id("pay")`)},
			engine.Attempt{Message: "Locator.click: Timeout 30000ms exceeded.\n" + log(`get_by_test_id("help")`)}},
		{"C#", engine.Attempt{Message: "Timeout 30000ms exceeded.", Text: log(`Locator("#pay")`)}, engine.Attempt{Message: "Timeout 30000ms exceeded.", Text: log(`Locator("#help")`)}},
		{"Selenium", engine.Attempt{Message: `no such element: {"method":"xpath","selector":"//main/form/a"}`},
			engine.Attempt{Message: `no such element: {"method":"xpath","selector":"//main/nav/a"}`}},
		{"a long locator that ends otherwise", engine.Attempt{Message: visible, Text: playwright("locator('" + strings.Repeat("div ", 60) + "a')")},
			engine.Attempt{Message: visible, Text: playwright("locator('" + strings.Repeat("div ", 60) + "b')")}},
		{"place", engine.Attempt{Message: "expected 41 to be 42", Place: "cart.ts: expect(total).toBe(42);"},
			engine.Attempt{Message: "expected 41 to be 42", Place: "cart.ts: expect(tax).toBe(42);"}},
		{"known place and none", engine.Attempt{Message: "expected 41 to be 42", Place: "cart.ts: expect(total).toBe(42);"}, engine.Attempt{Message: "expected 41 to be 42"}},
		{"another error in a retry", engine.Attempt{Message: "boom", Text: "  [chromium] › a.spec.ts:1:1 › x ──\n\n  Error: boom\n\n  Retry #1 ──────\n\n  Error: boom\n"},
			engine.Attempt{Message: "boom", Text: "  [chromium] › a.spec.ts:1:1 › x ──\n\n  Error: boom\n\n  Retry #1 ──────\n\n  Error: bang\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.a.Status, c.b.Status = engine.StatusFailed, engine.StatusFailed
			a, b := flaky.Signature(c.a), flaky.Signature(c.b)
			if a == b || len(a) > 250 || len(b) > 250 {
				t.Errorf("signatures of %d and %d bytes:\n%s\n%s", len(a), len(b), a, b)
			}
		})
	}
}

// A bug that shows something else is another error than a flake that finds nothing yet;
// how little a flake finds is not.
func TestWhatWasThereInsteadIsPartOfTheError(t *testing.T) {
	of := func(got string) string {
		return flaky.Signature(engine.Attempt{Status: engine.StatusFailed, Message: "expect(locator).toHaveText(expected) failed",
			Text: "Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('#a')\nExpected: \"world\"\n" + got + "\nTimeout:  500ms\n"})
	}
	nothing := of("Error: element(s) not found")
	for got, want := range map[string]string{
		`Received: ""`: "", "Received: hidden": "", "Received: 0": "", "Received: <element(s) not found>": "", "Received: undefined": "",
		`Received: "hello"`: " ¦ got a text", `Received string: "hello 12"`: " ¦ got a text", "Received: 12": " ¦ got a number", "Received: -1.5": " ¦ got a number",
		"Received: disabled": " ¦ got disabled", "Received: [1, 2]": " ¦ got a value", "Received: ¦\u00e9": " ¦ got a value",
	} {
		if s := of(got); s != nothing+want {
			t.Errorf("%s gives %q, want %q", got, s, nothing+want)
		}
	}
}

func TestDetailsLeaveOutWhatDiffersFromRunToRun(t *testing.T) {
	at := func(text string) string {
		return flaky.Signature(engine.Attempt{Status: engine.StatusFailed, Message: visible, Text: text, Place: "cart.ts: await pay();"})
	}
	once := at("Error: " + visible + "\n\nLocator: getByText('Order 10234')\nTimeout: 5000ms")
	for name, text := range map[string]string{
		"another order":           "Error: " + visible + "\n\nLocator: getByText('Order 77001')\nTimeout: 10000ms",
		"colours":                 "Error: " + visible + "\n\n\x1b[2mLocator:\x1b[22m getByText('Order 10234')",
		"the same error retried":  "  [chromium] › a.spec.ts:1:1 › x ──\n\n  Error: " + visible + "\n\nLocator: getByText('Order 10234')\n\n  Retry #1 ─────\n\n  Error: " + visible + "\n\nLocator: getByText('Order 10235')",
		"how far the action came": "Error: " + visible + "\n\nLocator: getByText('Order 10234')\n - waiting for element to be stable\n - waiting for getByText('Order 1')",
	} {
		if s := at(text); s != once {
			t.Errorf("%s gives\n%s, not\n%s", name, s, once)
		}
	}
	if want := visible + " ¦ getByText('Order <n>') ¦ cart.ts: await pay();"; once != want {
		t.Errorf("signature %q, want %q", once, want)
	}
}

func TestSignatureOfAPassOrASilentError(t *testing.T) {
	if s := flaky.Signature(engine.Attempt{Status: engine.StatusPassed, Message: "x"}); s != "" {
		t.Errorf("a pass has signature %q", s)
	}
	if s := flaky.Signature(engine.Attempt{Status: engine.StatusFailed, Message: " \x1b[0m\n"}); s != "no message" {
		t.Errorf("a silent error has signature %q", s)
	}
}

func signature(message string) string {
	return flaky.Signature(engine.Attempt{Status: engine.StatusFailed, Message: message})
}

func FuzzSignature(f *testing.F) {
	f.Add("AssertionError", "expected \x1b[31m1\x1b[0m\r\nto be 2 at /a/b.ts:3:4", "", "")
	f.Add("", "\xff\x00"+strings.Repeat("é", 300), "\nLocator: a ¦ b\n Retry #1 ───\n\xff", "a.ts: ¦\x1b")
	f.Fuzz(func(t *testing.T, kind, message, text, place string) {
		a := engine.Attempt{Status: engine.StatusFailed, ErrorType: kind, Message: message, Text: text, Place: place}
		s := flaky.Signature(a)
		if len(s) > 250 || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x1b\x00") {
			t.Errorf("signature %q", s)
		}
	})
}

func TestPeopleReadNoSignatureAsItIsKept(t *testing.T) {
	for signature, want := range map[string]string{
		"TypeError: no": "TypeError: no",
		"Error: Timeout <n>ms exceeded ¦ getByRole('button') ¦ test: pay();": "Error: Timeout …ms exceeded · getByRole('button') · test: pay();",
		"Error ¦ getByLabel('E-ma #abcdefghijklmnop":                         "Error · getByLabel('E-ma…",
	} {
		if got := flaky.Readable(signature); got != want {
			t.Errorf("%q: %q, want %q", signature, got, want)
		}
	}
}
