package setup

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	requirements = regexp.MustCompile(`^([\w.-]*requirements[\w.-]*\.(txt|in)|pyproject\.toml|Pipfile|setup\.cfg|environment\.ya?ml)$`)
	// The texts of a folder of requirements.
	requirementsText = regexp.MustCompile(`\.(txt|in)$`)
	pythonTest       = regexp.MustCompile(`^(test_\w+|\w+_test)\.py$`)
	// Playwright at the start of a line, or as one of a list of requirements.
	playwrightPy   = regexp.MustCompile(`(?mi)^[\s"'-]*(?:pytest-)?playwright\b|[\[,]\s*["'](?:pytest-)?playwright\s*["'\[<>=!~;@]`)
	requiresPython = regexp.MustCompile(`(?m)^\s*requires-python\s*=`)

	tomlTable = regexp.MustCompile(`^\s*\[([\w.-]+)\]\s*(?:#.*)?$`)
	tomlKey   = regexp.MustCompile(`^\s*["']?([\w.-]+)["']?\s*=`)
	partName  = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`)
)

// python returns the suites of pytest with Playwright: one for each folder that
// names it among what it needs, the top or one with tests. A program can need
// Playwright, too.
func (p *project) python() []Suite {
	names, tests := p.named(requirements), p.named(pythonTest)
	for _, name := range p.named(requirementsText) {
		if home(name) != path.Dir(name) {
			names = append(names, name)
		}
	}
	return p.folders(names, func(name string) bool {
		dir := home(name)
		below := func(test string) bool { return dir == "." || strings.HasPrefix(test, dir+"/") }
		return playwrightPy.MatchString(p.text(name)) && (path.Dir(name) == "." || slices.ContainsFunc(tests, below))
	}, p.pytest)
}

// home returns the folder of which a file tells the needs: its own, or the one
// around a folder of requirements.
func home(name string) string {
	dir := path.Dir(name)
	if path.Base(dir) == "requirements" {
		return path.Dir(dir)
	}
	return dir
}

// pytest returns the suite in dir.
func (p *project) pytest(dir, found string) Suite {
	install, run := p.pythonInstall(dir, found)
	s := Suite{Lang: Python, Runner: "pytest", Dir: dir, Found: found, Reports: below(dir, "results/pytest.xml"), Traces: below(dir, traces)}
	s.Setup = []Step{p.pythonVersion(dir), {Run: install, Dir: dir}, {Run: run + "playwright install --with-deps", Dir: dir}}
	s.Test = Step{Run: run + "pytest --junitxml=results/pytest.xml --tracing=retain-on-failure", Dir: dir}
	if found != "" && !strings.Contains(p.text(found), "pytest-playwright") {
		s.Test.Run, s.Traces = run+"pytest --junitxml=results/pytest.xml", nil
	}
	return s
}

// pythonInstall returns the command that installs what the tests need, and what
// stands before the commands that need it.
func (p *project) pythonInstall(dir, found string) (install, run string) {
	extra, group := part(p.text(found))
	switch {
	case p.first(dir, "uv.lock") != "":
		return "pipx install uv && uv sync" + option(" --extra ", extra) + option(" --group ", group), "uv run "
	case p.first(dir, "poetry.lock") != "":
		return "pipx install poetry && poetry install" + option(" --extras ", extra), "poetry run "
	case p.first(dir, "Pipfile.lock") != "":
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

// part returns the extra, or the group, of a pyproject.toml that names
// Playwright, "" where that is needed in any case
// (https://packaging.python.org/en/latest/specifications/dependency-groups/).
func part(text string) (extra, group string) {
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

func (p *project) pythonVersion(dir string) Step {
	with := pair{"python-version", "3.x"}
	switch {
	case p.first(dir, ".python-version") != "":
		with = pair{"python-version-file", path.Join(dir, ".python-version")}
	case requiresPython.MatchString(p.text(path.Join(dir, "pyproject.toml"))):
		with = pair{"python-version-file", path.Join(dir, "pyproject.toml")}
	}
	return Step{Uses: setupPython, With: []pair{with}}
}
