package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// editedFile is a file of a suite with the edits of its heals made.
type editedFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// TestInteropEditedFilesParse makes the edits of the suites here and of examples/shop and
// has each edited file read by its language's own tool: TypeScript's compiler, Python's,
// Java's, gofmt's parser, and for C#, whose compiler cannot be had from npm, the grammar
// of Visual Studio Code.
func TestInteropEditedFilesParse(t *testing.T) {
	folder := os.Getenv("INTEROP")
	if folder == "" {
		t.Skip("make interop installs TypeScript and a grammar of C# and runs this")
	}
	byExt := map[string][]editedFile{}
	for _, f := range slices.Concat(editedSuites(t), editedShop(t)) {
		ext := filepath.Ext(f.Name)
		byExt[ext] = append(byExt[ext], f)
	}
	for ext, least := range map[string]int{".ts": 5, ".cs": 5, ".py": 5, ".java": 5, ".go": 5} {
		if len(byExt[ext]) < least {
			t.Errorf("%d edited files in %s, want %d", len(byExt[ext]), ext, least)
		}
		t.Logf("%d edited files in %s", len(byExt[ext]), ext)
	}
	t.Run("TypeScript and C#", func(t *testing.T) {
		asked := slices.Concat(byExt[".ts"], byExt[".tsx"], byExt[".cs"])
		input, err := json.Marshal(asked)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "node", "parse.mjs")
		cmd.Dir, cmd.Stdin, cmd.Stderr = folder, bytes.NewReader(input), os.Stderr
		out, err := cmd.Output()
		var found [][]string
		if err != nil || json.Unmarshal(out, &found) != nil || len(found) != len(asked) {
			t.Fatalf("%v: %s", err, out)
		}
		for i, errs := range found {
			if len(errs) > 0 {
				t.Errorf("%s: %q\n%s", asked[i].Name, errs, asked[i].Text)
			}
		}
	})
	t.Run("Python", func(t *testing.T) { parseWith(t, byExt[".py"], "python3", "-m", "py_compile") })
	t.Run("Java", func(t *testing.T) {
		if _, err := exec.LookPath("javac"); err != nil {
			t.Skip("no JDK is installed here")
		}
		parseWith(t, byExt[".java"], "java", filepath.Join(folder, "Parse.java"))
	})
	t.Run("Go", func(t *testing.T) {
		for _, f := range byExt[".go"] {
			if _, err := format.Source([]byte(f.Text)); err != nil {
				t.Errorf("%s: %v\n%s", f.Name, err, f.Text)
			}
		}
	})
}

// editedSuites returns the edited files of testdata/suite and testdata/public.
func editedSuites(t *testing.T) []editedFile {
	t.Helper()
	var out []editedFile
	files, err := filepath.Glob("testdata/public/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, _, heals := readSuite(t, file)
		proposer := New(source)
		var all []Proposal
		for _, h := range heals {
			all = append(all, proposer.Propose(h.heal, h.result))
		}
		out = append(out, madeEdits(t, source, filepath.Base(file), all)...)
	}
	return out
}

// editedShop returns the edited files of examples/shop.
func editedShop(t *testing.T) []editedFile {
	t.Helper()
	shop := os.DirFS("../../examples/shop")
	logs, err := fs.Glob(shop, "heals/*.ndjson")
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	proposer := New(shop)
	var all []Proposal
	for _, name := range logs {
		text, err := fs.ReadFile(shop, name)
		if err != nil {
			t.Fatal(err)
		}
		heals, _ := engine.ReadHeals(name, bytes.NewReader(text))
		for _, h := range heals {
			all = append(all, proposer.Propose(h, nil))
		}
	}
	return madeEdits(t, shop, "shop", all)
}

// madeEdits returns the files of a checkout with the first of the edits that overlap made.
func madeEdits(t *testing.T, source fs.FS, name string, all []Proposal) []editedFile {
	t.Helper()
	edits := map[string][]Edit{}
	for _, p := range all {
		if p.Edit != nil && !slices.ContainsFunc(edits[p.Edit.File], func(e Edit) bool { return e.Start < p.Edit.End && p.Edit.Start < e.End }) {
			edits[p.Edit.File] = append(edits[p.Edit.File], *p.Edit)
		}
	}
	var out []editedFile
	for file, list := range edits {
		text, err := fs.ReadFile(source, file)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Apply(text, list)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, editedFile{name + "/" + file, string(after)})
	}
	return out
}

// parseWith runs a command on the files, which must say nothing.
func parseWith(t *testing.T, files []editedFile, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skipf("no %s is installed here", command[0])
	}
	dir := t.TempDir()
	for i, f := range files {
		name := filepath.Join(dir, fmt.Sprint(i), filepath.Base(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		command = append(command, name)
	}
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput() //nolint:gosec // the test's own commands
	if text := strings.TrimSpace(string(out)); err != nil || text != "" {
		t.Errorf("%v: %s", err, text)
	}
}
