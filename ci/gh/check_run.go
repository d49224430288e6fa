package gh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/engine/text"
)

// CheckRun is a check of a commit, which a branch's protection can require. It is
// found again by its name, its commit and who it is for:
// https://docs.github.com/en/rest/checks/runs
type CheckRun struct {
	client      *Client
	owner, repo string
	target      CheckTarget
	ids         []int64 // of the check runs that are this one
}

// CheckTarget says which check run is meant.
type CheckTarget struct {
	Repository string // owner/name
	Commit     string // full hash
	Name       string // shown on the pull request
	For        string // what is judged; others of the same name are left alone
	Details    string // address of the judging run, "" for none
}

// Conclusion is how a check run ended. Those that a branch's protection would take
// for a success, neutral and skipped, are not among them.
type Conclusion string

// The conclusions of a check run.
const (
	ConclusionSuccess   Conclusion = "success"
	ConclusionFailure   Conclusion = "failure"
	ConclusionCancelled Conclusion = "cancelled"
)

// CheckText is what a check run shows: Title is plain text, Summary is Markdown in
// which everything hostile is escaped already. Both are cut to what GitHub takes.
type CheckText struct{ Title, Summary string }

// What GitHub takes of a check run's texts, in bytes, and the sign of a cut.
const (
	maxCheckTitle   = 255 - len("…")
	maxCheckSummary = 65535 - len("…")
)

// checksWrite is the permission that a check run needs.
const checksWrite = "checks: write"

// maxCheckPages bounds the pages of 100 check runs of one name on one commit.
const maxCheckPages = 3

// FindCheckRun looks for the check run, which need not exist yet.
func (c *Client) FindCheckRun(ctx context.Context, t CheckTarget) (*CheckRun, error) {
	owner, name, err := splitRepository(t.Repository)
	if err == nil && !shaPattern.MatchString(t.Commit) {
		err = fmt.Errorf("%.80q is no full commit hash", t.Commit)
	}
	if err != nil {
		return nil, fmt.Errorf("look for the check run: %w", err)
	}
	k := &CheckRun{client: c, owner: owner, repo: name, target: t}
	return k, k.find(ctx, "")
}

// find looks for the check runs that are this one and have the status, "" for any.
func (k *CheckRun) find(ctx context.Context, status string) error {
	all := "all"
	options := github.ListCheckRunsOptions{CheckName: &k.target.Name, Filter: &all, ListOptions: github.ListOptions{PerPage: 100, Page: 1}}
	k.ids = nil
	for range maxCheckPages {
		found, resp, err := k.client.api.Checks.ListCheckRunsForRef(ctx, k.owner, k.repo, k.target.Commit, &options)
		if err != nil {
			return k.client.faultNeeding(checksWrite, "look for the check run", err)
		}
		for _, run := range found.CheckRuns {
			if run.GetExternalID() == k.target.For && run.GetName() == k.target.Name && run.GetHeadSHA() == k.target.Commit && (status == "" || run.GetStatus() == status) {
				k.ids = append(k.ids, run.GetID())
			}
		}
		if options.Page = resp.NextPage; options.Page == 0 {
			break
		}
	}
	return nil
}

// Begin makes the check run pending, or sets the one of an earlier run back.
func (k *CheckRun) Begin(ctx context.Context, shown CheckText, at time.Time) error {
	if len(k.ids) > 0 {
		return k.update(ctx, "in_progress", "", shown, at)
	}
	return k.create(ctx, "in_progress", "", shown, at)
}

// End concludes the check run, whether it was begun or not.
func (k *CheckRun) End(ctx context.Context, how Conclusion, shown CheckText, at time.Time) error {
	if len(k.ids) > 0 {
		return k.update(ctx, "completed", how, shown, at)
	}
	return k.create(ctx, "completed", how, shown, at)
}

// EndPending concludes the check run where it has no conclusion, and reports whether
// it had none.
func (k *CheckRun) EndPending(ctx context.Context, how Conclusion, shown CheckText, at time.Time) (bool, error) {
	known := slices.Clone(k.ids)
	if err := k.find(ctx, "completed"); err != nil {
		return false, err
	}
	done := k.ids
	k.ids = slices.DeleteFunc(known, func(id int64) bool { return slices.Contains(done, id) })
	if len(k.ids) == 0 && len(done) > 0 {
		return false, nil
	}
	return true, k.End(ctx, how, shown, at)
}

// create makes the check run. Where the answer is lost it may exist all the same.
func (k *CheckRun) create(ctx context.Context, status string, how Conclusion, shown CheckText, at time.Time) error {
	o := github.CreateCheckRunOptions{Name: k.target.Name, HeadSHA: k.target.Commit, ExternalID: &k.target.For, DetailsURL: textOrNil(k.target.Details),
		Status: &status, Conclusion: textOrNil(string(how)), Output: k.output(shown)}
	if how != "" {
		o.CompletedAt = &github.Timestamp{Time: at}
	} else {
		o.StartedAt = &github.Timestamp{Time: at}
	}
	made, _, err := k.client.api.Checks.CreateCheckRun(ctx, k.owner, k.repo, o)
	if err == nil {
		k.ids = []int64{made.GetID()}
		return nil
	}
	err = k.client.faultNeeding(checksWrite, "create the check run", err)
	if errors.Is(err, ErrNoPermission) || k.find(ctx, "") != nil || len(k.ids) == 0 {
		return err
	}
	return k.update(ctx, status, how, shown, at)
}

// update changes every check run that is this one.
func (k *CheckRun) update(ctx context.Context, status string, how Conclusion, shown CheckText, at time.Time) error {
	o := github.UpdateCheckRunOptions{Name: k.target.Name, ExternalID: &k.target.For, DetailsURL: textOrNil(k.target.Details),
		Status: &status, Conclusion: textOrNil(string(how)), Output: k.output(shown)}
	if how != "" {
		o.CompletedAt = &github.Timestamp{Time: at}
	}
	var errs []error
	for _, id := range k.ids {
		_, _, err := k.client.api.Checks.UpdateCheckRun(withIdempotent(ctx), k.owner, k.repo, id, o)
		errs = append(errs, k.client.faultNeeding(checksWrite, "update the check run", err))
	}
	return errors.Join(errs...)
}

func (k *CheckRun) output(shown CheckText) *github.CheckRunOutput {
	title, summary := text.Cut(text.Line(shown.Title), maxCheckTitle), text.Cut(shown.Summary, maxCheckSummary)
	return &github.CheckRunOutput{Title: &title, Summary: &summary}
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
