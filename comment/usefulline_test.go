package comment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestUsefulLinesOfWhatRunnersWrite(t *testing.T) {
	for _, tt := range []struct {
		name          string
		class, test   string
		errorType     string
		message, text string
		want          []string
	}{
		{name: "nothing at all", want: []string{"The report gives no error text."}},
		{name: "only a type", errorType: "java.lang.AssertionError", want: []string{"java.lang.AssertionError"}},
		{
			name: "playwright: the message, and the comparison from the text", errorType: "expect.toBe",
			message: "expect(received).toBe(expected) // Object.is equality",
			text:    "  [chromium] › a.spec.ts:4:3 › login › fails ─────\n\n    Error: expect(received).toBe(expected) // Object.is equality\n\n    Expected: 2\n    Received: 1\n\n    > 4 |  expect(1)\n",
			want:    []string{"expect(received).toBe(expected) // Object.is equality", "Expected: 2", "Received: 1"},
		},
		{
			name: "older playwright: the message is only the place and title", test: "login › fails",
			message: "a.spec.ts:4:3 fails",
			text:    "  [chromium] › a.spec.ts:4:3 › login › fails ─────\n\n    Error: boom\n        at a.spec.ts:4:3",
			want:    []string{"Error: boom"},
		},
		{
			name: "colours, with and without their escape character",
			text: "\x1b[31mError: \x1b[1mboom\x1b[0m", message: "[2mexpect([22m[31mreceived[39m[2m)[22m",
			want: []string{"expect(received)"},
		},
		{
			name: "pytest: the line marked E, not the source above it",
			text: "def test_x():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_x.py:2: AssertionError",
			want: []string{"assert 1 == 2"},
		},
		{
			name: "python: the end of a traceback",
			text: "Traceback (most recent call last):\n  File \"t.py\", line 3, in test_x\n    self.assertTrue(False)\nAssertionError: False is not true\n",
			want: []string{"AssertionError: False is not true"},
		},
		{
			name: "go: not the runner's own lines", message: "Failed",
			text: "=== RUN   TestX\n    x_test.go:10: got 3, want 4\n--- FAIL: TestX (0.00s)\n",
			want: []string{"x_test.go:10: got 3, want 4"},
		},
		{
			name: "junit: a bare message gets its exception", errorType: "java.lang.ArithmeticException", message: "Rounding necessary",
			want: []string{"ArithmeticException: Rounding necessary"},
		},
		{
			name: "junit: an assertion speaks for itself", errorType: "org.opentest4j.AssertionFailedError",
			message: "expected: <90> but was: <100>", want: []string{"expected: <90> but was: <100>"},
		},
		{
			name: "nunit: a comparison is the error", message: "  Expected: 30\n  But was:  20\n", want: []string{"Expected: 30", "But was: 20"},
		},
		{
			name:    "googletest: not the place, and what the colon announces",
			message: "gt.cc:3\nExpected equality of these values:\n  1\n  2\n",
			want:    []string{"Expected equality of these values:", "1", "2"},
		},
		{
			name: "node: what the colon announces", message: "Expected values to be strictly equal:\n\n1 !== 2\n",
			want: []string{"Expected values to be strictly equal:", "1 !== 2"},
		},
		{
			name: "phpunit: not its own name", class: "ATest", test: "testB with data set #1",
			text: "ATest::testB with data set #1 (0)\nFailed asserting that false is true.\n\n/src/ATest.php:7\n",
			want: []string{"Failed asserting that false is true."},
		},
		{name: "a stack frame is better than nothing", text: "\n   at A.B(String c)\n   at D.E()", want: []string{"at A.B(String c)"}},
		{name: "a place is better than nothing", text: "\n/src/Other.php:10\n", want: []string{"/src/Other.php:10"}},
		{
			name: "a javascript stack", text: "Error:\n    at Object.<anonymous> (/a.js:1:2)\nTypeError: x is not a function",
			want: []string{"TypeError: x is not a function"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := usefulLines(engine.TestResult{Class: tt.class, Name: tt.test, Attempts: []engine.Attempt{
				{Status: engine.StatusFailed, ErrorType: tt.errorType, Message: tt.message, Text: tt.text},
			}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUsefulLinesAreFewAndShort(t *testing.T) {
	text := strings.Repeat("Expected: "+strings.Repeat("x", 3000)+"\n", 500)
	got := usefulLines(engine.TestResult{Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: text, Text: text}}})
	if len(got) > maxErrorLines {
		t.Errorf("%d lines", len(got))
	}
	for _, l := range got {
		if n := len([]rune(l)); n > errorWidth {
			t.Errorf("a line of %d characters", n)
		}
	}
}

func TestATestWithoutAttemptsSaysSo(t *testing.T) {
	got := usefulLines(engine.TestResult{})
	if diff := cmp.Diff([]string{"the report records no attempt"}, got); diff != "" {
		t.Error(diff)
	}
}
