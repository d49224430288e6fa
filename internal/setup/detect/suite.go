// Package detect finds out how a checkout runs its browser tests: in which
// folders, languages and runners, and which steps a workflow needs for them.
package detect

import (
	"path"
)

// Lang is a language that Playwright's tests are written in.
type Lang string

// The languages, by the names that --lang takes. TS stands for JavaScript, too.
const (
	TS     Lang = "ts"
	Python Lang = "python"
	Java   Lang = "java"
	CSharp Lang = "csharp"
	Go     Lang = "go"
)

// Suite is one set of browser tests and how CI runs it.
type Suite struct {
	Lang   Lang
	Runner string // "Playwright Test", "pytest", "Maven", "Gradle", "dotnet test", "go test"
	Dir    string // folder from the checkout's top, "." for itself
	Found  string // file by which it was found
	Config string // Playwright's configuration, "" for none

	Setup   []Step // before the tests
	Test    Step
	Reports []string // globs from the top
	Traces  []string
	Heals   []string
	Needs   []string // what the project lacks, for its owner
	Advice  string   // what it could switch on, "" for nothing

	Heal bool // its tests heal by themselves, with crumb
	Led  bool // breadcrumb run leads its tests

	scripted  bool // Test is a script of the package
	openEnded bool // the script ends with Playwright's own command
	Silent    bool // it configures no reporter that Breadcrumb reads

	ReporterFlag string // switches the JUnit reporter on and keeps the others, "" where no flag can
	LocalURL     string // its baseURL, when nothing in its configuration serves it
}

// RunPrefix stands before a test command that breadcrumb run leads.
const RunPrefix = "breadcrumb run -- "

// Command returns the command that runs the tests in a workflow.
func (s Suite) Command() string {
	if s.Led {
		return RunPrefix + s.Test.Run
	}
	return s.Test.Run
}

// Step is one step of a job.
type Step struct {
	Uses Action
	With []Pair
	Run  string
	Dir  string // working directory, "." for the top
	Env  []Pair
}

// Pair is one key with its value.
type Pair struct{ Key, Value string }

// below returns globs of a folder from the checkout's top.
func below(dir string, globs ...string) []string {
	out := make([]string, len(globs))
	for i, glob := range globs {
		out[i] = path.Join(dir, glob)
	}
	return out
}

// healEvents is where healing libraries write their events.
const healEvents = "heals/**/*.ndjson"

// traces is where Playwright's runners write traces by default.
const traces = "test-results/**/trace.zip"

// Action is somebody else's action that workflows use, pinned to a commit.
type Action struct{ name, commit, version string }

// The actions that workflows use. Their commits are those of the tags in
// actions/*.
var (
	CheckoutAction   = Action{"actions/checkout", "3d3c42e5aac5ba805825da76410c181273ba90b1", "v7.0.1"}
	setupNode        = Action{"actions/setup-node", "820762786026740c76f36085b0efc47a31fe5020", "v7.0.0"}
	setupPython      = Action{"actions/setup-python", "5fda3b95a4ea91299a34e894583c3862153e4b97", "v7.0.0"}
	setupJava        = Action{"actions/setup-java", "b6effb05e454b25005698d916606bdc6ffcbf961", "v5.7.0"}
	setupDotnet      = Action{"actions/setup-dotnet", "a98b56852c35b8e3190ac28c8c2271da59106c68", "v6.0.0"}
	setupGo          = Action{"actions/setup-go", "b7ad1dad31e06c5925ef5d2fc7ad053ef454303e", "v7.0.0"}
	UploadArtifact   = Action{"actions/upload-artifact", "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "v7.0.0"}
	DownloadArtifact = Action{"actions/download-artifact", "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c", "v8.0.1"}
)

func (a Action) String() string { return a.name + "@" + a.commit + " # " + a.version }
