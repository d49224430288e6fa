package attach

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/proxy"
)

// Test is how an attempt of a test ended, as its runner tells it.
type Test struct {
	ID     engine.TestID
	Runner identity.Runner
	Path   string // of the file that it is written in
	Line   int    // 1-based, 0 when unknown
	Passed bool   // as it was meant to
	Failed bool   // not as it was meant to; a test that was skipped did neither
	Took   time.Duration

	Process string // that told of it, the same for all of one runner
	Worker  string // of the process that ran it, "" for the only one of pytest

	Project string        // of Playwright Test
	Titles  []string      // of Playwright Test: those of the suites around it, and its own
	Timeout time.Duration // of Playwright Test, 0 for none
	Node    string        // of pytest

	names identity.Names
}

// Result returns the attempt as a JUnit report shows it.
func (t Test) Result() engine.TestResult {
	status := engine.StatusFailed
	if t.Passed {
		status = engine.StatusPassed
	}
	return engine.TestResult{ID: t.ID, Suite: t.names.Suite.Path, Class: t.names.Class, Name: t.names.Name, File: t.names.File, Environment: t.names.Environment(),
		Attempts: []engine.Attempt{{Status: status, DurationMS: float64(t.Took.Milliseconds())}}}
}

// ended is what a worker tells of a test that has ended.
type ended struct {
	told
	Passed bool   `json:"passed"`
	Failed bool   `json:"failed"`
	Held   bool   `json:"held"` // did not run because another test failed
	Took   int64  `json:"took"` // ms
	Worker string `json:"worker"`
}

// Noted is what became of a call on a target of a trial.
type Noted struct {
	Target int         `json:"target"` // index in proxy.Trial.Targets
	What   proxy.Noted `json:"what"`
}

// notedFile is in the folder of trials. Every process adds lines to it, each written at
// once.
const notedFile = "noted.ndjson"

// trial is a trial as stand-ins are told of it.
type trial struct {
	Targets []proxy.Target `json:"targets"`
	Control proxy.Control  `json:"control"`
	Limit   time.Duration  `json:"limit"`
}

func settingsOf(t *proxy.Trial) *trial {
	if t == nil {
		return nil
	}
	return &trial{t.Targets, t.Control, t.Limit}
}

// options returns the trial for a connection, which notes its calls in the folder of the
// run; nil for none.
func (t *trial) options(folder string) *proxy.Trial {
	if t == nil {
		return nil
	}
	return &proxy.Trial{Targets: t.Targets, Control: t.Control, Limit: t.Limit, Note: func(target int, what proxy.Noted) {
		line, err := json.Marshal(Noted{target, what})
		if err != nil {
			return
		}
		f, err := os.OpenFile(filepath.Join(folder, trialsFolder, notedFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return // what is not noted proves nothing
		}
		_, _ = f.Write(append(line, '\n'))
		_ = f.Close()
	}}
}
