package attach

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheEnvironmentOfTheUserStays(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		stays   string // the variable
		note    string
	}{
		{"a server of the user's own", []string{"PW_TEST_CONNECT_WS_ENDPOINT=ws://x"}, "PW_TEST_CONNECT_WS_ENDPOINT", "PW_TEST_CONNECT_WS_ENDPOINT is set"},
		{"a reporter of the user's own", []string{"PW_TEST_REPORTER=/x.js"}, "PW_TEST_REPORTER", "PW_TEST_REPORTER is set"},
		{"sources of Java", []string{"PLAYWRIGHT_JAVA_SRC=/src"}, "PLAYWRIGHT_JAVA_SRC", ""},
		{"no proxy", []string{"NO_PROXY=a.example"}, "NO_PROXY", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSession(t, c.environ...)
			got := s.Environment()
			if !slices.Contains(got, c.environ[0]) {
				t.Errorf("%s is %q", c.stays, lookup(got, c.stays))
			}
			notes := strings.Join(s.Close().Notes, "\n")
			if c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestTheEnvironmentLeadsEveryBinding(t *testing.T) {
	s := openSession(t, "PYTHONPATH=lib")
	defer s.Close()
	source := filepath.Join(s.options.Folder, "web", "src", "test", "java")
	if err := os.MkdirAll(source, 0o700); err != nil {
		t.Fatal(err)
	}
	e := s.Environment()
	want := map[string]string{
		"BREADCRUMB_RUN":         s.folder,
		"PW_TEST_REPORTER":       filepath.Join(s.folder, "node_modules", "hooks", "reporter.cjs"),
		"PLAYWRIGHT_NODEJS_PATH": filepath.Join(s.folder, nodeName()),
		"PYTHONPATH":             filepath.Join(s.folder, "node_modules", "hooks", "python") + string(filepath.ListSeparator) + "lib",
		"PLAYWRIGHT_JAVA_SRC":    source,
	}
	got := map[string]string{}
	for name := range want {
		got[name] = lookup(e, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	for _, name := range []string{"PW_TEST_REPORTER", "PLAYWRIGHT_NODEJS_PATH"} {
		if _, err := os.Stat(got[name]); err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutNodeJavaKeepsItsOwn(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s := openSession(t)
	if got := lookup(s.Environment(), nodeVariable); got == "" {
		t.Error("without Java and Go, whose bindings have no node of their own here, the stand-in is missing")
	}
	if err := os.WriteFile(filepath.Join(s.options.Folder, "pom.xml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lookup(s.Environment(), nodeVariable); got != "" {
		t.Errorf("%s is %q", nodeVariable, got)
	}
	if got := s.Close().Notes; len(got) != 1 || !strings.HasPrefix(got[0], "there is no node on the PATH: tests in Python") {
		t.Errorf("notes %q", got)
	}
}

func TestTheStandInFindsTheNodeOfItsBinding(t *testing.T) {
	folder := t.TempDir()
	touch := func(name string) string {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o700); err != nil { //nolint:gosec // is to be executable
			t.Fatal(err)
		}
		return name
	}
	path := touch("path/" + nodeName())
	t.Setenv("PATH", filepath.Dir(path))
	python, dotnet := touch("python/driver/"+nodeName()), touch("net[1]/.playwright/node/linux-x64/"+nodeName())
	if runtime.GOOS == "windows" {
		dotnet = touch("net/.playwright/node/win32_x64/node.exe")
	}
	for _, c := range []struct{ name, cli, own, want string }{
		{"Python's", filepath.Join(folder, "python/driver/package/cli.js"), "", python},
		{"C#'s", filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(dotnet))), "package", "cli.js"), "", dotnet},
		{"none, as Java's", filepath.Join(folder, "java/package/cli.js"), "", path},
		{"the user's", filepath.Join(folder, "python/driver/package/cli.js"), "/own/node", "/own/node"},
	} {
		d, err := findDriver([]string{"node", c.cli, "run-driver"}, []string{"A=b", "PLAYWRIGHT_NODEJS_PATH=/stand-in"}, settings{Node: c.own})
		if err != nil || d.node != c.want {
			t.Errorf("%s: node %q, %v; want %q", c.name, d.node, err, c.want)
		}
		want := []string{"A=b"}
		if c.own != "" {
			want = append(want, "PLAYWRIGHT_NODEJS_PATH=/own/node")
		}
		if diff := cmp.Diff(want, d.environ); diff != "" {
			t.Errorf("%s: environment of the driver (-want +got):\n%s", c.name, diff)
		}
	}
	t.Setenv("PATH", "")
	if _, err := findDriver([]string{"node"}, nil, settings{}); err == nil || !strings.Contains(err.Error(), "set PLAYWRIGHT_NODEJS_PATH") {
		t.Errorf("without any node: %v", err)
	}
}
