package native

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// readScript is what the grammar finds in a PowerShell script.
type readScript struct {
	Errors    []string
	Functions []string
	Commands  []struct {
		Name       string
		Parameters []string
	}
	Assigned, Used []struct {
		Name string
		At   int
	}
}

// cmdlets are those of Windows PowerShell 5.1 that the scripts use, with their parameters
// there, by Microsoft's reference.
var cmdlets = map[string][]string{
	"Get-Content":       {"-LiteralPath"},
	"Get-FileHash":      {"-LiteralPath", "-Algorithm"},
	"Invoke-WebRequest": {"-UseBasicParsing", "-Uri", "-OutFile", "-TimeoutSec"},
	"Join-Path":         {"-Path", "-ChildPath"},
	"New-Item":          {"-ItemType", "-Path"},
	"Remove-Item":       {"-LiteralPath", "-Recurse", "-Force"},
	"Set-StrictMode":    {"-Version"},
	"Start-Sleep":       {"-Seconds"},
	"Write-Host":        {},
	"powershell":        {"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "-File"},
}

// automatic are variables that PowerShell itself sets, or reads.
var automatic = []string{"_", "env", "erroractionpreference", "false", "lastexitcode", "matches", "null", "progresspreference", "psscriptroot", "true"}

// TestInteropThePowerShellScriptsAreRead reads native/run.ps1 and the steps that call it by
// the grammar of PowerShell, and looks each command, parameter and variable up.
func TestInteropThePowerShellScriptsAreRead(t *testing.T) {
	folder := os.Getenv("INTEROP")
	if folder == "" {
		t.Skip("make interop installs a grammar of PowerShell and runs this")
	}
	text, err := os.ReadFile("../../native/run.ps1")
	if err != nil {
		t.Fatal(err)
	}
	scripts := []string{string(text)}
	for _, file := range []string{"../../native/action.yml", "../../setup/action.yml"} {
		for _, step := range load(t, file).Runs.Steps {
			if step.Shell == "powershell" {
				scripts = append(scripts, step.Run)
			}
		}
	}
	if len(scripts) != 3 {
		t.Errorf("%d scripts", len(scripts))
	}
	for i, read := range readScripts(t, folder, scripts) {
		for _, wrong := range read.wrong() {
			t.Errorf("%s\n%s", wrong, scripts[i])
		}
	}
	t.Run("faults are found", func(t *testing.T) { findFaults(t, folder, string(text)) })
}

func readScripts(t *testing.T, folder string, scripts []string) (found []readScript) {
	t.Helper()
	input, err := json.Marshal(scripts)
	if err != nil {
		t.Fatal(err)
	}
	// To make the grammar, which is large, fast takes node a minute.
	cmd := exec.CommandContext(t.Context(), "node", "--liftoff-only", "read.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = folder, bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &found) != nil || len(found) != len(scripts) {
		t.Fatalf("%v: %s", err, out)
	}
	return found
}

// wrong returns what PowerShell would stop at.
func (r readScript) wrong() (wrong []string) {
	wrong = append(wrong, r.Errors...)
	for _, c := range r.Commands {
		parameters, known := cmdlets[c.Name]
		if !known && !slices.Contains(r.Functions, c.Name) {
			wrong = append(wrong, "there is no command "+c.Name)
		}
		for _, p := range c.Parameters {
			if !slices.Contains(parameters, p) {
				wrong = append(wrong, c.Name+" has no parameter "+p)
			}
		}
	}
	for _, v := range r.Used {
		name, _, _ := strings.Cut(strings.TrimPrefix(v.Name, "@"), ":")
		set := slices.Contains(automatic, name)
		for _, a := range r.Assigned {
			set = set || a.Name == name && a.At < v.At
		}
		if !set {
			wrong = append(wrong, "$"+v.Name+" has no value")
		}
	}
	return wrong
}

// findFaults wants slips in the script to be found: else the test shows nothing.
func findFaults(t *testing.T, folder, script string) {
	t.Helper()
	var faulty, what []string
	for i, c := range script {
		if strings.ContainsRune("{}", c) && script[i-1] != '$' && !strings.Contains(script[strings.LastIndex(script[:i], "\n")+1:i], "'") {
			faulty, what = append(faulty, script[:i]+script[i+1:]), append(what, script[max(0, i-20):i+1])
		}
	}
	for _, slip := range [][2]string{{"Get-FileHash", "Get-Filehash256"}, {"-OutFile", "-Out"}, {"$got -cne", "$have -cne"}, {"@words", "@word"}, {"$version = $lines[0]", ""},
		{"'Stop'", "'Stop"}, {"exit $LASTEXITCODE", "exit $LASTEXIT"}} {
		if !strings.Contains(script, slip[0]) {
			t.Errorf("the script has no %s", slip[0])
		}
		faulty, what = append(faulty, strings.Replace(script, slip[0], slip[1], 1)), append(what, slip[1])
	}
	if len(faulty) < 30 {
		t.Errorf("%d slips", len(faulty))
	}
	for i, read := range readScripts(t, folder, faulty) {
		if len(read.wrong()) == 0 {
			t.Errorf("nobody finds: %q", what[i])
		}
	}
}
