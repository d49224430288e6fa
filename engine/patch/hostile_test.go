package patch

import (
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// hostileText has a locator at line 2 and imports from everywhere.
const hostileText = `import x from '%s';
test('a', async ({ page }) => { await page.locator('#a').click(); });
`

// hostileCheckout is a checkout with traps: links out of it and to its own
// files, git's and the forge's folders, a folder named like a file. It returns
// the checkout's root and the files that may be edited.
func hostileCheckout(t *testing.T, imports string) (string, []string) {
	t.Helper()
	base := t.TempDir()
	text := fmt.Sprintf(hostileText, imports)
	write := func(name string) {
		file := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"outside/a.spec.ts", "a.spec.ts", "checkout-evil/a.spec.ts", "checkout/e2e/a.spec.ts", "checkout/b.spec.ts", "checkout/.git/a.spec.ts",
		"checkout/.github/workflows/a.spec.ts", "checkout/e2e/.gitmodules.ts", "checkout/e2e/.GIT/a.spec.ts", "checkout/dir.spec.ts/a.spec.ts",
	} {
		write(name)
	}
	for from, to := range map[string]string{
		"checkout/link.spec.ts": "../outside/a.spec.ts", "checkout/linked": "../outside", "checkout/inner.spec.ts": "b.spec.ts", "checkout/e2e/git": "../.git",
	} {
		if err := os.Symlink(to, filepath.Join(base, from)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	return filepath.Join(base, "checkout"), []string{"e2e/a.spec.ts", "b.spec.ts", "dir.spec.ts/a.spec.ts"}
}

var hostilePieces = []string{
	"..", ".", "", "/", "//", `\`, `..\`, "a.spec.ts", "b.spec.ts", "link.spec.ts", "linked", "inner.spec.ts", "e2e", "git", ".git", ".GIT", ".github",
	"workflows", ".gitmodules.ts", "dir.spec.ts", "outside", "checkout", "checkout-evil", "C:", `C:\`, "file://", "\x00", "%2e%2e", "..;", "~", "a.spec.ts:2",
	"\u202e", "…", "．．", strings.Repeat("x/", 300), "ａ.spec.ts", "a.spec.ts ", " a.spec.ts", "A.SPEC.TS",
}

// hostilePath joins a few pieces at random, sometimes below the real checkout.
func hostilePath(r *rand.Rand, root string) string {
	var parts []string
	if r.Intn(5) == 0 {
		parts = append(parts, root)
	}
	for range 1 + r.Intn(5) {
		parts = append(parts, hostilePieces[r.Intn(len(hostilePieces))])
	}
	return strings.Join(parts, []string{"/", "", `\`}[r.Intn(3)])
}

func TestHostilePathsNeverLeaveTheCheckout(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	edits := 0
	for round := range 10 {
		root, allowed := hostileCheckout(t, strings.ReplaceAll(hostilePath(r, "/"), "'", ""))
		open, err := os.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		p := New(open.FS())
		for i := range 500 {
			name := hostilePath(r, root)
			h := engine.HealEvent{TestID: "a", Locator: "#a", HealedLocator: "#b", Confidence: 1}
			var result *engine.TestResult
			switch i % 3 {
			case 0:
				h.Site = &engine.Site{File: name, Line: 2}
			case 1:
				h.TestID = engine.TestID(name + " › a")
			default:
				result = &engine.TestResult{File: name, Name: "a"}
			}
			got := p.Propose(h, result)
			if got.Edit == nil {
				continue
			}
			edits++
			if !fs.ValidPath(got.Edit.File) || !slices.Contains(allowed, got.Edit.File) {
				t.Errorf("round %d: %q edits %q", round, name, got.Edit.File)
			}
		}
		if err := open.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if edits == 0 {
		t.Error("no path was good, so nothing was tried")
	}
	t.Logf("%d of 5,000 paths named a file that may be edited", edits)
}

// A source that no compiler takes ends the search for a test's body all the same.
func TestAnArrowInsideABracketEndsTheSearch(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.cs":   "class A { [Test] public void a() x[ => 1]; void b() { page.Locator(\"#old\"); } }",
		"a.java": "class A { @Test void a() x[ => 1]; void b() { page.locator(\"#old\"); } }",
		"b.cs":   "class A { [Test] public void a() x[b => y[c => 1]; void b() { page.Locator(\"#old\"); } }",
	} {
		e := engine.HealEvent{TestID: "a", Locator: "#old", HealedLocator: "#new", Confidence: 1, Site: &engine.Site{File: name, Line: 1, Column: 1}}
		result := engine.TestResult{File: name, Name: "a"}
		if got := New(fstest.MapFS{name: {Data: []byte(text)}}).Propose(e, &result); got.Edit == nil && got.Reason == "" {
			t.Errorf("%s: neither an edit nor a reason", name)
		}
	}
}
