package playwrightgo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheModulesAreThoseOfGoMod(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range []string{Module + " " + Version, Community + " " + CommunityVersion} {
		if !strings.Contains(string(text), "\t"+required+"\n") {
			t.Errorf("go.mod does not require %s", required)
		}
	}
}

func TestADriverThatIsGoneIsTold(t *testing.T) {
	for _, c := range []struct{ goMod, module, fault string }{
		{"module x\n\nrequire github.com/mxschmitt/playwright-go v0.6100.0\n", Module, ""},
		{"require (\n\tgithub.com/mxschmitt/playwright-go v0.6200.1 // indirect\n)\n", Module, ""},
		{"require github.com/mxschmitt/playwright-go v0.5200.1\n", Module,
			"the hosts of the driver of github.com/mxschmitt/playwright-go v0.5200.1 were shut off in July 2026: run `go get github.com/mxschmitt/playwright-go@v0.6100.0`"},
		{"require github.com/playwright-community/playwright-go v0.6000.0\n", Community,
			"the hosts of the driver of github.com/playwright-community/playwright-go v0.6000.0 were shut off in July 2026: run `go get github.com/mxschmitt/playwright-go@v0.6100.0`, import that instead, and breadcrumb's crumb/community becomes crumb"},
		{"require github.com/mxschmitt/playwright-go v1.0.0\n", Module, ""},
		{"// github.com/playwright-community/playwright-go v0.6000.0\nmodule x\n", "", ""},
	} {
		module, version := Required(c.goMod)
		if module != c.module {
			t.Errorf("%q requires %q", c.goMod, module)
		}
		if got := DriverFault(module, version); got != c.fault {
			t.Errorf("%q: %q, want %q", c.goMod, got, c.fault)
		}
	}
}

// The documents' commands and the examples use the maintained module at the version that
// this project is built with. `make suite` runs those of docs/generate.md.
func TestTheDocumentsAndExamplesUseTheMaintainedModule(t *testing.T) {
	named := regexp.MustCompile(`(?:go (?:get|run|install) |^require )(github\.com/[\w-]+/playwright-go)(?:/cmd/playwright)?(?:(?:@| )(v[\w.]+))?`)
	found := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "examples/*.md", "examples/*/go/go.mod", "examples/*/go/tests.mod"} {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || files == nil {
			t.Fatalf("%s: no file: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				for _, m := range named.FindAllStringSubmatch(line, -1) {
					found++
					if m[1] != Module || m[2] != "" && m[2] != Version {
						t.Errorf("%s: %s, want %s %s", file, m[0], Module, Version)
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("%d places name the module; there were 8", found)
	}
}
