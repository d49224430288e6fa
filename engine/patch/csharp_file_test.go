package patch

import (
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// C# names no file after its class, and reports name no file.
func TestACSharpClassInAFileOfAnotherName(t *testing.T) {
	file := func(namespace, class, method string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("namespace " + namespace + ";\npublic class " + class + " : PageTest\n{\n    [Test]\n    public async Task " + method +
			"()\n    {\n        await Page.Locator(\"#go\").ClickAsync();\n    }\n}\n")}
	}
	const class = "Shop.E2E.CartTests"
	for _, test := range []struct {
		name   string
		source fstest.MapFS
		edit   string
	}{
		{"the only one", fstest.MapFS{"Case1.cs": file("Shop.E2E", "CartTests", "Pays"), "Case2.cs": file("Shop.E2E", "MenuTests", "Pays")}, "Case1.cs"},
		{"of two namespaces", fstest.MapFS{"Case1.cs": file("Shop.E2E", "CartTests", "Pays"), "Case2.cs": file("Other", "CartTests", "Pays")}, "Case1.cs"},
		{"two of the name", fstest.MapFS{"a/Case1.cs": file("Shop.E2E", "CartTests", "Pays"), "b/Case1.cs": file("Shop.E2E", "CartTests", "Pays")}, ""},
		{"another test", fstest.MapFS{"Case1.cs": file("Shop.E2E", "CartTests", "Opens")}, ""},
		{"another class", fstest.MapFS{"Case1.cs": file("Shop.E2E", "MenuTests", "Pays")}, ""},
	} {
		h := engine.HealEvent{TestID: class + " › Pays", Locator: "#go", HealedLocator: "#pay", Confidence: 0.95, Outcome: engine.OutcomeHealed,
			Matches: []engine.Match{{Locator: "#pay", Count: 1}}}
		for _, result := range []*engine.TestResult{nil, {Class: class, Name: "Pays"}} {
			got := New(test.source).Propose(h, result)
			if got.Edit == nil && test.edit != "" || got.Edit != nil && got.Edit.File != test.edit {
				t.Errorf("%s: %+v, reason %q", test.name, got.Edit, got.Reason)
			}
		}
	}
}
