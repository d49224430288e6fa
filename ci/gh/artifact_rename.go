package gh

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
)

// Bounds of what is asked about renames, which only a workflow's first run on the
// default branch does.
const (
	maxFormerBranches  = 2
	maxFormerWorkflows = 5
	maxBranchesAsked   = 4 // of those that runs name
)

// Former implements [state.Renamer].
func (b *ArtifactBackend) Former() state.Former {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.former
}

// followRename looks for what this workflow saved before it or the default branch
// had its present name. found are all artifacts that were listed; it returns them
// with what goes on.
func (b *ArtifactBackend) followRename(ctx context.Context, found []artifact) ([]artifact, error) {
	if b.options.Workflow == "" || !b.options.onDefaultBranch() {
		return found, nil
	}
	done, err := b.followBranch(ctx, found)
	if err == nil && !done {
		untried := len(b.former.Left) == 0 // no branch had a history that is left alone
		var more []artifact
		more, err = b.followWorkflow(ctx)
		found = dropRepeated(append(found, more...))
		if err == nil && b.former.Branch+b.former.Workflow == "" && untried {
			err = b.followLeadingBranch(ctx, found)
		}
	}
	if err == nil && b.former.Branch != "" {
		err = b.followBranchesBeside(ctx, found)
	}
	return found, err
}

