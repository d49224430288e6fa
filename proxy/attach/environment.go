package attach

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// The variables that lead Playwright.
const (
	reporterVariable = "PW_TEST_REPORTER"
	endpointVariable = "PW_TEST_CONNECT_WS_ENDPOINT"
	nodeVariable     = "PLAYWRIGHT_NODEJS_PATH"
	javaVariable     = "PLAYWRIGHT_JAVA_SRC"
	pythonVariable   = "PYTHONPATH"
)

// Environment returns the environment of the command. What the user has set stays.
func (s *Session) Environment() []string {
	e := environment{slices.Clone(s.options.Environ)}
	e.set(FolderVariable, s.folder)
	s.leadPlaywrightTest(&e)
	s.leadDrivers(&e)
	return e.variables
}

// environment is a list of variables that grows.
type environment struct{ variables []string }

func (e *environment) get(name string) string { return lookup(e.variables, name) }

func (e *environment) set(name, value string) {
	e.variables = slices.DeleteFunc(e.variables, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	e.variables = append(e.variables, name+"="+value)
}

// leadPlaywrightTest has Playwright Test load our reporter.
func (s *Session) leadPlaywrightTest(e *environment) {
	for _, name := range []string{endpointVariable, reporterVariable} {
		if e.get(name) != "" {
			s.note("%s is set and stays as it is: tests of Playwright Test ran without Breadcrumb", name)
			return
		}
	}
	e.set(reporterVariable, filepath.Join(s.folder, modulesFolder, hooksFolder, "reporter.cjs"))
}

// leadDrivers has the other bindings start the stand-in, and tell more of their calls.
func (s *Session) leadDrivers(e *environment) {
	if why := s.whyNoStandIn(e); why != "" {
		s.note("%s: tests in Python, Java, C# and Go ran without Breadcrumb", why)
		return
	}
	e.set(nodeVariable, s.standIn())
	python := filepath.Join(s.folder, modulesFolder, hooksFolder, "python")
	if list := e.get(pythonVariable); list != "" {
		python += string(filepath.ListSeparator) + list
	}
	e.set(pythonVariable, python)
	if e.get(javaVariable) == "" {
		if sources := findJavaSources(s.options.Folder); len(sources) > 0 {
			e.set(javaVariable, strings.Join(sources, string(filepath.ListSeparator)))
		}
	}
}

// oldestNode is the oldest node that all of today's drivers run on.
const oldestNode = 20

// whyNoStandIn returns why the stand-in might find no node that it can start, "" for no
// reason. Python and C# bring their own; Java unpacks its own, and Go fetches its own, only
// where the variable that names the stand-in is not set.
func (s *Session) whyNoStandIn(e *environment) string {
	if e.get(nodeVariable) != "" || !usesAnyNode(s.options.Folder) {
		return ""
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "there is no node on the PATH"
	}
	version, err := exec.Command(node, "--version").Output() //nolint:noctx,gosec // the PATH's node, which the tests start; ends by itself
	if err != nil {
		return "the node on the PATH does not start"
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(version)), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return "the node on the PATH is older than " + strconv.Itoa(oldestNode)
	}
	return ""
}

// usesAnyNode reports whether a project of Java or Go is in a folder.
func usesAnyNode(folder string) bool {
	found := false
	walkSources(folder, func(_ string, files []fs.DirEntry) {
		found = found || slices.ContainsFunc(files, func(f fs.DirEntry) bool { return buildFile.MatchString(f.Name()) })
	})
	return found
}

var buildFile = lazyregexp.New(`^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|go\.mod)$`)

// findJavaSources returns the folders below a folder that hold the sources of Java, as
// Maven and Gradle lay them out. Java's binding tells where a call stands only if it is
// told of them.
func findJavaSources(folder string) (sources []string) {
	walkSources(folder, func(path string, _ []fs.DirEntry) {
		for _, name := range []string{"main", "test"} {
			candidate := filepath.Join(path, "src", name, "java")
			if info, err := os.Stat(candidate); err == nil && info.IsDir() {
				sources = append(sources, candidate)
			}
		}
	})
	return sources
}

// Bounds of a walk through the sources.
const (
	maxDepth   = 4
	maxFolders = 2000
)

// walkSources visits a folder and those below it, the near ones first, without what is
// installed, built or hidden.
func walkSources(folder string, visit func(path string, files []fs.DirEntry)) {
	level := []string{folder}
	for depth, seen := 0, 0; depth <= maxDepth && seen < maxFolders; depth++ {
		var next []string
		for _, path := range level {
			if seen++; seen > maxFolders {
				return
			}
			entries, err := os.ReadDir(path)
			if err != nil {
				continue
			}
			visit(path, entries)
			for _, f := range entries {
				if f.IsDir() && !installed.MatchString(f.Name()) {
					next = append(next, filepath.Join(path, f.Name()))
				}
			}
		}
		level = next
	}
}

var installed = lazyregexp.New(`^(?:\..*|node_modules|target|build|dist|bin|obj|vendor|site-packages)$`)
