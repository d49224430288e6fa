package gh

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
)

// workflowRuns knows the runs of the default branch that artifacts are of: GitHub
// does not say their event and workflow where it lists artifacts.
type workflowRuns struct {
	client  *Client
	options BackendOptions

	known   map[int64]runOrigin // by the run's id
	adopted map[int64]bool      // runs of this workflow and the default branch under former names
	commits branchCommits       // of the default branch
	tips    *branchTips         // likewise
	// former are the tips under the default branch's former names, of before it was renamed.
	former map[string]*branchTips
	stray  string // a commit of a run under its name that does not count; "" for none

	pages  int   // of the listing, newest first, that were read
	oldest int64 // run on them
	whole  bool  // there are no more pages
}

// runOrigin is a workflow run as GitHub describes it.
type runOrigin struct {
	ID      int64     `json:"id"`
	Event   string    `json:"event"`
	Path    string    `json:"path"`
	Branch  string    `json:"head_branch"`
	Created time.Time `json:"created_at"`
	Status  string    `json:"status"`
	Updated time.Time `json:"updated_at"` // when it ended, where it is completed
}

// mayEndAfter reports whether a run has saved, or will save, later than a time.
func (o runOrigin) mayEndAfter(t time.Time) bool {
	return o.Status != "completed" || !o.Updated.Before(t)
}

// Bounds of what is asked about runs.
const (
	maxRunPages       = 3 // of 100
	runPagesElsewhere = 1
	maxRunLookups     = 2 // a call each
)

// learn asks about the runs: a single one is looked up, several are looked for
// among the workflow's newest, and at most lookups of what is left are looked up.
func (r *workflowRuns) learn(ctx context.Context, ids []int64, lookups int) error {
	pages := runPagesElsewhere
	if r.options.onDefaultBranch() {
		pages = maxRunPages
	}
	if len(r.undecided(ids)) == 1 {
		lookups = max(lookups, 1)
	}
	for unknown := r.undecided(ids); len(unknown) > 1 && !r.whole && r.pages < pages; unknown = r.undecided(ids) {
		if err := r.readPage(ctx); err != nil {
			return err
		}
	}
	unknown := r.undecided(ids)
	for _, id := range unknown[:min(len(unknown), lookups)] {
		run := runOrigin{ID: id} // stays as it is for a run that was deleted
		if _, err := r.ask(ctx, fmt.Sprintf("runs/%d?exclude_pull_requests=true", id), &run); err != nil {
			return err
		}
		r.known[run.ID] = run
	}
	return nil
}

// learnComments looks for those of the runs that are not known among the newest on comments,
// of all workflows.
func (r *workflowRuns) learnComments(ctx context.Context, ids []int64) error {
	if !slices.ContainsFunc(ids, func(id int64) bool { _, known := r.known[id]; return !known }) {
		return nil
	}
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}, "event": {state.CommandEvent}}
	var out struct {
		Runs []runOrigin `json:"workflow_runs"`
	}
	if _, err := r.ask(ctx, "runs?"+query.Encode(), &out); err != nil {
		return err
	}
	for _, run := range out.Runs {
		if slices.Contains(ids, run.ID) {
			r.known[run.ID] = run
		}
	}
	return nil
}

