package organisation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

// The repository of the organisation.
const (
	repositoryID = 4711
	repository   = "acme/shop"
	forkID       = 9001
	forkName     = "mallory/shop"
)

// setting is what a seed's organisation chose.
type setting struct {
	place              string // that keeps the state
	database           string // URL of the server where that is its place
	keepRuns, keepDays int
	share              float64
	never              []string // tests that are never excused
}

// organisation is everything that there is, as it truly is: the model reads it, the
// product sees of it what a runner and GitHub show.
type organisation struct {
	ctx     context.Context
	dir     string
	setting setting
	now     time.Time // GitHub's
	server  *githubtest.Server

	main, release branch
	mainNames     int // that the default branch had before
	renamed       time.Time
	past          []commit // former tips of the default branch
	pulls         []*pull
	queue         []*group
	workflows     []*workflow
	runs          []*workflowRun
	waiting       []*job
	lastID        int64
	made          int // faults, commits and directories so far

	script  map[string][]attempt // what tests of the next jobs do, instead of what their faults make them do
	model   *model
	look    bool     // the next run of the default branch is compared with others
	events  []string // what happened, in words
	current string   // the event that is happening
}

// violation is the first thing that must not be.
type violation struct {
	rule rule
	text string
}

func (v *violation) String() string { return fmt.Sprintf("%s: %s", v.rule, v.text) }

// found is a way out of whatever is going on when a rule is broken.
type found struct{ *violation }

// fail ends the history unless the rule is switched off.
func (o *organisation) fail(r rule, format string, args ...any) {
	if isOpen(r) {
		return
	}
	panic(found{&violation{r, fmt.Sprintf(format, args...)}})
}

// newOrganisation founds one in a directory.
func newOrganisation(ctx context.Context, dir string, s setting) *organisation {
	o := &organisation{ctx: ctx, dir: dir, setting: s, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), lastID: 5000,
		workflows: makeWorkflows(), model: newModel()}
	o.server = githubtest.New(githubtest.Options{
		State: githubtest.State{RateLimit: 1 << 40, Repositories: []githubtest.Repository{
			{ID: repositoryID, FullName: repository, DefaultBranch: "main", Permissions: map[string]string{"ada": "write", "grace": "maintain"}}}},
		Now: func() time.Time { return o.now }, Forgets: true,
	})
	o.server.SetStorage(resultsURL)
	first := tree{suite: firstSuite, faults: []*fault{
		{test: testName("shop", 1), message: "Timeout waiting for the cart", every: 4},
		{test: testName("shop", 6), message: "Timeout waiting for the price", every: 6, browser: "webkit"},
		{test: testName("api", 2), message: "connection reset by peer", every: 3},
		{test: testName("chrome", 0), message: "element is detached", every: 4},
	}}
	for _, w := range o.workflows {
		o.server.MoveFile(repository, "", w.path)
	}
	o.main = branch{"main", o.newCommit("main", first, "main")}
	o.release = branch{"release/1.0", o.newCommit("release", first, "release/1.0", o.main.tip.sha)}
	o.startOnMain("push", 0)
	return o
}

// live lets the steps happen and returns the rule that broke, with the step that
// broke it, nil and their number when all went well.
func (o *organisation) live(plan []step) (broken *violation, at int) {
	defer func() {
		if r := recover(); r != nil {
			end, ours := r.(found)
			if !ours {
				panic(r)
			}
			o.events = append(o.events, o.current)
			broken = end.violation
		}
	}()
	for at = range plan {
		o.current = ""
		o.take(plan[at])
		if o.current != "" {
			o.events = append(o.events, o.current)
		}
	}
	o.current = "the organisation comes to rest"
	o.comeToRest()
	return nil, len(plan)
}

// say notes what the step does.
func (o *organisation) say(format string, args ...any) {
	if o.current != "" {
		o.current += "; "
	}
	o.current += fmt.Sprintf(format, args...)
}

// nextID returns an id that nothing has.
func (o *organisation) nextID() int64 {
	o.lastID++
	return o.lastID
}

// makeDir returns a new directory, and what removes it.
func (o *organisation) makeDir() (dir string, remove func()) {
	o.made++
	dir = filepath.Join(o.dir, fmt.Sprint(o.made))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// openPulls are the pull requests that are not closed.
func (o *organisation) openPulls() []*pull {
	return slices.DeleteFunc(slices.Clone(o.pulls), func(p *pull) bool { return p.closed })
}
