package setup

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Add is what to add to a workflow that runs the tests already.
type Add struct {
	File, Job   string
	Line        int    // of the step that runs the tests
	Command     string // of that step, its first line
	Permissions []string
	Test        []string // lines of that step
	Steps       []string // after it
}

// running is what the checkout's workflows do already.
type running struct {
	found           bool
	file, name, job string
	line            int
	command         string
	judging         string // "file line N" of a step that uses Breadcrumb
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

// look reads the steps of one job.
func (r *running) look(p *project, file string, doc workflowDoc, id string, j job, suites []Suite) {
	for i := range j.Steps {
		var step struct{ Uses, Run string }
		if err := j.Steps[i].Decode(&step); err != nil {
			continue
		}
		if own := strings.HasPrefix(step.Uses, "breadcrumb/action@"); own && r.judging == "" {
			r.judging = fmt.Sprintf("%s line %d", file, j.Steps[i].Line)
		}
		command, runs := runsTests(p, step.Run, suites)
		if r.found || !runs {
			continue
		}
		r.found, r.file, r.job, r.line, r.command, r.name = true, file, id, j.Steps[i].Line, command, doc.Name
		if r.name == "" {
			r.name = file // GitHub calls it so
		}
	}
}

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
// suites, itself or by a script of its package.
func runsTests(p *project, run string, suites []Suite) (string, bool) {
	for line := range strings.Lines(run) {
		line = strings.TrimSpace(line)
		for _, s := range suites {
			if testCommands[s.Lang].MatchString(line) {
				return line, true
			}
			m := runsScript.FindStringSubmatch(line)
			if s.Lang == TS && m != nil && wordsInside.MatchString(p.readPackage(s.Dir).Scripts[m[1]]) {
				return line, true
			}
		}
	}
	return "", false
}

// additions are the lines that the step that runs the tests should have.
func additions(suites []Suite) []string {
	lines := []string{"continue-on-error: true # Breadcrumb decides"}
	var env []string
	for _, s := range suites {
		if s.silent {
			lines = append(lines, "# and to its command: "+reporterFlag)
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
