package identity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
)

func TestATestIsFoundByWhatPlaywrightPrints(t *testing.T) {
	names := []engine.TestID{
		"tests/a.spec.ts › Login › signs in [chromium]", "tests/a.spec.ts › Login › signs in [webkit]", "tests/a.spec.ts › Login › signs out [chromium]",
		"tests/b.spec.ts › pays", "tests/b.spec.ts › pays twice", "tests/test_price.py::test_price[eur]", "tests/test_price.py::test_price[usd]",
	}
	for _, tt := range []struct {
		asked   string
		want    engine.TestID
		similar []engine.TestID
	}{
		{"tests/b.spec.ts › pays", names[3], nil},
		{"[chromium] › tests/a.spec.ts:35:3 › Login › signs in", names[0], nil},
		{"  1) [webkit] › tests/a.spec.ts:35:3 › Login › signs in ────────────────", names[1], nil},
		{"[chromium] › a.spec.ts:35:3 › Login › signs in", names[0], nil},
		{"  ✘  12 [webkit] › tests/a.spec.ts:35:3 › Login › signs in (retry #1) (1.2s)", names[1], nil},
		{"  -   3 tests/b.spec.ts:12:1 › pays", names[3], nil},
		{"  ok 4 tests/b.spec.ts:12:1 › pays (87ms)", names[3], nil},
		{"[3/7] [chromium] › tests/a.spec.ts:35:3 › Login › signs out", names[2], nil},
		{"tests/b.spec.ts:12:1 › pays", names[3], nil},
		{"pays twice", names[4], nil},
		{"SIGNS OUT", names[2], nil},
		{"test_price[eur]", names[5], nil},
		{"tests/a.spec.ts › Login › signs in", "", names[:2]}, // in two projects
		{"[firefox] › tests/a.spec.ts:35:3 › Login › signs in", "", nil},
		{"test_price", "", names[5:]},
		{"deletes", "", nil},
		{" ", "", nil},
	} {
		found, similar := identity.FindName(names, tt.asked)
		if found != tt.want || !cmp.Equal(similar, tt.similar) {
			t.Errorf("%q is %q, similar %q; want %q, %q", tt.asked, found, similar, tt.want, tt.similar)
		}
	}
}
