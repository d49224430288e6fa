package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

func TestVersionsFollow(t *testing.T) {
	for _, c := range []struct{ version, tags, want string }{
		{"v1.0.0", "", ""},
		{"v0.1.0", "v0 junk withdrawn/v0.0.9", ""},
		{"v1.0.0-rc.1", "", ""},
		{"v1.0.1", "", "nothing is released yet: the first version is v0.1.0 or v1.0.0"},
		{"v10.0.0", "v1.4.2 v1", "v10.0.0 does not follow v1.4.2, the newest: next are [v1.4.3 v1.5.0 v2.0.0]"},
		{"v1.4.3", "v1.4.2", ""},
		{"v1.5.0", "v1.4.2", ""},
		{"v2.0.0", "v1.4.2", ""},
		{"v1.4.4", "v1.4.2", "v1.4.4 does not follow v1.4.2"},
		{"v1.6.0", "v1.4.2", "does not follow"},
		{"v1.5.1", "v1.4.2", "does not follow"},
		{"v2.0.1", "v1.4.2", "does not follow"},
		{"v1.3.8", "v1.3.7 v1.4.2", ""},
		{"v1.3.7", "v1.3.6 v1.3.8", "does not follow"},
		{"v1.9.1", "v1.9.0 v1.10.0", ""},
		{"v1.10.0", "v1.9.0 v1.9.1", ""},
		{"v1.1.0", "v1.0.0 v1.2.0", "does not follow"},
		{"v1.4.2", "v1.4.2", ""}, // it is completed
		{"v1.4.2", "v1.4.2 withdrawn/v1.4.2", "v1.4.2 is withdrawn: take the next version"},
		{"v1.4.3", "v1.4.2 withdrawn/v1.4.2", ""},
		{"v1.5.0-rc.1", "v1.4.2", ""},
		{"v1.5.0-rc.2", "v1.4.2 v1.5.0-rc.1", ""},
		{"v1.5.0-rc.2", "v1.4.2", "v1.5.0-rc.2 does not follow: there is no v1.5.0-rc.1"},
		{"v1.5.0", "v1.4.2 v1.5.0-rc.2", ""},
		{"v1.5.0-rc.3", "v1.5.0 v1.5.0-rc.2", "v1.5.0 is out: a candidate comes before it"},
		{"v1.5.1", "v1.4.2 v1.5.0-rc.1", "does not follow v1.4.2"},
		{"v1.6.0-rc.1", "v1.4.2", "v1.6.0 does not follow v1.4.2"},
	} {
		v, ok := parseVersion(c.version)
		err := checkFollows(v, strings.Fields(c.tags))
		if !ok || v.String() != c.version || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s after %q: %v, want %q", c.version, c.tags, err, c.want)
		}
	}
	for _, text := range []string{"", "1.2.3", "v1", "v1.2", "v1.2.3.4", "v01.2.3", "v1.2.3-rc.0", "v1.2.3-rc", "v1.2.3-beta.1", "v1.2.3+a", "v1.2.3\n", "v9999999999.0.0"} {
		if v, ok := parseVersion(text); ok {
			t.Errorf("%q is read as %v", text, v)
		}
	}
}

// ready sets what a release of v1.2.3 rests on.
func ready(r *githubtest.Repository) {
	r.Releases = []githubtest.Release{{ID: 7, Tag: "v1.2.2", Immutable: true}}
	r.Environments = []githubtest.Environment{{Name: "release", Reviewers: []string{"ann"}, Branches: "custom"}}
	r.Rulesets = []githubtest.Ruleset{
		{ID: 8, Name: "versions", Target: "tag", Enforcement: "active", Include: []string{"refs/tags/v*.*.*"}, Rules: []string{"update", "deletion"}},
		{ID: 9, Name: "main", Target: "branch", Enforcement: "active", Include: []string{"~ALL"}, Rules: []string{"update"}},
	}
	r.Runs = []githubtest.WorkflowRun{
		{ID: 10, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: testedCommit, Conclusion: "failure"},
		{ID: 11, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: testedCommit, Conclusion: "success"},
		{ID: 12, Event: "push", Path: ".github/workflows/self.yml", HeadBranch: "main", HeadSHA: testedCommit, Conclusion: "success"},
		{ID: 13, Event: "pull_request", Path: ".github/workflows/ci.yml", HeadBranch: "a", HeadSHA: testedCommit, Conclusion: "failure"},
		{ID: 14, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: strings.Repeat("cd", 20), Conclusion: "failure"},
	}
}

// preflight runs it in a folder with a module and a change log.
func (f *forge) preflight(version, tags string) (string, error) {
	dir := f.t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/a\n", "CHANGELOG.md": "# Changes\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-26\n"} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	f.t.Chdir(dir)
	var out bytes.Buffer
	streams := streams{strings.NewReader(strings.ReplaceAll(tags, " ", "\n")), &out}
	err := run(context.Background(), []string{"preflight", version, "refs/heads/main", f.commit}, func(name string) string { return f.env[name] }, streams)
	return out.String(), err
}

