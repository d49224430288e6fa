package setup

import (
	"testing"
	"testing/fstest"
)

func TestPythonIsFoundWhereverPlaywrightIsNamed(t *testing.T) {
	for _, c := range []struct{ name, file, text, lock, install string }{
		{"a group on one line", "pyproject.toml", "[dependency-groups]\ndev = [\"pytest\", \"pytest-playwright>=0.5\"]\n", "uv.lock", "pipx install uv && uv sync --group dev"},
		{"a group without a lock", "pyproject.toml", "[dependency-groups]\ne2e = [\n  \"pytest-playwright\",\n]\n", "", "pip install --upgrade pip && pip install -e . --group e2e"},
		{"an extra", "pyproject.toml", "[project]\ndependencies = [\"flask\"]\n[project.optional-dependencies]\ntest = ['pytest', 'playwright==1.49']\n", "", `pip install -e ".[test]"`},
		{"an extra with uv", "pyproject.toml", "[project.optional-dependencies]\ntest = [\"playwright\"]\n", "uv.lock", "pipx install uv && uv sync --extra test"},
		{"needed in any case", "pyproject.toml", "[project]\ndependencies = [\"playwright\"]\n", "", "pip install -e ."},
		{"a name that is a command", "pyproject.toml", "[dependency-groups]\n\"$(id)\" = [\"playwright\"]\n", "", "pip install -e ."},
		{"poetry", "pyproject.toml", "[tool.poetry.group.dev.dependencies]\nplaywright = \"^1.40\"\n", "poetry.lock", "pipx install poetry && poetry install"},
		{"a Pipfile without a lock", "Pipfile", "[dev-packages]\npytest-playwright = \"*\"\n", "", "pipx install pipenv && pipenv install --dev"},
		{"requirements", "requirements-dev.txt", "pytest\npytest-playwright==0.7\n", "", "pip install -r requirements-dev.txt"},
		{"only spoken of", "pyproject.toml", "[project]\ndescription = \"playwright alternatives\"\n# not [\"playwright-less\"]\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{c.file: {Data: []byte(c.text)}}
			if c.lock != "" {
				tree[c.lock] = &fstest.MapFile{}
			}
			plan, err := Make(tree, Options{Own: own})
			switch {
			case c.install == "":
				if err == nil {
					t.Errorf("found %v", plan.Suites)
				}
			case err != nil:
				t.Error(err)
			case plan.Suites[0].Setup[1].Run != c.install:
				t.Errorf("installs by %s, want %s", plan.Suites[0].Setup[1].Run, c.install)
			}
		})
	}
}
