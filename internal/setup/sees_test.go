package setup

import (
	"strconv"
	"testing"
	"testing/fstest"
)

// What a checkout says about its tests is seen, and what it does not say is asked.
func TestWhatIsSeenOfACheckout(t *testing.T) {
	const uses = `{"devDependencies": {"@playwright/test": "1.60.0"}}`
	config := func(text string) map[string]string {
		return map[string]string{"package.json": uses, "playwright.config.ts": "export default defineConfig({ " + text + " });"}
	}
	many := map[string]string{}
	for i := range 24 {
		dir := "s" + strconv.Itoa(i)
		many[dir+"/playwright.config.ts"] = ""
		for j := range i {
			many[dir+"/tests/"+strconv.Itoa(j)+".spec.ts"] = ""
		}
	}
	for _, c := range []struct {
		name          string
		files         map[string]string
		want, wantNot []string // words of the plan, and words that it must not have
	}{
		{"a reporter is added to the one there is", config("reporter: 'html'"), []string{"npx playwright test --reporter=html,junit"}, nil},
		{"reporters with options are not replaced", config("reporter: [['html', { outputFolder: 'x' }]]"), []string{"todo playwright.config.ts names no reporter that Breadcrumb reads", "- run: breadcrumb run -- npx playwright test\n"}, []string{"--reporter"}},
		{"CI's reporters count", config("reporter: process.env.CI ? 'blob' : 'junit'"), []string{"junit: blob-report/*.zip"}, nil},
		{"a folder of blobs", config("reporter: [['blob', { outputDir: 'blobs' }]]"), []string{"junit: blobs/*.zip"}, nil},
		{"reporters by another variable are asked about", config("reporter: process.env.X ? 'blob' : 'html'"), []string{"todo playwright.config.ts chooses its reporters by an expression: make sure that in CI one of them writes blob-report/*.zip"}, nil},
		{"an output folder", config("outputDir: './out'"), []string{"traces: out/**/trace.zip"}, nil},
		{"a computed output folder is asked about", config("outputDir: process.env.OUT"), []string{"todo playwright.config.ts sets an outputDir"}, nil},
		{"nobody serves localhost", config("use: { baseURL: 'http://localhost:3000' }"), []string{"todo playwright.config.ts: its baseURL is http://localhost:3000, and nothing seen here starts that server"}, nil},
		{"a server is there", config("use: { baseURL: 'http://localhost:3000' }, webServer: { command: 'npm start' }"), nil, []string{"todo"}},
		{"a configuration of another file", map[string]string{
			"package.json": uses, "playwright.config.ts": "export { default } from './config/e2e';", "config/e2e.ts": "export default { reporter: 'blob' };",
		}, []string{"junit: blob-report/*.zip"}, []string{"todo"}},
		{"a configuration that is imported", map[string]string{
			"package.json": uses, "playwright.config.js": "import base from './base.js';\nexport default base;", "base.js": "export default { reporter: 'blob' };",
		}, []string{"junit: blob-report/*.zip"}, []string{"todo"}},
		{"configurations that re-export each other", map[string]string{
			"package.json": uses, "playwright.config.ts": "export { default } from './b';", "b.ts": "export { default } from './playwright.config';",
		}, []string{"suite ts Playwright Test in . by playwright.config.ts"}, nil},
		{"a configuration that is spread from another", map[string]string{
			"package.json": uses, "playwright.config.ts": "import { defineConfig } from '@playwright/test';\nimport base from './base';\nexport default defineConfig({ ...base, testDir: 'e2e' });", "base.ts": "export default { reporter: 'blob', outputDir: 'out' };",
		}, []string{"junit: blob-report/*.zip", "traces: out/**/trace.zip"}, []string{"todo"}},
		{"a configuration that is defined from another", map[string]string{
			"package.json": uses, "playwright.config.ts": "const { base } = require('./base');\nmodule.exports = defineConfig(base, { outputDir: 'own' });", "base.js": "module.exports.base = { reporter: [['junit', { outputFile: 'r.xml' }]], outputDir: 'out' };",
		}, []string{"junit: r.xml", "traces: own/**/trace.zip"}, []string{"todo"}},
		{"its own reporters come before the base's", map[string]string{
			"package.json": uses, "playwright.config.ts": "import base from './base';\nexport default { ...base, reporter: 'html' };", "base.ts": "export default { reporter: 'blob' };",
		}, []string{"npx playwright test --reporter=html,junit"}, []string{"blob-report"}},
		{"a base of another package is asked about", map[string]string{
			"package.json": uses, "playwright.config.ts": "import base from '@acme/e2e';\nexport default defineConfig({ ...base });",
		}, []string{"todo playwright.config.ts names no reporter that Breadcrumb reads"}, []string{"--reporter"}},
		{"a browser of its own", config("use: { launchOptions: { executablePath: process.env.CHROMIUM || '/usr/bin/chromium' } }"), []string{"note playwright.config.ts sets executablePath: the tests use that browser and not the one that the workflow installs"}, nil},
		{"no browser of its own", config("// executablePath is not set\n"), nil, []string{"executablePath"}},
		{"a command that names its reporters", map[string]string{
			"package.json": uses, ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: CI=1 npx playwright test --reporter=html --project=a\n",
		}, []string{"\nrun: CI=1 breadcrumb run -- npx playwright test --reporter=html,junit --project=a\n"}, []string{"# and to", "# and before"}},
		{"a command that names the JUnit reporter", map[string]string{
			"package.json": uses, ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: npx playwright test --reporter=junit\n",
		}, []string{"\nrun: breadcrumb run -- npx playwright test --reporter=junit\n"}, []string{"# and to", "# and before"}},
		{"a command behind others", map[string]string{
			"package.json": uses, ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: npm ci && npx playwright test || echo red\n",
		}, []string{"\nrun: \"npm ci && breadcrumb run -- npx playwright test --reporter=list,junit || echo red\"\n"}, []string{"# and to", "# and before"}},
		{"a command that cannot be changed for sure", map[string]string{
			"package.json": uses, ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: npx playwright test --grep \"a|b\"\n",
		}, []string{"# and to its command: --reporter=list,junit\n# and before its command: breadcrumb run --\n"}, []string{"run: breadcrumb"}},
		{"devices are no base", config("projects: [{ use: { ...devices['Desktop Chrome'] } }]"), []string{"npx playwright test --reporter=list,junit"}, []string{"todo"}},
		{"the version of Node above", map[string]string{".nvmrc": "22", "web/package.json": uses, "web/package-lock.json": "{}"}, []string{"node-version-file: .nvmrc"}, nil},
		{"a package that pnpm excludes", map[string]string{
			"pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages: ['apps/*', '!apps/old']", "package.json": "{}",
			"apps/new/package.json": uses, "apps/old/package.json": uses,
		}, []string{"suite ts Playwright Test in apps/new", "note apps/old/package.json is left out: its folder is left out by pnpm-workspace.yaml (!apps/old)"}, []string{"suite ts Playwright Test in apps/old"}},
		{"a package that npm does not know", map[string]string{
			"package-lock.json": "", "package.json": `{"workspaces": {"packages": ["./apps/*"]}}`, "apps/new/package.json": uses, "demo/package.json": uses,
		}, []string{"suite ts Playwright Test in apps/new", "note demo/package.json is left out: its folder is no workspace of package.json"}, nil},
		{"a package with a lock file of its own", map[string]string{
			"package-lock.json": "", "package.json": `{"workspaces": ["apps/*"]}`, "demo/package.json": uses, "demo/package-lock.json": "",
		}, []string{"suite ts Playwright Test in demo"}, []string{"left out"}},
		{"Python learns on the default branch", map[string]string{"requirements.txt": "pytest-playwright"}, []string{`--tracing="$TRACING"`, `TRACING: "${{ github.event_name == 'pull_request' && 'retain-on-failure' || 'on' }}"`, "traces: test-results/**/trace.zip"}, nil},
		{"Python's own traces stay", map[string]string{"requirements.txt": "pytest-playwright", "pytest.ini": "[pytest]\naddopts = --tracing on --output=out/pw\n"}, []string{"traces: out/pw/**/trace.zip"}, []string{"TRACING"}},
		{"Java says how", map[string]string{"pom.xml": "com.microsoft.playwright"}, []string{"note pom.xml: no trace is kept; for suggestions without breadcrumb run", `traces: "**/test-results/**/trace.zip"`}, []string{"todo"}},
		{"Java's own traces", map[string]string{"pom.xml": "com.microsoft.playwright", "src/test/java/O.java": "new Options().setTrace(Options.Trace.ON)"}, []string{`traces: "**/test-results/**/trace.zip"`}, []string{"note"}},
		{"git ignores what is written", map[string]string{"requirements.txt": "pytest-playwright", ".gitignore": "test-results\nheals/"}, []string{"-- .gitignore --\ntest-results\nheals/\n\n# What tests and Breadcrumb write.\n/.breadcrumb.db*\n/results/pytest.xml\n"}, nil},
		{"git ignores it already", map[string]string{"requirements.txt": "pytest-playwright", ".gitignore": "/.breadcrumb.db*\n/results/\ntest-results/\nheals\n"}, []string{"-- .gitignore --\n/.breadcrumb.db*\n/results/\ntest-results/\nheals\n"}, []string{"# What tests"}},
		{"each leg of a matrix has an artifact", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    strategy:\n      matrix:\n        shard: [1, 2]\n    steps:\n      - run: npx playwright test --shard=${{ matrix.shard }}/2\n",
		}, []string{"name: browser-test-results-${{ strategy.job-index }}\n", "pattern: browser-test-results-*\n", "junit: fork/*/blob-report/*.zip"}, []string{"name: browser-test-results\n"}},
		{"the job that merges the reports of shards", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    strategy:\n      matrix:\n        shard: [1, 2]\n    steps:\n      - run: npx playwright test --shard=${{ matrix.shard }}/2\n" +
				"  report:\n    if: ${{ !cancelled() }}\n    needs: [lint, e2e]\n    steps:\n      - run: npx playwright merge-reports --reporter html ./all-blobs\n",
		}, []string{"add to .github/workflows/ci.yml job report line 13: npx playwright merge-reports --reporter html ./all-blobs", "step-outcome: ${{ needs.e2e.result }}", "junit: all-blobs/*.zip",
			"name: browser-test-results\n", "junit: fork/all-blobs/*.zip", "note the jobs of the shards stay as they are"}, []string{"continue-on-error: true # Breadcrumb decides", "blob-report", "strategy.job-index"}},
		{"shards whose command names the blob reporter", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'list' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    strategy:\n      matrix:\n        shard: [1, 2]\n    steps:\n      - run: npx playwright test --reporter=list,blob --shard=${{ matrix.shard }}/2\n" +
				"  report:\n    needs: e2e\n    steps:\n      - run: npx playwright merge-reports ./all-blobs\n",
		}, []string{"add to .github/workflows/ci.yml job report line 12", "step-outcome: ${{ needs.e2e.result }}", "junit: all-blobs/*.zip"}, []string{"--reporter=list,junit", "strategy.job-index"}},
		{"a job that merges the reports of two jobs", map[string]string{
			"a/package.json": uses, "a/playwright.config.ts": "export default { reporter: 'blob' };", "b/package.json": uses, "b/playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  shop:\n    steps:\n      - run: npx playwright test\n        working-directory: a\n  admin:\n    steps:\n      - run: npx playwright test\n        working-directory: b\n" +
				"  report:\n    needs: [shop, admin]\n    steps:\n      - run: npx playwright merge-reports all-blobs\n",
		}, []string{"job report line 14", "step-outcome: |\n      ${{ needs.shop.result }}\n      ${{ needs.admin.result }}", "junit: all-blobs/*.zip"}, []string{"todo left out", "blob-report"}},
		{"a matrix of suites and shards, and a leg that merges those of each suite", map[string]string{
			"a/package.json": uses, "a/playwright.config.ts": "export default { reporter: 'blob' };", "b/package.json": uses, "b/playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    strategy:\n      matrix:\n        suite: [a, b]\n        shard: [1, 2]\n    steps:\n      - run: npx playwright test\n        working-directory: ${{ matrix.suite }}\n" +
				"  report:\n    needs: e2e\n    strategy:\n      matrix:\n        suite: [a, b]\n    steps:\n      - run: npx playwright merge-reports all-blobs\n",
		}, []string{"job e2e line 9", "step-outcome: ${{ steps.tests.outcome }}", "note each leg of the job e2e judges its own tests"}, []string{"needs.e2e.result", "run one after the other"}},
		{"two jobs that each merge some legs of one job", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    strategy:\n      matrix:\n        browser: [chromium, firefox]\n    steps:\n      - run: npx playwright test\n" +
				"  one:\n    needs: e2e\n    steps:\n      - run: npx playwright merge-reports chromium\n  two:\n    needs: e2e\n    steps:\n      - run: npx playwright merge-reports firefox\n",
		}, []string{"job e2e line 8", "note each leg of the job e2e judges its own tests"}, []string{"needs.e2e.result"}},
		{"a job that merges other reports", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  e2e:\n    steps:\n      - run: npx playwright test\n  report:\n    needs: others\n    steps:\n      - run: npx playwright merge-reports all-blobs\n",
		}, []string{"job e2e line 5", "junit: blob-report/*.zip"}, []string{"all-blobs"}},
		{"a workflow that others call", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/e2e.yml": "name: E2E\non: workflow_call\njobs:\n  run:\n    steps:\n      - run: npx playwright test\n",
			".github/workflows/ci.yml":  "name: CI\non: pull_request\njobs:\n  tests:\n    uses: ./.github/workflows/e2e.yml\n",
		}, []string{"workflows: [CI]\n", "todo .github/workflows/e2e.yml is called by job tests of .github/workflows/ci.yml: give that job the permissions contents: read,"}, []string{"[E2E]"}},
		{"calls that an input tells apart", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/e2e.yml": "name: E2E\non: workflow_call\njobs:\n  run:\n    strategy:\n      matrix:\n        shard: [1, 2]\n    steps:\n      - run: npx playwright test\n",
			".github/workflows/ci.yml":  "name: CI\non: pull_request\njobs:\n  tests:\n    strategy:\n      matrix:\n        suite: [shop, admin]\n    uses: ./.github/workflows/e2e.yml\n    with:\n      suite: ${{ matrix.suite }}\n      node: 22\n",
		}, []string{"name: browser-test-results-${{ inputs.suite }}-${{ strategy.job-index }}\n", "pattern: browser-test-results-*\n", "junit: fork/*/blob-report/*.zip"}, []string{"called several times", "inputs.node"}},
		{"two jobs that call with other inputs", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/e2e.yml": "name: E2E\non: workflow_call\njobs:\n  run:\n    steps:\n      - run: npx playwright test\n",
			".github/workflows/ci.yml":  "name: CI\non: pull_request\njobs:\n  one:\n    uses: ./.github/workflows/e2e.yml\n    with: {suite: shop, node: 22}\n  two:\n    uses: ./.github/workflows/e2e.yml\n    with: {suite: admin, node: 22}\n",
		}, []string{"name: browser-test-results-${{ inputs.suite }}\n", "pattern: browser-test-results-*\n"}, []string{"called several times", "inputs.node"}},
		{"calls that nothing tells apart", map[string]string{
			"package.json": uses, "playwright.config.ts": "export default { reporter: 'blob' };",
			".github/workflows/e2e.yml": "name: E2E\non: workflow_call\njobs:\n  run:\n    steps:\n      - run: npx playwright test\n",
			".github/workflows/ci.yml":  "name: CI\non: pull_request\njobs:\n  tests:\n    strategy:\n      matrix:\n        suite: [apps/shop, apps/admin]\n        browser: [chromium]\n    uses: ./.github/workflows/e2e.yml\n    with:\n      suite: ${{ matrix.suite }}\n",
		}, []string{"todo .github/workflows/e2e.yml is called several times in a run, and no input"}, nil},
		{"a job that judges what shards left", map[string]string{
			"package.json":             uses,
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  judge:\n    steps:\n      - uses: breadcrumb/action@v1\n        with:\n          junit: shards/*/results/playwright.xml\n          traces: |\n            shards/*/one/**/trace.zip\n            shards/*/two/**/trace.zip\n",
		}, []string{"      shards/*/results/playwright.xml\n      shards/*/one/**/trace.zip\n      shards/*/two/**/trace.zip\n      heals/**/*.ndjson\n", "junit: fork/shards/*/results/playwright.xml\n", "junit: results/playwright.xml\n", "/results/playwright.xml\n/test-results/\n/heals/\n/shards/\n"}, []string{"fork/test-results", "\n    results/playwright.xml"}},
		{"a job that judges by the settings file", map[string]string{
			"package.json": uses, ".breadcrumb.yml": "junit: [out/a.xml, out/b.xml]\n",
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  judge:\n    steps:\n      - uses: breadcrumb/action@v1\n",
		}, []string{"      out/a.xml\n      out/b.xml\n", "fork/out/a.xml\n"}, []string{" results/playwright.xml"}},
		{"a job that judges what an expression names", map[string]string{
			"package.json":             uses,
			".github/workflows/ci.yml": "on: pull_request\njobs:\n  judge:\n    steps:\n      - uses: breadcrumb/action@v1\n        with:\n          junit: ${{ inputs.reports }}\n",
		}, []string{"todo .github/workflows/ci.yml line 5 reads junit: ${{ inputs.reports }}, which this cannot follow"}, nil},
		{"what git ignores in one folder is not ignored in another", map[string]string{
			"a/package.json": uses, "b/package.json": uses, ".gitignore": "/heals/\na/test-results/\nresults/**\n",
		}, []string{"/a/heals/\n", "/b/heals/\n", "/b/test-results/\n", "/b/results/playwright.xml\n"}, []string{"\n/a/test-results/\n"}},
		{"the biggest of many", many, []string{"suite ts Playwright Test in s23 ", "suite ts Playwright Test in s16 ", "todo 24 suites were found; the 8 with the most test files are taken"}, []string{"Test in s15 "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for name, text := range c.files {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			plan, err := Make(tree, Options{Own: own})
			if err != nil {
				t.Fatal(err)
			}
			checkTold(t, plan, c.want, c.wantNot)
		})
	}
}
