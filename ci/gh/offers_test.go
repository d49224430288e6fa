package gh_test

import (
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

// offers returns the offers that a job of the run keeps and reads.
func (a *actions) offers(t *testing.T, run int64) *gh.Offers {
	t.Helper()
	client, o := a.job(t, run, "refs/pull/12/merge")
	offers, err := client.Offers(o)
	if err != nil {
		t.Fatal(err)
	}
	return offers
}

func TestOffersAreThoseOfTheWorkflowsOwnRunsOfACommit(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	pullSHA, forkSHA := strings.Repeat("2", 40), strings.Repeat("3", 40)
	const verdictRun, elsewhereRun = 7_001, 7_002
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs,
			githubtest.WorkflowRun{ID: verdictRun, Event: "workflow_run", Path: ".github/workflows/verdict.yml", HeadBranch: "main", HeadSHA: mainSHA},
			githubtest.WorkflowRun{ID: elsewhereRun, Event: "push", Path: ".github/workflows/other.yml", HeadBranch: "rename", HeadSHA: pullSHA})
	})
	edit := func(with string) comment.SavedEdit {
		return comment.SavedEdit{SavedElement: comment.SavedElement{ID: "00000000", Test: "a"}, Path: "a.ts", Blob: strings.Repeat("b", 40), Line: 1, Old: "'#a'", New: with}
	}
	for _, saved := range []struct {
		run  int64
		head string
		with string
	}{
		{pullRun, pullSHA, "'#one'"},
		{pullRun, pullSHA, "'#two'"}, // another leg
		{pullRun, forkSHA, "'#of-another-commit'"},
		{mainRun, pullSHA, "'#of-another-run'"},
		{forkRun, forkSHA, "'#of-a-fork'"},
		{verdictRun, pullSHA, "'#from-outside'"},
		{verdictRun, forkSHA, "'#from-outside'"},
		{elsewhereRun, pullSHA, "'#of-another-workflow'"},
	} {
		if err := a.offers(t, saved.run).Save(t.Context(), comment.Offers{Head: saved.head, Edits: []comment.SavedEdit{edit(saved.with)}}); err != nil {
			t.Fatal(err)
		}
	}
	for head, want := range map[string]string{pullSHA: "'#from-outside' '#one' '#two'", forkSHA: "'#from-outside'", mainSHA: "", strings.Repeat("9", 40): ""} {
		found, err := a.offers(t, mainRun).Of(t.Context(), head)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range found {
			for _, e := range o.Edits {
				got = append(got, e.New)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("offers of %s: %q, want %q", head, got, want)
		}
	}
}

// A comment says where to look, and no more: what counts is what runs of those commits
// saved themselves.
func TestEarlierOffersAreThoseOfTheCommitsThatTheCommentNames(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	pullSHA, forkSHA, otherSHA := strings.Repeat("2", 40), strings.Repeat("3", 40), strings.Repeat("4", 40)
	const otherRun = 7_001
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: otherRun, Event: "pull_request", Path: ".github/workflows/e2e.yml", HeadBranch: "rename", HeadSHA: otherSHA})
		day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
		r.PullRequests = []githubtest.PullRequest{
			{Number: 12, HeadRef: "rename", HeadSHA: otherSHA, BaseRef: "main", Closed: true, Merged: day(3)},
			{Number: 13, HeadRef: "x", HeadSHA: otherSHA, BaseRef: "main", Closed: true, Merged: day(4), HeadRepository: "mona/shop"},
			{Number: 14, HeadRef: "y", HeadSHA: otherSHA, BaseRef: "release", Closed: true, Merged: day(4)},
			{Number: 15, HeadRef: "z", HeadSHA: otherSHA, BaseRef: "main", Closed: true},
			{Number: 16, HeadRef: "w", HeadSHA: otherSHA, BaseRef: "main", Closed: true, Merged: day(1)},
		}
	})
	for run, head := range map[int64]string{pullRun: pullSHA, otherRun: otherSHA, forkRun: forkSHA, mainRun: forkSHA} {
		edit := comment.SavedEdit{SavedElement: comment.SavedElement{ID: "00000000", Test: "a"}, Path: "a.ts", Blob: strings.Repeat("b", 40), Line: 1, Old: "'#a'", New: "'#" + head[:1] + "'"}
		if err := a.offers(t, run).Save(t.Context(), comment.Offers{Head: head, Edits: []comment.SavedEdit{edit}}); err != nil {
			t.Fatal(err)
		}
	}
	state := comment.State{Head: otherSHA, Offered: []comment.OfferedAt{{ID: "00000000", Head: pullSHA}, {ID: "00000001", Head: forkSHA}, {ID: "00000002", Head: otherSHA}}}
	body := comment.WithState("<!-- breadcrumb:comment v1 key=default -->\n\n", state, nil)
	a.Say(shopName, 12, jobBot, body)
	a.Say(shopName, 16, "mallory", body)
	offers := a.offers(t, mainRun)
	merged, err := offers.Merged(t.Context(), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if err != nil || len(merged) != 1 || merged[0].Number != 12 {
		t.Fatalf("merged %+v, %v", merged, err)
	}
	for pr, want := range map[int]string{12: "'#4' '#2'", 16: ""} {
		found, err := offers.Earlier(t.Context(), pr)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range found {
			for _, e := range o.Edits {
				got = append(got, e.New)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("pull request %d: offered %q, want %q", pr, got, want)
		}
	}
}
