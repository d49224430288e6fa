package gh_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/internal/githubtest"
)

func TestACommitBranchedOffWhereGitHubSays(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	sha := func(digit string) string { return strings.Repeat(digit, 40) }
	a.change(t, func(r *githubtest.Repository) {
		r.Branches = append(r.Branches, githubtest.Branch{Name: "main", SHA: sha("c")})
		r.Past = []githubtest.Past{{SHA: sha("a"), At: a.clock}, {SHA: sha("b"), Parents: []string{sha("a")}, At: a.clock}, {SHA: sha("c"), Parents: []string{sha("b")}, At: a.clock},
			{SHA: sha("d"), Parents: []string{sha("b")}}, {SHA: sha("e"), Parents: []string{sha("c"), sha("d")}}}
	})
	client, _ := a.job(t, pullRun, pullRef)
	ancestry, err := client.Ancestry(shopName, "main")
	if err != nil {
		t.Fatal(err)
	}
	for commit, want := range map[string]string{sha("d"): sha("b"), sha("e"): sha("c"), sha("a"): sha("a"), sha("f"): "", "main": ""} {
		got, err := ancestry.MergeBase(t.Context(), commit)
		if (err != nil) != (want == "") {
			t.Errorf("%.7s: %v", commit, err)
		}
		if diff := cmp.Diff(ci.Base{Commit: want, At: got.At}, got); diff != "" || want != "" && !got.At.Equal(a.clock) {
			t.Errorf("%.7s: %s at %v", commit, diff, got.At)
		}
	}
	if _, err := client.Ancestry(shopName, ""); err == nil {
		t.Error("no default branch is good enough")
	}
}
