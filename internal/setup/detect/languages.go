package detect

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	pomName         = regexp.MustCompile(`^pom\.xml$`)
	gradleName      = regexp.MustCompile(`^build\.gradle(\.kts)?$`)
	csprojName      = regexp.MustCompile(`^[^/]*\.(csproj|fsproj)$`)
	modName         = regexp.MustCompile(`^go\.mod$`)
	playwrightGo    = regexp.MustCompile(`(?m)^\s*(?:require\s+)?(github\.com/(?:playwright-community|mxschmitt)/playwright-go)\s`)
	javaPlaywright  = regexp.MustCompile(`(?s)com\.microsoft\.playwright.{0,200}?\b(\d{1,3}\.\d{1,4}\.\d{1,4})\b`)
	mavenJava       = regexp.MustCompile(`<(?:maven\.compiler\.release|maven\.compiler\.target|java\.version|release)>\s*(\d{1,2})\s*<`)
	gradleJava      = regexp.MustCompile(`(?:JavaLanguageVersion\.of\(\s*|JavaVersion\.VERSION_)(\d{1,2})\b`)
	testProject     = regexp.MustCompile(`Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|Microsoft\.Playwright\.(?:NUnit|MSTest|Xunit|TUnit)\b[^.]|(?i)<IsTestProject>\s*true|<(?:TestingPlatform|EnableMSTestRunner|EnableNUnitRunner)`)
	targetFramework = regexp.MustCompile(`<TargetFramework>\s*(net\d{1,2}\.\d)\s*<`)
)

// suitesByFolder returns a suite for each folder that has a matching file, but
// none for a folder below another one.
func (p *Checkout) suitesByFolder(names []string, matches func(string) bool, suite func(dir, found string) Suite) []Suite {
	var suites []Suite
	for _, name := range names {
		dir := ownFolder(name)
		covered := slices.ContainsFunc(suites, func(s Suite) bool { return s.Dir == "." || s.Dir == dir || strings.HasPrefix(dir, s.Dir+"/") })
		if !covered && matches(name) {
			suites = append(suites, suite(dir, name))
		}
	}
	return suites
}

// javaSuites returns the suites of Maven and Gradle.
func (p *Checkout) javaSuites() []Suite {
	uses := func(name string) bool { return strings.Contains(p.Text(name), "com.microsoft.playwright") }
	suites := p.suitesByFolder(p.Files(pomName), uses, func(dir, found string) Suite { return p.mavenSuite(p.parent(dir), found) })
	for _, g := range p.suitesByFolder(p.Files(gradleName), uses, p.gradleSuite) {
		if !slices.ContainsFunc(suites, func(s Suite) bool { return s.Dir == g.Dir }) {
			suites = append(suites, g)
		}
	}
	return suites
}

// parent returns the folder of the project that builds the module in dir.
func (p *Checkout) parent(dir string) string {
	for at := dir; at != "."; {
		at = path.Dir(at)
		if strings.Contains(p.Text(path.Join(at, "pom.xml")), "<modules>") {
			return at
		}
	}
	return dir
}

