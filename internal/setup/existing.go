package setup

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Add is what to add to a workflow that runs the tests, or judges them, already.
type Add struct {
	File, Job   string
	Line        int    // of the step that runs the tests, or judges them
	Command     string // of that step, the line that runs the tests
	Judging     bool   // the step is Breadcrumb's; Steps go before it
	Permissions []string
	Test        []string // lines of the step
	Steps       []string // after it
}

// running is what the checkout's workflows do already.
type running struct {
	step    testStep // that runs the tests, or judges them; its workflow "" where none does
	keeps   bool     // the reports, for pull requests from forks
	judging bool
}

// testStep is a step that runs tests.
type testStep struct {
	workflow string
	at       Add
	id       string
	unnamed  bool   // it has no id, and id is free in its job
	script   string // of the package, that the step's command runs; "" where it runs the tests itself
	suites   []Suite
	rank     int
}

// add returns what the workflow lacks, nil where it is nothing.
func (r *running) add(suites []Suite, own string) *Add {
	at := r.step.at
	steps := judgingSteps(suites, own, []string{r.step.id})
	switch {
	case r.judging && r.keeps:
		return nil
	case r.judging:
		at.Steps = steps[:1]
	default:
		at.Permissions, at.Test, at.Steps = permissions(), r.step.additions(), steps
	}
	return &at
}

// workflowDoc is the part of a workflow that is read.
type workflowDoc struct {
	Name     string    `yaml:"name"`
	On       yaml.Node `yaml:"on"`
	Jobs     yaml.Node
	Defaults defaults
}

type defaults struct {
	Run struct {
		Dir string `yaml:"working-directory"`
	}
}

// job is the part of a job that is read.
type job struct {
	Steps    []yaml.Node
	Defaults defaults
}

// running reads the workflows and finds the step that runs suites: first one
// that runs for pull requests, which are judged.
func (p *project) running(suites []Suite) running {
	var out running
	scripts := newCommands(p, suites)
	for _, name := range p.named(regexp.MustCompile(`\.ya?ml$`)) {
		if path.Dir(name) != ".github/workflows" || name == WorkflowFile || name == ForksFile {
			continue
		}
		var doc workflowDoc
		if err := yaml.Unmarshal([]byte(p.text(name)), &doc); err != nil || doc.Jobs.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(doc.Jobs.Content); i += 2 {
			var j job
			if err := doc.Jobs.Content[i+1].Decode(&j); err == nil {
				out.look(scripts, name, doc, doc.Jobs.Content[i].Value, j)
			}
		}
	}
	return out
}

// look reads the steps of one job. A step that judges outranks one that runs the
// tests, and the first found outranks the next of its rank.
func (r *running) look(c commands, file string, doc workflowDoc, id string, j job) {
	for i := range j.Steps {
		var step struct {
			ID, Uses, Run string
			Dir           string `yaml:"working-directory"`
			With          struct{ Name string }
		}
		if err := j.Steps[i].Decode(&step); err != nil {
			continue
		}
		found := testStep{
			workflow: cmp.Or(doc.Name, file), // GitHub calls it so
			at:       Add{File: file, Job: id, Line: j.Steps[i].Line}, rank: rank(doc.On),
		}
		switch {
		case strings.HasPrefix(step.Uses, "actions/upload-artifact@") && step.With.Name == artifactName:
			r.keeps = true
		case Judges(step.Uses) && !r.judging:
			found.at.Judging = true
			r.step, r.judging = found, true
		case r.judging || r.step.workflow != "" && r.step.rank >= found.rank:
		default:
			found.find(c, step.Run, folderOf(step.Dir, j.Defaults.Run.Dir, doc.Defaults.Run.Dir))
			if len(found.suites) == 0 {
				continue
			}
			found.id = step.ID
			if found.unnamed = step.ID == ""; found.unnamed {
				found.id = j.freeID()
			}
			r.step = found
		}
	}
}

// find sets what a step's script runs.
func (t *testStep) find(c commands, run, folder string) {
	for _, s := range c.suites {
		if line, script, ok := c.runs(s, run, folder); ok {
			t.suites = append(t.suites, s)
			if t.at.Command == "" {
				t.at.Command, t.script = line, script
			}
		}
	}
}

// rank is how near what starts a workflow is to a pull request.
func rank(on yaml.Node) int {
	starts := func(event string) bool {
		return on.Value == event || slices.ContainsFunc(on.Content, func(n *yaml.Node) bool { return n.Value == event })
	}
	switch {
	case starts("pull_request"):
		return 2
	case starts("push"), starts("workflow_call"):
		return 1
	}
	return 0
}

// freeID returns an id for the step that runs the tests, which no step has.
func (j job) freeID() string {
	taken := map[string]bool{}
	for _, node := range j.Steps {
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

var ownStep = regexp.MustCompile(`^breadcrumb/action(/[\w/-]+)?@`)

// reporting is what a command has that writes a report.
var reporting = map[Lang]string{Python: "--junitxml", CSharp: "junit", Go: "--junitfile"}

// runner is a command of which all that follows can be added to another, as to
// one of a user's own with more words.
var runner = regexp.MustCompile(`^(?:.*\bpytest|dotnet test(?: --no-build)?) `)

// additions are the lines that the step that runs the tests should have.
func (t *testStep) additions() []string {
	command := t.at.Command
	lines := []string{"continue-on-error: true # Breadcrumb decides"}
	if t.unnamed {
		lines = append([]string{"id: " + t.id}, lines...)
	}
	var env []string
	for _, s := range t.suites {
		flag, advice := reporting[s.Lang], ""
		switch {
		case s.silent:
			advice = reporterLine(command, t.script)
		case flag != "" && testCommands[s.Lang].MatchString(command) && !strings.Contains(command, flag):
			advice = "# and as its command: " + s.Test.Run
			if own := runner.FindString(s.Test.Run); own != "" {
				advice = "# and to its command: " + strings.TrimPrefix(s.Test.Run, own)
			}
		}
		if advice != "" && !slices.Contains(lines, advice) {
			lines = append(lines, advice)
		}
		for _, e := range s.Test.Env {
			if line := "  " + e.key + ": " + scalar(e.value); !slices.Contains(env, line) {
				env = append(env, line)
			}
		}
	}
	if len(env) > 0 {
		lines = append(append(lines, "env:"), env...)
	}
	return lines
}

// endOfScript is a command of which the script's name is the end, so that what
// follows is the script's own; npm alone wants it after --.
var endOfScript = regexp.MustCompile(`\b(npm|pnpm|yarn|bun)(?: run)? [\w:.-]+$`)

// reporterLine says how to switch the JUnit reporter on for a command.
func reporterLine(command, script string) string {
	m := endOfScript.FindStringSubmatch(command)
	switch {
	case script == "":
		return "# and to its command: " + reporterFlag
	case m == nil || !openEnd.MatchString(script):
		return `# and to the reporters of the Playwright configuration: ["junit", { includeRetries: true }]`
	case m[1] == "npm":
		return "# and as its command: " + command + " -- " + reporterFlag
	}
	return "# and as its command: " + command + " " + reporterFlag
}
