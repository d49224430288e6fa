package setup

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup/detect"
)

// twoSuites returns a checkout of two suites, shop and admin, and of more files.
func twoSuites(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, name := range []string{"shop", "admin"} {
		tree["suites/"+name+"/package.json"] = &fstest.MapFile{Data: []byte(`{"devDependencies": {"@playwright/test": "1.60.0"}}`)}
		tree["suites/"+name+"/playwright.config.ts"] = &fstest.MapFile{Data: []byte("export default { reporter: [['junit', { outputFile: 'results/playwright.xml', includeRetries: true }]] };")}
	}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

const matrixHead = "name: CI\non: pull_request\npermissions:\n  contents: read\njobs:\n  e2e:\n    strategy:\n      matrix:\n        browser: [chromium, firefox]\n        suite: [shop, admin]\n        shard: [1, 2]\n    steps:\n"

// Each leg of a matrix of suites judges by the reports of its own.
func TestLegsOfSuitesJudgeTheirOwnReports(t *testing.T) {
	own := []string{"junit: suites/${{ matrix.suite }}/results/playwright.xml\n", "      suites/${{ matrix.suite }}/test-results/**/trace.zip\n", "each leg of the job e2e judges its own tests and has its own comment"}
	for name, c := range map[string]struct {
		steps         string
		want, wantNot []string
	}{
		"by the working directory": {"      - run: npx playwright test --project=${{ matrix.browser }} --shard=${{ matrix.shard }}/2\n        working-directory: suites/${{ matrix.suite }}\n",
			append([]string{"for one comment of all shards of a suite, call a workflow once for each suite: docs/monorepo.md", "junit:\n  - suites/admin/results/playwright.xml\n  - suites/shop/results/playwright.xml\n"}, own...),
			[]string{"one after the other", "todo", "\n      suites/admin/results/playwright.xml", "\ncontents: read"}},
		"by cd":                {"      - run: cd suites/${{matrix.suite}} && npx playwright test\n", []string{"junit: suites/${{matrix.suite}}/results/playwright.xml"}, []string{"docs/monorepo.md"}},
		"by the configuration": {"      - run: npx playwright test -c suites/${{ matrix.suite }}/playwright.config.ts\n", own, nil},
		"the same in all legs": {"      - run: npx playwright test -c suites/shop/playwright.config.ts --project=${{ matrix.browser }}\n", []string{"# Where the results are stands in .breadcrumb.yml."}, []string{"matrix.suite"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Make(twoSuites(map[string]string{".github/workflows/ci.yml": matrixHead + c.steps}), Options{Own: "breadcrumb/action@v1"})
			if err != nil {
				t.Fatal(err)
			}
			checkTold(t, plan, c.want, c.wantNot)
		})
	}
}

// Where the legs' reports are in other places of their folders, or the matrix names suites by
// other words, no one text is theirs, and that is left to do.
func TestLegsWhoseReportsNoTextTellsAreLeftToDo(t *testing.T) {
	tree := twoSuites(map[string]string{
		".github/workflows/ci.yml":         matrixHead + "      - run: npx playwright test\n        working-directory: suites/${{ matrix.suite }}\n",
		"suites/shop/playwright.config.ts": "export default { reporter: 'blob' };",
	})
	plan, err := Make(tree, Options{Own: "breadcrumb/action@v1"})
	if err != nil {
		t.Fatal(err)
	}
	if todo := strings.Join(plan.Todo, "\n"); !strings.Contains(todo, "the legs of the job e2e run other tests for each matrix.suite, and no one path is that of all their reports") {
		t.Error(todo)
	}
}

// A step that waits for reports which its job does not write is told, by init and by doctor.
func TestStepsThatWaitForReportsOfOtherTests(t *testing.T) {
	const settings = "junit:\n  - suites/admin/results/playwright.xml\n  - suites/shop/results/playwright.xml\n"
	const tests = "      - run: breadcrumb run -- npx playwright test\n        id: tests\n        continue-on-error: true\n        working-directory: suites/"
	const other = "  admin:\n    steps:\n" + tests + "admin\n"
	const upload = "      - uses: actions/upload-artifact@v7\n        with:\n          name: browser-test-results-${{ strategy.job-index }}\n"
	const judge = "      - uses: breadcrumb/action@v1\n        with:\n          step-outcome: ${{ steps.tests.outcome }}\n"
	for name, c := range map[string]struct {
		workflow, settings string
		want               []string // the reports that are waited for
		own                string
	}{
		"a leg that waits for all":   {matrixHead + tests + "${{ matrix.suite }}\n" + upload + judge, settings, []string{"suites/admin/results/playwright.xml", "suites/shop/results/playwright.xml"}, "suites/${{ matrix.suite }}/results/playwright.xml"},
		"a leg that waits for its":   {matrixHead + tests + "${{ matrix.suite }}\n" + upload + judge + "          junit: suites/${{ matrix.suite }}/results/playwright.xml\n", settings, nil, ""},
		"a pattern of all":           {matrixHead + tests + "${{ matrix.suite }}\n" + upload + judge, "junit: suites/*/results/playwright.xml\n", nil, ""},
		"other settings":             {matrixHead + tests + "${{ matrix.suite }}\n" + upload + judge + "          config: own.yml\n", settings, nil, ""},
		"a job that runs one":        {matrixHead + tests + "shop\n" + upload + judge + other, settings, []string{"suites/admin/results/playwright.xml"}, ""},
		"tests that nobody runs":     {matrixHead + tests + "shop\n" + upload + judge, settings, nil, ""},
		"a job that runs both":       {matrixHead + tests + "shop\n" + tests + "admin\n" + upload + judge, settings, nil, ""},
		"a job that fetches reports": {matrixHead + tests + "shop\n" + "      - uses: actions/download-artifact@v8\n" + upload + judge, settings, nil, ""},
		"reports of nobody known":    {matrixHead + tests + "shop\n" + upload + judge, "junit: [suites/shop/results/playwright.xml, unit.xml]\n", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := twoSuites(map[string]string{".github/workflows/ci.yml": c.workflow, SettingsFile: c.settings})
			p, err := detect.Open(tree)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			own := ""
			for _, s := range Strays(p) {
				got, own = append(got, s.Reports...), s.Own
			}
			if diff := cmp.Diff(c.want, got); diff != "" || own != c.own {
				t.Errorf("%s, own %q", diff, own)
			}
			plan, err := Make(tree, Options{Own: "breadcrumb/action@v1"})
			if err != nil {
				t.Fatal(err)
			}
			if told := slices.ContainsFunc(plan.Todo, func(line string) bool { return strings.Contains(line, "red even when all tests pass") }); told != (len(c.want) > 0) {
				t.Errorf("init says: %v", plan.Todo)
			}
			if c.want == nil && name == "a leg that waits for its" && (len(plan.Todo) > 0 || plan.Add != nil) {
				t.Errorf("left to do: %v, %v", plan.Todo, plan.Add)
			}
		})
	}
}

