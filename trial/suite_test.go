package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/proxy/attach"
)

func TestMain(m *testing.M) {
	if attach.IsStandIn(os.Args, os.Getenv) {
		os.Exit(attach.RunStandIn(os.Args, os.Environ()))
	}
	os.Exit(browsertest.Run(m))
}

// needSuites skips a test that takes minutes.
func needSuites(t *testing.T) {
	t.Helper()
	if os.Getenv("SUITES") == "" {
		t.Skip("SUITES is not set; `make suites` sets it")
	}
}

const configFile = `import { defineConfig } from '@playwright/test';
export default defineConfig({
  testDir: 'tests', timeout: 30_000, expect: { timeout: 2_000 }, workers: 3, fullyParallel: true, reporter: 'line',
  projects: [{ name: 'chromium' }],
  use: { baseURL: process.env.APP_URL, browserName: 'chromium', actionTimeout: Number(process.env.ACTION_TIME),
    launchOptions: { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? '').split(' ') } },
});
`

const header = "import { expect, test } from '@playwright/test';\n"

// playwright is the command that runs a suite.
var playwright = []string{"node", "node_modules/@playwright/test/cli.js", "test"}

// newSuite returns a checkout with the tests of scenes, a file each kind.
func newSuite(t *testing.T, list []scene) (folder string) {
	t.Helper()
	folder = t.TempDir()
	files := map[string]string{}
	for _, s := range list {
		name := filepath.Join("tests", s.kind+".spec.ts")
		files[name] += s.test("#c0")
	}
	must(t, os.MkdirAll(filepath.Join(folder, "tests"), 0o755))
	must(t, os.Mkdir(filepath.Join(folder, ".git"), 0o755))
	must(t, os.WriteFile(filepath.Join(folder, "playwright.config.ts"), []byte(configFile), 0o600))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(header+text), 0o600))
	}
	must(t, os.Symlink(browsertest.NodeModules(t), filepath.Join(folder, "node_modules")))
	return folder
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// How many ms a call waits: a lost locator does so once before it is looked for.
const (
	patient = "20000"
	brisk   = "3000"
)

// environ returns the environment of a suite, as in CI: nothing is healed, so a test stops
// at its first loss, and an edit comes from a suggestion.
func environ(address, actionTime string) []string {
	return append(os.Environ(), "CI=true", "APP_URL="+address, "ACTION_TIME="+actionTime, "CHROMIUM="+browsertest.Env("CHROMIUM"), "CHROMIUM_ARGS="+strings.Join(browsertest.Arguments, " "))
}

// led runs the suite with `breadcrumb run`, and returns what it printed.
func led(t *testing.T, folder, address, actionTime string, flags ...string) string {
	t.Helper()
	cmd := exec.Command(cmdtest.Program(t), append(append(append([]string{"run"}, flags...), "--"), playwright...)...)
	cmd.Dir, cmd.Env = folder, environ(address, actionTime)
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return string(out)
}

// events returns the events of the suite, by the name of the test's scene; one with a
// trial comes before one without.
func events(t *testing.T, folder string) map[string]engine.HealEvent {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "heals", "run.ndjson"))
	must(t, err)
	all, notices := engine.ReadHeals("run.ndjson", bytes.NewReader(text))
	if len(notices) > 0 {
		t.Errorf("notices %+v", notices)
	}
	found := map[string]engine.HealEvent{}
	for _, e := range all {
		name := sceneOf(e.TestID)
		if before, twice := found[name]; !twice || before.Trial == nil {
			found[name] = e
		}
	}
	return found
}

func sceneOf(id engine.TestID) string {
	parts := strings.Split(strings.TrimSuffix(string(id), " [chromium]"), " › ")
	return parts[len(parts)-1]
}

// digest returns the hashes of the files that a trial must not touch.
func digest(t *testing.T, folder string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	must(t, filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "heals" || e.Name() == "test-results"):
			return filepath.SkipDir
		case !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".breadcrumb.db"):
			return nil
		}
		text, err := os.ReadFile(name)
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	}))
	return sums
}

