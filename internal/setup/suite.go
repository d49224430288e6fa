package setup

import "path"

// Suite is one set of browser tests and how CI runs it.
type Suite struct {
	Lang   Lang
	Runner string // "Playwright Test", "pytest", "Maven", "Gradle", "dotnet test", "go test"
	Dir    string // folder from the checkout's top, "." for itself
	Found  string // file that told
	Config string // Playwright's configuration, "" for none

	Setup   []Step // before the tests
	Test    Step
	Reports []string // globs from the top
	Traces  []string
	Heals   []string
	Needs   []string // what the project lacks, for its owner

	scripted bool // Test is a script of the package
	open     bool // whose end is Playwright's own command
	silent   bool // no reporter of its own is read
}

// Step is one step of a job.
type Step struct {
	Uses action
	With []pair
	Run  string
	Dir  string // working directory, "." for the top
	Env  []pair
}

// pair is one key with its value.
type pair struct{ key, value string }

// suites returns the suites of a language, or of all of them.
func (p *project) suites(lang Lang) []Suite {
	finders := map[Lang]func() []Suite{TS: p.node, Python: p.python, Java: p.java, CSharp: p.csharp, Go: p.golang}
	var all []Suite
	for _, l := range Langs() {
		if lang == "" || lang == l {
			all = append(all, finders[l]()...)
		}
	}
	for i := range all {
		all[i].Heals = below(all[i].Dir, heals)
	}
	return all
}

// plain returns the suite of a language for a checkout in which nothing tells.
func plain(p *project, lang Lang) Suite {
	switch lang {
	case Python:
		return p.pytest(".", "")
	case Java:
		return p.maven(".", "")
	case CSharp:
		return p.dotnet(".", "")
	case Go:
		return p.gotest(".", "")
	}
	return p.playwright(".", "")
}

// below returns globs of a folder from the checkout's top.
func below(dir string, globs ...string) []string {
	out := make([]string, len(globs))
	for i, glob := range globs {
		out[i] = path.Join(dir, glob)
	}
	return out
}

// heals is where healing libraries are asked to leave their events.
const heals = "heals/**/*.ndjson"

// traces is where Playwright's runners leave traces unless told otherwise.
const traces = "test-results/**/trace.zip"
