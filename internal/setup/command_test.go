package setup

import (
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/internal/setup/detect"
)

func TestCommandsThatRunTheTests(t *testing.T) {
	tree := fstest.MapFS{
		"package.json":          {Data: []byte(`{"scripts": {"ci": "turbo run e2e", "test": "jest", "loop": "npm run loop", "all": "npm test && yarn workspace @shop/web e2e", "e2e": "node e2e.js"}}`)},
		"apps/web/package.json": {Data: []byte(`{"name": "@shop/web", "scripts": {"e2e": "playwright test", "test": "playwright test", "unit": "vitest", "e2e-ci": "yarn e2e-all --quiet", "e2e-all": "yarn build && yarn run e2e"}}`)},
	}
	p, err := detect.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	web := detect.Suite{Lang: detect.TS, Dir: "apps/web", Found: "apps/web/playwright.config.ts"}
	docs := detect.Suite{Lang: detect.TS, Dir: "docs", Found: "docs/playwright.config.ts"}
	python, java, gradle := detect.Suite{Lang: detect.Python, Dir: "."}, detect.Suite{Lang: detect.Java, Dir: "."}, detect.Suite{Lang: detect.Java, Dir: "shop"}
	dotnet, golang := detect.Suite{Lang: detect.CSharp, Dir: "tests", Found: "tests/Shop.csproj"}, detect.Suite{Lang: detect.Go, Dir: "."}
	found := commands{[]detect.Suite{web, docs, python, dotnet, golang}, p}
	for _, c := range []struct {
		suite       detect.Suite
		folder, run string
		want        bool
	}{
		{web, ".", "npx playwright test", true},
		{web, "apps/web", "npx playwright test --shard=1/2", true},
		{web, "apps", "npx playwright test", true},
		{web, "docs", "npx playwright test", false},
		{web, ".", "cd docs && npx playwright test", false},
		{web, ".", "cd apps/web\nnpx playwright test", true},
		{web, ".", "npx playwright test -c docs/playwright.config.ts", false},
		{web, ".", "npx playwright test --config=./apps/web/playwright.config.ts", true},
		{web, ".", "npx playwright install --with-deps", false},
		{web, ".", "npm test", false},
		{web, "apps/web", "npm test", true},
		{web, "apps/web", "yarn e2e-ci", true},
		{web, "apps/web", "npm run e2e-ci", true},
		{web, ".", "pnpm --filter @shop/web e2e-ci", true},
		{web, ".", "yarn e2e-ci", false},
		{web, "apps/web", "npm ci", false},
		{web, "apps/web", "npm run unit", false},
		{web, ".", "npm run ci", true},
		{web, ".", "npm run all", true},
		{web, ".", "npm run loop", false},
		{web, ".", "npm run e2e", false},
		{web, ".", "npm run e2e -w @shop/web", true},
		{web, ".", "npm run -w @shop/docs e2e", false},
		{web, ".", "pnpm -r e2e", true},
		{web, ".", "pnpm install e2e", false},
		{web, ".", "pnpm --filter=@shop/web run e2e", true},
		{web, ".", "CI=1 npx turbo run build e2e", true},
		{web, ".", "breadcrumb run -- npx playwright test --shard=1/2", true},
		{web, ".", "breadcrumb run -- npm run ci", true},
		{web, "apps/web", "CI=1 breadcrumb run --heal live -- npm run test -- --reporter=junit", true},
		{web, "apps/web", "breadcrumb run -- npm run unit", false},
		{docs, ".", "npm run ci", false},
		{python, ".", "pytest", true},
		{python, ".", "xvfb-run uv run pytest -vv || pytest --lf", true},
		{python, "tests", "python -m pytest", true},
		{python, ".", "pip install pytest pytest-playwright", false},
		{python, ".", "pip install -e . && pytest -x", true},
		{python, ".", "pip install -e pytest-playwright", false},
		{python, ".", "make pytest", false},
		{python, ".", "breadcrumb run -- pytest", true},
		{java, ".", "breadcrumb run -- mvn -B verify", true},
		{java, ".", "mvn -B verify", true},
		{java, ".", "./mvnw --fail-at-end \\\n  test", true},
		{java, ".", "mvn -B install -D skipTests", false},
		{java, ".", "mvn install -DskipTests=false", true},
		{java, ".", "mvn package -Dmaven.test.skip=true", false},
		{java, ".", "mvn spotless:check", false},
		{java, ".", "mvn test-compile", false},
		{gradle, "shop", "./gradlew :e2e:test --continue", true},
		{gradle, "shop", "./gradlew build -x test", false},
		{gradle, "shop", "./gradlew e2eTest", true},
		{gradle, "shop", "./gradlew assemble", false},
		{dotnet, ".", "dotnet test ./tests/Shop.csproj -c Debug", true},
		{dotnet, ".", "dotnet build", false},
		{golang, ".", "gotestsum -- ./...", true},
		{golang, ".", "go vet ./...", false},
	} {
		if _, _, got := found.findCommand(c.suite, c.run, c.folder); got != c.want {
			t.Errorf("%s of %s in %s: %q runs the tests: %v", c.suite.Lang, c.suite.Dir, c.folder, c.run, got)
		}
	}
}
