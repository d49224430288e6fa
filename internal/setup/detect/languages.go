package detect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/playwrightgo"
)

var (
	csprojName      = lazyregexp.New(`^[^/]*\.(csproj|fsproj)$`)
	modName         = lazyregexp.New(`^go\.mod$`)
	testProject     = lazyregexp.New(`Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|Microsoft\.Playwright\.(?:NUnit|MSTest|Xunit|TUnit)\b[^.]|(?i)<IsTestProject>\s*true|<(?:TestingPlatform|EnableMSTestRunner|EnableNUnitRunner)`)
	usesCrumb       = lazyregexp.New(`(?m)^(?:require)?\s*github\.com/breadcrumb/action\s`)
	targetFramework = lazyregexp.New(`<TargetFramework>\s*(net\d{1,2}\.\d)\s*<`)
)

// languages are the languages in the order they are looked for, with how to find
// their suites, and the suite of a folder in which no file says more.
var languages = []struct {
	lang     Lang
	find     func(*Checkout) []Suite
	suiteFor func(p *Checkout, dir, found string) Suite
}{
	{TS, (*Checkout).nodeSuites, (*Checkout).playwrightSuite},
	{Python, (*Checkout).pythonSuites, (*Checkout).pytestSuite},
	{Java, (*Checkout).javaSuites, (*Checkout).mavenSuite},
	{CSharp, (*Checkout).csharpSuites, (*Checkout).dotnetSuite},
	{Go, func(p *Checkout) []Suite {
		return p.suitesByFolder(p.Files(modName), p.requiresPlaywrightGo, p.gotestSuite)
	}, (*Checkout).gotestSuite},
}

// Suites returns the suites of a language, or of all of them when lang is "".
func (p *Checkout) Suites(lang Lang) []Suite {
	var all []Suite
	for _, l := range languages {
		if lang == "" || lang == l.lang {
			all = append(all, l.find(p)...)
		}
	}
	for i := range all {
		all[i].Heals = below(all[i].Dir, healEvents)
	}
	return all
}

// DefaultSuite returns the suite of a language for a checkout that names none.
func (p *Checkout) DefaultSuite(lang Lang) Suite {
	var s Suite
	for _, l := range languages {
		if lang == l.lang {
			s = l.suiteFor(p, ".", "")
		}
	}
	s.Heals = []string{healEvents}
	return s
}

// Langs returns every language in the order they are looked for.
func Langs() []Lang {
	langs := make([]Lang, len(languages))
	for i, l := range languages {
		langs[i] = l.lang
	}
	return langs
}

// ParseLang returns the language of a name; "js" and "typescript" are names, too.
func ParseLang(name string) (Lang, error) {
	lang := Lang(strings.ToLower(name))
	switch {
	case slices.Contains(Langs(), lang):
		return lang, nil
	case slices.Contains([]Lang{"js", "typescript", "javascript"}, lang):
		return TS, nil
	}
	return "", fmt.Errorf("language %q is none of ts, python, java, csharp, go", name)
}

// testFile matches the names that files of tests have in every language.
var testFile = lazyregexp.New(`\.(?:spec|test|e2e)\.[mc]?[jt]sx?$|^test_\w+\.py$|_test\.(?:py|go)$|Tests?\.(?:java|kt|cs)$|^Test\w+\.java$`)

// SortBySize sorts suites by the number of test files in their folders, the most first.
func (p *Checkout) SortBySize(suites []Suite) {
	tests, size := p.Files(testFile), map[string]int{}
	for _, s := range suites {
		for _, name := range tests {
			if s.Dir == "." || strings.HasPrefix(name, s.Dir+"/") {
				size[s.Dir]++
			}
		}
	}
	slices.SortStableFunc(suites, func(a, b Suite) int { return size[b.Dir] - size[a.Dir] })
}

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

