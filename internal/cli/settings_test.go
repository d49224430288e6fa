package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestSplitGlobsKeepsBracesTogether(t *testing.T) {
	tests := map[string][]string{
		"":                            nil,
		" , ":                         nil,
		"a/*.xml":                     {"a/*.xml"},
		"a.xml, b.xml":                {"a.xml", "b.xml"},
		"a.xml\nb.xml\n":              {"a.xml", "b.xml"},
		"r/{a,b}/**/*.xml,c.xml":      {"r/{a,b}/**/*.xml", "c.xml"},
		"r/{a,{b,c}}.xml\r\n  d.xml ": {"r/{a,{b,c}}.xml", "d.xml"},
		"odd}.xml,b.xml":              {"odd}.xml", "b.xml"},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, splitGlobs(text)); diff != "" {
			t.Errorf("splitGlobs(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestLegOfIsTheSameForTheSameMatrix(t *testing.T) {
	tests := map[string]string{
		"": "", "null": "", " {} ": "",
		`{"shard": 1, "browser": "chromium"}`:              `{"browser":"chromium","shard":1}`,
		"{\n  \"browser\": \"chromium\",\n  \"shard\": 1}": `{"browser":"chromium","shard":1}`,
		"linux": "linux",
	}
	for text, want := range tests {
		if got := canonicalLeg(text); got != want {
			t.Errorf("legOf(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOneOf(t *testing.T) {
	tests := map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}}
	for want, list := range tests {
		if got := joinChoices(list); got != want {
			t.Errorf("oneOf(%q) = %q, want %q", list, got, want)
		}
	}
}

func TestParseConfigSaysWhereItIsWrong(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "junit: a.xml\nedit-pats: x\n", `f.yml line 2: unknown key "edit-pats"; did you mean "edit-paths"?`},
		{"not a mapping", "- junit\n", `f.yml line 1: expected settings such as "junit: results/**/*.xml"`},
		{"no value", "junit:\n", "f.yml line 1: junit has no value"},
		{"list for one value", "db: [a, b]\n", "f.yml line 1: db must be a plain value"},
		{"list of lists", "junit:\n  - [a]\n", "f.yml line 1: every item of junit must be a text (line 2)"},
		{"a tab", "junit: a.xml\nquarantine:\n\tnever: [a]\n", "f.yml line 3: begins with a tab; YAML is indented with spaces"},
		{"a tab in a text that is no fault", "junit: |\n  a.xml\n  \tb.xml\n'", "f.yml: yaml: line 4: found unexpected end of stream"},
		{"set twice", "db: a\ndb: b\n", "f.yml line 2: db is set twice"},
		{"a mode of healing that is none", "heal: sugest\n", `f.yml line 1: heal is "sugest"; it must be live, suggest or off`},
		{"heal set twice", "heal: off\nheal: live\n", "f.yml line 2: heal is set twice"},
		{"learn that is neither", "learn: of\n", `f.yml line 1: learn is "of"; it must be on or off`},
		{"learn misspelled", "lern: off\n", `f.yml line 1: unknown key "lern"; did you mean "learn"?`},
		{"letters that changed places", "max-report-bytes: 1GB\njunti: x\n", `f.yml line 2: unknown key "junti"; did you mean "junit"?`},
		{"near nothing", "colour: x\n", `f.yml line 1: unknown key "colour"`},
		{"pictures that are neither on nor off", "pictures: no\n", `f.yml line 1: pictures is "no"; it must be on or off`},
		{"heal misspelled", "heel: off\n", `f.yml line 1: unknown key "heel"; did you mean "heal"?`},
		{"the state's place", "state-path: x\n", "f.yml line 1: state-path does not belong in a file, which a pull request could point at a history of its own; pass it as the action input or flag"},
		{"a leg", "leg: x\n", "f.yml line 1: leg does not belong in a file, which a pull request could change to pass for another leg; pass it as the action input or flag"},
		{"a comment of another job", "comment-key: x\n", "f.yml line 1: comment-key does not belong in a file, which a pull request could change to write another job's comment; pass it as the action input or flag"},
		{"a history of one's own", "db: postgres://me@evil/x\n", "f.yml line 1: the address of a database does not belong in a file, which a pull request could point at a history of its own; pass db as the action input or flag"},
		{"a secret", "github-token: x\n", "f.yml line 1: github-token does not belong in a file; pass it as the action input or in GITHUB_TOKEN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseConfig("f.yml", []byte(tt.text), ciSettings())
			if !errors.As(err, new(usageError)) {
				t.Fatalf("error is %v, want a usage error", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("junit:\n  - a.xml\n  - b/**/*.xml\ndb: x.db\ndry-run: true\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		vs, err := parseConfig("f.yml", text, ciSettings())
		if err != nil && !errors.As(err, new(usageError)) {
			t.Fatalf("error %v is no usage error", err)
		}
		for name, v := range vs {
			if v.from == "" {
				t.Errorf("%s does not know its place", name)
			}
		}
	})
}

// The action's inputs are the command's settings; one that is missing on
// either side would be read and never told, or told and never read.
func TestActionInputsAreTheSettings(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Description, Default string }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, s := range ciSettings() {
		want = append(want, s.name)
		input, ok := action.Inputs[s.name]
		if !ok {
			continue
		}
		got = append(got, s.name)
		if input.Description == "" {
			t.Errorf("input %s has no description", s.name)
		}
		if input.Default != "" && !strings.HasPrefix(input.Default, "${{") {
			t.Errorf("input %s has the default %q, which would always win over .breadcrumb.yml", s.name, input.Default)
		}
		delete(action.Inputs, s.name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings that are inputs (-want +got):\n%s", diff)
	}
	delete(action.Inputs, "config")
	for name := range action.Inputs {
		t.Errorf("input %s is no setting", name)
	}
}

func TestEverySettingIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/inputs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ciSettings() {
		if !strings.Contains(string(text), "| `"+s.name+"` |") {
			t.Errorf("docs/inputs.md has no row for %s", s.name)
		}
	}
}

func TestASettingsFileOfANearNameIsAnError(t *testing.T) {
	for _, near := range nearConfigFiles {
		dir := t.TempDir()
		file, path := filepath.Join(dir, defaultConfigFile), filepath.Join(dir, near)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfigFile(file, false, ciSettings()); err != nil {
			t.Errorf("%s is a folder: %v", near, err)
		}
		if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("missing: fail\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfigFile(file, false, ciSettings()); err == nil || !strings.Contains(err.Error(), path+" is not read: rename it to "+file) {
			t.Errorf("%s: %v", near, err)
		}
	}
}
