package trial

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

const goSuite = `package shop

import (
	"os"
	"testing"
)

type fakePage struct{}

func (fakePage) Locator(selector string) string { return selector }

func run(t *testing.T, found, want string) {
	f, err := os.OpenFile(os.Getenv("RAN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	folder, _ := os.Getwd()
	f.WriteString(t.Name() + " " + found + " " + folder + "\n")
	if found != want {
		t.Fatal(found)
	}
}

func TestLogin(t *testing.T) {
	var page fakePage
	found := page.Locator("#login")
	run(t, found, "#sign-in")
}

func TestCart(t *testing.T) {
	var page fakePage
	found := page.Locator("#cart")
	run(t, found, "#basket")
}

func TestOther(t *testing.T) { run(t, "-", "-") }
`

// Nothing of this suite runs in a browser, so no edit can be proven.
func TestOnlyTheTestsThatLostALocatorRunAndInACopy(t *testing.T) {
	t.Parallel()
	folder, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	write(t, folder, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n", "shop_test.go": goSuite})
	before := digest(t, folder)
	proposer := patch.New(os.DirFS(folder))
	var proposals []patch.Proposal
	for _, e := range []engine.HealEvent{
		{TestID: "example.com/shop › TestLogin", Locator: "#login", HealedLocator: "#sign-in", Site: &engine.Site{File: "shop_test.go", Line: 27}},
		{TestID: "example.com/shop › TestCart", Locator: "#cart", HealedLocator: "#wrong", Site: &engine.Site{File: "shop_test.go", Line: 33}},
	} {
		e.API, e.Outcome, e.Confidence = "locator", engine.OutcomeSuggested, 0.9
		e.Matches, e.Healed = []engine.Match{{Locator: e.HealedLocator, Count: 1}}, engine.Fingerprint{Tag: "button"}
		p := proposer.Propose(e, nil)
		if p.Edit == nil {
			t.Fatalf("%s has no edit: %s", e.TestID, p.Reason)
		}
		proposals = append(proposals, p)
	}
	executable, err := os.Executable()
	must(t, err)
	result, err := Run(context.Background(), Options{Command: []string{"go", "test", "./..."}, Root: folder, Folder: folder, Environ: append(os.Environ(), "RAN="+ran),
		Proposals: proposals, Executable: executable, Time: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	want := Result{Proposals: proposals, Edits: 2, Trials: map[int]engine.Trial{
		0: {File: "shop_test.go", Line: 27, New: `"#sign-in"`, Tests: 1, Green: 1, Reason: engine.TrialUnused},
		1: {File: "shop_test.go", Line: 33, New: `"#wrong"`, Tests: 1, Reason: engine.TrialRed},
	}}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(ran)
	must(t, err)
	var told []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		told = append(told, strings.Join(words[:2], " "))
		if _, err := os.Stat(words[2]); words[2] == folder || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it ran in %s, which is there: %v", words[2], err)
		}
	}
	if diff := cmp.Diff([]string{"TestCart #wrong", "TestLogin #sign-in"}, told); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, digest(t, folder)); diff != "" {
		t.Errorf("the checkout is touched:\n%s", diff)
	}
}
