package patch

import (
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A function that takes the role as well as the name looks for what its call says.
func TestAFunctionThatTakesTheRole(t *testing.T) {
	const direct = `return page.getByRole(role, new Page.GetByRoleOptions().setName(name));`
	for _, test := range []struct {
		name, code, call string
		edits            bool
	}{
		{"the role of the call", direct, `byRole(AriaRole.LINK, "Cart")`, true},
		{"by another function", direct, `byName("Cart", AriaRole.LINK)`, true},
		{"another role", direct, `byRole(AriaRole.BUTTON, "Cart")`, false},
		{"a role that is not known", direct, `byRole(current, "Cart")`, false},
		{"the function sets the role", `role = AriaRole.BUTTON; ` + direct, `byRole(AriaRole.LINK, "Cart")`, false},
		{"the function has another role", `return page.getByRole(other, new Page.GetByRoleOptions().setName(name));`, `byRole(AriaRole.LINK, "Cart")`, false},
		{"the function looks for more", `page.getByText(name).click(); ` + direct, `byRole(AriaRole.LINK, "Cart")`, false},
	} {
		source := fstest.MapFS{"src/test/java/shop/MenuTest.java": {Data: []byte(`package shop;
class MenuTest {
  private Locator byRole(AriaRole role, String name) { ` + test.code + ` }
  private Locator byName(String title, AriaRole kind) { return byRole(kind, title); }
  @Test void opens() { ` + test.call + `.click(); }
}
`)}}
		next := `internal:role=link[name="Basket"i]`
		got := New(source).Propose(engine.HealEvent{TestID: "shop.MenuTest › opens", Locator: `internal:role=link[name="Cart"i]`, HealedLocator: next,
			Confidence: 0.95, Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: next, Count: 1}}}, &engine.TestResult{Class: "shop.MenuTest", Name: "opens"})
		if edits := got.Edit != nil && got.Sure() && got.Edit.New == `"Basket"`; edits != test.edits {
			t.Errorf("%s: %+v, reason %q", test.name, got.Edit, got.Reason)
		}
	}
}
