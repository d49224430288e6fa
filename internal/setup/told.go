package setup

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/internal/setup/detect"
)

// tellExisting says what the additions to an existing workflow do not do, and what is left
// to do there.
func (plan *Plan) tellExisting(found existing, o Options) {
	judging := found.step.at.Judging
	if found.step.at.Merging {
		plan.Notes = append(plan.Notes, "the jobs of the shards stay as they are and may be red; let the branch's protection require the job "+found.step.at.Job+
			" alone. How breadcrumb run heals in shards: examples/workflows/sharded.yml")
	}
	switch {
	case found.apart:
		plan.Notes = append(plan.Notes, fmt.Sprintf("each leg of the job %s judges its own tests and has its own comment, and the merging jobs stay as they are: the result of a job is that of all its legs, "+
			"so a job that merges some of them would take another's failure for its own. One verdict for each suite: docs/monorepo.md", found.step.at.Job))
	case found.step.matrix && !judging:
		plan.Notes = append(plan.Notes, fmt.Sprintf("each leg of the job %s judges its own tests and has its own comment%s", found.step.at.Job,
			found.step.sharding()))
	}
	if l := found.step.legs; !judging && l.key != "" && l.folder == "" {
		plan.Todo = append(plan.Todo, fmt.Sprintf("the legs of the job %s run other tests for each matrix.%s, and no one path is that of all their reports: give the step with Breadcrumb the inputs junit, traces and heal-events "+
			"of what its leg runs, or each leg is red for want of the others' reports", found.step.at.Job, l.key))
	}
	if judging && !found.led && anyLed(plan.Suites) {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s judges the tests and does not heal them while they run: put the step \"uses: %s\" before them and \"%s\" before their command, see docs/run.md",
			found.step.at.File, setupAction(o.Own), strings.TrimSpace(detect.RunPrefix)))
	}
}

// tellNew says of a new workflow what is left to do for the suites that it runs.
func (plan *Plan) tellNew(p *detect.Checkout) {
	if p.Has(WorkflowFile) {
		return
	}
	for _, s := range plan.Suites {
		if s.Config != "" && browserPath.MatchString(p.Text(s.Config)) {
			plan.Notes = append(plan.Notes, s.Config+" sets executablePath: the tests use that browser and not the one that the workflow installs; see that the runner has it, or leave the path out where process.env.CI is set")
		}
		if s.LocalURL != "" {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%s: its baseURL is %s, and nothing seen here starts that server: add a webServer to the configuration, or a step before the tests", s.Config, s.LocalURL))
		}
	}
}
