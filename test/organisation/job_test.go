package organisation

import (
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// attempt is how one attempt at a test ended: the fault that it met, nil for a pass.
type attempt = *fault

// testID is the identity of a test, and testFile the file that it stands in.
func testID(name string) string { return testFile(name) + " › " + name }

func testFile(name string) string {
	area, _, _ := strings.Cut(name, " ")
	return area + ".spec.ts"
}

// runTests returns the attempts at each test of a job, with as many retries as it
// has: none, one or two.
func runTests(j *job, by uint32) map[string][]attempt {
	results := map[string][]attempt{}
	for i, test := range j.spec.tests(j.run.tested.tree) {
		for try := range 1 + by%3 {
			met := meetFault(j, test, mix(by, uint32(i)*8+try))
			results[test] = append(results[test], met)
			if met == nil {
				break
			}
		}
	}
	return results
}

// meetFault returns the fault that an attempt meets: a regression before a flake.
func meetFault(j *job, test string, roll uint32) (met *fault) {
	for _, f := range j.run.tested.tree.faults {
		if f.test == test && (f.browser == "" || f.browser == j.spec.on) && roll%f.every == 0 && (met == nil || f.isRegression()) {
			met = f
		}
	}
	return met
}

// reportOf returns the JUnit report of a job.
func reportOf(results map[string][]attempt, tests []string, serial int) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, `<testsuites><testsuite name="%s" id="%d">`, testFile(tests[0]), serial)
	for _, test := range tests {
		file := testFile(test)
		fmt.Fprintf(&out, `<testcase name=%q classname=%q file=%q>`, test, file, file)
		tries := results[test]
		for i, met := range tries {
			if met == nil {
				continue
			}
			element := "rerunFailure"
			switch {
			case tries[len(tries)-1] == nil:
				element = "flakyFailure"
			case i == 0:
				element = "failure"
			}
			var message strings.Builder
			_ = xml.EscapeText(&message, []byte(met.message))
			fmt.Fprintf(&out, `<%s message="%s" type="Error">at %s:3:1</%[1]s>`, element, message.String(), file)
		}
		out.WriteString(`</testcase>`)
	}
	out.WriteString(`</testsuite></testsuites>`)
	return []byte(out.String())
}

// execution is a job on its runner.
type execution struct {
	*record
	runner *runner
	cfg    ci.Config
	deps   ci.Deps
	remove func() // its directory
	err    error
}

// runJob lets a job run from the checkout to the end. during happens while it saves.
func (o *organisation) runJob(j *job, by uint32, during func()) {
	e := o.prepare(j, by, during)
	defer e.remove()
	if o.look && j.run.trusted() && e.deps.Backend != nil {
		o.look = false
		o.compareAlternatives(e)
	}
	e.result, e.err = ci.Run(o.ctx, e.cfg, e.deps)
	o.finish(e)
}

// prepare runs the tests of a job and sets Breadcrumb up.
func (o *organisation) prepare(j *job, by uint32, during func()) *execution {
	o.now = o.now.Add(2 * time.Minute)
	results := runTests(j, by)
	for test := range results {
		if tries, scripted := o.script[test]; scripted {
			results[test] = tries
		}
	}
	skew := skewOf(by)
	o.say("%s: %s%s%s", j.run, j.spec.name(), describe(results), ahead(skew))
	dir, remove := o.makeDir()
	e := &execution{record: o.model.begin(j, results, o.now), runner: o.newRunner(j, skew), cfg: o.config(dir), remove: remove}
	e.renames = o.mainNames
	report := filepath.Join(dir, "junit.xml")
	o.write(report, reportOf(results, j.spec.tests(j.run.tested.tree), o.made))
	if err := os.Chtimes(report, e.runner.clock(), e.runner.clock()); err != nil {
		panic(err)
	}
	e.cfg.JUnit = []string{report}
	e.deps = ci.Deps{Now: e.runner.clock, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler), Progress: func(what string) {
		if what == "saving the history" {
			during()
		}
	}}
	o.connect(e)
	return e
}

// finish looks at what came of a job.
func (o *organisation) finish(e *execution) {
	if e.err != nil {
		o.fail(ruleRuns, "%s: %v", e.run, e.err)
		return
	}
	for _, err := range e.result.PublishErrors {
		if !e.fork && !errors.Is(err, comment.ErrNewer) {
			o.fail(ruleRuns, "%s: %v", e.run, err)
		}
	}
	e.run.done[e.spec.name()] = e.result.Exit == ci.ExitPass
	if len(e.run.done) == len(e.run.workflow.jobs) {
		o.server.EndRun(repository, e.run.id, o.now)
	}
	o.say("%s exit %d", e.spec.name(), e.result.Exit)
	for _, c := range e.result.Outcome.Changes {
		o.say("%q leaves %t, pending %t: %s", nameOf(string(c.TestID)), c.Released, c.Pending, c.Reason)
	}
	e.database = e.cfg.DB
	e.delta, _ = os.ReadFile(e.cfg.DB + ".delta") // a server has none
	o.check(e.record)
	o.checkAlone(e)
	// What no rule looks at again goes: the collector would look at thousands of outcomes.
	notices := e.result.Outcome.Notices
	e.result = ci.Result{Exit: e.result.Exit}
	e.result.Outcome.Notices = notices
}

