package identity

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestIndexFindsTheTestOfAHealEvent(t *testing.T) {
	results := []engine.TestResult{
		{ID: "login.spec.ts › Login › signs in [chromium]", Environment: "chromium"},
		{ID: "login.spec.ts › Login › signs out [chromium]", Environment: "chromium"},
		{ID: "login.spec.ts › Login › signs out [firefox]", Environment: "firefox"},
		{ID: "admin/login.spec.ts › signs up [chromium]", Environment: "chromium"},
		{ID: "tests/test_login.py::TestLogin::test_ok[admin]"},
		{ID: "tests/test_login.py::TestLogin::test_bad"},
		{ID: "example.com/shop/login › TestLogin/admin"},
		{ID: "com.acme.Suite.Class › method"},
		{ID: "com.acme.A › same"},
		{ID: "com.acme.B › same"},
		{ID: "Shop.Tests.LoginTests › SignsIn"},
		{ID: "shop.CheckoutTest › JUnit Jupiter › placesTheOrder()"},
		{ID: "shop.Old › JUnit Vintage › twice"},
		{ID: "shop.Old › JUnit Jupiter › twice"},
	}
	x := NewIndex(results)
	for testID, want := range map[string]string{
		"login.spec.ts › Login › signs in [chromium]":              string(results[0].ID),
		"tests/login.spec.ts › signs in":                           string(results[0].ID),
		`tests\login.spec.ts › Login › signs in`:                   string(results[0].ID),
		"[chromium] › tests/login.spec.ts:12:3 › Login › signs in": string(results[0].ID),
		"tests/login.spec.ts › signs out":                          "",
		"tests/login.spec.ts › signs out [firefox]":                string(results[2].ID),
		"other.spec.ts › signs in":                                 "",
		"signs up":                                                 string(results[3].ID),
		"tests/test_login.py::TestLogin::test_ok[admin]":           string(results[4].ID),
		"test_login.py::TestLogin::test_bad":                       string(results[5].ID),
		"TestLogin/admin":                                          string(results[6].ID),
		"Suite.Class.method":                                       string(results[7].ID),
		"com.acme.Suite.Class#method":                              string(results[7].ID),
		"same":                                                     "",
		"B.same":                                                   string(results[9].ID),
		"LoginTests.SignsIn":                                       string(results[10].ID),
		"shop.CheckoutTest › placesTheOrder()":                     string(results[11].ID),
		"CheckoutTest.placesTheOrder()":                            string(results[11].ID),
		"shop.Old › twice":                                         "",
		"shop.Old › JUnit Vintage › twice":                         string(results[12].ID),
		"JUnit Jupiter":                                            "",
		"no such test":                                             "",
		"":                                                         "",
		" › ":                                                      "",
	} {
		got, ok := x.Find(engine.TestID(testID))
		if got.ID != engine.TestID(want) || ok != (want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", testID, got.ID, ok, want)
		}
	}
}
