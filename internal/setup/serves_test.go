package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pin changes the lines that use Breadcrumb, and nothing else of them or of the file.
func TestPinChangesOnlyTheVersionOfBreadcrumb(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	own := "breadcrumb/action@" + commit + " # v1.2.3"
	for line, want := range map[string]string{
		"      - uses: breadcrumb/action@v1":                           "      - uses: breadcrumb/action@" + commit + " # v1.2.3",
		"        uses: breadcrumb/action/setup@v1":                     "        uses: breadcrumb/action/setup@" + commit + " # v1.2.3",
		`      - uses: "breadcrumb/action/native@v1.0.0"`:              "      - uses: breadcrumb/action/native@" + commit + " # v1.2.3",
		"      - uses: breadcrumb/action@" + commit[1:] + "a # v1.2.2": "      - uses: breadcrumb/action@" + commit + " # v1.2.3",
		"      - uses: breadcrumb/action@v1 # ours\r":                  "      - uses: breadcrumb/action@" + commit + " # v1.2.3 # ours\r",
		"      - uses: breadcrumb/action@v1 # v1.2.2 # ours":           "      - uses: breadcrumb/action@" + commit + " # v1.2.3 # ours",
		"      - uses: breadcrumb/actions@v1":                          "",
		"      - uses: acme/breadcrumb/action@v1":                      "",
		"      # uses: breadcrumb/action@v1":                           "",
		"      - run: echo uses breadcrumb/action@v1":                  "",
	} {
		if want == "" {
			want = line
		}
		around := func(line string) string { return "a: b  # kept\n" + line + "\n\n  c:   d\n" }
		got := string(Pin([]byte(around(line)), own))
		if diff := cmp.Diff(around(want), got); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
		if again := string(Pin([]byte(got), own)); again != got {
			t.Errorf("%q: a second time %q", line, again)
		}
	}
}

// A workflow that has all that is planned is in place, whatever else its owner wrote; one
// that lacks something, or may not run it, is not.
func TestWorkflowsThatServe(t *testing.T) {
	plan, err := Make(projects(t)["ts"], Options{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	planned := string(plan.Files[0].Text)
	for name, c := range map[string]struct {
		old, new string
		want     bool
	}{
		"nothing":                      {"", "", true},
		"a variable for npm ci":        {"      - run: npm ci\n", "      - run: npm ci\n        env:\n          TOKEN: a\n", true},
		"a step more":                  {"      - run: npm ci\n", "      - run: npm ci\n      - run: npm run build\n", true},
		"a branch more":                {"branches: [main]", "branches: [release, main]", true},
		"paths of pull requests":       {"  pull_request:\n", "  pull_request:\n    paths: [web/**]\n", true},
		"a flag more":                  {"--reporter=list,junit", "--reporter=list,junit --project=chromium", true},
		"an input more":                {"          step-outcome:", "          missing: warn\n          step-outcome:", true},
		"another machine":              {"runs-on: ubuntu-24.04", "runs-on: [self-hosted]", true},
		"more time":                    {"timeout-minutes: 30", "timeout-minutes: 90", true},
		"a pin":                        {"breadcrumb/action@v1", "breadcrumb/action@" + strings.Repeat("a", 40), true},
		"a job more":                   {"jobs:\n", "jobs:\n  lint:\n    runs-on: a\n    steps: []\n", true},
		"no comments":                  {" # Breadcrumb decides", "", true},
		"no reporter":                  {" --reporter=list,junit", "", false},
		"no breadcrumb run":            {"breadcrumb run -- ", "", false},
		"no permission":                {"      pull-requests: write # write the comment and suggest edits\n    steps", "    steps", false},
		"no continue-on-error":         {"        continue-on-error: true # Breadcrumb decides\n", "", false},
		"no outcome":                   {"          step-outcome: ${{ steps.tests.outcome }}\n", "", false},
		"another name":                 {"name: browser tests\n", "name: e2e\n", false},
		"a condition for npm ci":       {"      - run: npm ci\n", "      - run: npm ci\n        if: always()\n", true},
		"a condition for the tests":    {"        id: tests\n", "        id: tests\n        if: false\n", false},
		"a condition for Breadcrumb":   {"      - uses: breadcrumb/action@v1\n        with:\n          step", "      - uses: breadcrumb/action@v1\n        if: false\n        with:\n          step", false},
		"a verdict that fails nothing": {"      - uses: breadcrumb/action@v1\n        with:\n          step", "      - uses: breadcrumb/action@v1\n        continue-on-error: true\n        with:\n          step", false},
		"a job that waits for another": {"  tests:\n", "  tests:\n    needs: lint\n", false},
		"a matrix":                     {"  tests:\n", "  tests:\n    strategy: {matrix: {a: [1]}}\n", false},
		"no YAML":                      {"jobs:\n", "jobs: [\n", false},
	} {
		mine := strings.ReplaceAll(planned, c.old, c.new)
		if c.old == "" {
			mine = planned
		}
		if mine == planned && c.old != c.new {
			t.Errorf("%s: nothing was changed", name)
		}
		if got := Serves([]byte(mine), []byte(planned)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