// undecided returns the runs of which it is not known whether they are of this
// workflow. The listing has all of them back to its oldest.
func (r *workflowRuns) undecided(ids []int64) []int64 {
	var unknown []int64
	for _, id := range ids {
		if _, known := r.known[id]; !known && !r.whole && (r.pages == 0 || id < r.oldest) {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// readPage reads the next page of the workflow's runs on the default branch; of
// all workflows' where it has none of its own.
func (r *workflowRuns) readPage(ctx context.Context) error {
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}, "page": {strconv.Itoa(r.pages + 1)}}
	if r.options.DefaultBranch != "" {
		query.Set("branch", r.options.DefaultBranch)
	}
	below := "runs"
	if r.options.Workflow != "" {
		below = "workflows/" + url.PathEscape(path.Base(r.options.Workflow)) + "/runs"
	}
	var out struct {
		Runs []runOrigin `json:"workflow_runs"`
	}
	more, err := r.ask(ctx, below+"?"+query.Encode(), &out)
	if err != nil {
		return err
	}
	r.pages++
	r.whole = !more
	for _, run := range out.Runs {
		r.known[run.ID] = run
		if r.oldest == 0 || run.ID < r.oldest {
			r.oldest = run.ID
		}
	}
	return nil
}

// maxRunsBeside is of how many runs the artifacts are listed for themselves, beside the
// snapshot's own: so many younger ones that test what is merged, so many of commands, and
// so many older ones that may have ended after what the snapshot was made from was listed,
// foldTime before it was saved.
const (
	maxRunsBeside = 4
	foldTime      = time.Hour
)

// since is ownSince among some of the runs.
func (r *workflowRuns) since(snapshot artifact, reached time.Time, runs map[int64]runOrigin) (ids, missed []int64) {
	var late, tests, commands []int64
	first, from := snapshot.Run.ID, snapshot.Created.Add(-foldTime)
	for id, run := range runs {
		trusted := engine.IsTrustedEvent(run.Event)
		switch {
		case id == first || !r.isOwn(run):
		case id < first && trusted && !reached.Before(from) && run.mayEndAfter(from):
			late = append(late, id)
		case id < first:
		case trusted:
			tests = append(tests, id)
		case run.Event == state.CommandEvent:
			commands = append(commands, id)
		}
	}
	for _, due := range [][]int64{late, tests, commands} {
		slices.SortFunc(due, func(a, b int64) int { return cmp.Or(runs[b].Updated.Compare(runs[a].Updated), cmp.Compare(b, a)) })
		n := min(len(due), maxRunsBeside)
		ids, missed = append(ids, due[:n]...), append(missed, due[n:]...)
	}
	if first != 0 {
		ids = append(ids, first)
	}
	return ids, missed
}

// listWorkflows returns the files of the repository's workflows.
func (r *workflowRuns) listWorkflows(ctx context.Context) ([]string, error) {
	var out struct {
		Workflows []struct {
			Path string `json:"path"`
		} `json:"workflows"`
	}
	_, err := r.ask(ctx, "workflows?per_page=100", &out)
	var files []string
	for _, w := range out.Workflows {
		files = append(files, w.Path)
	}
	return files, err
}

// ask reads a path below the repository's actions and returns whether there is
// another page. Where there is nothing, out stays as it is.
func (r *workflowRuns) ask(ctx context.Context, below string, out any) (more bool, err error) {
	resp, err := r.client.get(ctx, fmt.Sprintf("repos/%s/actions/%s", r.options.Repository, below), out)
	if err != nil && resp != nil && resp.StatusCode == http.StatusNotFound {
		return false, nil
	}
	return err == nil && resp.NextPage > 0, r.client.fault("ask GitHub for workflow runs", err, refused)
}

// bearsDefaultBranch reports whether an item comes from a run of this very repository
// that names the default branch, whatever its name was. The run of a tag names the tag
// in the same place, so that only [workflowRuns.vouchesFor] decides.
func (r *workflowRuns) bearsDefaultBranch(o state.Origin) bool {
	if r.adopted[o.RunID] {
		o.Branch = r.options.DefaultBranch
	}
	return r.options.isOfDefaultBranch(o)
}

// isOfDefaultBranch reports whether an item comes from a run on the default branch
// of this very repository. It asks nothing about the run.
func (o BackendOptions) isOfDefaultBranch(origin state.Origin) bool {
	return o.isOfRepository(origin) && (o.DefaultBranch == "" || origin.Branch == o.DefaultBranch)
}

// isOfRepository reports whether an item comes from a run of this very repository, and
// not of a fork.
func (o BackendOptions) isOfRepository(origin state.Origin) bool {
	return origin.RepositoryID == o.RepositoryID && origin.HeadRepositoryID == o.RepositoryID
}

// vouchesFor reports whether an item comes from a run on the default branch: its
// commit is known to be on it, and to have been its tip.
func (r *workflowRuns) vouchesFor(o state.Origin) bool {
	return r.bearsDefaultBranch(o) && (r.options.DefaultBranch == "" || r.commits.on[o.HeadSHA] && r.wasTip(o.Branch, o.HeadSHA))
}

// wasTip reports whether a commit is known to have been the default branch's tip, under
// the name that it had.
func (r *workflowRuns) wasTip(branch, sha string) bool {
	former := r.former[branch]
	return r.tips.was[sha] || former != nil && former.was[sha]
}

// isOwn reports whether a run is of the workflow whose history counts.
func (r *workflowRuns) isOwn(run runOrigin) bool {
	return r.options.Workflow == "" || run.Path == r.options.Workflow
}

// learnCommits asks for those of the artifacts that would count whether their commits
// are on the default branch and were its tip.
func (r *workflowRuns) learnCommits(ctx context.Context, found []artifact) error {
	if r.options.DefaultBranch == "" {
		return nil
	}
	commits := commitsOf(found, r.known, r.wouldCount)
	if err := r.learnTips(ctx, commits); err != nil {
		return err
	}
	if at := slices.IndexFunc(commits, r.isStray); at >= 0 && r.stray == "" {
		r.stray = commits[at].sha
	}
	return nil
}

// wouldCount reports whether an artifact counts as long as its commit does.
func (r *workflowRuns) wouldCount(a artifact) bool {
	item := a.toItem()
	run, known := r.known[a.Run.ID]
	return known && !a.Expired && strings.HasPrefix(item.Name, "breadcrumb-") && r.isOwn(run) && r.bearsDefaultBranch(item.Origin)
}

// learnTips asks which of the commits are on the default branch, and of those which were
// its tip. While it had a former name they were so until GitHub's list has it made under
// the present one: a branch of the old name that was made afterwards proves nothing.
func (r *workflowRuns) learnTips(ctx context.Context, commits []testedCommit) error {
	var shas []string
	for _, c := range commits {
		shas = append(shas, c.sha)
	}
	if err := r.commits.learn(ctx, shas); err != nil {
		return err
	}
	r.tips.was[r.commits.tip] = true // GitHub has just said so
	commits = slices.DeleteFunc(slices.Clone(commits), func(c testedCommit) bool { return !r.commits.on[c.sha] })
	if err := r.tips.learn(ctx, commits); err != nil {
		return err
	}
	for _, c := range commits {
		if c.branch == r.options.DefaultBranch || r.tips.created.IsZero() {
			continue
		}
		if r.former[c.branch] == nil {
			r.former[c.branch] = newBranchTips(r.client, r.options, c.branch)
			r.former[c.branch].until = r.tips.created
		}
		if err := r.former[c.branch].learn(ctx, []testedCommit{c}); err != nil {
			return err
		}
	}
	return nil
}

// isUndecided reports whether it took too many requests to learn if a commit counts.
func (r *workflowRuns) isUndecided(c testedCommit) bool {
	return r.commits.on[c.sha] && !r.wasTip(c.branch, c.sha) && r.tips.isUndecided(c)
}

// isStray reports whether a commit under the default branch's name is known not to count.
func (r *workflowRuns) isStray(c testedCommit) bool {
	return c.branch == r.options.DefaultBranch && (!r.commits.on[c.sha] || !r.tips.was[c.sha]) && !r.isUndecided(c)
}

// listOf returns the newest runs of a workflow file on a branch by their ids.
func (r *workflowRuns) listOf(ctx context.Context, file, branch string) (map[int64]runOrigin, error) {
	list, err := r.listNewest(ctx, file, "branch", branch)
	runs := map[int64]runOrigin{}
	for _, run := range list {
		runs[run.ID] = run
	}
	return runs, err
}

// listBranches returns the branches that the newest runs of a workflow file name: first
// those of events that are of the default branch, whatever its name was then, and then
// those of pushes, which are of any branch.
func (r *workflowRuns) listBranches(ctx context.Context, file string) (names []string, err error) {
	for _, event := range []string{state.CommandEvent, "schedule", "push"} {
		runs, err := r.listNewest(ctx, file, "event", event)
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			if !slices.Contains(names, run.Branch) {
				names = append(names, run.Branch)
			}
		}
	}
	return names, nil
}

// listNewest returns the newest runs of a workflow file of which GitHub's filter holds,
// newest first.
func (r *workflowRuns) listNewest(ctx context.Context, file, filter, value string) ([]runOrigin, error) {
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}, filter: {value}}
	var out struct {
		Runs []runOrigin `json:"workflow_runs"`
	}
	_, err := r.ask(ctx, "workflows/"+url.PathEscape(path.Base(file))+"/runs?"+query.Encode(), &out)
	return out.Runs, err
}
