package comment

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestATestIsNamedWithoutWhatStandsBesideIt(t *testing.T) {
	for _, tt := range []struct {
		r    engine.TestResult
		want string
	}{
		{engine.TestResult{ID: "login.spec.ts › Login › signs in [chromium]", File: "e2e/login.spec.ts", Environment: "chromium"}, "Login › signs in"},
		{engine.TestResult{ID: "src/cart.test.ts › cart › adds", File: "src/cart.test.ts"}, "cart › adds"},
		{engine.TestResult{ID: "tests/test_login.py::TestLogin::test_ok[admin]", File: "tests/test_login.py"}, "TestLogin::test_ok[admin]"},
		{engine.TestResult{ID: "com.acme.LoginTest › signsIn"}, "com.acme.LoginTest › signsIn"},
		{engine.TestResult{ID: "com.acme.LoginTest › signsIn", File: "src/test/LoginTest.java"}, "com.acme.LoginTest › signsIn"},
		{engine.TestResult{ID: "Math › Adds", File: "math_test.cc"}, "Math › Adds"},
		{engine.TestResult{ID: "a.spec.ts", File: "a.spec.ts"}, "a.spec.ts"},
		{engine.TestResult{Name: "only a name"}, "only a name"},
	} {
		if got := testName(tt.r); got != tt.want {
			t.Errorf("%s is named %q, want %q", tt.r.ID, got, tt.want)
		}
	}
}

func TestAHealedTestIsNamedWithoutItsFile(t *testing.T) {
	for id, want := range map[string]string{
		"tests/login.spec.ts › signs in":  "signs in",
		"login.spec.ts › signs in":        "signs in",
		"tests/test_menu.py::test_opens":  "test_opens",
		"com.acme.LoginTest › signsIn":    "com.acme.LoginTest › signsIn",
		"example.com/shop/cart › TestAdd": "example.com/shop/cart › TestAdd",
		"signs in":                        "signs in",
		"a.ts › ":                         "a.ts › ",
	} {
		if got := healedTest(engine.HealEvent{TestID: engine.TestID(id)}); got != want {
			t.Errorf("%q is named %q, want %q", id, got, want)
		}
	}
}
