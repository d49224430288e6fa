package location

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestACheckoutsDirectoryIsTakenOffAPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/home/runner/work/shop/shop/tests/a.spec.ts":              "tests/a.spec.ts",
		"/Users/runner/work/shop/shop/tests/a.spec.ts:3":           "tests/a.spec.ts:3",
		"fixtures of /__w/shop/shop/data":                          "fixtures of data",
		`D:\a\shop\shop\tests\a.spec.ts`:                           `tests\a.spec.ts`,
		"/github/workspace/tests/a.spec.ts":                        "tests/a.spec.ts",
		"at /opt/actions-runner/_work/shop/shop/tests/a.spec.ts:3": "at tests/a.spec.ts:3",
		"/srv/ci/tests/a.spec.ts":                                  "tests/a.spec.ts",
		"/home/mona/tests/a.spec.ts":                               "/home/mona/tests/a.spec.ts",
	} {
		if got := Localize(text, "/srv/ci"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What is looked at first is found in whatever the expression matches.
func TestNoCheckoutIsPassedOver(t *testing.T) {
	t.Parallel()
	parts := []string{"/home", "/Users", "/runner", "/work", "/__w", "D:", "C:", "/a", `\a`, "/github", "/workspace", "/_work", `\_work`, "/shop", `\shop`, "/", `\`, " ", "x"}
	random, matched := rand.New(rand.NewPCG(1, 2)), 0
	for range 60_000 {
		var text strings.Builder
		for range 2 + random.IntN(7) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		if checkoutInText.FindStringSubmatchIndex(text.String()) == nil {
			continue
		}
		if matched++; !mayNameCheckout(text.String()) {
			t.Fatalf("%q is passed over", text.String())
		}
	}
	if matched < 500 {
		t.Errorf("only %d texts name a checkout, so the test shows little", matched)
	}
}
