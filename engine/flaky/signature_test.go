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
	f.Add("AssertionError", "expected \x1b[31m1\x1b[0m\r\nto be 2 at /a/b.ts:3:4")
	f.Add("", "\xff\x00"+strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, kind, message string) {
		a := engine.Attempt{Status: engine.StatusFailed, ErrorType: kind, Message: message}
		s := flaky.Signature(a)
		if len(s) > 200 || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x1b\x00") {
			t.Errorf("signature %q", s)
		}
	})
}
