package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command is used well and badly in a script.
func TestScriptsUseEveryCommandWellAndBadly(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	all := scripts.String()
	for _, command := range commandsBelow(t, "breadcrumb") {
		if len(commandsBelow(t, command)) > 0 || command == "breadcrumb help" {
			continue
		}
		use := regexp.QuoteMeta(command) + `( |$)`
		if !regexp.MustCompile(`(?m)^(exec |status 0 )?` + use).MatchString(all) {
			t.Errorf("%s: no script uses it well", command)
		}
		if !regexp.MustCompile(`(?m)^status 2 ` + use).MatchString(all) {
			t.Errorf("%s: no script uses it badly", command)
		}
	}
}
