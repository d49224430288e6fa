package gh_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/githubtest"
)

const groupHead = "5555555555555555555555555555555555555555"

// runsOf is a repository with a run that calls a workflow twice and one that calls
// none.
func runsOf(created time.Time) githubtest.State {
	state := onePull()
	state.Repositories[0].Runs = []githubtest.WorkflowRun{
		{ID: 900, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: groupHead, WorkflowID: 77, Created: created,
			Calls: []string{".github/workflows/e2e.yml"}, Jobs: []githubtest.Job{
				{ID: 1, Name: "web / test", Runner: "GitHub Actions 1"},
				{ID: 2, Name: "api (old) / test", Runner: "GitHub Actions 2"},
				{ID: 3, Name: "lint", Runner: "GitHub Actions 3"},
				{ID: 4, Name: "docs / test", Runner: "GitHub Actions 4", Status: "completed"},
				{ID: 5, Name: "a / test", Runner: "twice"}, {ID: 6, Name: "b / test", Runner: "twice"},
				{ID: 7, Name: "web / test", Runner: "GitHub Actions 2", Attempt: 2},
			}},
		{ID: 901, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: groupHead, WorkflowID: 77, Created: created,
			Jobs: []githubtest.Job{{ID: 8, Name: "unit / linux"}}},
	}
	state.Repositories[0].Queued = []githubtest.QueuedCommit{
		{Head: groupHead, SHA: strings.Repeat("6", 40), Message: "Rename the button (#13)\n\n(#99)"},
		{Head: groupHead, SHA: strings.Repeat("7", 40), Message: "see (#98) for more"},
		{Head: groupHead, SHA: strings.Repeat("8", 40), Message: "Merge pull request #9 from mona/x\n\ny"},
		{Head: groupHead, SHA: groupHead, Message: "Mend the form (#12)"},
	}
	return state
}

func runInfo(run int64) engine.RunInfo {
	return engine.RunInfo{RepositoryID: 4711, Repository: repo, RunID: run, RunAttempt: 1, Job: "test", Workflow: repo + "/.github/workflows/ci.yml@refs/heads/main"}
}

func TestTheCallersJobIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run     int64
		attempt int
		hints   gh.JobHints
		want    string
		notice  string
	}{
		"by its id":                       {900, 1, gh.JobHints{CheckRun: 2}, "api (old) / test", ""},
		"by its runner":                   {900, 1, gh.JobHints{Runner: "GitHub Actions 1"}, "web / test", ""},
		"in its attempt":                  {900, 2, gh.JobHints{Runner: "GitHub Actions 2"}, "web / test", ""},
		"by the input, asking for no job": {900, 1, gh.JobHints{Caller: "mine", CheckRun: 2}, "mine / test", ""},
		"a job that is not called":        {900, 1, gh.JobHints{CheckRun: 3}, "test", ""},
		"the id of another run's job":     {900, 1, gh.JobHints{CheckRun: 8, Runner: "GitHub Actions 1"}, "web / test", ""},
		"in a run that calls nothing":     {901, 1, gh.JobHints{CheckRun: 8}, "test", ""},
		"not, for two have the runner":    {900, 1, gh.JobHints{Runner: "twice"}, "test", "two jobs in progress"},
		"not, for the job has ended":      {900, 1, gh.JobHints{Runner: "GitHub Actions 4"}, "test", "no job in progress"},
		"not, for nothing is known":       {900, 1, gh.JobHints{}, "test", "pass the input job"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, githubtest.Options{State: runsOf(start)})
			info := runInfo(c.run)
			info.RunAttempt = c.attempt
			got, notices := w.Identify(t.Context(), info, c.hints)
			if got.Job != c.want || (len(notices) > 0) != (c.notice != "") {
				t.Errorf("job %q, %v; want %q", got.Job, notices, c.want)
			}
			for _, n := range notices {
				if !strings.Contains(n.Reason, c.notice) || n.Severity != engine.SeverityWarning {
					t.Errorf("notice %+v, want one that says %q", n, c.notice)
				}
			}
			if asked := w.github.Count("GET", "/repos/octo-org/shop/actions/*"); c.hints.Caller != "" && asked > 1 {
				t.Errorf("%d requests", asked)
			}
		})
	}
}

func TestARunsTimeIsTheForges(t *testing.T) {
	t.Parallel()
	created, event := start.Add(-time.Hour), start.Add(-time.Minute)
	for name, c := range map[string]struct {
		change func(*engine.RunInfo)
		denied bool
		want   engine.RunInfo // of it what the forge knows
	}{
		"when it was created":           {func(*engine.RunInfo) {}, false, engine.RunInfo{WorkflowID: 77, StartedAt: created}},
		"for all the event says":        {func(i *engine.RunInfo) { i.StartedAt = event }, false, engine.RunInfo{WorkflowID: 77, StartedAt: created}},
		"of the run that is told of":    {func(i *engine.RunInfo) { i.Relayed, i.WorkflowID, i.StartedAt = true, 6, event }, false, engine.RunInfo{WorkflowID: 6, StartedAt: event}},
		"the event's without an answer": {func(i *engine.RunInfo) { i.StartedAt = event }, true, engine.RunInfo{StartedAt: event}},
		"the answer's without either":   {func(*engine.RunInfo) {}, true, engine.RunInfo{StartedAt: start.Add(time.Second), LateStart: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := runsOf(created)
			w := newWorld(t, githubtest.Options{State: state})
			if c.denied {
				w.github.Inject(githubtest.Fault{Method: "GET", Path: "/repos/*/*/actions/runs/*", Status: http.StatusForbidden,
					Message: "Resource not accessible by integration", Header: map[string]string{"Date": start.Format(http.TimeFormat)}})
			}
			info := runInfo(901)
			c.change(&info)
			got, notices := w.Identify(t.Context(), info, gh.JobHints{})
			if diff := cmp.Diff(c.want, engine.RunInfo{WorkflowID: got.WorkflowID, StartedAt: got.StartedAt, LateStart: got.LateStart}); diff != "" || got.Job != "test" {
				t.Errorf("job %q, (-want +got)\n%s", got.Job, diff)
			}
			if (len(notices) == 1) != c.denied {
				t.Errorf("notices %v", notices)
			}
		})
	}
}

func TestAMergeGroupIsItsPullRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{State: runsOf(start)})
	info := runInfo(901)
	info.MergeGroup, info.HeadSHA, info.Branch = []int{12}, groupHead, "gh-readonly-queue/main/pr-12-"+groupHead
	got, notices := w.Identify(t.Context(), info, gh.JobHints{})
	if diff := cmp.Diff([]int{9, 12, 13}, got.MergeGroup); diff != "" || len(notices) > 0 {
		t.Errorf("%v, group (-want +got)\n%s", notices, diff)
	}
	if n := w.github.Count("GET", "/repos/octo-org/shop/compare/main..."+groupHead); n != 1 {
		t.Errorf("the commits were asked for %d times", n)
	}
	info.HeadSHA = strings.Repeat("4", 40)
	got, notices = w.Identify(t.Context(), info, gh.JobHints{})
	if diff := cmp.Diff([]int{12}, got.MergeGroup); diff != "" || len(notices) != 1 {
		t.Errorf("a group that GitHub does not know: %v, (-want +got)\n%s", notices, diff)
	}
}