func (p *Checkout) gotestSuite(dir, found string) Suite {
	module, version := playwrightgo.Required(p.Text(found))
	s := Suite{Lang: Go, Runner: "go test", Dir: dir, Found: found, Reports: below(dir, "results/go.xml"), Heal: usesCrumb.MatchString(p.Text(found))}
	s.Setup = []Step{{Uses: setupGo, With: []Pair{{"go-version-file", path.Join(dir, "go.mod")}}},
		{Run: "go run " + cmp.Or(module, playwrightgo.Module) + "/cmd/playwright install --with-deps chromium", Dir: dir}}
	s.Test = Step{Run: "go run gotest.tools/gotestsum@v1.13.0 --junitfile results/go.xml -- -count=1 ./...", Dir: dir}
	if fault := playwrightgo.DriverFault(module, version); fault != "" {
		s.Needs = []string{found + ": " + fault}
	}
	return s
}

func (p *Checkout) requiresPlaywrightGo(goMod string) bool {
	module, _ := playwrightgo.Required(p.Text(goMod))
	return module != ""
}

// DriverFaults says of every go.mod whose playwright-go cannot install its driver any
// more why, and what to do, each as "file: why".
func (p *Checkout) DriverFaults() []string {
	var faults []string
	for _, name := range p.Files(modName) {
		if fault := playwrightgo.DriverFault(playwrightgo.Required(p.Text(name))); fault != "" {
			faults = append(faults, name+": "+fault)
		}
	}
	return faults
}

var (
	requirements = lazyregexp.New(`^([\w.-]*requirements[\w.-]*\.(txt|in)|pyproject\.toml|Pipfile|setup\.cfg|environment\.ya?ml)$`)
	// The files in a folder named requirements.
	requirementsText = lazyregexp.New(`\.(txt|in)$`)
	pythonTest       = lazyregexp.New(`^(test_\w+|\w+_test)\.py$`)
	// Playwright at the start of a line, or as one of a list of requirements.
	playwrightPy   = lazyregexp.New(`(?mi)^[\s"'-]*(?:pytest-)?playwright\b|[\[,]\s*["'](?:pytest-)?playwright\s*["'\[<>=!~;@]`)
	requiresPython = lazyregexp.New(`(?m)^\s*requires-python\s*=`)

	tomlTable = lazyregexp.New(`^\s*\[([\w.-]+)\]\s*(?:#.*)?$`)
	tomlKey   = lazyregexp.New(`^\s*["']?([\w.-]+)["']?\s*=`)
	partName  = lazyregexp.New(`^[A-Za-z0-9][\w.-]*$`)
)

// pythonSuites returns the suites of pytest: one for each folder that requires
// Playwright and is the top or has tests. (A program can require Playwright
// without having tests.)
func (p *Checkout) pythonSuites() []Suite {
	names, tests := p.Files(requirements), p.Files(pythonTest)
	for _, name := range p.Files(requirementsText) {
		if ownFolder(name) != path.Dir(name) {
			names = append(names, name)
		}
	}
	return p.suitesByFolder(names, func(name string) bool {
		dir := ownFolder(name)
		below := func(test string) bool { return dir == "." || strings.HasPrefix(test, dir+"/") }
		return playwrightPy.MatchString(p.Text(name)) && (path.Dir(name) == "." || slices.ContainsFunc(tests, below))
	}, p.pytestSuite)
}

// ownFolder returns the folder whose requirements a file lists: its own, or the
// one above a folder named requirements.
func ownFolder(name string) string {
	dir := path.Dir(name)
	if path.Base(dir) == "requirements" {
		return path.Dir(dir)
	}
	return dir
}

// TracingFlag switches the traces of pytest-playwright on, by the variable that the step
// sets to tracing: elements are learned from traces of tests that pass, on the default
// branch, and looked for in those of tests that fail.
const TracingFlag = `--tracing="$TRACING"`

var tracing = Pair{"TRACING", "${{ github.event_name == 'pull_request' && 'retain-on-failure' || 'on' }}"}