// The documented workflows of a monorepo and of shards are whole: nothing is left to do, a fork's
// results are found, and the settings are those of a machine that ran the tests itself.
func TestNothingIsLeftOfTheDocumentedWorkflows(t *testing.T) {
	for name, c := range map[string]struct {
		files    []string
		artifact string
		settings string
	}{
		"monorepo": {[]string{"monorepo.yml", "monorepo-suite.yml"}, "pattern: browser-test-results-*\n", "junit:\n  - suites/admin/results/playwright.xml\n  - suites/shop/results/playwright.xml\n"},
		"shards":   {[]string{"sharded.yml"}, "name: browser-test-results\n", "junit:\n  - suites/admin/results/playwright.xml\n"},
		"matrix":   {[]string{"matrix.yml"}, "pattern: browser-test-results-*\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for _, file := range c.files {
				text, err := os.ReadFile("../../examples/workflows/" + file)
				if err != nil {
					t.Fatal(err)
				}
				files[".github/workflows/"+file] = string(text)
			}
			plan, err := Make(twoSuites(files), Options{Own: "breadcrumb/action@v1"})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Todo) > 0 || plan.Add != nil || len(plan.Notes) > 0 {
				t.Errorf("todo %v, note %v, add %v", plan.Todo, plan.Notes, plan.Add)
			}
			for _, want := range []string{c.artifact, c.settings} {
				if got := told(plan); !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
			for _, file := range c.files[len(c.files)-1:] {
				was := ".github/workflows/" + file
				files[was] = strings.ReplaceAll(files[was], " ||\n          "+fromFork, "")
			}
			plan, err = Make(twoSuites(files), Options{Own: "breadcrumb/action@v1"})
			if todo := strings.Join(plan.Todo, "\n"); err != nil || !strings.Contains(todo, "uploads results only when tests failed") {
				t.Errorf("of an upload of failed tests alone: %s, %v", todo, err)
			}
		})
	}
}

