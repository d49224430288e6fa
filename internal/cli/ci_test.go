package cli

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAJobOfGitLabIsNamedByItsVariables(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		name      string
		variables map[string]string
		want      engine.RunInfo
	}{
		{"no GitLab", map[string]string{"CI_COMMIT_SHA": commit, "CI_JOB_NAME": "e2e"}, engine.RunInfo{}},
		{"a job", map[string]string{"CI_COMMIT_SHA": commit, "CI_JOB_NAME": "e2e", "CI_COMMIT_REF_NAME": "main"}, engine.RunInfo{Commit: commit, Job: "e2e", Branch: "main"}},
		{"one of parallel jobs", map[string]string{"CI_COMMIT_SHA": commit, "CI_JOB_NAME": "e2e tests 3/5"}, engine.RunInfo{Commit: commit, Job: "e2e tests", Leg: "3/5"}},
		{"one of a matrix", map[string]string{"CI_COMMIT_SHA": commit, "CI_JOB_NAME": "e2e: [chromium, eu]"}, engine.RunInfo{Commit: commit, Job: "e2e", Leg: "chromium, eu"}},
		{"no job", map[string]string{"CI_COMMIT_SHA": commit, "CI_COMMIT_REF_NAME": "main"}, engine.RunInfo{Branch: "main"}},
		{"no commit", map[string]string{"CI_COMMIT_SHA": "HEAD; rm", "CI_JOB_NAME": "e2e"}, engine.RunInfo{Job: "e2e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "no GitLab" {
				c.variables["GITLAB_CI"] = "true"
			}
			got := gitlabRun(func(name string) string { return c.variables[name] })
			if got.Commit != c.want.Commit || got.Branch != c.want.Branch || got.Job != c.want.Job || got.Leg != c.want.Leg || !got.Trusted() {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
