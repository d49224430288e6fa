package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
)

const own = "breadcrumb/action@v1"

// TestPlansOfProjects compares the plan of every project in testdata/projects
// with the golden file of its name.
func TestPlansOfProjects(t *testing.T) {
	for name, tree := range projects(t) {
		t.Run(name, func(t *testing.T) {
			o := Options{Own: own}
			if lang, _, ok := strings.Cut(name, "-only"); ok {
				o.Lang = detect.Lang(lang)
			}
			o.Separate, o.Plain = strings.HasSuffix(name, "-separate"), strings.HasSuffix(name, "-plain")
			plan, err := Make(tree, o)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/golden/"+name+".txt", told(plan))
			for _, f := range plan.Files {
				if err := yaml.Unmarshal(f.Text, new(map[string]any)); err != nil && f.Name != IgnoreFile {
					t.Errorf("%s: %v", f.Name, err)
				}
			}
		})
	}
}

// checkTold compares what a plan tells with what it must and must not say.
func checkTold(t *testing.T, plan Plan, want, wantNot []string) {
	t.Helper()
	got := told(plan)
	for _, text := range want {
		if !strings.Contains(got, text) {
			t.Errorf("no %q in:\n%s", text, got)
		}
	}
	for _, text := range wantNot {
		if strings.Contains(got, text) {
			t.Errorf("%q in:\n%s", text, got)
		}
	}
}

// told is a plan as text.
func told(plan Plan) string {
	var out strings.Builder
	fmt.Fprintf(&out, "branch %s\n", plan.Branch)
	for _, s := range plan.Suites {
		fmt.Fprintf(&out, "suite %s %s in %s by %s\n", s.Lang, s.Runner, s.Dir, s.Found)
	}
	for _, n := range plan.Notes {
		fmt.Fprintf(&out, "note %s\n", n)
	}
	for _, n := range plan.Todo {
		fmt.Fprintf(&out, "todo %s\n", n)
	}
	if a := plan.Add; a != nil {
		fmt.Fprintf(&out, "add to %s job %s line %d: %s judging %v group %v\n%s\n%s\n%s\n%s\n", a.File, a.Job, a.Line, a.Command, a.Judging, a.Group,
			strings.Join(a.Permissions, "\n"), strings.Join(a.Before, "\n"), strings.Join(a.Test, "\n"), strings.Join(a.Steps, "\n"))
	}
	for _, f := range plan.Files {
		fmt.Fprintf(&out, "-- %s --\n%s", f.Name, f.Text)
	}
	return out.String()
}

// projects reads testdata/projects.
func projects(t *testing.T) map[string]fstest.MapFS {
	t.Helper()
	names, err := filepath.Glob("testdata/projects/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no projects: %v", err)
	}
	all := map[string]fstest.MapFS{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tree := fstest.MapFS{}
		for _, f := range archive.Files {
			tree[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		all[strings.TrimSuffix(filepath.Base(name), ".txtar")] = tree
	}
	return all
}

// The examples to copy are what init writes for a project as most are.
func TestTheExamplesAreWhatIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		project  string
		separate bool
	}{"breadcrumb.yml": {project: "ts"}, "breadcrumb-separate.yml": {project: "ts", separate: true}, "breadcrumb-python.yml": {project: "python"}} {
		plan, err := Make(projects(t)[c.project], Options{Own: own, Separate: c.separate})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range plan.Files {
			example := filepath.Join("../../examples/workflows", filepath.Base(f.Name))
			switch {
			case f.Name == WorkflowFile:
				example = filepath.Join("../../examples/workflows", name)
			case c.project != "ts", f.Name == IgnoreFile:
				continue // their names are taken, or theirs is no example
			case f.Name == SettingsFile:
				example = filepath.Join("../../examples", f.Name)
			}
			want, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(f.Text)); diff != "" {
				t.Errorf("%s (-example +written):\n%s", f.Name, diff)
			}
		}
	}
}

