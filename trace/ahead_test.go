package trace

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// One test loses its search field on the redesigned page; what every other test knows of
// that page is looked for at once.
func TestWhatIsFoundAheadIsRightOrMarkedAsChanged(t *testing.T) {
	before, after := changedPage(t, "before.html", ""), changedPage(t, "after.html", "")
	call := oneCall(t, click("c", "#search", after, after, true))
	page, ok := call.LostPage()
	if !ok {
		t.Fatal("the page of the lost call is not known")
	}
	located, named := 0, 0
	for _, c := range changedTests {
		selector := c.selector()
		if found, known := page.Find(selector); !known || len(found) > 0 {
			t.Errorf("%s: finds %v, known %v", selector, found, known)
		}
		known, ok := oneCall(t, click("c", selector, changedPage(t, "before.html", c.id), before, false)).Target()
		if !ok {
			t.Fatalf("%s: nothing learned", selector)
		}
		e, at := page.LookAhead(known, heal.Options{})
		if c.want != "" {
			located++
		}
		switch right := c.want != "" && c.isWanted(e.Healed); {
		case e.Outcome == engine.OutcomeHealed || !e.Ahead:
			t.Errorf("%s: %s, ahead %v", c.name, e.Outcome, e.Ahead)
		case e.Outcome == engine.OutcomeRefused:
		case right && at >= 0 && e.Locator == selector && e.PageURL == "/":
			named++
		case e.Reason == engine.ReasonAhead || len(e.Changed) == 0:
			t.Errorf("%s: %s %q, want %q", c.name, e.Reason, e.Healed.Attributes, c.want)
		}
	}
	if named < located-2 {
		t.Errorf("%d of %d elements were found", named, located)
	}
}

func TestALocatorInAFrameIsNotLookedForAhead(t *testing.T) {
	page, ok := oneCall(t, click("c", "#buy", buyMoved, `[[1,6]]`, true)).LostPage()
	if !ok {
		t.Fatal("no page")
	}
	for selector, want := range map[string]bool{"#sell": true, "#pay >> internal:control=enter-frame >> #sell": false, "button:visible": false} {
		if _, known := page.Find(selector); known != want {
			t.Errorf("%s: known %v", selector, known)
		}
	}
	if _, ok := oneCall(t, click("c", "#buy", `"text"`, `[[1,6]]`, true)).LostPage(); ok {
		t.Error("a page without an element is one")
	}
}
