package attach

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/proxy"
)

// tests says which test a connection runs.
type tests struct {
	file string // that the runner tells it in, "" where the worker says it in the connection
	root string // of the run

	mu   sync.Mutex
	said []byte        // by the worker
	last engine.TestID // found by the place of a call
}

// told is what a worker tells of its test.
type told struct {
	Runner identity.Runner `json:"runner"`
	Ended  bool            `json:"ended"`
	// Where the test is written, as its runner says it.
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`

	// Of Playwright Test.
	Project string   `json:"project"`
	File    string   `json:"file"` // relative to the folder of the tests, as in the JUnit report
	Titles  []string `json:"titles"`
	Start   int64    `json:"start"`   // Unix milliseconds
	Timeout int64    `json:"timeout"` // ms, 0 for none

	Node string `json:"node"` // of pytest
}

// maxToldBytes bounds what a worker tells.
const maxToldBytes = 256 << 10

// note notes which test makes the calls from now on, as JSON.
func (t *tests) note(said []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = said[:min(len(said), maxToldBytes)]
}

// testOf says which test makes a call.
func (t *tests) testOf(c proxy.Call) proxy.Test {
	now, known := t.readNow()
	if !known {
		return proxy.Test{ID: string(t.findByPlace(c.Site))}
	}
	test := proxy.Test{ID: string(now.id()), Deadline: now.deadline()}
	if c.Site == nil {
		test.Site = now.site()
	}
	return test
}

// readNow returns what the worker tells now, or its runner.
func (t *tests) readNow() (told, bool) {
	if t.file != "" {
		return readTold(t.file)
	}
	t.mu.Lock()
	said := t.said
	t.mu.Unlock()
	return parseTold(said)
}

func readTold(file string) (told, bool) {
	content, err := readStart(file, maxToldBytes)
	if err != nil {
		return told{}, false
	}
	return parseTold(content)
}

// parseTold returns what was told; false for nothing, which a test of no name is.
func parseTold(content []byte) (now told, known bool) {
	err := json.Unmarshal(content, &now)
	return now, err == nil && now.Runner != ""
}

// id returns the identity that the test has in a JUnit report.
func (n told) id() engine.TestID {
	var namer identity.Namer
	names := n.names()
	return namer.Identity(&names)
}

// names returns what a JUnit report calls the test.
func (n told) names() identity.Names {
	if n.Runner == identity.RunnerPytest {
		return pytestNames(n.Node)
	}
	file := filepath.ToSlash(n.File)
	return identity.Names{
		Runner: n.Runner, Class: file, Name: strings.Join(n.Titles, identity.Separator), File: file,
		Suite: &identity.Suite{Path: file, Name: file, Host: n.Project, Runner: n.Runner, HasID: true},
	}
}

// pytestNames returns what pytest's JUnit report calls the test of a node id
// (mangle_test_address in _pytest/junitxml.py).
func pytestNames(node string) identity.Names {
	address, parameters, parametrised := strings.Cut(node, "[")
	names := strings.Split(address, "::")
	file := names[0]
	names[0] = location.Dotted(location.TrimExt(file))
	name := names[len(names)-1]
	if parametrised {
		name += "[" + parameters
	}
	return identity.Names{
		Runner: identity.RunnerPytest, Suite: &identity.Suite{Name: "pytest", Path: "pytest"},
		Class: strings.Join(names[:len(names)-1], "."), Name: name, File: file,
	}
}

// site returns where the test is written.
func (n told) site() *engine.Site {
	if n.Path == "" || n.Line < 1 {
		return nil
	}
	return &engine.Site{File: n.Path, Line: n.Line, Column: n.Column}
}

// deadline returns when the test runs out of its time, the zero time for never.
func (n told) deadline() time.Time {
	if n.Timeout <= 0 || n.Start <= 0 || n.Ended {
		return time.Time{}
	}
	return time.UnixMilli(n.Start + n.Timeout)
}
