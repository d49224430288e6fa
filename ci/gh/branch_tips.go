package gh

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// branchTips knows at which commits a branch's ref has pointed, by GitHub's list of the
// repository's activity, newest first
// (https://docs.github.com/en/rest/repos/repos#list-repository-activities). A commit in
// the middle of a merged pull request is on the branch and was never its tip, so that no
// run of the branch is of it.
type branchTips struct {
	client             *Client
	repository, branch string
	maxPages           int
	until              time.Time // what happened then or later does not count; zero: all counts

	was     map[string]bool // commits that the ref pointed at
	pages   int             // of the list that were read
	next    string          // cursor of the page after them
	oldest  time.Time       // activity on them
	created time.Time       // when the branch was made; zero while that is not read
	whole   bool            // nothing older counts
}

// Bounds of what is read of a branch's activity, in pages of 100. Mostly the first page
// has every commit.
const (
	maxTipPages       = 10
	tipPagesElsewhere = 3
	// maxRunDelay is how much older than a run the push may be that it tests.
	maxRunDelay = 24 * time.Hour
)

// testedCommit is the commit that a run tested.
type testedCommit struct {
	sha     string
	branch  string    // as GitHub names it
	created time.Time // the run was, by GitHub's clock; zero where that is not known
}

// commitsOf returns the commits of the runs that saved those artifacts that are meant.
func commitsOf(found []artifact, runs map[int64]runOrigin, isMeant func(artifact) bool) []testedCommit {
	var commits []testedCommit
	for _, a := range found {
		if isMeant(a) {
			commits = append(commits, testedCommit{a.Run.HeadSHA, a.Run.HeadBranch, runs[a.Run.ID].Created})
		}
	}
	return commits
}

// activity is what GitHub lists. go-github v62 does not know it.
type activity struct {
	Type   string    `json:"activity_type"`
	Ref    string    `json:"ref"`
	Before string    `json:"before"`
	After  string    `json:"after"`
	At     time.Time `json:"timestamp"`
}

// newBranchTips returns what is known of a branch before GitHub is asked: nothing.
func newBranchTips(c *Client, o BackendOptions, branch string) *branchTips {
	pages := tipPagesElsewhere
	if o.onDefaultBranch() {
		pages = maxTipPages
	}
	return &branchTips{client: c, repository: o.Repository, branch: branch, maxPages: pages, was: map[string]bool{}}
}

// learn reads the list until it is known of each commit whether it was the tip, or the
// bound is reached.
func (t *branchTips) learn(ctx context.Context, commits []testedCommit) error {
	for t.pages < t.maxPages && slices.ContainsFunc(commits, t.isUndecided) {
		if err := t.readPage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// isUndecided reports whether an older page may still name the commit. A run begins
// soon after its commit became the tip, or later: what is not found then is nowhere.
func (t *branchTips) isUndecided(c testedCommit) bool {
	return !t.was[c.sha] && !t.whole && (t.pages == 0 || !t.oldest.Before(c.created.Add(-maxRunDelay)))
}

// readPage reads the next page of the list, on top of what a run may ask.
func (t *branchTips) readPage(ctx context.Context) error {
	query := url.Values{"ref": {"refs/heads/" + t.branch}, "per_page": {"100"}}
	if t.next != "" {
		query.Set("after", t.next)
	}
	before := t.client.rest.Load()
	defer func() { t.client.onTop.Add(t.client.rest.Load() - before) }()
	var page []activity
	resp, err := t.client.get(ctx, fmt.Sprintf("repos/%s/activity?%s", t.repository, query.Encode()), &page)
	if err != nil {
		return t.client.faultNeeding("contents: read", "ask which commits were the tip of "+t.branch, err)
	}
	t.pages++
	t.next = resp.After
	for _, a := range page {
		t.add(a)
	}
	t.whole = t.whole || t.next == "" || len(page) == 0
	return nil
}

// add counts one activity. What is older than the branch is of another one that had its
// name.
func (t *branchTips) add(a activity) {
	switch {
	case t.whole || a.Ref != "refs/heads/"+t.branch || !t.until.IsZero() && !a.At.Before(t.until):
		return
	case a.Type == "branch_deletion" && t.until.IsZero():
		t.whole = true
		return
	case a.Type == "branch_creation":
		t.whole, t.created = true, a.At
	default:
		t.was[a.Before] = true
	}
	t.was[a.After], t.oldest = true, a.At
}