// Controls are renamed, moved and restyled, and the control of as many others is removed,
// replaced or gone where one like it stands.
func TestTrialsProveTheRightEditsAndNoWrongOne(t *testing.T) {
	needSuites(t)
	all := scenes()
	folder := newSuite(t, all)
	if out := led(t, folder, startApp(t, false), patient); !strings.Contains(out, fmt.Sprintf("%d passed", len(all))) {
		t.Fatalf("before the change:\n%s", out)
	}
	before := digest(t, folder)
	began := time.Now()
	out := led(t, folder, startApp(t, true), brisk, "--trial", "--trial-time", "20m")
	t.Logf("%s with the run itself\n%s", time.Since(began), out)
	if diff := cmp.Diff(before, digest(t, folder)); diff != "" {
		t.Errorf("the checkout is touched:\n%s", diff)
	}
	told := events(t, folder)
	right, proven, tried := 0, 0, 0
	for _, s := range all {
		e := told[s.name]
		if s.trap == "" {
			right++
		}
		switch {
		case s.trap == "" && e.Trial.Proven():
			proven++
		case s.trap == "":
			t.Logf("%s is not proven: %s %s, trial %+v", s.name, e.Outcome, e.Reason, e.Trial)
		case e.Trial.Proven():
			t.Errorf("%s: a wrong edit is proven: %s %+v", s.name, e.HealedLocator, e.Trial)
		case e.Trial != nil:
			tried++
		}
	}
	t.Logf("%d of %d right edits proven, %d edits of %d traps tried and none proven", proven, right, tried, len(all)-right)
	if 10*proven < 9*right {
		t.Errorf("%d of %d right edits are proven, want 9 of 10", proven, right)
	}
}

// The engine suggests few wrong elements. Here every trap is given one: what is left in
// the place of its control.
func TestNoWrongEditOfATrapIsProven(t *testing.T) {
	needSuites(t)
	var traps []scene
	for _, s := range scenes() {
		if s.trap != "" {
			traps = append(traps, s)
		}
	}
	folder := newSuite(t, traps)
	result, proposals := tryWrong(t, folder, traps, startApp(t, true))
	green := 0
	for i, p := range proposals {
		trial, ok := result.Trials[i]
		if !ok || trial.Proven() {
			t.Errorf("%s -> %s: tried %v, %+v", p.Heal.TestID, p.Locator, ok, trial)
		}
		if trial.Green > 0 {
			green++
		}
		t.Logf("%s %+v", sceneOf(p.Heal.TestID), trial)
	}
	if 2*green < len(traps) || result.Proven != 0 {
		t.Errorf("%d of %d wrong edits are green with their weak tests, want half at least; %d are proven", green, len(traps), result.Proven)
	}
}

// tryWrong tries an edit of every trap that names a wrong element.
func tryWrong(t *testing.T, folder string, traps []scene, address string) (Result, []patch.Proposal) {
	t.Helper()
	proposer := patch.New(os.DirFS(folder))
	var proposals []patch.Proposal
	var tests []attach.Test
	for _, s := range traps {
		name := "tests/" + s.kind + ".spec.ts"
		text, err := os.ReadFile(filepath.Join(folder, name))
		must(t, err)
		line := 1 + strings.Count(string(text[:bytes.Index(text, []byte("test('"+s.name+"'"))]), "\n")
		id := engine.NewTestID(s.kind + ".spec.ts › " + s.name + " [chromium]")
		at := line + 2
		if s.kind == "search" {
			at++
		}
		e := engine.HealEvent{TestID: id, Locator: "#c0", API: "locator", Outcome: engine.OutcomeSuggested, Confidence: 0.9, HealedLocator: "#" + s.wrong(),
			Matches: []engine.Match{{Locator: "#" + s.wrong(), Count: 1}}, Healed: engine.Fingerprint{Tag: "button"}, Site: &engine.Site{File: name, Line: at}}
		p := proposer.Propose(e, nil)
		if p.Edit == nil {
			t.Fatalf("%s has no edit: %s", s.name, p.Reason)
		}
		proposals = append(proposals, p)
		tests = append(tests, attach.Test{ID: id, Path: filepath.Join(folder, filepath.FromSlash(name)), Line: line, Project: "chromium"})
	}
	result, err := Run(context.Background(), Options{Command: playwright, Root: folder, Folder: folder, Environ: environ(address, brisk), Proposals: proposals,
		Tests: tests, Executable: cmdtest.Program(t), Time: 20 * time.Minute, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	if result.Why != "" {
		t.Fatal(result.Why)
	}
	return result, proposals
}
