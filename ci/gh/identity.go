package gh

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// JobHints are what a step knows of the job that it runs in, beside the job's id. In
// a called workflow GITHUB_JOB is the called job's id, the same in every call:
// https://github.com/actions/runner/issues/2577
type JobHints struct {
	Caller   string // the input job: names the caller's job; "" to ask GitHub
	CheckRun int64  // job.check_run_id, which is the id of the job; 0 unknown
	Runner   string // RUNNER_NAME
}

// RunnerName returns the name of the runner that the step runs on.
func RunnerName(getenv func(string) string) string { return getenv("RUNNER_NAME") }

// Name returns info with the job that the input names.
func (h JobHints) Name(info engine.RunInfo) engine.RunInfo {
	if h.Caller != "" {
		info.Job = h.Caller + engine.CallSeparator + info.Job
	}
	return info
}

// Identify completes what [LoadEvent] returned by what GitHub itself says of the run:
// when it was created, which workflow it is of, which job called this one and which
// pull requests are in the merge group. It asks once for the run, once more for the
// job where the run calls workflows, and once for the commits of a merge group. What
// cannot be asked stays as the event has it, and a notice says so.
func (c *Client) Identify(ctx context.Context, info engine.RunInfo, hints JobHints) (engine.RunInfo, []engine.Notice) {
	before := c.rest.Load()
	defer func() { c.onTop.Add(c.rest.Load() - before) }()
	var notices []engine.Notice
	note := func(err error, what string) {
		if err != nil {
			notices = append(notices, engine.Notice{Severity: engine.SeverityWarning, Reason: fmt.Sprintf(what, err)})
		}
	}
	run, err := c.loadRun(ctx, &info)
	note(err, "GitHub did not say what it knows of this run, so the runner's event stands for it, and a workflow whose file is renamed begins a new history: %v")
	info = hints.Name(info)
	if hints.Caller == "" && len(run.ReferencedWorkflows) > 0 {
		err = c.nameCaller(ctx, &info, hints)
		note(err, "which job calls this workflow is not known, so every job that calls it shares one history and one comment; pass the input job: %v")
	}
	if len(info.MergeGroup) > 0 {
		err = c.completeGroup(ctx, &info)
		note(err, "which pull requests are in this merge group beside the last is not known: %v")
	}
	return info, notices
}

// actionsRead is the permission that asking for a run needs.
const actionsRead = "actions: read"

// loadRun asks for the run. Of a run that reports on another one, the event has said
// everything about that one already.
func (c *Client) loadRun(ctx context.Context, info *engine.RunInfo) (*github.WorkflowRun, error) {
	owner, name, err := splitRepository(info.Repository)
	if err != nil {
		return &github.WorkflowRun{}, err
	}
	run, resp, err := c.api.Actions.GetWorkflowRunByID(ctx, owner, name, info.RunID)
	if err == nil && (run.GetID() != info.RunID || run.GetRepository().GetID() != info.RepositoryID) {
		err = fmt.Errorf("it answered with run %d of repository %d", run.GetID(), run.GetRepository().GetID())
	}
	if err != nil {
		if info.StartedAt.IsZero() {
			info.StartedAt, info.LateStart = answeredAt(resp), true
		}
		return &github.WorkflowRun{}, c.faultNeeding(actionsRead, "ask for the run", err)
	}
	if !info.Relayed {
		info.WorkflowID = run.GetWorkflowID()
		if created := run.GetCreatedAt(); !created.IsZero() {
			info.StartedAt = created.UTC()
		}
	}
	return run, nil
}

// answeredAt returns the end of the second in which the server answered, by its own
// clock, the zero time without one: Date names whole seconds
// (https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1), and what was recorded before
// the answer is not newer than the run.
func answeredAt(resp *github.Response) time.Time {
	if resp == nil {
		return time.Time{}
	}
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Add(time.Second)
}

// nameCaller puts the calling job's name before the id of a called job. GitHub names
// a called job "caller / called".
func (c *Client) nameCaller(ctx context.Context, info *engine.RunInfo, hints JobHints) error {
	job, err := c.findJob(ctx, *info, hints)
	if err != nil {
		return err
	}
	name := job.GetName()
	if at := strings.LastIndex(name, engine.CallSeparator); at > 0 {
		info.Job = name[:at] + engine.CallSeparator + info.Job
	}
	return nil
}

// findJob asks for the job that this step runs in.
func (c *Client) findJob(ctx context.Context, info engine.RunInfo, hints JobHints) (*github.WorkflowJob, error) {
	owner, name, err := splitRepository(info.Repository)
	if err != nil {
		return nil, err
	}
	if hints.CheckRun > 0 {
		job, _, err := c.api.Actions.GetWorkflowJobByID(ctx, owner, name, hints.CheckRun)
		if err == nil && job.GetRunID() == info.RunID {
			return job, nil
		}
	}
	var found *github.WorkflowJob
	for job, err := range c.attemptJobs(ctx, owner, name, info) {
		switch {
		case err != nil:
			return nil, err
		case hints.Runner == "" || job.GetRunnerName() != hints.Runner || job.GetStatus() != "in_progress":
		case found != nil:
			return nil, fmt.Errorf("the runner %q has two jobs in progress", hints.Runner)
		default:
			found = job
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no job in progress has the runner %q", hints.Runner)
	}
	return found, nil
}

// maxJobPages bounds how many jobs of a run are looked at, a hundred a page.
const maxJobPages = 5

// attemptJobs yields the jobs of this attempt of the run.
func (c *Client) attemptJobs(ctx context.Context, owner, name string, info engine.RunInfo) func(func(*github.WorkflowJob, error) bool) {
	return func(yield func(*github.WorkflowJob, error) bool) {
		page := github.ListOptions{PerPage: 100, Page: 1}
		for page.Page != 0 {
			if page.Page > maxJobPages {
				yield(nil, errors.New("the run has too many jobs to look at"))
				return
			}
			jobs, resp, err := c.api.Actions.ListWorkflowJobsAttempt(ctx, owner, name, info.RunID, int64(cmp.Or(info.RunAttempt, 1)), &page)
			if err != nil {
				yield(nil, c.faultNeeding(actionsRead, "list the run's jobs", err))
				return
			}
			for _, job := range jobs.Jobs {
				if !yield(job, nil) {
					return
				}
			}
			page.Page = resp.NextPage
		}
	}
}

// keyRest is what a comment's key may not hold.
var keyRest = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// CommentKey returns the key of the comment for each workflow, job and matrix leg, so that each
// has its own comment: in a shared one the last to end would overwrite the others'
// verdicts. The hash tells apart what reads the same.
func CommentKey(info engine.RunInfo) string {
	file, _, _ := strings.Cut(info.Workflow, "@refs/")
	key := strings.TrimSuffix(path.Base(file), ".yml") + "." + info.Job
	if info.Leg == "" && comment.ValidKey(key) {
		return key
	}
	sum := sha256.Sum256([]byte(file + "\n" + info.Job + "\n" + info.Leg))
	key = keyRest.ReplaceAllString(key, "-")
	return key[:min(len(key), 50)] + "-" + hex.EncodeToString(sum[:4])
}

// FormerCommentKey returns the key that older versions gave the comment of a job and
// leg, whatever its workflow.
func FormerCommentKey(info engine.RunInfo) string {
	job := engine.CalledJob(info.Job)
	if info.Leg == "" && comment.ValidKey(job) {
		return job
	}
	sum := sha256.Sum256([]byte(job + "\n" + info.Leg))
	return job[:min(len(job), 40)] + "-" + hex.EncodeToString(sum[:4])
}