// What a calling job lacks is named, and no more.
func TestOnlyPermissionsThatACallerLacksAreLeftToDo(t *testing.T) {
	for has, want := range map[string]string{
		"": "contents: read, actions: read, pull-requests: write",
		"    permissions:\n      contents: read\n      actions: write\n      pull-requests: write\n": "",
		"    permissions:\n      contents: read\n      actions: read\n      pull-requests: read\n":   "permissions pull-requests: write, too",
		"    permissions: read-all\n":  "permissions pull-requests: write, too",
		"    permissions: write-all\n": "",
		"    permissions: {}\n":        "contents: read, actions: read, pull-requests: write",
	} {
		plan, err := Make(twoSuites(map[string]string{
			".github/workflows/e2e.yml": "on: workflow_call\njobs:\n  run:\n    steps:\n      - run: npx playwright test\n",
			".github/workflows/ci.yml":  "name: CI\non: pull_request\njobs:\n  tests:\n" + has + "    uses: ./.github/workflows/e2e.yml\n",
		}), Options{Own: "breadcrumb/action@v1"})
		if err != nil {
			t.Fatal(err)
		}
		if todo := strings.Join(plan.Todo, "\n"); want == "" && todo != "" || !strings.Contains(todo, want) {
			t.Errorf("%q: %q", has, todo)
		}
	}
}

// The paths of a step that judges are known by the values of its matrix and its callers'; what
// is not known, or too much, stays as it is written.
func TestPathsAreKnownByTheirValues(t *testing.T) {
	node := func(text string) yaml.Node {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		return *n.Content[0]
	}
	many := "[0]"
	for i := 1; i < 200; i++ {
		many = strings.TrimSuffix(many, "]") + fmt.Sprintf(", %d]", i)
	}
	step := testStep{
		cases: node("{suite: [shop, admin], a: " + many + ", b: " + many + ", c: " + many + ", d: '${{ fromJSON(x) }}', include: [{suite: docs}]}"),
		calls: []call{{with: map[string]string{"app": "shop"}}, {with: map[string]string{"app": "${{ matrix.app }}"}, matrix: node("app: [x, y]")}},
	}
	for glob, want := range map[string]string{
		"a/*.xml":                                 "a/*.xml",
		"${{ matrix.suite }}/r.xml":               "shop/r.xml admin/r.xml docs/r.xml",
		"${{inputs.app}}/r.xml":                   "shop/r.xml x/r.xml y/r.xml",
		"${{ matrix.d }}/r.xml":                   "${{ matrix.d }}/r.xml",
		"${{ inputs.no }}/r.xml":                  "${{ inputs.no }}/r.xml",
		"${{ github.actor }}/r.xml":               "${{ github.actor }}/r.xml",
		"${{matrix.a}}${{matrix.b}}${{matrix.c}}": "${{matrix.a}}${{matrix.b}}${{matrix.c}}",
	} {
		if got := strings.Join(step.expand(glob), " "); got != want {
			t.Errorf("%s: %.200s", glob, got)
		}
	}
}
