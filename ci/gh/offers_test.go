package gh_test

import (
	"strings"
	"testing"

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
