package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gojunit "github.com/joshdk/go-junit"
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

func BenchmarkPlaywrightLike50MB(b *testing.B) {
	report := playwrightBytes(b, 50*megabyte)
	b.Run("adapter", func(b *testing.B) {
		b.SetBytes(int64(len(report)))
		b.ReportAllocs()
		for b.Loop() {
			f, err := Parse("results.xml", bytes.NewReader(report), Options{Root: "/home/runner/work/shop/shop"})
			if err != nil || f.Rows == 0 {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-junit", func(b *testing.B) {
		b.SetBytes(int64(len(report)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gojunit.Ingest(report); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tokens", func(b *testing.B) {
		b.SetBytes(int64(len(report)))
		b.ReportAllocs()
		for b.Loop() {
			dec := xml.NewDecoder(bytes.NewReader(report))
			for {
				if _, err := dec.RawToken(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkPlaywrightLike500MB reads a report that is made as it is read, so
// that only what is kept of it counts: live-MB is what the File holds.
func BenchmarkPlaywrightLike500MB(b *testing.B) {
	for b.Loop() {
		report := &playwrightLike{size: 500 * megabyte}
		f, err := Parse("results.xml", report, Options{Root: "/home/runner/work/shop/shop"})
		if err != nil || f.Rows == 0 {
			b.Fatal(err)
		}
		b.StopTimer()
		var live runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&live)
		b.ReportMetric(float64(live.HeapAlloc)/megabyte, "live-MB")
		b.ReportMetric(float64(f.Rows), "tests")
		b.SetBytes(int64(report.written))
		runtime.KeepAlive(f)
		b.StartTimer()
	}
}

func BenchmarkHostileCorpus(b *testing.B) {
	paths, _ := filepath.Glob(filepath.Join(corpusDir, "adv-*.xml"))
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".xml"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(path, bytes.NewReader(report), Options{})
			}
		})
	}
}
