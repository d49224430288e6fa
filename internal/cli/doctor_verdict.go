package cli

import (
	"fmt"
	"io"
	"io/fs"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup"
	"github.com/breadcrumb/action/report"
)

// judgeStep is a step with Breadcrumb, and where it stands.
type judgeStep struct {
	file           string
	line           int
	tagged         bool   // Breadcrumb is named by a tag
	checkRun       string // name of the check run it publishes, "" for none
	endsCheck      bool   // it only ends that check run
	outside        bool   // the workflow starts on workflow_run
	may            bool   // its job may write checks
	alwaysFollowed bool   // its job runs whatever became of others
}

// printVerdictAdvice writes where a checkout's pull requests are judged, in the job of
// the tests or from outside, and what that means. It returns how many findings need
// attention.
func printVerdictAdvice(w io.Writer, checkout fs.FS) (findings int) {
	var judges, outside []judgeStep
	for _, file := range readWorkflows(checkout) {
		judges = append(judges, findJudges(file)...)
	}
	for _, j := range judges {
		if j.checkRun != "" && j.outside && !j.endsCheck {
			outside = append(outside, j)
		}
	}
	if len(judges) == 0 {
		return 0
	}
	if n := countTagged(judges); n > 0 {
		printFinding(w, 15, false, "Breadcrumb", text.Count(n, "step names", "steps name")+" it by a tag, which its owner can move; breadcrumb init --pin COMMIT writes a release's commit")
	}
	if len(outside) == 0 {
		printFinding(w, 15, false, "Verdict", "in the tests' own job: it trusts that job, so whoever can change the tests or the workflow in a pull request can forge what it reports; breadcrumb init --separate judges from outside")
		return 0
	}
	for _, j := range outside {
		place := report.LogLine(fmt.Sprintf("%s line %d", j.file, j.line))
		printFinding(w, 15, false, "Verdict", fmt.Sprintf("from outside the tests' job, as the check run %q of %s: require that check, from an app of your own, since any workflow with checks: write can make one of the name", report.LogLine(j.checkRun), place))
		findings += printFinding(w, 15, !j.may, "Check run", place+": its job "+choose(j.may, "may write checks", "may not write checks; give it checks: write"))
		ended := slices.ContainsFunc(judges, func(end judgeStep) bool {
			return end.endsCheck && end.file == j.file && end.checkRun == j.checkRun && end.alwaysFollowed && end.may
		})
		findings += printFinding(w, 15, !ended, "Check run", place+": "+choose(ended, "a job ends it where the judge dies",
			"where the judge dies it stays pending; add a job with if: always(), needs and check-run-end, as breadcrumb init --separate writes it"))
	}
	return findings
}

// countTagged returns how many of the steps name Breadcrumb by a tag.
func countTagged(judges []judgeStep) (n int) {
	for _, j := range judges {
		if j.tagged {
			n++
		}
	}
	return n
}

// pinnedUse matches an action that is named by a commit.
var pinnedUse = lazyregexp.New(`@[0-9a-f]{40}$`)

// choose returns the text for a condition.
func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// findJudges returns the steps of a workflow that use Breadcrumb.
func findJudges(file workflowFile) (found []judgeStep) {
	var doc struct {
		On          yaml.Node `yaml:"on"`
		Permissions yaml.Node
		Jobs        map[string]struct {
			If          string
			Permissions yaml.Node
			Steps       []yaml.Node
		}
	}
	if err := yaml.Unmarshal(file.text, &doc); err != nil {
		return nil // the workflow rules report it
	}
	for _, job := range doc.Jobs {
		permissions := job.Permissions
		if permissions.IsZero() {
			permissions = doc.Permissions
		}
		for i := range job.Steps {
			var step workflowStep
			if err := job.Steps[i].Decode(&step); err != nil || !setup.Judges(step.Uses) {
				continue
			}
			j := judgeStep{file: file.name, line: job.Steps[i].Line, tagged: !pinnedUse.MatchString(step.Uses), outside: namesEvent(doc.On, "workflow_run"), may: mayWriteChecks(permissions), alwaysFollowed: afterFailure.MatchString(job.If)}
			j.checkRun, _ = step.With["check-run"].(string)
			_, j.endsCheck = step.With["check-run-end"]
			found = append(found, j)
		}
	}
	slices.SortFunc(found, func(a, b judgeStep) int { return a.line - b.line })
	return found
}

// namesEvent reports whether the key on of a workflow names an event.
func namesEvent(on yaml.Node, event string) bool {
	return on.Value == event || slices.ContainsFunc(on.Content, func(n *yaml.Node) bool { return n.Value == event })
}

// mayWriteChecks reports whether permissions include writing checks.
func mayWriteChecks(permissions yaml.Node) bool {
	if permissions.Value == "write-all" {
		return true
	}
	var each map[string]string
	return permissions.Decode(&each) == nil && each["checks"] == "write"
}
