package setup

import (
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
	name    string // of the workflow, "" where none runs the tests
	at      Add
	id      string // of that step
	unnamed bool   // it has none, and id is free in its job
	script  string // of the package, that the step's command runs; "" where it runs the tests itself
	keeps   bool   // the reports, for pull requests from forks
	judging bool
}

// add returns what the workflow lacks, nil where it is nothing.
func (r *running) add(suites []Suite, own string) *Add {
	steps := judgingSteps(suites, own, []string{r.id})
	switch {
	case r.judging && r.keeps:
		return nil
	case r.judging:
		r.at.Steps = steps[:1]
	default:
		r.at.Permissions, r.at.Test, r.at.Steps = permissions(), r.additions(suites), steps
	}
	return &r.at
}

// workflowDoc is the part of a workflow that is read.
type workflowDoc struct {
	Name string `yaml:"name"`
	Jobs yaml.Node
}

// job is the part of a job that is read.
type job struct {
	Steps []yaml.Node
}

// running reads the workflows and finds the step that runs one of suites.
func (p *project) running(suites []Suite) running {
	var out running
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
				out.look(p, name, doc, doc.Jobs.Content[i].Value, j, suites)
			}
		}
	}
	return out
}

// look reads the steps of one job. A step that judges outranks one that runs the
// tests, and the first found outranks the next.
func (r *running) look(p *project, file string, doc workflowDoc, id string, j job, suites []Suite) {
	name := doc.Name
	if name == "" {
		name = file // GitHub calls it so
	}
	for i := range j.Steps {
		var step struct {
			ID, Uses, Run string
			With          struct{ Name string }
		}
		if err := j.Steps[i].Decode(&step); err != nil {
			continue
		}
		at := Add{File: file, Job: id, Line: j.Steps[i].Line}
		command, script, runs := runsTests(p, step.Run, suites)
		switch {
		case strings.HasPrefix(step.Uses, "actions/upload-artifact@") && step.With.Name == artifactName:
			r.keeps = true
		case Judges(step.Uses) && !r.judging:
			at.Judging = true
			r.name, r.at, r.judging = name, at, true
		case runs && r.name == "":
			at.Command = command
			r.name, r.at, r.script, r.id = name, at, script, step.ID
			if r.unnamed = step.ID == ""; r.unnamed {
				r.id = j.freeID()
			}
		}
	}
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

// testCommands are those that run the tests of a language.
var testCommands = map[Lang]*regexp.Regexp{
	TS:     regexp.MustCompile(`\bplaywright test\b`),
	Python: regexp.MustCompile(`\bpytest\b`),
	Java:   regexp.MustCompile(`\b(mvnw?|gradlew?)\b.*\b(test|verify|check|build|install)\b`),
	CSharp: regexp.MustCompile(`\bdotnet test\b`),
	Go:     regexp.MustCompile(`\b(go test|gotestsum)\b`),
}

var runsScript = regexp.MustCompile(`\b(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)`)

// runsTests returns the line of a step's script that runs the tests of one of
// suites, itself or by a script of its package, whose text is then returned, too.
func runsTests(p *project, run string, suites []Suite) (command, script string, runs bool) {
	for line := range strings.Lines(run) {
		line = strings.TrimSpace(line)
		for _, s := range suites {
			if testCommands[s.Lang].MatchString(line) {
				return line, "", true
			}
			m := runsScript.FindStringSubmatch(line)
			if s.Lang != TS || m == nil {
				continue
			}
			if script := strings.TrimSpace(p.readPackage(s.Dir).Scripts[m[1]]); wordsInside.MatchString(script) {
				return line, script, true
			}
		}
	}
	return "", "", false
}

// reporting is what a command has that writes a report.
var reporting = map[Lang]string{Python: "--junitxml", CSharp: "junit", Go: "--junitfile"}

// additions are the lines that the step that runs the tests should have.
func (r *running) additions(suites []Suite) []string {
	command, script := r.at.Command, r.script
	lines := []string{"continue-on-error: true # Breadcrumb decides"}
	if r.unnamed {
		lines = append([]string{"id: " + r.id}, lines...)
	}
	var env []string
	for _, s := range suites {
		flag := reporting[s.Lang]
		switch {
		case s.silent:
			lines = append(lines, reporterLine(command, script))
		case flag != "" && testCommands[s.Lang].MatchString(command) && !strings.Contains(command, flag):
			lines = append(lines, "# and as its command: "+s.Test.Run)
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
