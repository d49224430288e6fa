package year

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

// The defaults are a short year: it is at its full age on the day that its last one is
// compared with, and goes on for as long again.
var (
	days  = flag.Int("days", 48, "how many days the repository lives")
	early = flag.Int("early", 24, "the day that the last one is compared with")
	runs  = flag.Int("runs", 2, "runs a day")
	tests = flag.Int("tests", 100, "tests of the suite")
	keep  = flag.Int("keep", 10, "keep-runs")
	every = flag.Int("every", 24, "one day in so many is looked at, and those two")
	times = flag.Bool("times", false, "compare CPU time, too")
)

const (
	most        = 1.3                   // times as much as on the early day
	jobVariable = "BREADCRUMB_YEAR_JOB" // set where a process is to do one job
)

func TestMain(m *testing.M) {
	if os.Getenv(jobVariable) == "" {
		os.Exit(m.Run())
	}
	if err := doAlone(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// year is a repository and the time in it.
type year struct {
	*testing.T
	server       *githubtest.Server
	api, results string
	now          time.Time
	suite        *suite
	made         int   // runs
	last         int64 // id of the last run of the default branch
	head         string
}

// TestAYearCostsNoMoreThanAMonth lets a repository live and compares what the runs of
// an early day and of the last one took.
func TestAYearCostsNoMoreThanAMonth(t *testing.T) {
	y := newYear(t)
	var before, after, dearestBefore, dearestAfter cost
	for day := 1; day <= *days; day++ {
		y.suite.change()
		looked := day == *days || day == *early || day%*every == 0
		costs := y.live(looked)
		if !looked {
			continue
		}
		c, d := usual(costs), dearest(costs)
		count, stored := y.stored()
		t.Logf("day %3d: %.2f CPU s (at most %.2f), %.0f MB (%.0f), %d requests, %.2f MB read and %.3f MB saved a run; %d artifacts of %.1f MB are kept", day, c.CPU, d.CPU, c.Peak, d.Peak, c.Requests,
			float64(c.Read)/1e6, float64(c.Saved)/1e6, count, float64(stored)/1e6)
		if day == *early {
			before, dearestBefore = c, d
		}
		after, dearestAfter = c, d
	}
	compare := func(what string, before, after float64) {
		if after > most*before || before == 0 {
			t.Errorf("%s: %.3f on day %d and %.3f on day %d, more than %.1f times as much", what, before, *early, after, *days, most)
		}
	}
	compare("memory in MB", before.Peak, after.Peak)
	compare("requests", float64(before.Requests), float64(after.Requests))
	compare("bytes read", float64(before.Read), float64(after.Read))
	compare("bytes saved", float64(before.Saved), float64(after.Saved))
	if *times {
		compare("CPU seconds", before.CPU, after.CPU)
		compare("CPU seconds of the dearest run", dearestBefore.CPU, dearestAfter.CPU)
	}
}

func newYear(t *testing.T) *year {
	t.Helper()
	y := &year{T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), suite: newSuite(*tests)}
	y.server = githubtest.New(githubtest.Options{Now: func() time.Time { return y.now }, Forgets: true, State: githubtest.State{Repositories: []githubtest.Repository{{
		ID: repositoryID, FullName: repository, DefaultBranch: "main",
	}}}})
	api, results := httptest.NewServer(y.server), httptest.NewServer(y.server.Results())
	t.Cleanup(api.Close)
	t.Cleanup(results.Close)
	y.server.SetStorage(results.URL)
	y.api, y.results = api.URL, results.URL
	return y
}

// live lets a day go by and returns what the runs of the default branch took, where it
// looks at them.
func (y *year) live(looked bool) (costs []cost) {
	y.Helper()
	for range *runs {
		y.now = y.now.Add(24 * time.Hour / time.Duration(*runs))
		y.made++
		j := y.next()
		c := y.run(j, looked)
		if looked && j.Branch == "main" {
			costs = append(costs, c)
		}
	}
	return costs
}

// next starts a run: of a pull request every third, of a release's branch and again a
// run that was every now and then, and of the default branch otherwise.
func (y *year) next() job {
	j := job{API: y.api, Results: y.results, Run: int64(10_000 + y.made), Attempt: 1, Event: "push", Branch: "main", Commit: fmt.Sprintf("%040x", y.made), At: y.now, KeepRuns: *keep}
	switch {
	case y.made%3 == 2:
		j.Event, j.Pull, j.Branch = "pull_request", y.made, fmt.Sprint("change-", y.made)
		y.server.OpenPull(repository, githubtest.PullRequest{Number: j.Pull, Author: "mona", HeadRef: j.Branch, HeadSHA: j.Commit, BaseRef: "main", BaseSHA: y.head}, nil)
	case y.made%17 == 3:
		j.Branch = "release"
	case y.made%11 == 3 && y.last != 0:
		j.Run, j.Commit, j.Attempt = y.last, y.head, 2
		y.server.EndRun(repository, j.Run, time.Time{})
		y.last = 0
	default:
		y.last, y.head = j.Run, j.Commit
	}
	j.Ref = "refs/heads/" + j.Branch
	if j.Pull != 0 {
		j.Ref = fmt.Sprintf("refs/pull/%d/merge", j.Pull)
	}
	if j.Attempt == 1 {
		y.server.StartRun(repository, githubtest.WorkflowRun{ID: j.Run, Event: j.Event, Path: workflowFile, HeadBranch: j.Branch, HeadSHA: j.Commit, Created: y.now})
	}
	scopes := []string{j.Ref}
	if j.Branch != "main" {
		scopes = append(scopes, "refs/heads/main")
	}
	j.Token = y.server.RuntimeToken(githubtest.JobRun{Repository: repository, Run: j.Run, Job: fmt.Sprint("e2e-", j.Attempt), Scopes: scopes})
	return j
}

// run does a job, in a process of its own where it is looked at, and looks at how it ended:
// every fifth pull request breaks a test.
func (y *year) run(j job, alone bool) (c cost) {
	y.Helper()
	var err error
	if j.Dir, err = os.MkdirTemp(y.TempDir(), "job-"); err != nil {
		y.Fatal(err)
	}
	defer os.RemoveAll(j.Dir)
	broken, want := 0, 0
	if j.Pull != 0 && y.made%5 == 0 {
		broken, want = 1, 1
	}
	if err := y.suite.write(j.Dir, y.made, broken, j.At); err != nil {
		y.Fatal(err)
	}
	if alone {
		c, err = y.start(j)
	} else {
		c, err = j.do(y.Context())
	}
	y.server.EndRun(repository, j.Run, y.now)
	if err != nil {
		y.Fatalf("run %d: %v", j.Run, err)
	}
	c.Warnings = slices.DeleteFunc(c.Warnings, func(text string) bool {
		return strings.Contains(text, "no longer in the source") || strings.Contains(text, "history stays")
	})
	if c.Exit != want || len(c.Warnings) > 0 {
		y.Errorf("run %d (%s) ends with %d, want %d: %q", j.Run, j.Branch, c.Exit, want, c.Warnings)
	}
	if y.Failed() {
		y.FailNow()
	}
	return c
}

// start does a job in a process of its own.
func (y *year) start(j job) (c cost, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return c, err
	}
	var failed bytes.Buffer
	command := exec.CommandContext(y.Context(), os.Args[0])
	command.Env = append(os.Environ(), jobVariable+"=1")
	command.Stdin, command.Stderr = bytes.NewReader(text), &failed
	out, err := command.Output()
	if err != nil {
		return c, fmt.Errorf("%w: %s", err, failed.String())
	}
	return c, json.Unmarshal(out, &c)
}

