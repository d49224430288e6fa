package workflowlint

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scriptInputs are actions that run the text of an input, and which.
var scriptInputs = map[string]string{
	"actions/github-script":                  "script",
	"addnab/docker-run-action":               "run",
	"amadevus/pwsh-script":                   "script",
	"appleboy/ssh-action":                    "script",
	"azure/cli":                              "inlineScript",
	"azure/powershell":                       "inlineScript",
	"cardinalby/js-eval-action":              "expression",
	"jannekem/run-python-script-action":      "script",
	"nick-fields/retry":                      "command",
	"reactivecircus/android-emulator-runner": "script",
}

// templateInjection finds expressions inside scripts whose text somebody else
// may choose.
func templateInjection(d *document) []Finding {
	var found []Finding
	for _, j := range d.jobs {
		for _, s := range j.steps {
			for _, script := range s.scripts() {
				for _, e := range expressions(script.Value) {
					who := d.chosen(j, s, e)
					if who == "" {
						continue
					}
					line, column := d.placed(script, e.index)
					found = append(found, Finding{Line: line, Column: column,
						Text: fmt.Sprintf("${{%s}} inside a script: %s", e.source, who),
						Fix:  "give it to the step by env: NAME: ${{ … }}, and write \"$NAME\" in the script (in PowerShell $env:NAME, in github-script process.env.NAME)"})
				}
			}
		}
	}
	return found
}

// scripts returns the texts that a step runs.
func (s step) scripts() []*yaml.Node {
	if s.run != nil {
		return []*yaml.Node{s.run}
	}
	if script := field(s.with, scriptInputs[s.name]); script != nil {
		return []*yaml.Node{script}
	}
	return nil
}

// chosen returns who may choose the text of an expression, "" where nobody can
// or only with letters that do no harm.
func (d *document) chosen(j job, s step, e expression) string {
	for _, c := range contexts(e.source) {
		if who := d.chooser(j, s, strings.Split(c, "."), 0); who != "" {
			return who
		}
	}
	return ""
}

// chooser says who chooses the text of one context.
func (d *document) chooser(j job, s step, path []string, depth int) string {
	switch path[0] {
	case "github":
		return d.githubChooser(path[1:])
	case "inputs":
		return d.inputChooser(path[1:])
	case "env":
		return d.envChooser(j, s, path[1:], depth)
	case "matrix":
		if _, static := j.matrix(path[1:]); static {
			return ""
		}
		return d.ifPrivileged("the matrix is made by a run, after what it read")
	case "steps", "needs":
		if len(path) < 3 || path[2] == "outputs" {
			return d.ifPrivileged("what the step or job read may be in its output")
		}
	}
	return ""
}

// ifPrivileged returns the reason in a workflow that strangers start with the
// repository's token. Elsewhere what steps compute comes from the repository.
func (d *document) ifPrivileged(reason string) string {
	if d.fires(privileged...) {
		return reason + ", and strangers can start this workflow"
	}
	return ""
}

// inputChooser says who chooses an input, unless its type leaves no choice.
func (d *document) inputChooser(path []string) string {
	if d.action {
		return "whoever uses this action chooses the input, perhaps from a pull request's text"
	}
	if len(path) == 0 {
		return "whoever starts or calls this workflow chooses the inputs"
	}
	for _, event := range []string{"workflow_dispatch", "workflow_call"} {
		input := field(field(d.triggers[event], "inputs"), path[0])
		switch kind := text(field(input, "type")); {
		case input == nil || kind == "boolean" || kind == "number":
		case kind == "choice" && !strings.Contains(strings.Join(texts(field(input, "options")), ""), "${{"):
		default:
			return "whoever starts or calls this workflow chooses the input"
		}
	}
	return ""
}

// envChooser says who chooses a variable, by where it is set.
func (d *document) envChooser(j job, s step, path []string, depth int) string {
	if len(path) == 0 || depth > 3 {
		return "the variables can hold what others chose"
	}
	for _, scope := range []*yaml.Node{s.node, j.node, d.root} {
		value := field(field(scope, "env"), path[0])
		if value == nil {
			continue
		}
		for _, e := range expressions(text(value)) {
			for _, c := range contexts(e.source) {
				if who := d.chooser(j, s, strings.Split(c, "."), depth+1); who != "" {
					return who
				}
			}
		}
		return ""
	}
	return d.ifPrivileged("a step sets the variable while the job runs")
}
