package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// readDocument returns a file of the repository.
func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// findAll returns what the first group of a pattern finds, sorted, each once.
func findAll(pattern, text string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestPresetsHaveOneNameEverywhere(t *testing.T) {
	var out strings.Builder
	heal := newHeal(Streams{Out: &out, Err: &out})
	row := findAll(`(?m)^\| (.Preset.: .*) \|.*\|`, readDocument(t, "docs/crumb.md"))
	if len(row) != 1 {
		t.Fatalf("docs/crumb.md has %d rows for Preset", len(row))
	}
	for place, text := range map[string]string{
		"breadcrumb heal --help": heal.Flags().Lookup("preset").Usage, "docs/crumb.md": row[0], "docs/healing.md": readDocument(t, "docs/healing.md"),
	} {
		for _, name := range preset.Names() {
			if !strings.Contains(strings.NewReplacer("`", " ", ",", " ").Replace(text)+" ", " "+string(name)+" ") {
				t.Errorf("%s does not name preset %s", place, name)
			}
		}
	}
	_, scopes, _ := strings.Cut(readDocument(t, "docs/healing.md"), "| preset | scores by |")
	scopes, _, _ = strings.Cut(scopes, "\n\n")
	for _, name := range findAll("(?m)^\\| `([a-z-]+)` \\|", scopes) {
		if p, err := preset.Parse(name); err != nil || string(p) != name {
			t.Errorf("docs/healing.md names preset %s: %v", name, err)
		}
	}
}

// An option of package crumb has its row in docs/crumb.md, and where the command or the
// environment has it as well, it is named there alike.
func TestOptionsHaveOneNameEverywhere(t *testing.T) {
	_, table, _ := strings.Cut(readDocument(t, "docs/crumb.md"), "| option | environment | default |")
	table, _, _ = strings.Cut(table, "\n\n")
	var fields []string
	for field := range reflect.TypeFor[live.Options]().Fields() {
		fields = append(fields, field.Name)
		if !strings.Contains(table, "`"+field.Name+"`") {
			t.Errorf("docs/crumb.md has no row for Options.%s", field.Name)
		}
	}
	for _, name := range findAll("(?m)^\\| `([A-Z][A-Za-z]+)`", table) {
		if !slices.Contains(fields, name) {
			t.Errorf("docs/crumb.md names the option %s, which there is not", name)
		}
	}
	run, heal := newRun(Streams{}), newHeal(Streams{})
	for _, c := range []struct{ option, flag, variable string }{
		{"DB", "db", "BREADCRUMB_DB"}, {"Events", "events", "BREADCRUMB_EVENTS"}, {"Heal", "heal", "BREADCRUMB_HEAL"}, {"Frozen", "", "BREADCRUMB_LEARN"},
		{"Pictures", "pictures", "BREADCRUMB_PICTURES"},
	} {
		if !slices.Contains(fields, c.option) || c.flag != "" && run.Flags().Lookup(c.flag) == nil {
			t.Errorf("%s is no option, or --%s none of breadcrumb run", c.option, c.flag)
		}
		for _, document := range []string{"docs/crumb.md", "docs/run.md"} {
			if !strings.Contains(readDocument(t, document), "`"+c.variable) {
				t.Errorf("%s does not name %s", document, c.variable)
			}
		}
		if c.flag != "" && !strings.Contains(readDocument(t, "docs/run.md"), "| `--"+c.flag+"`") {
			t.Errorf("docs/run.md has no row for --%s", c.flag)
		}
	}
	if heal.Flags().Lookup("preset") == nil || !slices.Contains(fields, "Preset") {
		t.Error("preset is named in one place only")
	}
}

// inner are the variables that no user sets, each with the reason.
var inner = map[string]string{
	"BREADCRUMB_INPUTS": "setup and native hand their inputs to the command",
	"BREADCRUMB_RUN":    "breadcrumb run tells its hooks where they are led",
	"BREADCRUMB_TESTS":  "its reporter tells the workers which tests there are",
	"BREADCRUMB_LONG":   "make soak tells the tests",
	"BREADCRUMB_TEST":   "tests tell the processes that they start",
	"BREADCRUMB_PAGES":  "a test tells its browser",
}

var variables = regexp.MustCompile(`BREADCRUMB_[A-Z]+`)

// Every variable that the product reads is in a document, and every one that a document
// or an action names is read by something.
func TestVariablesHaveOneNameEverywhere(t *testing.T) {
	read, told := map[string]string{}, map[string]string{}
	root := "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if d.Name() == "testdata" || d.Name() == "node_modules" || name == "bin" || name == ".git" || name == "test" || name == "tools" {
				return filepath.SkipDir
			}
			return nil
		}
		var into map[string]string
		switch ext := filepath.Ext(name); {
		case strings.HasSuffix(name, "_test.go"), name == "CHANGELOG.md":
			return nil
		case ext == ".md", filepath.Base(name) == "action.yml":
			into = told
		case slices.Contains([]string{".go", ".sh", ".ps1", ".py", ".js", ".cjs", ".mjs"}, ext), strings.HasPrefix(name, "examples/") && ext == ".yml":
			into = read
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		for _, v := range variables.FindAllString(string(text), -1) {
			into[v] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for v, where := range read {
		if told[v] == "" && inner[v] == "" {
			t.Errorf("%s reads %s, which no document names", where, v)
		}
	}
	for v, where := range told {
		if read[v] == "" {
			t.Errorf("%s names %s, which nothing reads", where, v)
		}
	}
	if len(read) < 8 || len(told) < 8 {
		t.Errorf("only %d variables are read and %d told", len(read), len(told))
	}
}
