package setup

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	pomName        = regexp.MustCompile(`^pom\.xml$`)
	gradleName     = regexp.MustCompile(`^build\.gradle(\.kts)?$`)
	csprojName     = regexp.MustCompile(`^[^/]*\.(csproj|fsproj)$`)
	modName        = regexp.MustCompile(`^go\.mod$`)
	playwrightGo   = regexp.MustCompile(`(?m)^\s*(?:require\s+)?(github\.com/(?:playwright-community|mxschmitt)/playwright-go)\s`)
	javaPlaywright = regexp.MustCompile(`(?s)com\.microsoft\.playwright.{0,200}?\b(\d{1,3}\.\d{1,4}\.\d{1,4})\b`)
	mavenJava      = regexp.MustCompile(`<(?:maven\.compiler\.release|maven\.compiler\.target|java\.version|release)>\s*(\d{1,2})\s*<`)
	gradleJava     = regexp.MustCompile(`(?:JavaLanguageVersion\.of\(\s*|JavaVersion\.VERSION_)(\d{1,2})\b`)
	testProject    = regexp.MustCompile(`Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|Microsoft\.Playwright\.(?:NUnit|MSTest|Xunit|TUnit)\b[^.]|(?i)<IsTestProject>\s*true|<(?:TestingPlatform|EnableMSTestRunner|EnableNUnitRunner)`)
	targetFramwork = regexp.MustCompile(`<TargetFramework>\s*(net\d{1,2}\.\d)\s*<`)
)

// folders returns a suite for each folder with a file that tells, but none for
// those below another.
func (p *project) folders(names []string, tells func(string) bool, suite func(dir, found string) Suite) []Suite {
	var suites []Suite
	for _, name := range names {
		dir := home(name)
		covered := slices.ContainsFunc(suites, func(s Suite) bool { return s.Dir == "." || s.Dir == dir || strings.HasPrefix(dir, s.Dir+"/") })
		if !covered && tells(name) {
			suites = append(suites, suite(dir, name))
		}
	}
	return suites
}

// java returns the suites of Maven and Gradle.
func (p *project) java() []Suite {
	tells := func(name string) bool { return strings.Contains(p.text(name), "com.microsoft.playwright") }
	suites := p.folders(p.named(pomName), tells, func(dir, found string) Suite { return p.maven(p.parent(dir), found) })
	for _, g := range p.folders(p.named(gradleName), tells, p.gradle) {
		if !slices.ContainsFunc(suites, func(s Suite) bool { return s.Dir == g.Dir }) {
			suites = append(suites, g)
		}
	}
	return suites
}

// parent returns the folder of the project that builds the module in dir.
func (p *project) parent(dir string) string {
	for at := dir; at != "."; {
		at = path.Dir(at)
		if strings.Contains(p.text(path.Join(at, "pom.xml")), "<modules>") {
			return at
		}
	}
	return dir
}

func (p *project) maven(dir, found string) Suite {
	mvn := "mvn"
	if p.first(dir, "mvnw") != "" {
		mvn = "./mvnw"
	}
	goal, reports := "test", []string{"**/target/surefire-reports/TEST-*.xml"}
	if strings.Contains(p.text(found), "maven-failsafe-plugin") {
		goal, reports = "verify", append(reports, "**/target/failsafe-reports/TEST-*.xml")
	}
	return Suite{Lang: Java, Runner: "Maven", Dir: dir, Found: found, Reports: below(dir, reports...),
		Setup: append(p.javaVersion(mavenJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: mvn + " --batch-mode --fail-at-end " + goal, Dir: dir}}
}

func (p *project) gradle(dir, found string) Suite {
	at, wrapper := p.above(dir, "gradlew")
	gradle := "gradle"
	if wrapper != "" {
		dir, gradle = at, "./gradlew"
	}
	return Suite{Lang: Java, Runner: "Gradle", Dir: dir, Found: found, Reports: below(dir, "**/build/test-results/**/TEST-*.xml"),
		Setup: append(p.javaVersion(gradleJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: gradle + " test --continue", Dir: dir}}
}

// javaBrowsers returns the step for the libraries that browsers need; the
// browsers themselves Playwright fetches when a test starts one.
func (p *project) javaBrowsers(found string) Step {
	version := ""
	if m := javaPlaywright.FindStringSubmatch(p.text(found)); m != nil {
		version = "@" + m[1]
	}
	return Step{Run: "npx --yes playwright" + version + " install-deps"}
}

// javaVersion returns the step for the version that a build file names; without,
// the runner's own is used.
func (p *project) javaVersion(pattern *regexp.Regexp, found string) []Step {
	m := pattern.FindStringSubmatch(p.text(found))
	if m == nil {
		return nil
	}
	return []Step{{Uses: setupJava, With: []pair{{"distribution", "temurin"}, {"java-version", m[1]}}}}
}

// csharp returns the suites of dotnet test: the projects that name Playwright, of
// those the test projects where any says that it is one.
func (p *project) csharp() []Suite {
	uses := func(name string) bool { return strings.Contains(p.text(name), "Microsoft.Playwright") }
	tests := func(name string) bool { return uses(name) && testProject.MatchString(p.text(name)) }
	if suites := p.folders(p.named(csprojName), tests, p.dotnet); len(suites) > 0 {
		return suites
	}
	return p.folders(p.named(csprojName), uses, p.dotnet)
}

func (p *project) dotnet(dir, found string) Suite {
	text := p.text(found)
	framework := "*"
	if m := targetFramwork.FindStringSubmatch(text); m != nil {
		framework = m[1]
	}
	s := Suite{Lang: CSharp, Runner: "dotnet test", Dir: dir, Found: found, Reports: below(dir, "results/dotnet.xml")}
	if at, name := p.above(dir, "global.json"); name != "" {
		s.Setup = append(s.Setup, Step{Uses: setupDotnet, With: []pair{{"global-json-file", path.Join(at, name)}}})
	}
	s.Setup = append(s.Setup, Step{Run: "dotnet build", Dir: dir},
		Step{Run: "pwsh bin/Debug/" + framework + "/playwright.ps1 install --with-deps", Dir: dir})
	s.Test = Step{Run: `dotnet test --no-build --logger "junit;LogFilePath=results/dotnet.xml"`, Dir: dir}
	if !strings.Contains(text, "JunitXml.TestLogger") {
		s.Needs = []string{"dotnet test writes JUnit XML with the package JunitXml.TestLogger; add it once: dotnet add package JunitXml.TestLogger"}
	}
	return s
}

// golang returns the suites of go test with playwright-go.
func (p *project) golang() []Suite {
	return p.folders(p.named(modName), func(name string) bool { return playwrightGo.MatchString(p.text(name)) }, p.gotest)
}

func (p *project) gotest(dir, found string) Suite {
	text := p.text(found)
	module := "github.com/playwright-community/playwright-go"
	if m := playwrightGo.FindStringSubmatch(text); m != nil {
		module = m[1]
	}
	s := Suite{Lang: Go, Runner: "go test", Dir: dir, Found: found, Reports: below(dir, "results/go.xml")}
	s.Setup = []Step{{Uses: setupGo, With: []pair{{"go-version-file", path.Join(dir, "go.mod")}}},
		{Run: "go run " + module + "/cmd/playwright install --with-deps chromium", Dir: dir}}
	s.Test = Step{Run: "go run gotest.tools/gotestsum@v1.13.0 --junitfile results/go.xml -- -count=1 ./...", Dir: dir}
	return s
}
