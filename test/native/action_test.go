package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// action is what both entries declare.
type action struct {
	Inputs  map[string]map[string]string
	Outputs map[string]map[string]string
	Runs    struct {
		Steps []step
	}
}

type step struct {
	ID, If, Shell, Run, Uses string
	Env, With                map[string]string
}

// load reads an entry, of which setup gives nothing.
func load(t *testing.T, file string) action {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Inputs) == 0 || len(a.Outputs) == 0 && filepath.Base(filepath.Dir(file)) != "setup" {
		t.Fatalf("%s declares nothing", file)
	}
	return a
}

func TestBothEntriesTakeAndGiveTheSame(t *testing.T) {
	container, native := load(t, "../../action.yml"), load(t, "../../native/action.yml")
	if diff := cmp.Diff(container.Inputs, native.Inputs); diff != "" {
		t.Errorf("inputs (-container +native):\n%s", diff)
	}
	for name, output := range native.Outputs {
		want := fmt.Sprintf("${{ steps.unix.outputs.%s || steps.windows.outputs.%[1]s }}", name)
		if output["value"] != want {
			t.Errorf("output %s is %s", name, output["value"])
		}
		delete(output, "value")
	}
	if diff := cmp.Diff(container.Outputs, native.Outputs); diff != "" {
		t.Errorf("outputs (-container +native):\n%s", diff)
	}
}

// Every input reaches the binary by the environment, none by the script's text.
func TestInputsReachTheBinaryByTheEnvironment(t *testing.T) {
	native, setup := load(t, "../../native/action.yml"), load(t, "../../setup/action.yml")
	want := map[string]string{
		"ACTIONS_RUNTIME_TOKEN": "${{ steps.runtime.outputs.token }}",
		"ACTIONS_RESULTS_URL":   "${{ steps.runtime.outputs.results }}",
		"ACTIONS_CACHE_MODE":    "${{ steps.runtime.outputs.cache-mode }}",
		"BREADCRUMB_INPUTS":     "${{ toJSON(inputs) }}",
	}
	var systems []string
	for _, s := range slices.Concat(native.Runs.Steps, setup.Runs.Steps) {
		if s.Run == "" {
			continue
		}
		systems = append(systems, s.If)
		if diff := cmp.Diff(want, s.Env); diff != "" {
			t.Errorf("step %s (-want +got):\n%s", s.ID, diff)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s: an expression in the script", s.ID)
		}
	}
	const unix, windows = "runner.os != 'Windows'", "runner.os == 'Windows'"
	if !slices.Equal(systems, []string{unix, windows, unix, windows}) {
		t.Errorf("script steps for %v", systems)
	}
}

// The setup entry has no script of its own, and its inputs mean what those of the judge
// do.
func TestTheSetupEntrySharesTheScripts(t *testing.T) {
	container, setup := load(t, "../../action.yml"), load(t, "../../setup/action.yml")
	for name, input := range setup.Inputs {
		if _, there := container.Inputs[name]; !there {
			t.Errorf("the action has no input %s", name)
		}
		if diff := cmp.Diff(container.Inputs[name]["default"], input["default"]); diff != "" {
			t.Errorf("default of %s (-container +setup): %s", name, diff)
		}
	}
	for i, call := range []string{`"$GITHUB_ACTION_PATH/../native/run.sh" setup`, `"$env:GITHUB_ACTION_PATH\..\native\run.ps1" setup`} {
		if run := setup.Runs.Steps[i+1].Run; !strings.Contains(run, call) {
			t.Errorf("step %d runs %q", i+1, run)
		}
	}
	if diff := cmp.Diff(load(t, "../../native/action.yml").Runs.Steps[0], setup.Runs.Steps[0]); diff != "" {
		t.Errorf("how the runtime token is handed on (-native +setup):\n%s", diff)
	}
	files, err := os.ReadDir("../../setup")
	if err != nil || len(files) != 1 {
		t.Errorf("setup/ holds %v: %v", files, err)
	}
}

// There is no PowerShell here to run the script with: the rehearsal of a release does, and
// TestInteropThePowerShellScriptsAreRead reads it. Here it is seen to check before it runs,
// and to evaluate no text.
func TestThePowerShellScriptChecksBeforeItRuns(t *testing.T) {
	text, err := os.ReadFile("../../native/run.ps1")
	if err != nil {
		t.Fatal(err)
	}
	script := string(text)
	order := []string{"$ErrorActionPreference = 'Stop'", "'native' { $words = 'ci', '--action', 'native' }", "'setup' { $words = 'restore', '--action', 'setup' }", "breadcrumb-windows-$arch.exe", "if (-not $want)", "Invoke-WebRequest", "Get-FileHash", "if ($got -cne $want)", "& $file @words", "exit $LASTEXITCODE"}
	at := -1
	for _, part := range order {
		i := strings.Index(script, part)
		if i <= at {
			t.Errorf("%q is missing or too early", part)
		}
		at = i
	}
	for _, word := range []string{"Invoke-Expression", "iex ", "-Command", "${{"} {
		if strings.Contains(script, word) {
			t.Errorf("the script has %s", word)
		}
	}
	for _, pair := range []string{"{}", "()", "[]"} {
		if strings.Count(script, pair[:1]) != strings.Count(script, pair[1:]) {
			t.Errorf("%s do not match", pair)
		}
	}
}