func (p *Checkout) mavenSuite(dir, found string) Suite {
	mvn := "mvn"
	if p.firstFile(dir, "mvnw") != "" {
		mvn = "./mvnw"
	}
	goal, reports := "test", []string{"**/target/surefire-reports/TEST-*.xml"}
	if strings.Contains(p.Text(found), "maven-failsafe-plugin") {
		goal, reports = "verify", append(reports, "**/target/failsafe-reports/TEST-*.xml")
	}
	return Suite{Lang: Java, Runner: "Maven", Dir: dir, Found: found, Reports: below(dir, reports...),
		Setup: append(p.javaVersion(mavenJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: mvn + " --batch-mode --fail-at-end " + goal, Dir: dir}}
}

func (p *Checkout) gradleSuite(dir, found string) Suite {
	at, wrapper := p.nearestAbove(dir, "gradlew")
	gradle := "gradle"
	if wrapper != "" {
		dir, gradle = at, "./gradlew"
	}
	return Suite{Lang: Java, Runner: "Gradle", Dir: dir, Found: found, Reports: below(dir, "**/build/test-results/**/TEST-*.xml"),
		Setup: append(p.javaVersion(gradleJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: gradle + " test --continue", Dir: dir}}
}

// javaBrowsers returns the step that installs the libraries that browsers need.
// Playwright fetches the browsers themselves when a test starts one.
func (p *Checkout) javaBrowsers(found string) Step {
	version := ""
	if m := javaPlaywright.FindStringSubmatch(p.Text(found)); m != nil {
		version = "@" + m[1]
	}
	return Step{Run: "npx --yes playwright" + version + " install-deps"}
}

// javaVersion returns the step that installs the version that a build file names.
// Without one, the runner's own Java is used.
func (p *Checkout) javaVersion(pattern *regexp.Regexp, found string) []Step {
	m := pattern.FindStringSubmatch(p.Text(found))
	if m == nil {
		return nil
	}
	return []Step{{Uses: setupJava, With: []Pair{{"distribution", "temurin"}, {"java-version", m[1]}}}}
}

// csharpSuites returns the suites of dotnet test: the projects that use
// Playwright, and only the test projects when some of them say that they are.
func (p *Checkout) csharpSuites() []Suite {
	uses := func(name string) bool { return strings.Contains(p.Text(name), "Microsoft.Playwright") }
	tests := func(name string) bool { return uses(name) && testProject.MatchString(p.Text(name)) }
	if suites := p.suitesByFolder(p.Files(csprojName), tests, p.dotnetSuite); len(suites) > 0 {
		return suites
	}
	return p.suitesByFolder(p.Files(csprojName), uses, p.dotnetSuite)
}

func (p *Checkout) dotnetSuite(dir, found string) Suite {
	text := p.Text(found)
	framework := "*"
	if m := targetFramework.FindStringSubmatch(text); m != nil {
		framework = m[1]
	}
	s := Suite{Lang: CSharp, Runner: "dotnet test", Dir: dir, Found: found, Reports: below(dir, "results/dotnet.xml")}
	if at, name := p.nearestAbove(dir, "global.json"); name != "" {
		s.Setup = append(s.Setup, Step{Uses: setupDotnet, With: []Pair{{"global-json-file", path.Join(at, name)}}})
	}
	s.Setup = append(s.Setup, Step{Run: "dotnet build", Dir: dir},
		Step{Run: "pwsh bin/Debug/" + framework + "/playwright.ps1 install --with-deps", Dir: dir})
	s.Test = Step{Run: `dotnet test --no-build --logger "junit;LogFilePath=results/dotnet.xml"`, Dir: dir}
	if !strings.Contains(text, "JunitXml.TestLogger") {
		s.Needs = []string{"dotnet test writes JUnit XML with the package JunitXml.TestLogger; add it once: dotnet add package JunitXml.TestLogger"}
	}
	return s
}

// goSuites returns the suites of go test with playwright-go.
func (p *Checkout) goSuites() []Suite {
	return p.suitesByFolder(p.Files(modName), func(name string) bool { return playwrightGo.MatchString(p.Text(name)) }, p.gotestSuite)
}

func (p *Checkout) gotestSuite(dir, found string) Suite {
	text := p.Text(found)
	module := "github.com/playwright-community/playwright-go"
	if m := playwrightGo.FindStringSubmatch(text); m != nil {
		module = m[1]
	}
	s := Suite{Lang: Go, Runner: "go test", Dir: dir, Found: found, Reports: below(dir, "results/go.xml")}
	s.Setup = []Step{{Uses: setupGo, With: []Pair{{"go-version-file", path.Join(dir, "go.mod")}}},
		{Run: "go run " + module + "/cmd/playwright install --with-deps chromium", Dir: dir}}
	s.Test = Step{Run: "go run gotest.tools/gotestsum@v1.13.0 --junitfile results/go.xml -- -count=1 ./...", Dir: dir}
	return s
}
