package archtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/golden"
)

func TestTheProjectKeepsItsRules(t *testing.T) {
	packages := list(t)
	for _, broken := range Check(packages) {
		t.Error(broken)
	}
	for _, check := range []func([]Package) ([]string, error){CheckClock, CheckPatterns} {
		broken, err := check(packages)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range broken {
			t.Error(b)
		}
	}
}

// list returns the project's packages as go list knows them.
func list(t *testing.T) []Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
		watch(t, p)
	}
	for _, want := range []string{Module + "/engine", Module + "/engine/flaky", Module + "/internal/archtest"} {
		if !slices.ContainsFunc(packages, func(p Package) bool { return p.ImportPath == want && len(p.GoFiles) > 0 }) {
			t.Fatalf("go list does not know %s: nothing was checked", want)
		}
	}
	return packages
}

// watch looks at a package's files, so that go test does not reuse a cached
// result after one of them changed: it cannot see what go list reads.
func watch(t *testing.T, p Package) {
	t.Helper()
	if _, err := os.ReadDir(p.Dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range p.GoFiles {
		if _, err := os.Stat(filepath.Join(p.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckFindsPlantedViolations(t *testing.T) {
	ours := func(path string, imports ...string) Package {
		return Package{ImportPath: strings.TrimSuffix(Module+"/"+path, "/"), Imports: imports}
	}
	for _, c := range []struct {
		name     string
		packages []Package
		want     []string
	}{
		{"what the table allows", []Package{
			ours("", "os", Module+"/internal/cli"),
			ours("internal/cli", "os", Module+"/ci", Module+"/store"),
			ours("ci", Module+"/engine/flaky", Module+"/store"),
			ours("ci/gh", Module+"/ci", "github.com/google/go-github/v62/github"),
			ours("ci/gh/below", Module+"/ci/gh"),
			ours("internal/githubtest", "net/http"),
			ours("engine", "encoding/json", "time"),
			ours("engine/patch/internal/scan"),
			ours("engine/patch", Module+"/engine/patch/internal/scan", Module+"/engine/locator"),
			ours("engine/outcome", Module+"/engine/flaky", Module+"/engine/locator", Module+"/engine/patch"),
			ours("report", Module+"/engine/outcome", "github.com/rivo/uniseg"),
		}, nil},
		{"an import upward", []Package{ours("store", Module+"/ci")},
			[]string{"store imports ci: room \"store\" may import " + allowed(rooms["store"].imports)}},
		{"a neighbour", []Package{ours("comment", Module+"/report")},
			[]string{"comment imports report: room \"comment\" may import only engine/..."}},
		{"a pure neighbour", []Package{ours("engine/flaky", Module+"/engine/patch")},
			[]string{"engine/flaky imports engine/patch: room \"engine/flaky\" may import only engine, engine/text"}},
		{"engine importing ours", []Package{ours("engine", Module+"/engine/flaky")},
			[]string{"engine imports engine/flaky: room \"engine\" may import nothing of ours"}},
		{"the root imported", []Package{ours("ci", Module)},
			[]string{"ci imports : room \"ci\" may import " + allowed(rooms["ci"].imports)}},
		{"main doing more", []Package{ours("", Module+"/ci")},
			[]string{" imports ci: room \"\" may import only internal/cli"}},
		{"a tool in the product", []Package{ours("internal/cli", Module+"/tools/healing/corpus")},
			[]string{"internal/cli imports tools/healing/corpus: room \"internal/cli\" may import only *"}},
		{"a package without a room", []Package{ours("utils"), ours("ci", Module+"/utils")},
			[]string{"ci imports utils: it is in no room of the table", "utils is in no room of the table"}},
		{"a name that only begins like a room", []Package{ours("enginepower")},
			[]string{"enginepower is in no room of the table"}},
		{"go-github elsewhere", []Package{ours("comment", "github.com/google/go-github/v62/github"), ours("ci", "github.com/sethvargo/go-githubactions")},
			[]string{
				"ci imports github.com/sethvargo/go-githubactions: only ci/gh speaks to GitHub",
				"comment imports github.com/google/go-github/v62/github: only ci/gh speaks to GitHub",
			}},
		{"impure imports", []Package{ours("engine/patch", "os/exec", "net/url", "math/rand/v2", "log/slog", "database/sql/driver", "crypto/rand", "syscall", "os", "osmosis", "crypto/sha256", "math")},
			[]string{
				"engine/patch reaches crypto/rand through engine/patch: engine is pure",
				"engine/patch reaches database/sql/driver through engine/patch: engine is pure",
				"engine/patch reaches log/slog through engine/patch: engine is pure",
				"engine/patch reaches math/rand/v2 through engine/patch: engine is pure",
				"engine/patch reaches net/url through engine/patch: engine is pure",
				"engine/patch reaches os through engine/patch: engine is pure",
				"engine/patch reaches os/exec through engine/patch: engine is pure",
				"engine/patch reaches syscall through engine/patch: engine is pure",
			}},
		{"an impure import behind others", []Package{
			ours("engine/flaky", Module+"/engine"), ours("engine", Module+"/engine/locator/words"), ours("engine/locator/words", "os")},
			[]string{
				"engine imports engine/locator/words: room \"engine\" may import nothing of ours",
				"engine reaches os through engine/locator/words: engine is pure",
				"engine/flaky reaches os through engine/locator/words: engine is pure",
				"engine/locator/words reaches os through engine/locator/words: engine is pure",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, sentence := range Check(c.packages) {
				sentence = strings.ReplaceAll(sentence, Module+"/", "")
				got = append(got, strings.ReplaceAll(sentence, Module, ""))
			}
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClockUsesAreFound(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a call", "import \"time\"\nvar x = time.Now()", "x.go:3:9 uses time.Now: engine takes times as arguments"},
		{"another name", "import clock \"time\"\nvar x = clock.Since", "x.go:3:9 uses time.Since: engine takes times as arguments"},
		{"a value", "import \"time\"\nvar now = time.Tick", "x.go:3:11 uses time.Tick: engine takes times as arguments"},
		{"a dot", "import . \"time\"\nvar x = Now()", "x.go imports time with a dot, so its clock calls cannot be seen"},
		{"no clock", "import \"time\"\nvar x = time.Unix(0, 0)", ""},
		{"another package", "import \"example.org/time2\"\nvar x = time.Now", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := clockUses("x.go", "package x\n"+c.src+"\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found, "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPatternMistakesAreFound(t *testing.T) {
	lazy := "import \"" + Module + "/" + lazyRegexp + "\"\n"
	for _, c := range []struct{ name, src, want string }{
		{"right", lazy + "var x = lazyregexp.New(`a+`)", ""},
		{"put together", lazy + "const name = `(`\nvar x = lazyregexp.New(`a` + name + `)`)", ""},
		{"wrong", lazy + "var x = lazyregexp.New(`a(`)", "x.go:3:9: error parsing regexp: missing closing ): `a(`"},
		{"in a table", lazy + "var x = []rule{{`a`, lazyregexp.New(`[`)}}", "x.go:3:22: error parsing regexp: missing closing ]: `[`"},
		{"of another file", lazy + "var x = lazyregexp.New(name)", "x.go:3:9: the pattern is no constant of this file, so no test compiles it"},
		{"in a function", lazy + "func f(s string) any { return lazyregexp.New(s) }", ""},
		{"at every start", "import \"regexp\"\nvar x = regexp.MustCompile(`a`)", "x.go:3:9 compiles a pattern at every start: use internal/lazyregexp"},
		{"when called", "import \"regexp\"\nfunc f() any { return regexp.MustCompile(`a`) }", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := patternMistakes("x.go", "package x\n"+c.src+"\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found, "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCheckClockScansOnlyPureRooms(t *testing.T) {
	dir := t.TempDir()
	if _, err := CheckClock([]Package{{ImportPath: Module + "/ci", Dir: dir, GoFiles: []string{"missing.go"}}}); err != nil {
		t.Errorf("a room that may read the clock was scanned: %v", err)
	}
	if _, err := CheckClock([]Package{{ImportPath: Module + "/engine/flaky", Dir: dir, GoFiles: []string{"missing.go"}}}); err == nil {
		t.Error("a pure room was not scanned")
	}
}

// A room that imported upward could be in a circle with what it imports.
func TestNoRoomMayImportUpward(t *testing.T) {
	above := map[string]bool{}
	for _, l := range layers {
		for _, r := range l.rooms {
			above[r.name] = true
			for target := range rooms {
				if above[target] && target != r.name && allows(r.imports, target) && !slices.Contains(r.imports, anyRoom) && !slices.Contains(r.imports, pureRooms) {
					t.Errorf("%s may import %s, which stands above it", r.name, target)
				}
			}
			for _, target := range r.imports {
				if _, known := rooms[target]; !known && target != anyRoom && target != pureRooms {
					t.Errorf("%s may import %s, which is no room", r.name, target)
				}
			}
		}
	}
}

// The map of CONTRIBUTING.md is this table; -update writes it there.
func TestContributingShowsTheTable(t *testing.T) {
	const file, begin, end = "../../CONTRIBUTING.md", "<!-- rooms: written by go test ./internal/archtest -update -->\n", "<!-- end of rooms -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	golden.Check(t, file, before+begin+markdown()+end+after)
}

// markdown returns the table of rooms as CONTRIBUTING.md has it.
func markdown() string {
	var out strings.Builder
	out.WriteString("\n| room | what it is for | may import of ours |\n|---|---|---|\n")
	for _, l := range layers {
		fmt.Fprintf(&out, "| **%s** | | |\n", l.title)
		for _, r := range l.rooms {
			imports := strings.Join(r.imports, ", ")
			switch imports {
			case "":
				imports = "nothing"
			case anyRoom:
				imports = "any room"
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", cmp.Or(r.name, "main.go"), r.purpose, imports)
		}
	}
	return out.String() + "\n"
}
