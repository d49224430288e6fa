package junit

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// playwrightLike writes a report of about size bytes as Playwright's reporter
// does: most tests with some output, one in ten failing with a trace.
type playwrightLike struct {
	size    int
	written int
	test    int
	pending []byte
	done    bool
}

func (p *playwrightLike) Read(b []byte) (int, error) {
	for len(p.pending) == 0 {
		if p.done {
			return 0, io.EOF
		}
		p.more()
	}
	n := copy(b, p.pending)
	p.pending = p.pending[n:]
	p.written += n
	return n, nil
}

const (
	perSpec     = 50
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

func (p *playwrightLike) more() {
	var b bytes.Buffer
	switch spec := p.test / perSpec; {
	case p.written >= p.size && p.test%perSpec == 0:
		b.WriteString("</testsuite>\n</testsuites>\n")
		p.done = true
	default:
		if p.test == 0 {
			b.WriteString(`<testsuites id="" name="">` + "\n")
		}
		if p.test%perSpec == 0 {
			if p.test > 0 {
				b.WriteString("</testsuite>\n")
			}
			fmt.Fprintf(&b, "<testsuite name=\"spec-%d.spec.ts\" hostname=\"chromium\" timestamp=\"2026-01-02T03:04:05.000Z\">\n", spec)
		}
		p.writeCase(&b, spec)
		p.test++
	}
	p.pending = b.Bytes()
}

func (p *playwrightLike) writeCase(b *bytes.Buffer, spec int) {
	fmt.Fprintf(b, "<testcase name=\"checkout › test %d\" classname=\"spec-%d.spec.ts\" time=\"0.123\">\n<system-out>\n<![CDATA[", p.test, spec)
	for i := range 30 {
		fmt.Fprintf(b, outputLine, i)
	}
	b.WriteString("]]>\n</system-out>\n")
	if p.test%10 == 0 {
		fmt.Fprintf(b, "<failure message=\"expect(locator).toHaveText(expected) failed\" type=\"FAILURE\"><![CDATA["+failureBody+"]]></failure>\n", spec, p.test)
	}
	b.WriteString("</testcase>\n")
}

func playwrightBytes(tb testing.TB, size int) []byte {
	tb.Helper()
	report, err := io.ReadAll(&playwrightLike{size: size})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}