// followBranchesBeside takes over what was saved under other names of the default branch,
// which was renamed more than once: the decisions and deltas of a name that had no
// snapshot. The names are those of runs that are of the default branch, or may be.
func (b *ArtifactBackend) followBranchesBeside(ctx context.Context, found []artifact) error {
	file := cmp.Or(b.former.Workflow, b.options.Workflow)
	names, err := b.runs.listBranches(ctx, file)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == b.options.DefaultBranch || name == b.former.Branch })
	for _, name := range names[:min(len(names), maxBranchesAsked)] {
		renamed, err := b.wasRenamed(ctx, name)
		if err == nil && renamed {
			b.former.Branches = append(b.former.Branches, name)
			err = b.adoptBranch(ctx, file, name, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// followLeadingBranch takes over what this workflow saved under the former name of the
// default branch without a snapshot, and what its runs that began then will save. Its
// own former name may be unknown.
func (b *ArtifactBackend) followLeadingBranch(ctx context.Context, found []artifact) error {
	branch, err := b.leadingBranch(ctx, found)
	if err != nil || branch == "" {
		return err
	}
	b.former.Branch = branch
	return b.adoptBranch(ctx, b.options.Workflow, branch, found)
}

// leadingBranch returns the branch that other workflows saved snapshots on and that was
// renamed to the default branch, "" where there is none.
func (b *ArtifactBackend) leadingBranch(ctx context.Context, found []artifact) (string, error) {
	tried := map[string]bool{b.options.DefaultBranch: true}
	for _, a := range found {
		o, branch := a.toItem().Origin, a.Run.HeadBranch
		if a.Expired || !strings.HasPrefix(a.Name, state.SnapshotPrefix) || tried[branch] || len(tried) > maxFormerBranches || !b.options.isOfRepository(o) {
			continue
		}
		tried[branch] = true
		if renamed, err := b.wasRenamed(ctx, branch); renamed || err != nil {
			return branch, err
		}
	}
	return "", nil
}

// followBranch takes over what this workflow saved on the default branch under the
// branch's former name. That a branch was the default one is believed when GitHub
// leads from its name to the present one, which it does only after a rename and
// until somebody makes a branch of the old name, and when the commit of each item is
// on the default branch: a branch of that name, made and deleted again, proves nothing.
func (b *ArtifactBackend) followBranch(ctx context.Context, found []artifact) (done bool, err error) {
	tried := map[string]bool{}
	for _, a := range found {
		o, branch, own := a.toItem().Origin, a.Run.HeadBranch, a.Name == snapshotArtifact || a.Name == snapshotName(b.options.Workflow)
		if a.Expired || !own || tried[branch] || len(tried) >= maxFormerBranches || branch == b.options.DefaultBranch || !b.options.isOfRepository(o) {
			continue
		}
		tried[branch] = true
		renamed, err := b.wasRenamed(ctx, branch)
		if err == nil && renamed {
			err = b.adoptBranch(ctx, b.options.Workflow, branch, found)
		}
		if err != nil {
			return false, err
		}
		if len(b.ownSnapshots(found)) > 0 {
			b.former = state.Former{Branch: branch}
			return true, nil
		}
		b.former.Left = append(b.former.Left, "branch "+branch)
	}
	return false, nil
}

// wasRenamed reports whether GitHub leads from a branch's name to the default branch.
func (b *ArtifactBackend) wasRenamed(ctx context.Context, branch string) (bool, error) {
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/branches/%s", b.options.Repository, url.PathEscape(branch)), nil)
	if err != nil {
		return false, err
	}
	resp, err := b.client.withoutRedirects().Do(req.WithContext(ctx))
	if err != nil {
		return false, b.client.fault("ask whether the default branch was renamed", err, refused)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMovedPermanently {
		return false, nil
	}
	to, err := url.Parse(resp.Header.Get("Location"))
	return err == nil && strings.HasSuffix(to.Path, "/branches/"+b.options.DefaultBranch), nil
}

// adoptBranch takes the runs of a workflow file on a branch for this workflow's on the
// default branch, and their items where their commits are on it.
func (b *ArtifactBackend) adoptBranch(ctx context.Context, file, branch string, found []artifact) error {
	runs, err := b.runs.listOf(ctx, file, branch)
	if err != nil {
		return err
	}
	b.adoptRuns(runs, file)
	return b.runs.learnCommits(ctx, found)
}

// adoptRuns takes those runs of a workflow file from which a history is taken for this
// workflow's.
func (b *ArtifactBackend) adoptRuns(runs map[int64]runOrigin, file string) {
	for _, run := range runs {
		if run.Path == file && (engine.IsTrustedEvent(run.Event) || run.Event == state.CommandEvent) {
			b.runs.adopt(run)
		}
	}
}

// adopt takes a run for one of this workflow on the default branch: it had, or they
// had, another name then.
func (r *workflowRuns) adopt(run runOrigin) {
	run.Path = r.options.Workflow
	r.known[run.ID], r.adopted[run.ID] = run, true
}

// followWorkflow takes over the history of the one workflow whose file is gone from
// the default branch, where there is just one that has a history. GitHub takes a
// renamed file for another workflow and gives it another id. Where this workflow's own
// file is gone as well, renamed since the run began, or the token may not read files,
// nothing shows which is which.
func (b *ArtifactBackend) followWorkflow(ctx context.Context) ([]artifact, error) {
	gone, there, err := b.goneWorkflows(ctx)
	if err != nil {
		return nil, err
	}
	if len(gone) > maxFormerWorkflows {
		b.former.Left = append(gone[:maxFormerWorkflows], "others")
		return nil, nil
	}
	var items []artifact
	var runs map[int64]runOrigin
	var with []state.Former // those with a history
	for _, file := range gone {
		found, _, err := b.listPage(ctx, url.Values{"name": {snapshotName(file)}, "per_page": {"100"}})
		if err != nil {
			return nil, err
		}
		branch, err := b.branchOf(ctx, found)
		if err != nil || branch == "" {
			if err != nil {
				return nil, err
			}
			continue
		}
		of, err := b.runs.listOf(ctx, file, branch)
		if err == nil {
			err = b.runs.learnTips(ctx, commitsOf(found, of, func(a artifact) bool { return of[a.Run.ID].Path == file && a.Run.HeadBranch == branch }))
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(found, func(a artifact) bool {
			run := of[a.Run.ID]
			return !a.Expired && engine.IsTrustedEvent(run.Event) && run.Path == file && a.Run.HeadBranch == branch && b.runs.commits.on[a.Run.HeadSHA] && b.runs.wasTip(branch, a.Run.HeadSHA)
		}) {
			former := state.Former{Workflow: file}
			if branch != b.options.DefaultBranch {
				former.Branch = branch
			}
			with, items, runs = append(with, former), found, of
		}
	}
	if len(with) == 1 && there {
		b.adoptRuns(runs, with[0].Workflow)
		b.former = with[0]
		return items, nil
	}
	for _, former := range with {
		b.former.Left = append(b.former.Left, former.Workflow)
	}
	return nil, nil
}

// branchOf returns the branch whose runs saved snapshots: the default branch, or one
// that was renamed to it; "" where there is none.
func (b *ArtifactBackend) branchOf(ctx context.Context, found []artifact) (string, error) {
	if len(b.runsOf(found, state.SnapshotPrefix)) > 0 {
		return b.options.DefaultBranch, nil
	}
	for _, a := range found {
		if o := a.toItem().Origin; !a.Expired && b.options.isOfRepository(o) {
			renamed, err := b.wasRenamed(ctx, o.Branch)
			if err != nil || !renamed {
				return "", err
			}
			return o.Branch, nil
		}
	}
	return "", nil
}

// goneWorkflows returns the workflows whose files the default branch has no longer, and
// whether it has this workflow's. Where the token may not read files, none is there.
func (b *ArtifactBackend) goneWorkflows(ctx context.Context) (gone []string, own bool, err error) {
	files, err := b.runs.listWorkflows(ctx)
	if err != nil {
		return nil, false, err
	}
	gone = slices.DeleteFunc(files, func(file string) bool {
		return file == b.options.Workflow || path.Dir(file) != ".github/workflows"
	})
	if len(gone) == 0 {
		return nil, false, nil
	}
	var there []struct {
		Path string `json:"path"`
	}
	if _, err := b.getContents(ctx, ".github/workflows", &there); err != nil {
		return nil, false, err
	}
	for _, file := range there {
		own = own || file.Path == b.options.Workflow
		gone = slices.DeleteFunc(gone, func(name string) bool { return name == file.Path })
	}
	return gone, own, nil
}

// getContents reads a file or a folder of the default branch, and reports whether it is
// there and may be read.
func (b *ArtifactBackend) getContents(ctx context.Context, name string, out any) (bool, error) {
	query := url.Values{"ref": {b.options.defaultRef()}}
	resp, err := b.client.get(ctx, fmt.Sprintf("repos/%s/contents/%s?%s", b.options.Repository, name, query.Encode()), out)
	if err != nil && resp != nil && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusForbidden) {
		return false, nil
	}
	return err == nil, b.client.fault("look for the workflows' files", err, refused)
}
