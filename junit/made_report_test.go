package junit

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// madeShape is a report as a runner writes it.
type madeShape struct {
	head, tail string // of the file
	open       func(b *bytes.Buffer, suite int)
	close      string // of a suite
	test       func(b *bytes.Buffer, suite, test int)
	perSuite   int // tests of a suite
}

// madeReport makes a report of about size bytes as it is read.
type madeReport struct {
	madeShape
	size    int
	written int
	tests   int
	pending bytes.Buffer
	done    bool
}

func (m *madeReport) Read(b []byte) (int, error) {
	for m.pending.Len() == 0 {
		if m.done {
			return 0, io.EOF
		}
		m.more()
	}
	n, err := m.pending.Read(b)
	m.written += n
	return n, err
}

func (m *madeReport) more() {
	b := &m.pending
	first := m.tests%m.perSuite == 0
	switch {
	case m.tests == 0:
		b.WriteString(m.head)
	case first:
		b.WriteString(m.close)
	}
	if m.done = first && m.written >= m.size; m.done {
		b.WriteString(m.tail)
		return
	}
	suite := m.tests / m.perSuite
	if first {
		m.open(b, suite)
	}
	m.test(b, suite, m.tests)
	m.tests++
}

// madeShapes are the reports of four runners: one test in ten of Playwright fails with a
// trace, most print something; one in fifty of the others fails.
var madeShapes = map[string]madeShape{
	"playwright": playwrightShape, "surefire": surefireShape, "jest": jestShape, "pytest": pytestShape,
}

const (
	outputLine  = "  console.log: step %d of the checkout, <div class=\"row\"> & more of what a page prints\n"
	failureBody = `  [chromium] › tests/spec-%[1]d.spec.ts:12:3 › checkout › test %[2]d ──────────────────────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator:  getByTestId('total')
    Expected: "42"
    Received: "41"

      10 | test.describe('checkout', () => {
      11 |   test('test %[2]d', async ({ page }) => {
    > 12 |     await expect(page.getByTestId('total')).toHaveText('42');
         |                                             ^
        at /home/runner/work/shop/shop/tests/spec-%[1]d.spec.ts:12:45
`
)

var playwrightShape = madeShape{
	head: `<testsuites id="" name="">` + "\n", tail: "</testsuites>\n", close: "</testsuite>\n", perSuite: 50,
	open: func(b *bytes.Buffer, suite int) {
		fmt.Fprintf(b, "<testsuite name=\"spec-%d.spec.ts\" hostname=\"chromium\" timestamp=\"2026-01-02T03:04:05.000Z\">\n", suite)
	},
	test: func(b *bytes.Buffer, suite, test int) {
		fmt.Fprintf(b, "<testcase name=\"checkout › test %d\" classname=\"spec-%d.spec.ts\" time=\"0.123\">\n<system-out>\n<![CDATA[", test, suite)
		for i := range 30 {
			fmt.Fprintf(b, outputLine, i)
		}
		b.WriteString("]]>\n</system-out>\n")
		if test%10 == 0 {
			fmt.Fprintf(b, "<failure message=\"expect(locator).toHaveText(expected) failed\" type=\"FAILURE\"><![CDATA["+failureBody+"]]></failure>\n", suite, test)
		}
		b.WriteString("</testcase>\n")
	},
}

// javaTrace is what Surefire writes of a failure.
const javaTrace = `org.opentest4j.AssertionFailedError: expected: &lt;42&gt; but was: &lt;41&gt;
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at org.junit.jupiter.api.AssertEquals.assertEquals(AssertEquals.java:150)
	at com.acme.shop.cart.Cart%[1]dTest.addsItem%[2]d(Cart%[1]dTest.java:42)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1596)
`

var surefireShape = madeShape{
	head: `<?xml version="1.0" encoding="UTF-8"?>` + "\n<testsuites>\n", tail: "</testsuites>\n", close: "</testsuite>\n", perSuite: 20,
	open: func(b *bytes.Buffer, suite int) {
		fmt.Fprintf(b, `<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0.2" name="com.acme.shop.cart.Cart%dTest" time="0.431" tests="20" errors="0" skipped="0" failures="0">`+"\n", suite)
		b.WriteString("  <properties>\n")
		for i := range 20 {
			fmt.Fprintf(b, "    <property name=\"java.vm.property.%d\" value=\"/usr/lib/jvm/java-21-openjdk-amd64\"/>\n", i)
		}
		b.WriteString("  </properties>\n")
	},
	test: func(b *bytes.Buffer, suite, test int) {
		fmt.Fprintf(b, `  <testcase name="addsItem%d" classname="com.acme.shop.cart.Cart%dTest" time="0.021"`, test, suite)
		if test%50 > 0 {
			b.WriteString("/>\n")
			return
		}
		fmt.Fprintf(b, `>`+"\n    "+`<failure message="expected: &lt;42&gt; but was: &lt;41&gt;" type="org.opentest4j.AssertionFailedError">`+javaTrace+"</failure>\n  </testcase>\n", suite, test)
	},
}

var jestShape = madeShape{
	head: `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testsuites name="jest tests" tests="5" failures="0" errors="0" time="0.31">` + "\n", tail: "</testsuites>\n",
	close: "  </testsuite>\n", perSuite: 20,
	open: func(b *bytes.Buffer, suite int) {
		fmt.Fprintf(b, `  <testsuite name="cart %d" errors="0" failures="0" skipped="0" timestamp="2026-11-21T10:47:04" time="0.134" tests="20">`+"\n", suite)
	},
	test: func(b *bytes.Buffer, suite, test int) {
		fmt.Fprintf(b, `    <testcase classname="cart %[1]d adds the item %[2]d" name="cart %[1]d adds the item %[2]d" time="0.002">`+"\n", suite, test)
		if test%50 == 0 {
			fmt.Fprintf(b, "      <failure>Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 42\nReceived: 41\n    at Object.toBe (/home/runner/work/shop/shop/src/cart%[1]d.test.js:3:43)\n"+
				"    at Promise.finally.completed (/home/runner/work/shop/shop/node_modules/jest-circus/build/jestAdapterInit.js:1834:28)\n    at new Promise (&lt;anonymous&gt;)</failure>\n", suite)
		}
		b.WriteString("    </testcase>\n")
	},
}

var pytestShape = madeShape{
	head: `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="5" time="0.1" timestamp="2026-01-02T03:04:05.000000+00:00" hostname="runner">`,
	tail: "</testsuite></testsuites>", open: func(*bytes.Buffer, int) {}, perSuite: 20,
	test: func(b *bytes.Buffer, suite, test int) {
		fmt.Fprintf(b, `<testcase classname="tests.shop.test_cart_%d.TestCart" name="test_adds_item[%d]" time="0.001"`, suite, test)
		if test%50 > 0 {
			b.WriteString(" />")
			return
		}
		fmt.Fprintf(b, `><failure message="AssertionError: assert 41 == 42">self = &lt;test_cart_%[1]d.TestCart object at 0x7f&gt;`+"\n\n    def test_adds_item(self, n):\n&gt;       assert total() == 42\nE       AssertionError: assert 41 == 42\nE        +  where 41 = total()\n\n"+
			"tests/shop/test_cart_%[1]d.py:12: AssertionError</failure></testcase>", suite)
	},
}

func madeBytes(tb testing.TB, shape string, size int) []byte {
	tb.Helper()
	report, err := io.ReadAll(&madeReport{madeShape: madeShapes[shape], size: size})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}
