package trace

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// changedTest is a test that clicks one element of testdata/changed/before.html, and
// what that is on after.html.
type changedTest struct {
	name    string
	id      string // of the element on the page before
	locator string // "" for its id
	want    string // an attribute of the element on the page after, "" where it is gone
}

var changedTests = []changedTest{
	// The same element under another name for programs.
	{name: "opens the members", id: "nav-members", want: "href=/members"},
	{name: "searches", id: "search", want: "id=find"},
	{name: "mutes", id: "mute", want: "id=hush"},
	{name: "invites", id: "invite", want: "data-testid=invite"},
	{name: "edits a member", id: "edit-ana", want: "data-testid=edit-1"},
	{name: "removes a member", id: "remove-bo", want: "data-testid=remove-2"},
	{name: "names the team", id: "team-name", want: "id=org-name"},
	{name: "sets the time zone", id: "zone", want: "id=tz"},
	{name: "asks for a second factor", id: "two-factor", want: "id=mfa"},
	{name: "saves", id: "save-team", want: "data-testid=store-team"},
	{name: "cancels", id: "cancel-team", want: "data-testid=leave-team"},
	{name: "takes a plan", id: "plan-basic", want: "id=take-1"},
	{name: "takes another plan", id: "plan-crew", want: "id=take-2"},
	{name: "asks for help", id: "help", want: "href=/help"},
	// The same element that says it otherwise.
	{name: "reads the log", id: "log", locator: `internal:text="Deploy log"i`, want: "id=protocol"},
	{name: "makes a key", id: "new-key", want: "id=make-key"},
	// Another element stands in its place.
	{name: "exports", id: "export"},
	{name: "notifies all", id: "notify"},
	{name: "deletes a file", id: "trash"},
	{name: "removes a member who left", id: "remove-cy"},
	{name: "edits a member who left", id: "edit-cy"},
	{name: "promotes", id: "promote"},
	{name: "locks an account", id: "sperren"},
	{name: "sets the first day", id: "start"},
	{name: "types the old password", id: "secret"},
	{name: "deploys to staging", id: "deploy"},
	{name: "archives", id: "archive"},
	{name: "downloads a table", id: "csv"},
	{name: "revokes a key", id: "revoke"},
	{name: "takes a plan that is gone", id: "plan-fleet"},
	{name: "donates", id: "donate"},
	// Nothing stands there.
	{name: "chats", id: "chat"},
}

// What is wrong is proposed only with what it means otherwise, and never as a heal.
func TestWhatATraceSuggestsIsRightOrMarkedAsChanged(t *testing.T) {
	before, after := changedPage(t, "before.html", ""), changedPage(t, "after.html", "")
	var located, named, healed, marked, refused int
	for _, c := range changedTests {
		t.Run(c.name, func(t *testing.T) {
			e := c.suggest(t, before, after)
			is := c.want != "" && c.isWanted(e.Healed)
			if c.want != "" {
				located++
			}
			switch {
			case e.Outcome == engine.OutcomeRefused:
				refused++
			case is:
				named++
			case e.Outcome == engine.OutcomeSuggested && len(e.Changed) > 0:
				marked++
			default:
				t.Errorf("%s %q (%.2f), want %q", e.Outcome, e.Healed.Attributes, e.Confidence, c.want)
			}
			if e.Outcome == engine.OutcomeHealed {
				healed++
			}
		})
	}
	t.Logf("of %d: %d of %d named right (%d healed), %d marked as changed, %d refused", len(changedTests), named, located, healed, marked, refused)
	if named < located-2 {
		t.Errorf("only %d of %d elements are named", named, located)
	}
}

// suggest returns what comes of a trace of a passing test and one of the same test
// on the page after.
func (c changedTest) suggest(t *testing.T, before, after string) engine.HealEvent {
	t.Helper()
	selector := c.selector()
	if !strings.Contains(before, `"id":"`+c.id+`"`) {
		t.Fatalf("the page before has no %s", c.id)
	}
	passed := oneCall(t, click("c", selector, changedPage(t, "before.html", c.id), before, false))
	known, ok := passed.Target()
	if !ok {
		t.Fatal("nothing learned")
	}
	failed := oneCall(t, click("c", selector, after, after, true))
	if !failed.Lost() {
		t.Fatalf("%s is not lost", selector)
	}
	return failed.Heal(&known, heal.Options{}).Event
}

func (c changedTest) selector() string { return cmp.Or(c.locator, "#"+c.id) }

// isWanted reports whether a fingerprint is that of the element on the page after.
func (c changedTest) isWanted(f engine.Fingerprint) bool {
	name, value, _ := strings.Cut(c.want, "=")
	got, _ := f.Attributes.Get(name)
	return got == value
}

// changedPage returns a page of testdata/changed as a snapshot, with the mark of a
// call on the element of an id, "" for none.
func changedPage(t *testing.T, name, marked string) string {
	t.Helper()
	text, err := os.Open(filepath.Join("testdata", "changed", name))
	must(t, err)
	defer text.Close()
	document, err := html.Parse(text)
	must(t, err)
	for n := range document.ChildNodes() {
		if n.Type == html.ElementNode {
			out, err := json.Marshal(snapshotOf(n, marked))
			must(t, err)
			return string(out)
		}
	}
	t.Fatalf("%s has no element", name)
	return ""
}

// snapshotOf returns a node as a snapshot has it: a text, or a list of name,
// attributes and children.
func snapshotOf(n *html.Node, marked string) any {
	if n.Type != html.ElementNode {
		return n.Data
	}
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
		if a.Key == "id" && a.Val == marked && marked != "" {
			attributes["__playwright_target__"] = ""
		}
	}
	node := []any{strings.ToUpper(n.Data), attributes}
	for child := range n.ChildNodes() {
		node = append(node, snapshotOf(child, marked))
	}
	return node
}
