package run

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A reporter that takes its time: the runner hears of each test when its worker is two
// tests further.
const slowReporter = `module.exports = class {
  onTestEnd() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  }
};`

func TestAnElementIsLearnedForItsTestWhereTheRunnerIsBusy(t *testing.T) {
	t.Parallel()
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := newSuite(t, version, "../../examples/shop")
			if err := os.WriteFile(filepath.Join(s.folder, "slow.cjs"), []byte(slowReporter), 0o600); err != nil {
				t.Fatal(err)
			}
			shop := httptest.NewServer(http.FileServer(http.Dir("../../examples/shop/app/before")))
			defer shop.Close()
			s.run(t, []string{"SHOP_URL=" + shop.URL, "PLAYWRIGHT_JUNIT_OUTPUT_NAME=results/playwright.xml"}, "--workers", "1", "--reporter", "./slow.cjs,junit", "cart.spec.ts")
			want := []string{
				"cart.spec.ts › Cart › changes a quantity [chromium] #qty-mug", "cart.spec.ts › Cart › changes a quantity [chromium] .total",
				"cart.spec.ts › Cart › leads to the checkout [chromium] #checkout-link",
				"cart.spec.ts › Cart › removes a product [chromium] .total",
				`cart.spec.ts › Cart › removes a product [chromium] internal:role=button[name="Remove Tea towel"i]`,
			}
			if diff := cmp.Diff(want, elements(t, s.folder)); diff != "" {
				t.Errorf("learned (-want +got):\n%s", diff)
			}
		})
	}
}
