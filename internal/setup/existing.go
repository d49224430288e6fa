package setup

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
	"github.com/breadcrumb/action/internal/workflowlint"
)

// Add says what to add to a workflow that already runs the tests or judges them.
type Add struct {
	File, Job   string
	Line        int    // of the step that runs the tests or judges them
	Command     string // the line of the step that runs the tests
	Judging     bool   // the step is Breadcrumb's, and Steps go before it
	Merging     bool   // the step merges the reports of shards
	Group       bool   // the step runs at the same time as others, and Steps go after, or before, all of them
	Permissions []string
	Before      []string // steps to add before it
	Test        []string // lines to add to the step
	Steps       []string // steps to add after it
}

// existing is what the workflows of a checkout do already.
type existing struct {
	step    testStep   // the step that runs or judges the tests; its workflow is "" when there is none
	tests   []testStep // all the steps that run tests
	merges  []merge    // the steps that merge the blob reports of shards
	judges  []testStep // the steps that judge
	fetches []Add      // the steps that download artifacts
	apart   bool       // the step's job has legs that are merged apart, and no result of its own for each
	uploads bool       // the reports are uploaded for pull requests from forks
	partly  []Add      // the steps that upload them only when tests failed
	led     bool       // breadcrumb run leads the tests of a step
}

// testStep is a step that runs tests.
type testStep struct {
	workflow   string
	at         Add
	id         string
	needs      []string // the jobs whose reports its job merges
	unnamed    bool     // the step has no id, and id is free in its job
	matrix     bool     // its job has a matrix, each leg of which leaves results
	background bool     // later steps do not wait for it
	led        bool     // breadcrumb run leads its tests
	script     string   // the script of a package that the command runs, "" when it runs the tests itself
	longer     bool     // its script has more lines than that of the command
	suites     []detect.Suite
	judged     []detect.Suite // with their results where a step that judges reads them, in all legs and calls
	legs       legs
	cases      yaml.Node // its job's matrix
	calls      []call    // the jobs that call its workflow
	permitted  yaml.Node // the permissions of its job, else of its workflow
	rank       int       // see triggerRank
	callers    []string  // names of the workflows that call its workflow, where it starts by nothing else
	calling    []string  // their jobs that do, each as "job e2e of .github/workflows/ci.yml"
	inputs     []string  // what tells the calls of one run apart
	alike      bool      // nothing does
	lacking    []string  // the permissions that a calling job does not have
	told       results   // where the judging step is told that the results are
}

// workflowDoc is the part of a workflow that is read.
type workflowDoc struct {
	Name     string    `yaml:"name"`
	On       yaml.Node `yaml:"on"`
	Jobs     yaml.Node
	Defaults defaults

	Permissions yaml.Node
}

type defaults struct {
	Run struct {
		Dir string `yaml:"working-directory"`
	}
}

// job is the part of a job that is read.
type job struct {
	Steps    yaml.Node
	Needs    yaml.Node
	Uses     string // the workflow that it calls
	With     yaml.Node
	Defaults defaults
	Strategy struct{ Matrix yaml.Node }

	Permissions yaml.Node
}

// may returns the node with what the job is permitted: its own, or that of its workflow.
func (j job) may(doc workflowDoc) yaml.Node {
	if j.Permissions.IsZero() {
		return doc.Permissions
	}
	return j.Permissions
}

// findExisting reads the workflows and finds the step that runs the suites. One
// that runs for pull requests comes first, because these are judged.
func findExisting(p *detect.Checkout, suites []detect.Suite) existing {
	var out existing
	scripts, docs := commands{suites, p}, map[string]workflowDoc{}
	for _, name := range p.Files(yamlName) {
		if path.Dir(name) != ".github/workflows" || name == WorkflowFile || name == ForksFile {
			continue
		}
		var doc workflowDoc
		if err := yaml.Unmarshal([]byte(p.Text(name)), &doc); err != nil || doc.Jobs.Kind != yaml.MappingNode {
			continue
		}
		docs[name] = doc
		for i := 0; i+1 < len(doc.Jobs.Content); i += 2 {
			var j job
			if err := doc.Jobs.Content[i+1].Decode(&j); err == nil {
				out.readJob(scripts, name, doc, doc.Jobs.Content[i].Value, j)
			}
		}
	}
	out.step.findCallers(docs)
	out.joinMerge()
	return out
}

