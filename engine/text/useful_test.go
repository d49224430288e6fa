package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/text"
)

func TestUsefulLinesOfWhatRunnersWrite(t *testing.T) {
	for _, tt := range []struct {
		name          string
		class, test   string
		errorType     string
		message, body string
		want          []string
	}{
		{name: "nothing at all"},
		{name: "only a type", errorType: "java.lang.AssertionError", want: []string{"java.lang.AssertionError"}},
		{
			name: "playwright: the message, and the comparison from the text", errorType: "expect.toBe",
			message: "expect(received).toBe(expected) // Object.is equality",
			body:    "  [chromium] › a.spec.ts:4:3 › login › fails ─────\n\n    Error: expect(received).toBe(expected) // Object.is equality\n\n    Expected: 2\n    Received: 1\n\n    > 4 |  expect(1)\n",
			want:    []string{"expect(received).toBe(expected) // Object.is equality", "Expected: 2", "Received: 1"},
		},
		{
			name: "older playwright: the message is only the place and title", test: "login › fails",
			message: "a.spec.ts:4:3 fails",
			body:    "  [chromium] › a.spec.ts:4:3 › login › fails ─────\n\n    Error: boom\n        at a.spec.ts:4:3",
			want:    []string{"Error: boom"},
		},
		{
			name:    "playwright: a timeout is followed by what it waited for",
			message: "TimeoutError: locator.fill: Timeout 10000ms exceeded.",
			body:    "  [chromium] › a.spec.ts:4:3 › login › fails ─────\n\n    TimeoutError: locator.fill: Timeout 10000ms exceeded.\n    Call log:\n      - waiting for getByLabel('E-mail')\n\n    > 4 |  await email.fill('x')\n",
			want:    []string{"TimeoutError: locator.fill: Timeout 10000ms exceeded.", "waiting for getByLabel('E-mail')"},
		},
		{
			name:    "playwright: not what a retry waited for",
			message: "Error: boom", body: "Error: boom\n\n    Retry #1 ───────\n\n    TimeoutError: x\n      - waiting for locator('#b')\n",
			want: []string{"Error: boom"},
		},
		{
			name: "pytest-playwright: the locator in lines marked E",
			body: "E       playwright._impl._errors.TimeoutError: Locator.click: Timeout 30000ms exceeded.\nE       Call log:\nE         - waiting for locator(\"#pay\")\n",
			want: []string{"playwright._impl._errors.TimeoutError: Locator.click: Timeout 30000ms exceeded.", `waiting for locator("#pay")`},
		},
		{
			name: "pytest: the line marked E, not the source above it",
			body: "def test_x():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_x.py:2: AssertionError",
			want: []string{"assert 1 == 2"},
		},
		{
			name: "python: the end of a traceback",
			body: "Traceback (most recent call last):\n  File \"t.py\", line 3, in test_x\n    self.assertTrue(False)\nAssertionError: False is not true\n",
			want: []string{"AssertionError: False is not true"},
		},
		{
			name: "go: not the runner's own lines", message: "Failed",
			body: "=== RUN   TestX\n    x_test.go:10: got 3, want 4\n--- FAIL: TestX (0.00s)\n",
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
			body: "ATest::testB with data set #1 (0)\nFailed asserting that false is true.\n\n/src/ATest.php:7\n",
			want: []string{"Failed asserting that false is true."},
		},
		{name: "a stack frame is better than nothing", body: "\n   at A.B(String c)\n   at D.E()", want: []string{"at A.B(String c)"}},
		{name: "a place is better than nothing", body: "\n/src/Other.php:10\n", want: []string{"/src/Other.php:10"}},
		{
			name: "a javascript stack", body: "Error:\n    at Object.<anonymous> (/a.js:1:2)\nTypeError: x is not a function",
			want: []string{"TypeError: x is not a function"},
		},
		{name: "white space and words that say nothing", message: "\n  Error:\n\n  expected 1, got 2", want: []string{"expected 1, got 2"}},
		{name: "a word that says nothing, with a full stop", message: "Failed.\nreal", want: []string{"real"}},
		{name: "the message, not the body", message: "boom", body: "trace", want: []string{"boom"}},
		{
			name: "pytest: not what explains the line",
			body: "    def test():\n>       assert f() == 1\nE       assert 2 == 1\nE        +  where 2 = f()\n", want: []string{"assert 2 == 1"},
		},
		{
			name: "python: a bare exception", errorType: "Error",
			body: "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: no", want: []string{"ValueError: no"},
		},
		{name: "a rule is no line", message: "─────\n=====\nreal", want: []string{"real"}},
		{name: "java: a stack frame first", message: "    at a.b(C.java:1)\nNullPointerException", want: []string{"NullPointerException"}},
		{name: "the test's own name", test: "the test", message: "the test\nwrong", want: []string{"wrong"}},
		{name: "a short type", errorType: "Error", want: []string{"Error"}},
		{
			name: "colours, with and without their escape character",
			body: "\x1b[31mError: \x1b[1mboom\x1b[0m", message: "[2mexpect([22m[31mreceived[39m[2m)[22m", want: []string{"expect(received)"},
		},
		{name: "every kind of line end", message: "Error\rFailed\r\n=====\u2028-----\u2029Error:\u0085real", want: []string{"real"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text.UsefulLines(text.Failure{
				Name: tt.test, OtherNames: []string{tt.class, tt.class + "." + tt.test},
				ErrorType: tt.errorType, Message: tt.message, Body: tt.body,
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUsefulLinesAreFew(t *testing.T) {
	long := strings.Repeat("Expected: "+strings.Repeat("x", 3000)+"\n", 500)
	got := text.UsefulLines(text.Failure{Message: long, Body: long})
	if len(got) != text.MaxUsefulLines {
		t.Errorf("%d lines, want %d", len(got), text.MaxUsefulLines)
	}
}

func TestJoinLines(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  string
	}{
		{nil, ""},
		{[]string{"boom"}, "boom"},
		{[]string{"toBe failed", "Expected: 2", "Received: 1"}, "toBe failed · Expected: 2 · Received: 1"},
		{[]string{"Expected equality of:", "1", "2"}, "Expected equality of: 1 · 2"},
	} {
		if got := text.JoinLines(tt.lines); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// Whatever a test run writes, the lines are few and clean.
func FuzzUsefulLines(f *testing.F) {
	f.Add("Error: boom\n  Expected: 1\n  Received: 2", "Traceback (most recent call last):\nValueError: no", "java.lang.ArithmeticException", "t")
	f.Add("E  ::error::x", "E   x\u2028\x1b[31m", "Error", "a › b")
	f.Add("Expected values:\n\n1 !== 2", "1) a › b\nat x", "", "b")
	f.Fuzz(func(t *testing.T, message, body, errorType, name string) {
		got := text.UsefulLines(text.Failure{Name: name, ErrorType: errorType, Message: message, Body: body})
		if len(got) > text.MaxUsefulLines {
			t.Errorf("%d lines", len(got))
		}
		for _, line := range got {
			if len(line) < 16<<10 && text.Line(line) != line {
				t.Errorf("%q was not cleaned", line)
			}
		}
	})
}