// pytestOutput matches the folder of traces among the options of pytest.
var pytestOutput = lazyregexp.New(`--output[= ]["']?([\w./-]+)`)

// pytestSuite returns the suite in dir.
func (p *Checkout) pytestSuite(dir, found string) Suite {
	install, run := p.pythonInstall(dir, found)
	s := Suite{Lang: Python, Runner: "pytest", Dir: dir, Found: found, Reports: below(dir, "results/pytest.xml"), Traces: below(dir, traces)}
	options := ""
	for _, name := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		options += p.Text(path.Join(dir, name)) + "\n"
	}
	s.Setup = []Step{p.pythonVersion(dir), {Run: install, Dir: dir}, {Run: run + "playwright install --with-deps", Dir: dir}}
	s.Test = Step{Run: run + "pytest --junitxml=results/pytest.xml", Dir: dir}
	if m := pytestOutput.FindStringSubmatch(options); m != nil && s.isInside(m[1]) {
		s.Traces = below(dir, m[1]+"/**/trace.zip")
	}
	switch {
	case found != "" && !strings.Contains(p.Text(found), "pytest-playwright"):
		s.Traces = nil
	case !strings.Contains(options, "--tracing"): // what the project chose stays
		s.Test.Run += " " + TracingFlag
		s.Test.Env = []Pair{tracing}
	}
	return s
}

// pythonInstall returns the command that installs what the tests require, and the
// prefix of commands that use it.
func (p *Checkout) pythonInstall(dir, found string) (install, run string) {
	extra, group := playwrightExtra(p.Text(found))
	flag := func(name, value string) string {
		if value == "" {
			return ""
		}
		return " --" + name + " " + value
	}
	switch {
	case p.firstFile(dir, "uv.lock") != "":
		return "pipx install uv && uv sync" + flag("extra", extra) + flag("group", group), "uv run "
	case p.firstFile(dir, "poetry.lock") != "":
		return "pipx install poetry && poetry install" + flag("extras", extra), "poetry run "
	case p.firstFile(dir, "Pipfile.lock") != "":
		return "pipx install pipenv && pipenv sync --dev", "pipenv run "
	case found == "":
		return "pip install pytest-playwright", ""
	case path.Base(found) == "Pipfile":
		return "pipx install pipenv && pipenv install --dev", "pipenv run "
	case strings.Contains(found, "requirements"):
		return "pip install -r " + strings.TrimPrefix(strings.TrimPrefix(found, dir), "/"), ""
	case group != "":
		return "pip install --upgrade pip && pip install -e . --group " + group, ""
	case extra != "":
		return `pip install -e ".[` + extra + `]"`, ""
	}
	return "pip install -e .", ""
}

// playwrightExtra returns the extra or the dependency group of a pyproject.toml
// that requires Playwright, "" when the project itself requires it
// (https://packaging.python.org/en/latest/specifications/dependency-groups/).
func playwrightExtra(text string) (extra, group string) {
	table, key := "", ""
	for line := range strings.Lines(text) {
		if m := tomlTable.FindStringSubmatch(line); m != nil {
			table, key = m[1], ""
		} else if m := tomlKey.FindStringSubmatch(line); m != nil {
			key = m[1]
		}
		switch {
		case !playwrightPy.MatchString(line) || !partName.MatchString(key):
		case table == "project.optional-dependencies":
			return key, ""
		case table == "dependency-groups":
			return "", key
		default:
			return "", ""
		}
	}
	return "", ""
}

func (p *Checkout) pythonVersion(dir string) Step {
	with := Pair{"python-version", "3.x"}
	switch {
	case p.firstFile(dir, ".python-version") != "":
		with = Pair{"python-version-file", path.Join(dir, ".python-version")}
	case requiresPython.MatchString(p.Text(path.Join(dir, "pyproject.toml"))):
		with = Pair{"python-version-file", path.Join(dir, "pyproject.toml")}
	}
	return Step{Uses: setupPython, With: []Pair{with}}
}
