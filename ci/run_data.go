package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store"
)

// run is one run in progress: its connections, and what the steps so far found
// out for those after them.
type run struct {
	cfg    Config
	deps   Deps
	source fs.FS           // the checkout
	ending context.Context // done when the run is told to end

	// Set by load.
	collected        collected
	notices          []engine.Notice // of all steps, in order; see note
	session          *StateSession   // nil until it is open
	isWithoutHistory bool            // a dry run that has no database to read

	root     string             // of the checkout inside its repository, see rootOf
	tree     sourceTree         // its source files
	heals    []engine.HealEvent // that belong to this run, see selectHeals
	index    *identity.Index    // finds the test of a heal event
	learned  elements           // what is known of elements, nil where there is no database
	forTrial bool               // edits are tried before anybody is offered them
	unspare  func()             // undoes SpareMemory, nil before the reports are read

	// Set by record.
	now        time.Time       // when the run is recorded
	missing    []engine.TestID // tests that should have run and block
	recorded   store.Recorded
	quarantine quarantine

	// outcome is set by judge; propose adds to it. It stays nil where the run
	// proved nothing.
	outcome *outcome.Run
	known   elements // what the run heals by; see learnAccepted

	learnedNow int // elements that traces taught

	facts     store.Facts // of the saved database
	notKept   error       // why later runs do not find this one's delta
	notFolded error       // why no snapshot is saved
	result    Result
}

// collected is everything that was read for one run.
type collected struct {
	root         string // of the checkout
	files        []*junit.File
	results      []engine.TestResult         // sorted by identity
	inOrder      []int                       // indexes of results in the order of the reports
	reports      int                         // that count, each run of tests once
	shown, safe  []uint8                     // how many reports show a result, and store.Place.Reports of it; nil where there is one report
	namesakes    map[engine.TestID]namesakes // failing tests that reports in several folders show
	red          int                         // reports with a failing test
	heals        []engine.HealEvent
	since        map[string]float64 // when the run began of which a file's events count, Unix seconds, by file
	reruns       []engine.Rerun     // in the files of heals
	notices      []engine.Notice
	healPatterns []string // patterns of heal events without a file
}

// namesakes are the reports that show tests of one name.
type namesakes struct {
	reports   []string // slash-separated
	strangers bool     // two of them have few tests in common, so they are of two suites
}

// quarantine is what the policy says of a run.
type quarantine struct {
	before, after []flaky.Entry
	evaluation    flaky.Evaluation
	guards        map[engine.TestID]string // by test id: why a failure blocks all the same
	triage        map[engine.TestID]string // by test id: since when a failing test fails and where else
	order         map[engine.TestID]string // by test id: which other test a failing one fails after
	steady        map[engine.TestID]bool   // tests whose failures show no flakiness
}

// errEnded ends a run that was told to end: there is time to write down what
// it recorded, not to judge it.
var errEnded = errors.New("told to end before it was judged; it is recorded")

// progress says what the run does next.
func (r *run) progress(what string) {
	if r.deps.Progress != nil {
		r.deps.Progress(what)
	}
}

// note adds notices for people. All notices of a run come through here.
func (r *run) note(notices ...engine.Notice) { r.notices = append(r.notices, notices...) }

// warn adds a notice that changes nothing else.
func (r *run) warn(format string, args ...any) { r.note(warning(fmt.Sprintf(format, args...))) }