// usual returns the median of each number.
func usual(all []cost) (c cost) {
	c.CPU, c.Peak = median(all, func(c cost) float64 { return c.CPU }), median(all, func(c cost) float64 { return c.Peak })
	c.Requests = int64(median(all, func(c cost) float64 { return float64(c.Requests) }))
	c.Read, c.Saved = int64(median(all, func(c cost) float64 { return float64(c.Read) })), int64(median(all, func(c cost) float64 { return float64(c.Saved) }))
	return c
}

// dearest returns the most of each number that a run took: the first one after tests were
// renamed has more to do than the others.
func dearest(all []cost) (c cost) {
	for _, one := range all {
		c.CPU, c.Peak = max(c.CPU, one.CPU), max(c.Peak, one.Peak)
	}
	return c
}

func median(all []cost, of func(cost) float64) float64 {
	var numbers []float64
	for _, c := range all {
		numbers = append(numbers, of(c))
	}
	slices.Sort(numbers)
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)/2]
}

// stored returns the artifacts that GitHub keeps, and their bytes.
func (y *year) stored() (count int, size int64) {
	for _, a := range y.server.Artifacts(repository) {
		if a.Expires.IsZero() && y.now.Sub(a.Created) < 90*24*time.Hour || a.Expires.After(y.now) {
			count, size = count+1, size+int64(len(a.Content))
		}
	}
	return count, size
}
