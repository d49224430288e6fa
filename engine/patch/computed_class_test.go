package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// What takes a member by a name that is not known takes one of the object's class.
func TestAComputedNameIsAMemberOfItsObjectsClass(t *testing.T) {
	t.Parallel()
	const flow = `from pages import Cart, Profile, Small, make


class Flow:
    def __init__(self, page):
        self.page = page
        self.profile = Profile(page)
        self.cart = Cart(page)
        self.small = Small(page)
        self.any = make(page)
        self.either = Cart(page)

    def turn(self):
        self.either = Profile(self.page)

    def does(self, name, given):
        STATEMENT
`
	for _, c := range []struct {
		statement string
		edits     bool
	}{
		{"getattr(self.cart, name)()", true},
		{"getattr(self.cart, self.ACTIONS[name])()", true},
		{"cart = Cart(self.page)\n        getattr(cart, name)()", true},
		{"getattr(Cart(self.page), name)()", true},
		{"getattr(self, name)()", true},
		{"getattr(self.profile, name)()", false},
		{"getattr(self.small, name)()", false},
		{"getattr(self.any, name)()", false},
		{"getattr(self.either, name)()", false},
		{"getattr(given, name)()", false},
		{"getattr(self.cart or self.profile, name)()", false},
		{"getattr(self.profile if name else self.cart, name)()", false},
		{"getattr(*given)()", false},
		{"methodcaller(name)(self.cart)", false},
	} {
		t.Run(c.statement, func(t *testing.T) {
			p := New(fstest.MapFS{
				"pages.py": {Data: []byte(`class Base:
    def __init__(self, page):
        self.page = page


class Profile(Base):
    def save(self):
        self.page.locator("#save").click()


class Cart(Base):
    def pay(self):
        self.page.locator("#pay").click()


class Small(Profile):
    pass
`)},
				"flow.py": {Data: []byte(strings.ReplaceAll(flow, "STATEMENT", c.statement))},
				"test_a.py": {Data: []byte("from flow import Flow\nfrom pages import Profile\n\n\ndef test_saves(page):\n    Profile(page).save()\n\n\n" +
					"def test_does(page):\n    Flow(page).does(NAME, page)\n")},
			})
			p.SetPassed([]PassedTest{{Test: engine.TestResult{ID: "test_a.py › test_does", File: "test_a.py", Name: "test_does"}}})
			got := p.Propose(engine.HealEvent{TestID: "test_a.py › test_saves", Locator: "#save", HealedLocator: "#store", Confidence: 0.95,
				Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: "#store", Count: 1}}}, nil)
			if (got.Edit != nil) != c.edits {
				t.Errorf("edit %v, reason %q", got.Edit, got.Reason)
			}
		})
	}
}