// readJob reads the steps of one job. A step that judges wins over one that runs
// the tests, and of two with the same rank the first one wins.
func (r *existing) readJob(c commands, file string, doc workflowDoc, id string, j job) {
	for node, group := range workflowlint.Steps(&j.Steps) {
		var step struct {
			ID, Uses, Run, If string
			Background        bool
			Dir               string `yaml:"working-directory"`
			With              struct {
				Name    string
				results `yaml:",inline"`
			}
		}
		if err := node.Decode(&step); err != nil {
			continue
		}
		r.led = r.led || runsLed.MatchString(step.Run)
		found := testStep{
			workflow: cmp.Or(doc.Name, file), // as GitHub does
			at:       Add{File: file, Job: id, Line: node.Line, Group: group}, rank: triggerRank(doc.On),
			background: step.Background, matrix: !j.Strategy.Matrix.IsZero(), cases: j.Strategy.Matrix, permitted: j.may(doc),
		}
		r.addMerge(found.at, doc, j, step.Run)
		switch {
		case strings.HasPrefix(step.Uses, "actions/upload-artifact@") && strings.HasPrefix(step.With.Name, artifactName):
			if r.uploads = true; strings.Contains(step.If, "failure") && !afterSuccess.MatchString(step.If) {
				r.partly = append(r.partly, found.at)
			}
		case strings.HasPrefix(step.Uses, "actions/download-artifact@"):
			r.fetches = append(r.fetches, found.at)
		case Judges(step.Uses):
			found.at.Judging, found.told = true, step.With.results
			r.judges = append(r.judges, found)
			if !r.step.at.Judging {
				r.step = found
			}
		default:
			dirs := []string{step.Dir, j.Defaults.Run.Dir, doc.Defaults.Run.Dir}
			found.findSuites(c, step.Run, folderOf(dirs...))
			if len(found.suites) == 0 {
				continue
			}
			found.takeLegs(findLegs(c, step.Run, cmp.Or(dirs...), j.Strategy.Matrix))
			found.id = step.ID
			if found.unnamed = step.ID == ""; found.unnamed {
				found.id = j.freeID()
			}
			r.tests = append(r.tests, found)
			if !r.step.at.Judging && (r.step.workflow == "" || r.step.rank < found.rank) {
				r.step = found
			}
		}
	}
}

// findSuites sets the suites that the script of the step runs.
func (t *testStep) findSuites(c commands, run, folder string) {
	for _, s := range c.suites {
		if line, script, ok := c.findCommand(s, run, folder); ok {
			t.suites = append(t.suites, s.WithReporters(line))
			if t.at.Command == "" {
				t.at.Command, t.script = line, script
				t.longer = strings.Contains(strings.TrimSpace(continued.ReplaceAllString(run, " ")), "\n")
				t.led = runsLed.MatchString(line) || runsLed.MatchString(script)
			}
		}
	}
}

// judgedSuites returns the suites with their results where they are judged, which are
// those of the plan unless a step says otherwise.
func (r *existing) judgedSuites(suites []detect.Suite) []detect.Suite {
	if r.step.at.Judging {
		return r.step.judged
	}
	return suites
}

// takeLegs sets what the legs run, and leaves out the suites that none of them does.
func (t *testStep) takeLegs(l legs) {
	if t.legs = l; l.key == "" {
		return
	}
	t.suites = slices.DeleteFunc(t.suites, func(s detect.Suite) bool {
		return !slices.ContainsFunc(l.suites, func(leg []detect.Suite) bool {
			return slices.ContainsFunc(leg, func(other detect.Suite) bool { return isSame(s, other) })
		})
	})
}

// starts reports whether an event is among those of a workflow.
func starts(on yaml.Node, event string) bool {
	return on.Value == event || slices.ContainsFunc(on.Content, func(n *yaml.Node) bool { return n.Value == event })
}

// triggerRank tells how useful the events of a workflow are: best are pull
// requests.
func triggerRank(on yaml.Node) int {
	switch {
	case starts(on, "pull_request"):
		return 2
	case starts(on, "push"), starts(on, "workflow_call"):
		return 1
	}
	return 0
}

// freeID returns an id for the step that runs the tests that no other step has.
func (j job) freeID() string {
	taken := map[string]bool{}
	for node := range workflowlint.Steps(&j.Steps) {
		var step struct{ ID string }
		if err := node.Decode(&step); err == nil {
			taken[step.ID] = true
		}
	}
	for i := 0; ; i++ {
		if id := testID(i); !taken[id] {
			return id
		}
	}
}

// Judges reports whether a step that uses an action uses Breadcrumb.
func Judges(uses string) bool { return ownStep.MatchString(uses) }

// afterSuccess matches a step's condition that holds for a pull request from a fork whose
// tests passed.
var afterSuccess = lazyregexp.New(`head\.repo|\b(?:always|cancelled|success)\(\)`)

// yamlName matches the files of which GitHub reads those in .github/workflows.
var yamlName = lazyregexp.New(`\.ya?ml$`)

var ownStep = lazyregexp.New(`^breadcrumb/action(/native)?@`)

// runsLed matches a script of which breadcrumb run runs a command.
var runsLed = lazyregexp.New(`(?m)(?:^|[\s;&|])breadcrumb run\s`)
