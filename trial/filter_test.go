package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// In the commands and filters, words stand between spaces.
func TestACommandIsNarrowedToTheTestsThatLostALocator(t *testing.T) {
	t.Parallel()
	login := wanted{id: "login.spec.ts › signs in [chromium]", path: "/copy/tests/login.spec.ts", line: 5, project: "chromium"}
	mobile := wanted{id: "login.spec.ts › signs in [mobile]", path: "/copy/tests/login.spec.ts", line: 5, project: "mobile"}
	node := wanted{id: "tests/test_login.py::test_signs_in[eur]", node: "tests/test_login.py::test_signs_in[eur]"}
	java := wanted{id: "com.shop.LoginTests › signsIn()"}
	csharp := wanted{id: "Shop.LoginTests › SignsIn"}
	golang := wanted{id: "example.com/shop/e2e › TestLogin/signs_in_(eur)"}
	for _, c := range []struct {
		name, command string
		tests         []wanted
		limit         time.Duration
		want          string
	}{
		{"Playwright Test by its places", "npx playwright test", []wanted{login, mobile}, 0,
			`npx playwright test /copy/tests/login\.spec\.ts:5 --project=chromium --project=mobile --retries=0 --reporter=dot`},
		{"with a shorter time of a test", "npx playwright test --workers=2", []wanted{login}, 12 * time.Second,
			`npx playwright test /copy/tests/login\.spec\.ts:5 --workers=2 --project=chromium --retries=0 --reporter=dot --timeout=12000`},
		{"in the place of the user's own filters", "npx --no-install playwright test tests/a tests/b:3 -g sign --project chromium firefox --shard=1/3 -c e2e.config.ts --retries 2 --reporter=junit -x", []wanted{login}, 0,
			`npx --no-install playwright test /copy/tests/login\.spec\.ts:5 -c e2e.config.ts --project=chromium --retries=0 --reporter=dot`},
		{"under node", "node node_modules/@playwright/test/cli.js test", []wanted{login}, 0,
			`node node_modules/@playwright/test/cli.js test /copy/tests/login\.spec\.ts:5 --project=chromium --retries=0 --reporter=dot`},
		{"behind launchers", "xvfb-run -a cross-env CI=1 yarn playwright test", []wanted{login}, 0,
			`xvfb-run -a cross-env CI=1 yarn playwright test /copy/tests/login\.spec\.ts:5 --project=chromium --retries=0 --reporter=dot`},
		{"by a script of npm", "npm run e2e -- --workers=1", []wanted{login}, 0,
			`npx --no-install playwright test /copy/tests/login\.spec\.ts:5 --config=e2e.ts --workers=1 --project=chromium --retries=0 --reporter=dot`},
		{"by a script of a script", "pnpm test", []wanted{login}, 0,
			`npx --no-install playwright test /copy/tests/login\.spec\.ts:5 --config=e2e.ts --project=chromium --retries=0 --reporter=dot`},
		{"pytest by its node ids", "python -m pytest -q tests/e2e -k login --junitxml out.xml -n 4", []wanted{node}, 0,
			`python -m pytest -q -n 4 tests/test_login.py::test_signs_in[eur]`},
		{"pytest behind a launcher", "poetry run pytest --maxfail=1 --browser firefox", []wanted{node}, 0,
			`poetry run pytest --browser firefox tests/test_login.py::test_signs_in[eur]`},
		{"Maven by class and method", "./mvnw -B clean test -Dtest=Login* -Dheadless=true", []wanted{java}, 0,
			`./mvnw -B clean test -Dheadless=true -Dtest=com.shop.LoginTests#signsIn -Dit.test=com.shop.LoginTests#signsIn -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false`},
		{"Gradle by class and method", "./gradlew :web:e2eTest --tests *Login* --info", []wanted{java}, 0,
			`./gradlew --info :web:e2eTest --tests com.shop.LoginTests.signsIn --rerun-tasks --no-daemon`},
		{"dotnet test by the full name", "dotnet test Shop.Tests --no-build --filter Category=e2e --logger trx -c Release -- NUnit.NumberOfTestWorkers=2", []wanted{csharp}, 0,
			`dotnet test Shop.Tests -c Release --filter FullyQualifiedName=Shop.LoginTests.SignsIn -- NUnit.NumberOfTestWorkers=2`},
		{"go test by its names", "go test -tags e2e -run Login ./... -args -headless", []wanted{golang}, 0,
			`go test -run ^TestLogin$/^signs_in_\(eur\)$ -count=1 -tags e2e ./... -args -headless`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := takeApart(strings.Fields(c.command), []byte(`{"scripts": {"e2e": "playwright test --config=e2e.ts", "test": "npm run e2e"}}`))
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.command(c.tests, c.limit)
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Playwright runs tests in the order of the suite, pytest in that of its arguments.
func TestTestsRunInTheirOrder(t *testing.T) {
	t.Parallel()
	fills := wanted{id: "cart.spec.ts › fills", path: "/copy/cart.spec.ts", line: 5, project: "chromium"}
	pays := wanted{id: "a.spec.ts › pays", path: "/copy/a.spec.ts", line: 9, project: "chromium"}
	titledFills, titledPays := fills, pays
	titledFills.titles, titledPays.titles = []string{"the cart (1)", "fills|it$"}, []string{"/pays/gi"}
	first := wanted{id: "test_b.py::test_fills", node: "test_b.py::test_fills"}
	second := wanted{id: "test_a.py::test_pays", node: "test_a.py::test_pays"}
	worker := first
	worker.worker = "gw1"
	for _, c := range []struct {
		name, command string
		tests         []wanted
		want          string
	}{
		{"in one worker of Playwright Test", "npx playwright test --workers=4 --fully-parallel", []wanted{fills, pays},
			`npx playwright test /copy/a\.spec\.ts:9 /copy/cart\.spec\.ts:5 --workers=4 --fully-parallel --workers=1 --project=chromium --retries=0 --reporter=dot`},
		{"by their titles where places do not tell them", "npx playwright test", []wanted{titledFills, titledPays},
			`npx playwright test /copy/a\.spec\.ts:9 /copy/cart\.spec\.ts:5 --workers=1 --grep=/ (the cart \(1\)( @\S+)* fills\|it\$|/pays/gi)( @\S+)*$/ --project=chromium --retries=0 --reporter=dot`},
		{"as pytest is told", "pytest -q tests", []wanted{first, second}, `pytest -q -p no:randomly test_b.py::test_fills test_a.py::test_pays`},
		{"in no worker of pytest-xdist", "pytest -n 4", []wanted{worker, second}, `pytest -n 4 -p no:randomly -n0 test_b.py::test_fills test_a.py::test_pays`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := takeApart(strings.Fields(c.command), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.commandInOrder(c.tests)
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestABatchFileGetsNoSignsOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, unsafe := range map[string]bool{"firefox nightly (2)": false, "a&calc": true, "%PATH%": true, `x" y`: true} {
		for _, w := range []wanted{{path: name}, {project: name}, {node: name}} {
			if w.unsafeOn("windows") != unsafe || w.unsafeOn("linux") {
				t.Errorf("%+v", w)
			}
		}
	}
	if titled := (wanted{titles: []string{"plain"}}); !titled.unsafeOn("windows") || titled.unsafeOn("linux") {
		t.Error("a filter by titles is made of such signs")
	}
}

func TestACommandThatCannotBeNarrowedSaysWhy(t *testing.T) {
	t.Parallel()
	const scripts = `{"scripts": {"e2e": "start-server && playwright test", "loop": "npm run loop"}}`
	for _, c := range []struct{ command, want string }{
		{"make e2e", `"make e2e" is no test runner that a trial can filter`},
		{"sh -c true", `"sh -c true" is no test runner`},
		{"npx playwright install", "no test runner that a trial can filter"},
		{"npm run e2e", `the script "e2e" is more than one plain command`},
		{"npm run absent", `has no script "absent"`},
		{"npm run loop", "call each other"},
		{"npx playwright test -u", "no trial is made with -u"},
		{"npx playwright test --update-snapshots=all", "no trial is made with --update-snapshots"},
		{"npx playwright test --new-option tests/a.spec.ts", `whether "tests/a.spec.ts" is the value of --new-option cannot be told: write it as --new-option=…`},
		{"pytest --pdb", "no trial is made with --pdb"},
		{"pytest --my-env staging", `whether "staging" is the value of --my-env`},
		{"mvn deploy", `Maven's goal "deploy"`},
		{"mvn clean", "names none of Maven's phases"},
		{"mvn test -pl web", "write the value of -pl behind it without a space"},
		{"gradle publish test", `Gradle's task "publish"`},
		{"gradle clean", "names no task of Gradle that runs tests"},
		{"dotnet test --list-tests", "no trial is made with --list-tests"},
		{"go test -exec sudo ./...", "no trial is made with -exec"},
	} {
		_, err := takeApart(strings.Fields(c.command), []byte(scripts))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.command, err, c.want)
		}
	}
}

// What a test is called comes from its run.
func TestATestThatNoFilterNamesIsNotRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		tests   []wanted
	}{
		{"npx playwright test", []wanted{{id: "unknown test"}}},
		{"npx playwright test", []wanted{{id: "a.spec.ts › b", path: "--config=/tmp/a.ts", line: 1}}},
		{"pytest", []wanted{{id: "a"}}},
		{"pytest", []wanted{{id: "a", node: "--pdb"}}},
		{"pytest", []wanted{{id: "a", node: "@options.txt"}}},
		{"mvn test", []wanted{{id: "com.shop.LoginTests › signs in, 'quickly'"}}},
		{"mvn test", []wanted{{id: "a.B › c"}, {id: "a.B › d"}}},
		{"gradle test", []wanted{{id: "login"}}},
		{"dotnet test", []wanted{{id: "Shop.Tests › A|B"}}},
		{"go test", []wanted{{id: "unknown test"}}},
		{"go test", []wanted{{id: "p › Helper"}}},
	} {
		s, err := takeApart(strings.Fields(c.command), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.command(c.tests, 0); err == nil {
			t.Errorf("%s of %+v is narrowed to %v", c.command, c.tests, got)
		}
	}
}
