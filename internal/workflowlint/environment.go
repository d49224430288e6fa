package workflowlint

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// environmentFile is a write to one of the files, in the words of POSIX shells,
// PowerShell and cmd.
var environmentFile = regexp.MustCompile(`(?i)(?:>>?|\btee\s[^|\n]*|\b(?:out-file|add-content|set-content|tee-object)\b[^|\n]*)\s*["']?(?:\$\{?(?:env:)?|%)(GITHUB_ENV|GITHUB_PATH)\b`)

// harmlessVariable are variables whose value only GitHub chooses.
var harmlessVariable = regexp.MustCompile(`(?i)\$\{?(?:env:)?(?:GITHUB_(?:ENV|PATH|ACTION_PATH|WORKSPACE|SHA|RUN_ID|RUN_NUMBER|RUN_ATTEMPT|REPOSITORY|ACTOR)|RUNNER_(?:TEMP|TOOL_CACHE|OS|ARCH)|HOME|PWD|USERPROFILE)\b\}?`)

// githubEnv finds writes of what is not fixed to the files that set variables
// and the search path of later steps, where strangers can start the job.
func githubEnv(d *document) []Finding {
	if !d.action && !d.fires(privileged...) {
		return nil
	}
	var found []Finding
	for _, j := range d.jobs {
		for _, s := range j.steps {
			if s.run == nil {
				continue
			}
			for i, line := range strings.Split(s.run.Value, "\n") {
				m := environmentFile.FindStringSubmatch(line)
				if m == nil || d.fixedLine(j, s, line) {
					continue
				}
				f := at(s.run, fmt.Sprintf("%s is written with text that is not fixed: %s", strings.ToUpper(m[1]), strings.TrimSpace(line)),
					"hand it on by $GITHUB_OUTPUT and read it by env: in the step that needs it; or write fixed text alone")
				if s.run.Style&yaml.LiteralStyle != 0 {
					f.Line, f.Column = s.run.Line+1+i, s.run.Column
				}
				found = append(found, f)
			}
		}
	}
	return found
}

// fixedLine says whether a line of a script writes only what stands in it.
func (d *document) fixedLine(j job, s step, line string) bool {
	for _, e := range expressions(line) {
		if d.chosen(j, s, e) != "" {
			return false
		}
	}
	line = regexpExpression.ReplaceAllString(line, "")
	command := strings.TrimSpace(line)
	if !strings.HasPrefix(command, "echo ") && !strings.HasPrefix(command, "printf ") && !strings.HasPrefix(command, "Write-Output ") && !strings.HasPrefix(command, `"`) {
		return false
	}
	rest := harmlessVariable.ReplaceAllString(line, "")
	return !strings.ContainsAny(rest, "$`%")
}

var regexpExpression = regexp.MustCompile(`\$\{\{.*?\}\}`)