// newWorkflows returns the workflows that Make writes anew for every project, both
// those that judge in the job and those that judge from outside, by names of their own.
func newWorkflows(t *testing.T, own string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, tree := range projects(t) {
		for way, o := range map[string]Options{"inside": {Own: own, Fresh: true}, "outside": {Own: own, Separate: true}} {
			plan, err := Make(tree, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range plan.Files {
				if f.Name != SettingsFile && f.Name != IgnoreFile {
					all[name+"-"+way+"-"+filepath.Base(f.Name)] = f.Text
				}
			}
		}
	}
	return all
}

// pinned is how `make lint` runs actionlint.
var pinned = regexp.MustCompile(`(?m)^ACTIONLINT\s*:= go run (\S+)$`)

func TestWorkflowsPassActionlint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds actionlint")
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tool := pinned.FindStringSubmatch(string(makefile))
	if tool == nil {
		t.Fatal("the Makefile pins no actionlint")
	}
	args := []string{"run", tool[1], "-shellcheck=", "-pyflakes="}
	dir := t.TempDir()
	for name, text := range newWorkflows(t, own) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

// What a released Breadcrumb writes has nothing that its own doctor would find.
func TestWorkflowsKeepTheRules(t *testing.T) {
	for name, text := range newWorkflows(t, "breadcrumb/action@"+strings.Repeat("a", 40)+" # v1.0.0") {
		result, err := workflowlint.Check(name, text)
		if err != nil || len(result.Findings) > 0 {
			t.Errorf("%s: %v, %+v", name, err, result.Findings)
		}
	}
}

// A name in a checkout never becomes more than a value of its place.
func TestHostileNamesStayOut(t *testing.T) {
	hostile := []string{
		"${{ github.token }}", "a$(id)", "a;id", "a\nrun: id", "a'b", `a"b`, "a b", "-rf", "..a/../b", "a`id`", "a#b", "a: b", "[a]", "*", "a\u202eb", "~", "&a", "!a",
	}
	for _, name := range hostile {
		tree := fstest.MapFS{
			"e2e/playwright.config.ts": {Data: []byte("")}, ".git/HEAD": {Data: []byte("ref: refs/heads/" + name)}, ".git/refs/remotes/origin/HEAD": {Data: []byte("ref: refs/remotes/origin/" + name + "\n")},
			"e2e/package.json":         {Data: []byte(`{"scripts": {` + quotedJSON(name) + `: "playwright test && true"}}`)},
			".github/workflows/ci.yml": {Data: []byte("name: " + quoted(name) + "\njobs:\n  a:\n    steps:\n      - run: npx playwright test\n")},
		}
		if fs.ValidPath(name) {
			tree[name+"/playwright.config.ts"] = &fstest.MapFile{Data: []byte(`reporter: [["junit", { outputFile: "` + name + `" }]]`)}
			tree[name+"/go.mod"] = &fstest.MapFile{Data: []byte("require github.com/playwright-community/playwright-go v0.5\n")}
		}
		for _, fresh := range []bool{false, true} {
			plan, err := Make(tree, Options{Own: own, Fresh: fresh})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Suites) != 1 {
				t.Errorf("%q: %d suites", name, len(plan.Suites))
			}
			for _, f := range plan.Files {
				var doc map[string]any
				if err := yaml.Unmarshal(f.Text, &doc); err != nil && f.Name != IgnoreFile {
					t.Errorf("%q: %s: %v", name, f.Name, err)
				}
				if on, _ := doc["on"].(map[string]any); f.Name == ForksFile && !fresh {
					run, _ := on["workflow_run"].(map[string]any)
					if diff := cmp.Diff([]any{name}, run["workflows"]); diff != "" {
						t.Errorf("the workflow's name: %s", diff)
					}
				} else if text := strings.ReplaceAll(string(f.Text), "${{ github.token }}", ""); !detect.PlainPath.MatchString(name) && len(name) > 1 && strings.Contains(text, name) {
					t.Errorf("%q stands in %s", name, f.Name)
				}
			}
		}
	}
}

func quotedJSON(text string) string { return fmt.Sprintf("%q", text) }

func TestNothingIsPlannedWhereNothingIsFound(t *testing.T) {
	for name, tree := range map[string]fstest.MapFS{
		"empty":          {},
		"other tests":    {"package.json": {Data: []byte(`{"devDependencies": {"jest": "1"}}`)}, "go.mod": {Data: []byte("module x\n")}},
		"only installed": {"node_modules/a/playwright.config.ts": {}},
		"broken":         {"package.json": {Data: []byte("{")}, "pyproject.toml": {Data: []byte{0xff}}},
	} {
		if plan, err := Make(tree, Options{Own: own}); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v, %v", name, plan.Suites, err)
		}
	}
	for _, lang := range detect.Langs() {
		plan, err := Make(fstest.MapFS{}, Options{Own: own, Lang: lang})
		if err != nil || len(plan.Suites) != 1 || plan.Suites[0].Lang != lang {
			t.Errorf("%s by hand: %v, %v", lang, plan.Suites, err)
		}
	}
}

func FuzzMake(f *testing.F) {
	f.Add("playwright.config.ts", `reporter: "junit"`, "jobs:\n  a:\n    steps:\n      - run: pytest")
	f.Add("a/pom.xml", "com.microsoft.playwright <java.version>21</java.version>", "on: {}")
	f.Fuzz(func(t *testing.T, name, text, workflow string) {
		if !fs.ValidPath(name) {
			t.Skip()
		}
		tree := fstest.MapFS{name: {Data: []byte(text)}, ".github/workflows/ci.yml": {Data: []byte(workflow)}}
		plan, err := Make(tree, Options{Own: own})
		if err != nil {
			return
		}
		for _, file := range plan.Files {
			if err := yaml.Unmarshal(file.Text, new(map[string]any)); err != nil && file.Name != IgnoreFile {
				t.Errorf("%s: %v\n%s", file.Name, err, file.Text)
			}
		}
	})
}

func TestCheckoutsOfGitLabAreTold(t *testing.T) {
	const gitLab = "[remote \"origin\"]\n\turl = git@gitlab.acme.example:shop/shop.git\n"
	const gitHub = "[remote \"origin\"]\n\turl = git@github.com:shop/shop.git\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"a pipeline and a remote":                 {map[string]string{".gitlab-ci.yml": "", ".git/config": gitLab, ".github/workflows/a.yml": ""}, true},
		"a pipeline alone":                        {map[string]string{".gitlab-ci.yml": ""}, true},
		"a pipeline beside workflows of GitHub's": {map[string]string{".gitlab-ci.yml": "", ".git/config": gitHub, ".github/workflows/a.yml": ""}, false},
		"no pipeline":                             {map[string]string{".git/config": gitLab}, false},
	} {
		tree := fstest.MapFS{"playwright.config.ts": {}}
		for file, text := range c.files {
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if plan, err := Make(tree, Options{Own: own}); err != nil || plan.GitLab != c.want {
			t.Errorf("%s: %v, %v", name, plan.GitLab, err)
		}
	}
}
