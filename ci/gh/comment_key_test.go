package gh_test

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
)

func TestCommentKeyTellsJobsAndLegsApart(t *testing.T) {
	infos := []engine.RunInfo{
		{Job: "e2e"}, {Job: "unit"}, {Job: "e2e", Leg: `{"shard":1}`}, {Job: "e2e", Leg: `{"shard":2}`},
		{Job: strings.Repeat("j", 100)}, {Job: strings.Repeat("j", 100), Leg: "x"}, {Job: strings.Repeat("ü", 100)},
		{Job: "e2e", Workflow: "acme/shop/.github/workflows/web.yml@refs/heads/main"}, {Job: "e2e", Workflow: "acme/shop/.github/workflows/web.yaml@refs/heads/main"},
		{Job: "e2e", Leg: "x", Workflow: "acme/shop/.github/workflows/web.yml@refs/heads/main"}, {Job: "e2e", Leg: "x", Workflow: "acme/shop/.github/workflows/api.yml@refs/heads/main"},
		{Job: "web / e2e"}, {Job: "web - e2e"}, {Job: "api / e2e"}, {Job: "e2e (1)"}, {Job: "e2e (1)", Workflow: "a b@refs/heads/main"},
	}
	seen := map[string]int{}
	for i, info := range infos {
		key := gh.CommentKey(info)
		if !comment.ValidKey(key) {
			t.Errorf("key %q of job %d is not valid", key, i)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("jobs %d and %d share the key %q", other, i, key)
		}
		seen[key] = i
	}
	info := engine.RunInfo{Job: "e2e", Workflow: "acme/shop/.github/workflows/web.yml@refs/pull/7/merge"}
	if got := gh.CommentKey(info); got != "web.e2e" {
		t.Errorf("key of a plain job is %q, want workflow and id", got)
	}
	if got := gh.FormerCommentKey(info); got != "e2e" {
		t.Errorf("former key of a plain job is %q, want its id", got)
	}
	info.Job = "web / e2e"
	if got := gh.FormerCommentKey(info); got != "e2e" {
		t.Errorf("former key of a called job is %q, want its id", got)
	}
}
