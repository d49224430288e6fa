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
	}
	x := NewIndex(results)
	for testID, want := range map[string]string{
		"login.spec.ts › Login › signs in [chromium]":              results[0].ID,
		"tests/login.spec.ts › signs in":                           results[0].ID,
		`tests\login.spec.ts › Login › signs in`:                   results[0].ID,
		"[chromium] › tests/login.spec.ts:12:3 › Login › signs in": results[0].ID,
		"tests/login.spec.ts › signs out":                          "",
		"tests/login.spec.ts › signs out [firefox]":                results[2].ID,
		"other.spec.ts › signs in":                                 "",
		"signs up":                                                 results[3].ID,
		"tests/test_login.py::TestLogin::test_ok[admin]":           results[4].ID,
		"test_login.py::TestLogin::test_bad":                       results[5].ID,
		"TestLogin/admin":                                          results[6].ID,
		"Suite.Class.method":                                       results[7].ID,
		"com.acme.Suite.Class#method":                              results[7].ID,
		"same":                                                     "",
		"B.same":                                                   results[9].ID,
		"LoginTests.SignsIn":                                       results[10].ID,
		"no such test":                                             "",
		"":                                                         "",
		" › ":                                                      "",
	} {
		got, ok := x.Find(testID)
		if got.ID != want || ok != (want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", testID, got.ID, ok, want)
		}
	}
}
