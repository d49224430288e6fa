package gh

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

const (
	headSHA  = "1111111111111111111111111111111111111111"
	mergeSHA = "3333333333333333333333333333333333333333"
)

// runnerEnv is the environment of a job on main, changed by the given
// variables; an empty value takes one away.
func runnerEnv(changes map[string]string) func(string) string {
	env := map[string]string{
		"GITHUB_ACTIONS":       "true",
		"GITHUB_EVENT_NAME":    "push",
		"GITHUB_EVENT_PATH":    "testdata/events/push.json",
		"GITHUB_SHA":           mergeSHA,
		"GITHUB_REF":           "refs/heads/main",
		"GITHUB_REPOSITORY":    "octo-org/shop",
		"GITHUB_REPOSITORY_ID": "4711",
		"GITHUB_RUN_ID":        "900",
		"GITHUB_RUN_ATTEMPT":   "2",
		"GITHUB_WORKFLOW_REF":  "octo-org/shop/.github/workflows/ci.yml@refs/heads/main",
		"GITHUB_JOB":           "test",
	}
	maps.Copy(env, changes)
	return func(name string) string { return env[name] }
}

func TestLoadEventReadsEveryKindOfRun(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{
		RepositoryID: 4711, Repository: "octo-org/shop", RunID: 900, RunAttempt: 2,
		Workflow: "octo-org/shop/.github/workflows/ci.yml@refs/heads/main", Job: "test",
		Commit: mergeSHA, Branch: "main", DefaultBranch: true,
	}
	change := func(f func(*engine.RunInfo)) engine.RunInfo {
		info := main
		info.DefaultBranch = false
		f(&info)
		return info
	}
	ownPR := change(func(i *engine.RunInfo) { i.PullRequest, i.HeadSHA, i.Branch = 12, headSHA, "rename-login" })
	tests := []struct {
		name, event, file, ref string
		want                   engine.RunInfo
	}{
		{"push to the default branch is trusted", "push", "push", "refs/heads/main", main},
		{"push to another branch is not", "push", "push", "refs/heads/topic/a", change(func(i *engine.RunInfo) { i.Branch = "topic/a" })},
		{"push of a tag has no branch", "push", "push_tag", "refs/tags/v1.0.0", change(func(i *engine.RunInfo) { i.Branch = "" })},
		{"a tag named like the default branch is no branch", "push", "push", "refs/tags/main", change(func(i *engine.RunInfo) { i.Branch = "" })},
		{"schedule without repository in the payload", "schedule", "schedule", "refs/heads/main", main},
		{"schedule with repository", "schedule", "schedule_repository", "refs/heads/main", main},
		{"dispatch on the default branch is trusted", "workflow_dispatch", "workflow_dispatch", "refs/heads/main", main},
		{"dispatch on another branch is not", "workflow_dispatch", "workflow_dispatch", "refs/heads/topic", change(func(i *engine.RunInfo) { i.Branch = "topic" })},
		{"another event on the default branch is not trusted", "release", "push", "refs/heads/main", change(func(*engine.RunInfo) {})},
		{"pull request keeps the merge commit as tested", "pull_request", "pull_request", "refs/pull/12/merge", ownPR},
		{"review of a pull request", "pull_request_review", "pull_request_review", "refs/pull/12/merge", ownPR},
		{"pull request from a fork's main", "pull_request", "pull_request_fork", "refs/pull/12/merge",
			change(func(i *engine.RunInfo) { i.PullRequest, i.HeadSHA, i.Branch, i.Fork = 12, headSHA, "mona:main", true })},
		{"a deleted fork is a fork", "pull_request", "pull_request_deleted_fork", "refs/pull/12/merge",
			change(func(i *engine.RunInfo) {
				i.PullRequest, i.HeadSHA, i.Branch, i.Fork = 12, headSHA, "unknown:main", true
			})},
		{"workflow run after a pull request does not know the tested commit", "workflow_run", "workflow_run", "refs/heads/main",
			change(func(i *engine.RunInfo) {
				i.PullRequest, i.HeadSHA, i.Branch, i.Commit, i.Relayed = 12, headSHA, "rename-login", "", true
			})},
		{"workflow run after a fork's pull request has no number", "workflow_run", "workflow_run_fork", "refs/heads/main",
			change(func(i *engine.RunInfo) {
				i.HeadSHA, i.Branch, i.Commit, i.Fork, i.Relayed = headSHA, "mona:main", "", true, true
			})},
		{"workflow run after a push tested the head", "workflow_run", "workflow_run_push", "refs/heads/main",
			change(func(i *engine.RunInfo) { i.HeadSHA, i.Commit, i.Relayed = headSHA, headSHA, true })},
		{"workflow run counts for the workflow that ran", "workflow_run", "workflow_run_other", "refs/heads/main",
			change(func(i *engine.RunInfo) {
				i.Workflow = "octo-org/shop/.github/workflows/tests.yml@refs/heads/main"
				i.HeadSHA, i.Branch, i.Commit, i.Fork, i.Relayed = headSHA, "mona:main", "", true, true
			})},
		{"two pull requests with one head name none", "workflow_run", "workflow_run_two", "refs/heads/main",
			change(func(i *engine.RunInfo) {
				i.HeadSHA, i.Branch, i.Commit, i.Relayed = headSHA, "rename-login", "", true
			})},
		{"comment on a pull request", "issue_comment", "issue_comment", "refs/heads/main",
			change(func(i *engine.RunInfo) { i.PullRequest, i.Branch, i.Commit = 12, "", "" })},
		{"comment on an issue", "issue_comment", "issue_comment_issue", "refs/heads/main",
			change(func(i *engine.RunInfo) { i.Branch, i.Commit = "", "" })},
		{"merge queue", "merge_group", "merge_group", "refs/heads/gh-readonly-queue/main/pr-12-" + headSHA,
			change(func(i *engine.RunInfo) {
				i.HeadSHA, i.Branch, i.MergeGroup = mergeSHA, "gh-readonly-queue/main/pr-12-"+headSHA, []int{12}
			})},
		{"a merge group's branch of another form", "merge_group", "merge_group", "refs/heads/gh-readonly-queue/main/pr-12",
			change(func(i *engine.RunInfo) { i.HeadSHA, i.Branch = mergeSHA, "gh-readonly-queue/main/pr-12" })},
		{"push to a merge group's branch", "push", "push", "refs/heads/gh-readonly-queue/main/pr-12-" + headSHA,
			change(func(i *engine.RunInfo) {
				i.HeadSHA, i.Branch, i.MergeGroup = i.Commit, "gh-readonly-queue/main/pr-12-"+headSHA, []int{12}
			})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := LoadEvent(runnerEnv(map[string]string{
				"GITHUB_EVENT_NAME": tt.event,
				"GITHUB_EVENT_PATH": filepath.Join("testdata", "events", tt.file+".json"),
				"GITHUB_REF":        tt.ref,
			}), os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLoadEventTakesTheTimeThatGitHubWrote(t *testing.T) {
	t.Parallel()
	const pull = `"pull_request":{"number":12,"head":{"sha":"` + headSHA + `","ref":"x","repo":{"id":4711}}`
	const run = `"workflow_run":{"event":"push","head_sha":"` + headSHA + `","head_branch":"main","head_repository":{"id":4711},"workflow_id":6`
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for event, payloads := range map[string]map[string]time.Time{
		"push": {
			`{"repository":{"id":4711,"pushed_at":1772366400}}`:                  at,
			`{"repository":{"id":4711,"pushed_at":"2026-03-01T13:00:00+01:00"}}`: at,
			`{"repository":{"id":4711,"pushed_at":"soon"}}`:                      {},
			`{"repository":{"id":4711,"pushed_at":[1]}}`:                         {},
			`{"repository":{"id":4711}}`:                                         {},
		},
		"schedule":     {`{"repository":{"id":4711,"pushed_at":1772366400}}`: {}},
		"pull_request": {`{"repository":{"id":4711},` + pull + `,"updated_at":"2026-03-01T12:00:00Z"}}`: at},
		"workflow_run": {`{"repository":{"id":4711},` + run + `,"created_at":"2026-03-01T12:00:00Z"}}`: at},
	} {
		for payload, want := range payloads {
			got, err := LoadEvent(runnerEnv(map[string]string{"GITHUB_EVENT_NAME": event}), func(string) ([]byte, error) { return []byte(payload), nil })
			if err != nil || !got.StartedAt.Equal(want) {
				t.Errorf("%s %s: %s, %v; want %s", event, payload, got.StartedAt, err, want)
			}
			if event == "workflow_run" && got.WorkflowID != 6 {
				t.Errorf("workflow %d", got.WorkflowID)
			}
		}
	}
}

func TestLoadEventTakesTheRepositoryIDFromThePayload(t *testing.T) {
	t.Parallel()
	got, err := LoadEvent(runnerEnv(map[string]string{"GITHUB_REPOSITORY_ID": ""}), os.ReadFile)
	if err != nil || got.RepositoryID != 4711 {
		t.Errorf("id %d, error %v", got.RepositoryID, err)
	}
}

func TestLoadEventTrustsNoBranchItCannotCompare(t *testing.T) {
	t.Parallel()
	got, err := LoadEvent(runnerEnv(nil), func(string) ([]byte, error) { return []byte(`{"repository":{"id":4711}}`), nil })
	if err != nil || got.DefaultBranch {
		t.Errorf("trusted %v, error %v", got.DefaultBranch, err)
	}
}

func TestLoadEventNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	const pr = `"pull_request":{"number":12,"head":{"sha":"` + headSHA + `","ref":"x","repo":{"id":4711}}}`
	tests := []struct {
		name    string
		env     map[string]string
		payload string
		want    []string
	}{
		{"everything missing is reported at once", map[string]string{"GITHUB_SHA": "", "GITHUB_JOB": "", "GITHUB_RUN_ID": ""}, "{}",
			[]string{"GITHUB_SHA is not set", "GITHUB_JOB is not set", "GITHUB_RUN_ID is not set"}},
		{"short hash", map[string]string{"GITHUB_SHA": "abc123"}, "{}", []string{`GITHUB_SHA is "abc123"`}},
		{"hash with a line after it", map[string]string{"GITHUB_SHA": mergeSHA + "\nx"}, "{}", []string{"GITHUB_SHA is"}},
		{"run id is no number", map[string]string{"GITHUB_RUN_ID": "9e9"}, "{}", []string{`GITHUB_RUN_ID is "9e9"`}},
		{"attempt zero", map[string]string{"GITHUB_RUN_ATTEMPT": "0"}, "{}", []string{`GITHUB_RUN_ATTEMPT is "0"`}},
		{"attempt beyond any counter", map[string]string{"GITHUB_RUN_ATTEMPT": "9223372036854775807"}, "{}", []string{"GITHUB_RUN_ATTEMPT is"}},
		{"repository without owner", map[string]string{"GITHUB_REPOSITORY": "shop"}, "{}", []string{"not owner/name"}},
		{"repository id", map[string]string{"GITHUB_REPOSITORY_ID": "x"}, "{}", []string{`GITHUB_REPOSITORY_ID is "x"`}},
		{"job with a command in it", map[string]string{"GITHUB_JOB": "a\n::error::x"}, "{}", []string{"GITHUB_JOB is"}},
		{"no event name", map[string]string{"GITHUB_EVENT_NAME": ""}, "{}", []string{"GITHUB_EVENT_NAME is not set"}},
		{"no event path", map[string]string{"GITHUB_EVENT_PATH": ""}, "{}", []string{"GITHUB_EVENT_PATH is not set"}},
		{"no id anywhere", map[string]string{"GITHUB_REPOSITORY_ID": ""}, "{}", []string{"no repository.id"}},
		{"payload of another repository", nil, `{"repository":{"id":1}}`, []string{"repository 1", "4711"}},
		{"broken payload names its line", nil, "{\n\"repository\":\n\n!}", []string{"event.json", "line 4"}},
		{"wrong type names its line", nil, "{\n\"repository\": 3}", []string{"event.json", "line 2"}},
		{"truncated payload", nil, `{"repository":`, []string{"event.json", "line 1"}},
		{"pull request event without one", map[string]string{"GITHUB_EVENT_NAME": "pull_request"}, "{}", []string{"no pull_request"}},
		{"pull request without number", map[string]string{"GITHUB_EVENT_NAME": "pull_request"}, `{"pull_request":{}}`, []string{"pull_request.number is 0"}},
		{"pull request with a bad head", map[string]string{"GITHUB_EVENT_NAME": "pull_request"},
			strings.Replace("{"+pr+"}", headSHA, "--upload-pack=x", 1), []string{"pull_request.head.sha", "--upload-pack"}},
		{"workflow run event without one", map[string]string{"GITHUB_EVENT_NAME": "workflow_run"}, "{}", []string{"no workflow_run"}},
		{"comment event without issue", map[string]string{"GITHUB_EVENT_NAME": "issue_comment"}, "{}", []string{"no issue.number"}},
		{"payload above GitHub's limit", nil, strings.Repeat(" ", MaxEventBytes+1), []string{"more than the 26214400"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"GITHUB_EVENT_PATH": "event.json"}
			maps.Copy(env, tt.env)
			got, err := LoadEvent(runnerEnv(env), func(string) ([]byte, error) { return []byte(tt.payload), nil })
			if err == nil {
				t.Fatalf("no error, got %+v", got)
			}
			if diff := cmp.Diff(engine.RunInfo{}, got); diff != "" {
				t.Errorf("a failed event still gives %s", diff)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestLoadEventRefusesPullRequestTarget(t *testing.T) {
	t.Parallel()
	read := func(string) ([]byte, error) {
		t.Error("the payload was read")
		return nil, nil
	}
	_, err := LoadEvent(runnerEnv(map[string]string{"GITHUB_EVENT_NAME": "pull_request_target"}), read)
	if !errors.Is(err, ErrUnsafeEvent) || !strings.Contains(err.Error(), "secrets") {
		t.Errorf("got %v", err)
	}
}

func TestLoadEventSaysThatTheFileCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := LoadEvent(runnerEnv(map[string]string{"GITHUB_EVENT_PATH": "testdata/none.json"}), os.ReadFile)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "GITHUB_EVENT_PATH") {
		t.Errorf("got %v", err)
	}
}

// FuzzLoadEvent checks that no payload panics, that only a push, schedule or
// dispatch is ever trusted, and that what comes out is well formed.
func FuzzLoadEvent(f *testing.F) {
	files, err := filepath.Glob("testdata/events/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no events", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		event := strings.TrimSuffix(filepath.Base(name), ".json")
		f.Add(event, "refs/heads/main", data)
	}
	f.Fuzz(func(t *testing.T, event, ref string, data []byte) {
		info, err := LoadEvent(runnerEnv(map[string]string{"GITHUB_EVENT_NAME": event, "GITHUB_REF": ref}),
			func(string) ([]byte, error) { return data, nil })
		if err != nil {
			if !reflect.DeepEqual(info, engine.RunInfo{}) {
				t.Errorf("error %v with %+v", err, info)
			}
			return
		}
		trusted := event == "push" || event == "schedule" || event == "workflow_dispatch"
		if info.DefaultBranch && (!trusted || info.PullRequest != 0 || ref != "refs/heads/"+info.Branch) {
			t.Errorf("event %q on %q is trusted: %+v", event, ref, info)
		}
		if info.HeadSHA != "" && !shaPattern.MatchString(info.HeadSHA) || info.PullRequest < 0 || info.RepositoryID != 4711 {
			t.Errorf("ill-formed %+v", info)
		}
	})
}

func TestParseQueueBranch(t *testing.T) {
	t.Parallel()
	for branch, want := range map[string]struct {
		base string
		pr   int
	}{
		"gh-readonly-queue/main/pr-12-" + headSHA:                  {"main", 12},
		"gh-readonly-queue/release/1.0/pr-7-" + headSHA:            {"release/1.0", 7},
		"gh-readonly-queue/main/pr-0-" + headSHA:                   {},
		"gh-readonly-queue/main/pr-1234567890-" + headSHA:          {},
		"gh-readonly-queue/main/pr-12-" + headSHA + "0":            {},
		"x/gh-readonly-queue/main/pr-12-" + headSHA:                {},
		"gh-readonly-queue/pr-12-" + headSHA:                       {},
		"gh-readonly-queue/a/pr-3-" + headSHA + "/pr-4-" + headSHA: {"a/pr-3-" + headSHA, 4},
	} {
		if base, pr := parseQueueBranch(branch); base != want.base || pr != want.pr {
			t.Errorf("%s: %q, %d", branch, base, pr)
		}
	}
}
