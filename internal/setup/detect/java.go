package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

var (
	pomName        = lazyregexp.New(`^pom\.xml$`)
	gradleName     = lazyregexp.New(`^build\.gradle(\.kts)?$`)
	javaPlaywright = lazyregexp.New(`(?s)com\.microsoft\.playwright.{0,200}?\b(\d{1,3}\.\d{1,4}\.\d{1,4})\b`)
	mavenJava      = lazyregexp.New(`<(?:maven\.compiler\.release|maven\.compiler\.target|java\.version|release)>\s*(\d{1,2})\s*<`)
	gradleJava     = lazyregexp.New(`(?:JavaLanguageVersion\.of\(\s*|JavaVersion\.VERSION_)(\d{1,2})\b`)
)

// javaSuites returns the suites of Maven and Gradle.
func (p *Checkout) javaSuites() []Suite {
	uses := func(name string) bool { return strings.Contains(p.Text(name), "com.microsoft.playwright") }
	suites := p.suitesByFolder(p.Files(pomName), uses, func(dir, found string) Suite { return p.mavenSuite(p.buildingFolder(dir), found) })
	for _, g := range p.suitesByFolder(p.Files(gradleName), uses, p.gradleSuite) {
		if !slices.ContainsFunc(suites, func(s Suite) bool { return s.Dir == g.Dir }) {
			suites = append(suites, g)
		}
	}
	return suites
}

// buildingFolder returns the folder of the project that builds the module in dir.
func (p *Checkout) buildingFolder(dir string) string {
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
	return Suite{Lang: Java, Runner: "Maven", Dir: dir, Found: found, Reports: below(dir, reports...), Traces: below(dir, javaTraces), Advice: p.adviseJavaTraces(dir),
		Setup: append(p.javaVersion(mavenJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: mvn + " --batch-mode --fail-at-end " + goal, Dir: dir}}
}

func (p *Checkout) gradleSuite(dir, found string) Suite {
	at, wrapper := p.nearestAbove(dir, "gradlew")
	gradle := "gradle"
	if wrapper != "" {
		dir, gradle = at, "./gradlew"
	}
	return Suite{Lang: Java, Runner: "Gradle", Dir: dir, Found: found, Reports: below(dir, "**/build/test-results/**/TEST-*.xml"), Traces: below(dir, javaTraces), Advice: p.adviseJavaTraces(dir),
		Setup: append(p.javaVersion(gradleJava, found), p.javaBrowsers(found)),
		Test:  Step{Run: gradle + " test --continue", Dir: dir}}
}

// javaTraces is where Playwright's extension of JUnit writes traces by default.
const javaTraces = "**/test-results/**/trace.zip"

var (
	javaName  = lazyregexp.New(`\.java$`)
	keepsJava = lazyregexp.New(`\.setTrace\(|\.tracing\(\)`)
)

// adviseJavaTraces says how the tests in a folder keep traces, "" when they do.
func (p *Checkout) adviseJavaTraces(dir string) string {
	const maxRead = 500
	for i, name := range p.Files(javaName) {
		if i < maxRead && (dir == "." || strings.HasPrefix(name, dir+"/")) && keepsJava.MatchString(p.Text(name)) {
			return ""
		}
	}
	return `no trace is kept; for suggestions without breadcrumb run, let the OptionsFactory of @UsePlaywright say .setTrace(System.getenv().getOrDefault("GITHUB_HEAD_REF", "").isEmpty() ? Options.Trace.ON : Options.Trace.RETAIN_ON_FAILURE)`
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
func (p *Checkout) javaVersion(pattern *lazyregexp.Regexp, found string) []Step {
	m := pattern.FindStringSubmatch(p.Text(found))
	if m == nil {
		return nil
	}
	return []Step{{Uses: setupJava, With: []Pair{{"distribution", "temurin"}, {"java-version", m[1]}}}}
}
