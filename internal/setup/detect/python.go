package detect

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	requirements = regexp.MustCompile(`^([\w.-]*requirements[\w.-]*\.(txt|in)|pyproject\.toml|Pipfile|setup\.cfg|environment\.ya?ml)$`)
	// The files in a folder named requirements.
	requirementsText = regexp.MustCompile(`\.(txt|in)$`)
	pythonTest       = regexp.MustCompile(`^(test_\w+|\w+_test)\.py$`)
	// Playwright at the start of a line, or as one of a list of requirements.
	playwrightPy   = regexp.MustCompile(`(?mi)^[\s"'-]*(?:pytest-)?playwright\b|[\[,]\s*["'](?:pytest-)?playwright\s*["'\[<>=!~;@]`)
	requiresPython = regexp.MustCompile(`(?m)^\s*requires-python\s*=`)

	tomlTable = regexp.MustCompile(`^\s*\[([\w.-]+)\]\s*(?:#.*)?$`)
	tomlKey   = regexp.MustCompile(`^\s*["']?([\w.-]+)["']?\s*=`)
	partName  = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`)
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

// pytestSuite returns the suite in dir.
func (p *Checkout) pytestSuite(dir, found string) Suite {
	install, run := p.pythonInstall(dir, found)
	s := Suite{Lang: Python, Runner: "pytest", Dir: dir, Found: found, Reports: below(dir, "results/pytest.xml"), Traces: below(dir, traces)}
	s.Setup = []Step{p.pythonVersion(dir), {Run: install, Dir: dir}, {Run: run + "playwright install --with-deps", Dir: dir}}
	s.Test = Step{Run: run + "pytest --junitxml=results/pytest.xml --tracing=retain-on-failure", Dir: dir}
	if found != "" && !strings.Contains(p.Text(found), "pytest-playwright") {
		s.Test.Run, s.Traces = run+"pytest --junitxml=results/pytest.xml", nil
	}
	return s
}

// pythonInstall returns the command that installs what the tests require, and the
// prefix of commands that use it.
func (p *Checkout) pythonInstall(dir, found string) (install, run string) {
	extra, group := playwrightExtra(p.Text(found))
	switch {
	case p.firstFile(dir, "uv.lock") != "":
		return "pipx install uv && uv sync" + option(" --extra ", extra) + option(" --group ", group), "uv run "
	case p.firstFile(dir, "poetry.lock") != "":
		return "pipx install poetry && poetry install" + option(" --extras ", extra), "poetry run "
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

// option returns a flag with its value, "" without one.
func option(flag, value string) string {
	if value == "" {
		return ""
	}
	return flag + value
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
