package promise

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
)

const root = "../.."

// The tables of the documents are those of this package; -update writes them there.
func TestTheDocumentsShowThePromises(t *testing.T) {
	for _, document := range []string{"security.md", "internals/state.md"} {
		const begin, end = "<!-- promises: written by go test ./internal/promise -update -->\n", "<!-- end of promises -->"
		file := filepath.Join(root, "docs", document)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(string(text), begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended || strings.TrimSpace(after) != "" {
			t.Fatalf("%s does not end in the table of its promises", file)
		}
		golden.Check(t, file, before+begin+table(document)+end+after)
	}
}

// table returns a document's promises.
func table(document string) string {
	var out strings.Builder
	out.WriteString("\n| promise | test | in CI | in `make soak` |\n|---|---|--:|--:|\n")
	for _, p := range All {
		if p.Document == document {
			room, name, _ := strings.Cut(p.Test, " ")
			fmt.Fprintf(&out, "| %s | `%s` in `%s` | %s %s | %s |\n", p.What, name, room, grouped(p.CI), p.Unit, grouped(p.Soak))
		}
	}
	return out.String() + "\n"
}

// grouped writes a number with a comma before its thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// Each promise has its test, and the package of the test asks for its number by the key.
func TestEveryPromiseIsTriedAsOftenAsItSays(t *testing.T) {
	for _, p := range All {
		room, name, _ := strings.Cut(p.Test, " ")
		files, err := filepath.Glob(filepath.Join(root, room, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		declared, asked := false, false
		asks := regexp.MustCompile(`\b(?:promise\.)?(?:Count\(|Tried\(\w+, )` + regexp.QuoteMeta(strconv.Quote(p.Key)))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			declared = declared || strings.Contains(string(text), "\nfunc "+name+"(")
			asked = asked || asks.Match(text)
		}
		if !declared || !asked {
			t.Errorf("%s: %s is declared %v, its number is asked for %v", p.Key, p.Test, declared, asked)
		}
	}
}

var fuzzTarget = regexp.MustCompile(`(?m)^func Fuzz\w+\(`)

// What .ci/fuzz runs: every target of every package.
func TestEveryFuzzTargetIsCounted(t *testing.T) {
	targets := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bin" || d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		targets += len(fuzzTarget.FindAll(text, -1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	Tried(t, "fuzz", targets)
	for _, c := range [][2]string{{"Makefile", "FUZZTIME    ?= 20s\n"}, {".ci/run", "export FUZZTIME=3s"}, {".ci/run", " test fuzz "}} {
		file, want := c[0], c[1]
		if text, err := os.ReadFile(filepath.Join(root, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q, so that CI fuzzes otherwise than promised (%v)", file, want, err)
		}
	}
}
