package generate

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/browsertest"
)

// written writes the tests of a site into a folder.
func writtenSite(t *testing.T, site Site, lang Lang) string {
	t.Helper()
	files, err := Files(site, lang)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Write(dir, files, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program and ends the test when it fails.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := start(t, dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func start(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// runPatiently is run for tests that have limits of their own, such as the five
// seconds of an expectation, which a busy machine may not keep.
func runPatiently(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	for range 4 {
		out, err := start(t, dir, env, name, args...)
		if err == nil {
			return out
		}
		t.Logf("%v\n%s", err, out)
	}
	return run(t, dir, env, name, args...)
}

// goModule makes a folder of Go tests a module of its own, with the modules of
// this project.
func goModule(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "go.mod"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(strings.Replace(string(text), "module github.com/breadcrumb/action", "module example.com/e2e", 1)), 0o600))
	sums, err := os.ReadFile(filepath.Join("..", "go.sum"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))
}

// browsers makes a folder where Playwright finds the browser that `make
// browser` installed as its own.
func browsers(t *testing.T) []string {
	t.Helper()
	browsertest.Browser(t)
	program, err := browsertest.Chromium()
	must(t, err)
	driver, err := browsertest.Folder()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(driver, "package", "browsers.json"))
	must(t, err)
	var list struct {
		Browsers []struct{ Name, Revision string }
	}
	must(t, json.Unmarshal(text, &list))
	dir := t.TempDir()
	for _, b := range list.Browsers {
		if b.Name != "chromium-headless-shell" {
			continue
		}
		folder := filepath.Join(dir, "chromium_headless_shell-"+b.Revision)
		for _, sub := range []string{"chrome-headless-shell-linux64", "chrome-linux"} {
			must(t, os.MkdirAll(filepath.Join(folder, sub), 0o755))
			script := fmt.Sprintf("#!/bin/sh\nexec %s %s \"$@\"\n", program, strings.Join(browsertest.Arguments, " "))
			for _, name := range []string{"chrome-headless-shell", "headless_shell"} {
				must(t, os.WriteFile(filepath.Join(folder, sub, name), []byte(script), 0o755))
			}
		}
		must(t, os.WriteFile(filepath.Join(folder, "INSTALLATION_COMPLETE"), nil, 0o600))
	}
	return []string{"PLAYWRIGHT_BROWSERS_PATH=" + dir, "PLAYWRIGHT_SKIP_VALIDATE_HOST_REQUIREMENTS=1"}
}

// served crawls a release of the shop from a server.
func served(t *testing.T, origin string) Site {
	t.Helper()
	o := patient(true)
	o.Depth = 2
	site, err := Crawl(t.Context(), origin+"/login.html", o)
	must(t, err)
	return site
}

// writeAll writes the tests of a release of the shop, as it is sent, and of
// pages of testdata, as Chromium proved them: one folder, which is run in one
// browser.
func writeAll(t *testing.T, lang Lang, release string, pages ...string) (dir string) {
	t.Helper()
	origin := servePages(t, release)
	site := served(t, origin)
	for _, name := range pages {
		more, err := Crawl(t.Context(), origin+"/"+name, inChromium(t, true))
		must(t, err)
		site.Pages = append(site.Pages, more.Pages...)
	}
	return writtenSite(t, site, lang)
}

// TestGoTestsPass runs the tests that are written in Go in a browser: those of
// the shop, of shadow roots and of frames.
func TestGoTestsPass(t *testing.T) {
	env, dir := browsers(t), writeAll(t, Go, "before", "shadow.html", "frames.html")
	goModule(t, dir)
	t.Parallel()
	run(t, dir, nil, "go", "vet", "-mod=mod", "-trimpath", "./...")
	out := runPatiently(t, dir, env, "go", "test", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-vet=off", "-count=1", "-v", "./...")
	if passed := strings.Count(out, "--- PASS"); passed < 20+2*6 || strings.Contains(out, "--- SKIP") {
		t.Errorf("%d tests pass\n%s", passed, out)
	}
	for _, page := range []string{"TestShadowPage/", "TestFramesPage/"} {
		if passed := strings.Count(out, "    --- PASS: "+page); passed != 5 {
			t.Errorf("%d of %s pass\n%s", passed, page, out)
		}
	}
}

// TestTypeScriptTestsPass checks the types of the tests that are written in
// TypeScript and runs them in a browser: those of the shop, of all kinds of
// controls, of shadow roots and of frames.
func TestTypeScriptTestsPass(t *testing.T) {
	modules, env := browsertest.NodeModules(t), browsers(t)
	dir := writeAll(t, TypeScript, "after", "kitchen.html", "shadow.html", "frames.html")
	t.Parallel()
	typeCheck(t, modules, dir)
	must(t, os.WriteFile(filepath.Join(dir, "playwright.config.mjs"), []byte("export default { timeout: 600_000, expect: { timeout: 60_000 } };\n"), 0o600))
	out := run(t, dir, env, "node", filepath.Join(modules, "@playwright", "test", "cli.js"), "test", "--reporter=list", "--workers=1", "--retries=0")
	if !strings.Contains(out, " passed") || strings.Contains(out, "skipped") || strings.Count(out, ".spec.ts:") < 20+3*5 {
		t.Errorf("%s", out)
	}
	for _, page := range []string{"kitchen", "shadow", "frames"} {
		if passed := strings.Count(out, "/"+page+".spec.ts:"); passed != 5 {
			t.Errorf("%d of %s pass\n%s", passed, page, out)
		}
	}
}

// typeCheck runs TypeScript's compiler, as strict as it is.
func typeCheck(t *testing.T, modules, dir string) {
	t.Helper()
	must(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	must(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte(`{"compilerOptions": {"strict": true, "noEmit": true, "noUnusedLocals": true,
		"noUnusedParameters": true, "skipLibCheck": true, "noImplicitReturns": true, "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "types": ["node"]}, "exclude": ["node_modules"]}`), 0o600))
	run(t, dir, nil, "node", filepath.Join(modules, "typescript", "bin", "tsc"), "--noEmit", "-p", dir)
}

// TestPythonCompiles compiles the tests that are written in Python.
func TestPythonCompiles(t *testing.T) {
	compilePython(t, writtenSite(t, served(t, servePages(t, "before")), Python))
}

func compilePython(t *testing.T, dir string) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	run(t, dir, nil, program, "-W", "error", "-m", "compileall", "-q", ".")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
