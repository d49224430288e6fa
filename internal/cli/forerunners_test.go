package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shownBy = regexp.MustCompile("`([a-z0-9/]+) ((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]+)`")

// Every row of the tables in docs/coming-from.md names tests that show it, and each of
// those is there.
func TestTheForerunnersFeaturesAreShown(t *testing.T) {
	sources := map[string]string{} // of a package's tests
	rows := 0
	for line := range strings.Lines(readDocument(t, "docs/coming-from.md")) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "there" {
			continue
		}
		rows++
		tests := shownBy.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 3 || len(tests) == 0 {
			t.Errorf("no test shows %s", cells[0])
		}
		for _, test := range tests {
			if sources[test[1]] == "" {
				sources[test[1]] = readTests(t, test[1])
			}
			if !strings.Contains(sources[test[1]], "\nfunc "+test[2]+"(") {
				t.Errorf("%s: package %s has no %s", cells[0], test[1], test[2])
			}
		}
	}
	if rows < 75 {
		t.Errorf("only %d features are told", rows)
	}
}

// readTests returns the test files of a package.
func readTests(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// What docs/coming-from.md tells people to type is tried by a script.
func TestTheForerunnersFilesComeAsThePageSays(t *testing.T) {
	script := readDocument(t, "internal/cli/testdata/script/coming_from.txtar")
	_, blocks, _ := strings.Cut(readDocument(t, "docs/coming-from.md"), "```sh\n")
	commands := 0
	for _, command := range findAll(`(?m)^(breadcrumb .*)$`, blocks) {
		if strings.HasPrefix(command, "breadcrumb run ") {
			continue // tried with the suites of test/run
		}
		commands++
		if !strings.Contains(script, "exec sh -c '"+command+"'\n") {
			t.Errorf("no script tries %s", command)
		}
	}
	if commands < 4 {
		t.Errorf("only %d commands are told", commands)
	}
}

// What the documents of the forerunners name has its row.
func TestTheForerunnersNamesAreAnswered(t *testing.T) {
	seeds := "../../../shared/seeds"
	if _, err := os.Stat(seeds); err != nil {
		t.Skip("the forerunners' documents are not here: ", err)
	}
	page := readDocument(t, "docs/coming-from.md")
	names := 0
	for file, patterns := range map[string][]string{
		"002-breadcrumb-core-api.txt":  {`(?m)^class (\w+)`, `(?m)^    def ([a-z]\w+)\(`},
		"003-breadcrumb-flaky-api.txt": {`(?m)^class (\w+)`, `(?m)^    def ([a-z]\w+)\(`, `(?m)^def (\w+)\(`},
		"004-selfmend-readme.txt":      {`(?m)^(wrapPage|resetScope|loadBaseline|saveBaseline|mergeBaselines|renderHealSummary|BaselineStore),$`, "(?m)^\\| (enabled|threshold|margin|testIdAttr|SELFMEND_PRUNE) \\|"},
	} {
		text, err := os.ReadFile(filepath.Join(seeds, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range patterns {
			for _, name := range findAll(pattern, string(text)) {
				names++
				if !strings.Contains(page, name) {
					t.Errorf("%s has %s, and docs/coming-from.md does not say where it is here", file, name)
				}
			}
		}
	}
	if names < 40 {
		t.Errorf("only %d names were looked for", names)
	}
}