// runTogether lets jobs save at the same moment, where a server keeps the history.
func (o *organisation) runTogether(jobs []*job, by uint32) {
	var all []*execution
	for i, j := range jobs {
		all = append(all, o.prepare(j, mix(by, uint32(i)), func() {}))
	}
	var wait sync.WaitGroup
	for _, e := range all {
		wait.Go(func() { e.result, e.err = ci.Run(o.ctx, e.cfg, e.deps) })
	}
	wait.Wait()
	for _, e := range all {
		e.remove()
		o.finish(e)
	}
}

// skewOf returns how wrong the clock of a job's runner is: one of many is years
// ahead, and one is behind.
func skewOf(by uint32) time.Duration {
	if isOpen(wrongClocks) {
		return 0
	}
	switch mix(by, 17) % 24 {
	case 0:
		return 4 * 365 * 24 * time.Hour
	case 1:
		return -50 * 24 * time.Hour
	case 2:
		return 10 * time.Minute
	}
	return 0
}

func ahead(skew time.Duration) string {
	if skew == 0 {
		return ""
	}
	return fmt.Sprintf(" (its clock is wrong by %s)", skew)
}

// describe names the tests that failed at least once.
func describe(results map[string][]attempt) string {
	var all []string
	for test, tries := range results {
		what := ""
		for _, met := range tries {
			if met == nil {
				what += "+"
			} else {
				what += "-"
			}
		}
		if what != "+" {
			all = append(all, fmt.Sprintf("%q %s", test, what))
		}
	}
	slices.Sort(all)
	return strings.Join(append([]string{""}, all...), " ")
}

// config returns the settings of a run in a directory.
func (o *organisation) config(dir string) ci.Config {
	cfg := ci.Config{
		Repo: dir, DB: filepath.Join(dir, "breadcrumb.db"), Policy: flaky.PolicyEvidence, Missing: ci.MissingAuto, MaxQuarantine: o.setting.share,
		DefaultBranch: o.main.name, KeepRuns: o.setting.keepRuns, KeepDays: o.setting.keepDays, Comment: true, ServerURL: "https://github.com",
	}
	for _, test := range o.setting.never {
		cfg.Never = append(cfg.Never, testID(test))
	}
	if o.setting.place == placePostgres {
		cfg.DB = o.setting.database
	}
	return cfg
}

// connect gives a run what the command gives it: who it is, the place of the state
// and GitHub.
func (o *organisation) connect(e *execution) {
	m, cfg, d := e.runner, &e.cfg, &e.deps
	info, err := gh.LoadEvent(m.getenv, m.readFile)
	if err != nil {
		panic(err)
	}
	info.Leg = e.spec.matrix
	info, cfg.Notices = o.identify(m, info)
	cfg.Info, cfg.DefaultBranch = info, e.run.defaultBranch
	cfg.CommentKey, cfg.FormerKey = gh.CommentKey(info), gh.FormerCommentKey(info)
	if d.Backend, err = o.backend(m, info); err != nil {
		panic(err)
	}
	if !info.Trusted() {
		if d.Ancestry, err = m.client.Ancestry(repository, e.run.defaultBranch); err != nil {
			panic(err)
		}
	}
	if info.PullRequest != 0 {
		forge := m.client.Conversation(repository, info.PullRequest)
		d.Changes, d.Runs = forge, forge
		if !e.fork { // whose token may only read
			d.Forge, d.Reviews = forge, forge
		}
	}
	for _, pr := range info.MergeGroup {
		forge := m.client.Conversation(repository, pr)
		d.Changes, d.Runs = forge, forge
		if d.Group == nil {
			d.Group = map[int]comment.API{}
		}
		d.Group[pr] = forge
	}
}

// identify completes who a run is.
func (o *organisation) identify(m *runner, info engine.RunInfo) (engine.RunInfo, []engine.Notice) {
	info, notices := m.client.Identify(o.ctx, info, gh.JobHints{Runner: m.getenv("RUNNER_NAME")})
	if info.StartedAt.IsZero() {
		info.StartedAt = m.clock()
	}
	return info, notices
}

// runCommand carries out a comment.
func (o *organisation) runCommand(r *workflowRun, event command.CommandEvent, by uint32) {
	dir, remove := o.makeDir()
	defer remove()
	m := o.newRunner(&job{r, jobSpec{job: "commands"}, 1}, skewOf(by))
	info, err := gh.LoadEvent(m.getenv, m.readFile)
	if err != nil {
		panic(err)
	}
	info, _ = o.identify(m, info)
	cfg := o.config(dir)
	cfg.Info, cfg.DefaultBranch = info, r.defaultBranch
	backend, err := o.backend(m, info)
	if err != nil {
		panic(err)
	}
	hub := m.client.Repository(repository)
	err = command.HandleCommand(o.ctx, cfg, event, command.Deps{Forge: hub, Source: hub, Branches: hub, Backend: backend, Now: m.clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		o.fail(ruleRuns, "%s: %v", event.Body, err)
	}
}

func (o *organisation) write(name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		panic(err)
	}
}