func TestTheSettingsOfARelease(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*githubtest.Repository)
		want   string
	}{
		"all as it must be": {func(*githubtest.Repository) {}, ""},
		"no environment": {func(r *githubtest.Repository) { r.Environments = nil },
			"not so: the environment release has reviewers: there is none. Make it under Settings, Environments"},
		"nobody reviews":  {func(r *githubtest.Repository) { r.Environments[0].Reviewers = nil }, "turn on Required reviewers"},
		"every branch":    {func(r *githubtest.Repository) { r.Environments[0].Branches = "" }, "every branch may use it"},
		"no ruleset":      {func(r *githubtest.Repository) { r.Rulesets = nil }, "not so: a ruleset keeps the versions' tags: none does. Make a tag ruleset"},
		"one that is off": {func(r *githubtest.Repository) { r.Rulesets[0].Enforcement = "evaluate" }, "none does"},
		"for other tags":  {func(r *githubtest.Repository) { r.Rulesets[0].Include = []string{"refs/tags/w*"} }, "none does"},
		"but not these":   {func(r *githubtest.Repository) { r.Rulesets[0].Exclude = []string{"refs/tags/v1.*"} }, "none does"},
		"deletion alone":  {func(r *githubtest.Repository) { r.Rulesets[0].Rules = []string{"deletion"} }, "none does"},
		"v1 cannot move":  {func(r *githubtest.Repository) { r.Rulesets[0].Include = []string{"~ALL"} }, "one keeps v1 as well, which has to move"},
		"not immutable": {func(r *githubtest.Repository) { r.Releases[0].Immutable = false },
			"not so: releases are immutable: v1.2.2 is not: turn on Settings, General, Releases"},
		"nothing released": {func(r *githubtest.Repository) { r.Releases = nil }, "release the candidate v1.2.3-rc.1 first"},
		"a draft alone":    {func(r *githubtest.Repository) { r.Releases[0].Draft = true }, "nothing is released yet that would show it"},
		"red":              {func(r *githubtest.Repository) { r.Runs[1].Conclusion = "failure" }, ".github/workflows/ci.yml ended as failure"},
		"cancelled":        {func(r *githubtest.Repository) { r.Runs[2].Conclusion = "cancelled" }, ".github/workflows/self.yml ended as cancelled"},
		"running":          {func(r *githubtest.Repository) { r.Runs[1].Conclusion = "" }, ".github/workflows/ci.yml is still running"},
		"no tests":         {func(r *githubtest.Repository) { r.Runs = r.Runs[2:] }, ".github/workflows/ci.yml has not run for the push of abab"},
		"another branch":   {func(r *githubtest.Repository) { r.DefaultBranch = "trunk" }, "run the workflow on trunk, not on refs/heads/main"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, func(r *githubtest.Repository) { ready(r); c.change(r) })
			out, err := f.preflight("v1.2.3", "v1.2.2 v1")
			if c.want == "" && (err != nil || strings.Contains(out, "not so")) || c.want != "" && (err == nil || strings.Count(out, "not so: ") != 1 || !strings.Contains(out, c.want)) {
				t.Errorf("%v, want %q\n%s", err, c.want, out)
			}
			for _, r := range f.server.Requests() {
				if r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.Path)
				}
			}
		})
	}
}

func TestWhatIsReleasedIsNamedInTheRepository(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"v2.0.0", `the path in go.mod must end with "/v2" for v2`},
		{"v1.3.0", `put "## [1.3.0]" over what is Unreleased`},
		{"v10.0.0", "v10.0.0 does not follow v1.2.2"},
		{"v1.2.3;id", "is no version such as v1.2.3"},
	} {
		out, err := newForge(t, ready).preflight(c.version, "v1.2.2")
		if err == nil || !strings.Contains(out+err.Error(), c.want) {
			t.Errorf("%s: %v, want %q\n%s", c.version, err, c.want, out)
		}
	}
	// A candidate shows whether releases are immutable, and has no title of its own.
	out, err := newForge(t, func(r *githubtest.Repository) { ready(r); r.Releases = nil }).preflight("v1.3.0-rc.1", "v1.2.2")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// What GitHub does not tell is not taken for granted.
func TestAnAnswerThatIsMissingIsNotSo(t *testing.T) {
	for _, path := range []string{"", "/actions/runs", "/environments/release", "/rulesets", "/rulesets/8", "/releases"} {
		f := newForge(t, ready)
		f.server.Inject(githubtest.Fault{Path: "/repos/breadcrumb/action" + path, Status: http.StatusForbidden, Message: "Resource not accessible by integration"})
		if out, err := f.preflight("v1.2.3", "v1.2.2"); err == nil || strings.Count(out, "not so: ") != 1 || !strings.Contains(out, "Resource not accessible") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
	f := newForge(t, ready)
	f.commit = ""
	if _, err := f.preflight("v1.2.3", "v1.2.2"); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
		t.Error(err)
	}
}
