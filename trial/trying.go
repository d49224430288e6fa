package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy"
	"github.com/breadcrumb/action/proxy/attach"
)

// trying is a trial that goes on.
type trying struct {
	options Options
	suite   suite
	copied  *checkout
	tests   map[engine.TestID]wanted
	took    map[engine.TestID]time.Duration // with the edits
	own     map[engine.TestID]time.Duration // timeouts of the tests
	why     string                          // the runner cannot be narrowed
}

func newTrying(o Options, s suite, copied *checkout) *trying {
	t := &trying{options: o, suite: s, copied: copied, tests: map[engine.TestID]wanted{}, took: map[engine.TestID]time.Duration{}, own: map[engine.TestID]time.Duration{}}
	for _, test := range slices.Concat(o.Held, o.Tests) {
		t.tests[test.ID] = t.wanted(test)
	}
	return t
}

// wanted returns a test of the checkout as it is to run in the copy.
func (t *trying) wanted(test attach.Test) wanted {
	return wanted{id: test.ID, path: t.copied.moved(test.Path), line: test.Line, project: test.Project, node: test.Node, worker: test.Worker}
}

// runAll runs the tests of groups of edits in a control.
func (t *trying) runAll(ctx context.Context, control run, groups [][]*edit) error {
	for _, edits := range groups {
		var ids []engine.TestID
		for _, e := range edits {
			for id := range e.outcomes {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		for _, batch := range t.batches(ids) {
			if err := t.runBatch(ctx, control, edits, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// batches returns the tests that can run at once. Where the runner tells of its tests, one
// that was not in the run is left out: what was found ahead may be of any that ever learned.
func (t *trying) batches(tests []engine.TestID) [][]engine.TestID {
	if len(t.tests) > 0 {
		tests = slices.DeleteFunc(slices.Clone(tests), func(id engine.TestID) bool { _, told := t.tests[id]; return !told })
	}
	if len(tests) > 0 && t.suite.together {
		return [][]engine.TestID{tests}
	}
	return slices.Collect(slices.Chunk(tests, 1))
}

// Times of a control.
const (
	leastLimit = 5 * time.Second  // of a call
	mostLimit  = 30 * time.Second // of a call
	leastTest  = 10 * time.Second // of a test
)

// limits returns the most time of a call and of a test in a control: a test that passes
// in it takes about as long as with the edit.
func (t *trying) limits(batch []engine.TestID) (call, test time.Duration) {
	for _, id := range batch {
		call = max(call, min(max(2*t.took[id], leastLimit), mostLimit))
		long := max(3*t.took[id]+leastLimit, leastTest)
		if own := t.own[id]; own > 0 {
			long = min(long, own)
		}
		test = max(test, long)
	}
	return call, test
}

// runBatch runs tests once and notes what became of them and of the edits' locators.
func (t *trying) runBatch(ctx context.Context, control run, edits []*edit, batch []engine.TestID) error {
	watched := &proxy.Trial{Control: control}
	if control == again {
		watched.Control = proxy.AsWritten
	}
	var watchedTests []engine.TestID // by target, as the next
	var runs []map[run]status
	for _, e := range edits {
		for _, u := range e.uses {
			if slices.Contains(batch, u.test) {
				watched.Targets, watchedTests, runs = append(watched.Targets, u.target), append(watchedTests, u.test), append(runs, e.outcomes[u.test])
			}
		}
	}
	var testLimit time.Duration
	if control != proxy.AsWritten {
		watched.Limit, testLimit = t.limits(batch)
	}
	command, err := t.command(batch, testLimit)
	if err != nil {
		return err
	}
	began := t.options.Now()
	code, led, err := t.start(ctx, command, watched)
	if err != nil {
		return err
	}
	passed := t.passed(batch, code, led)
	for id := range passed {
		if control == proxy.AsWritten && t.took[id] == 0 {
			t.took[id] = t.options.Now().Sub(began)
		}
	}
	noted := make([]proxy.Noted, len(watched.Targets))
	for _, n := range led.Noted {
		if n.Target >= 0 && n.Target < len(noted) && noted[n.Target] != proxy.NotedDone {
			noted[n.Target] = n.What
		}
	}
	for i, id := range watchedTests {
		if pass, ran := passed[id]; ran {
			runs[i][control] = statusOf(control, pass, noted[i], runs[i][control])
		}
	}
	return nil
}

// command returns the command that runs a batch; limit is the most time of a test.
func (t *trying) command(batch []engine.TestID, limit time.Duration) ([]string, error) {
	tests := make([]wanted, len(batch))
	for i, id := range batch {
		tests[i] = t.tests[id]
		tests[i].id = id
	}
	command, err := t.suite.command(tests, limit)
	if err != nil {
		t.why = err.Error()
	}
	return command, err
}

// command returns the command that runs some tests and no other. limit is the most time
// of a test, where the runner takes one; 0 is the suite's own.
func (s suite) command(tests []wanted, limit time.Duration) ([]string, error) {
	if i := slices.IndexFunc(tests, func(t wanted) bool { return t.unsafeOn(runtime.GOOS) }); i >= 0 {
		return nil, fmt.Errorf("%.80q has signs in its name that a batch file takes for its own", tests[i].id)
	}
	own, err := s.runner.narrow(s, tests, limit)
	if err != nil {
		return nil, err
	}
	return slices.Concat(s.program, own, s.behind), nil
}

// unsafeOn reports whether a test's names are more than names on a system. Programs such
// as npx are batch files on Windows, whose interpreter reads the arguments once more. A
// filter by titles has such signs of its own.
func (w wanted) unsafeOn(system string) bool {
	return system == "windows" && (w.titles != nil || strings.ContainsAny(w.path+w.project+w.node, "\"%^&|<>!\r\n"))
}

// statusOf returns what a run says of a test, where an earlier target of the same test and
// edit may have said something.
func statusOf(control run, passed bool, noted proxy.Noted, before status) status {
	asWritten := control == proxy.AsWritten || control == again
	switch {
	case asWritten && !passed:
		return red
	case asWritten && noted == proxy.NotedDone:
		return green
	case asWritten && before == unknown:
		return unused
	case noted == proxy.NotedDone && passed:
		return green
	case noted == proxy.NotedDone:
		return red
	case noted == proxy.NotedUnsuited && before == unknown:
		return unsuited
	}
	return before
}

// passed returns which tests of a batch ran and whether they passed: as the runner tells
// of each, or else by the exit code of the one.
func (t *trying) passed(batch []engine.TestID, code int, led attach.Result) map[engine.TestID]bool {
	passed := map[engine.TestID]bool{}
	if !t.suite.together {
		passed[batch[0]] = code == 0
		return passed
	}
	for _, test := range led.Tests {
		if !slices.Contains(batch, test.ID) {
			continue
		}
		if before, twice := passed[test.ID]; !twice || before {
			passed[test.ID] = test.Passed
		}
		if test.Took > 0 && test.Passed {
			t.took[test.ID] = max(t.took[test.ID], test.Took)
		}
		t.own[test.ID] = test.Timeout
	}
	return passed
}

// start runs a command in the copy with its browsers led through the trial, and returns
// its exit code.
func (t *trying) start(ctx context.Context, command []string, watched *proxy.Trial) (code int, led attach.Result, err error) {
	return t.startLed(ctx, command, attach.Options{
		Live: live.Options{Heal: string(engine.HealOff), DB: live.None, Events: live.None, Frozen: true}, Trial: watched,
	})
}

// startLed runs a command in the copy with its browsers led as the options say, of which it
// fills in the others, and returns its exit code.
func (t *trying) startLed(ctx context.Context, command []string, o attach.Options) (code int, led attach.Result, err error) {
	o.Folder, o.Executable, o.Environ, o.Log = t.copied.root, t.options.Executable, t.environ(o.Live.Heal), t.options.Log
	session, err := attach.Open(o)
	if err != nil {
		return 0, led, err
	}
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = t.copied.moved(word)
	}
	code, err = runProcess(ctx, words, t.folder(), session.Environment())
	led = session.Close()
	return code, led, errors.Join(err, ctx.Err())
}

// folder returns the folder of the copy that the command runs in.
func (t *trying) folder() string {
	folder, err := filepath.EvalSymlinks(t.options.Folder)
	if err != nil {
		folder = t.options.Folder
	}
	return t.copied.moved(folder)
}

// environ returns the environment of the user's command with the copy in the place of the
// checkout, and with healing as it says.
func (t *trying) environ(heal string) []string {
	var environ []string
	for _, variable := range t.options.Environ {
		environ = append(environ, t.copied.moved(variable))
	}
	return append(environ, "PWD="+t.folder(), "BREADCRUMB_HEAL="+heal, "BREADCRUMB_LEARN=off", "PYTHONDONTWRITEBYTECODE=1")
}

// endTime is how long a command has to end by itself when it is told to.
const endTime = 5 * time.Second

// runProcess runs a command to its end, without its output, and returns its exit code. When
// ctx ends, the command and all that it started are told to end, and ended.
func runProcess(ctx context.Context, words []string, folder string, environ []string) (int, error) {
	cmd := exec.Command(words[0], words[1:]...) //nolint:gosec,noctx // the command that the person named, ended below
	cmd.Dir, cmd.Env = folder, environ
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %.80q in the copy: %w", words[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		signalGroup(cmd, syscall.SIGINT)
		select {
		case err = <-ended:
		case <-time.After(endTime):
			signalGroup(cmd, syscall.SIGKILL)
			err = <-ended
		}
	}
	signalGroup(cmd, syscall.SIGKILL) // what it left behind
	if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, os.ErrProcessDone) {
		return 0, err
	}
	return attach.ExitCode(cmd.ProcessState), nil
}
