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
	file  string // that the runner tells it in
	own   string // that the worker itself tells it in, where it can; "" for none
	root  string // of the run
	tells bool   // whether the runner tells of each test before its calls

	mu     sync.Mutex
	waited *told         // that had ended, or nothing, and after which nothing came in time; nil for none
	last   engine.TestID // found by the place of a call
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
	Retry   int      `json:"retry"`
	Start   int64    `json:"start"`   // Unix milliseconds
	Timeout int64    `json:"timeout"` // ms, 0 for none

	Node string `json:"node"` // of pytest
}

// maxToldBytes bounds what a worker tells.
const maxToldBytes = 256 << 10

// A test that has ended is the one before, when the news of the next are still on their
// way: they come from Playwright Test's own process, which is late on a busy machine. A call
// between two tests, as of a fixture of the worker that ends, waits this long, once.
const (
	newsTime  = 3 * time.Second
	newsPause = 5 * time.Millisecond
)

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

// readNow returns what the worker tells now, or its runner. It waits a moment where the
// runner tells of a test that has ended, or nothing yet.
func (t *tests) readNow() (told, bool) {
	if now, known := readTold(t.own); known {
		return now, true
	}
	now, known := readTold(t.file)
	late := func() bool { return known && now.Ended || !known && t.tells }
	if !late() {
		return now, known
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for waited := time.Duration(0); late() && waited < newsTime && (t.waited == nil || !now.same(*t.waited)); waited += newsPause {
		time.Sleep(newsPause)
		if next, ok := readTold(t.file); ok {
			now, known = next, true
		}
	}
	if late() {
		t.waited = &now
	}
	return now, known
}

func readTold(file string) (now told, ok bool) {
	content, err := readStart(file, maxToldBytes)
	return now, err == nil && json.Unmarshal(content, &now) == nil
}

// same reports whether both are one execution of one test.
func (n told) same(other told) bool {
	return n.id() == other.id() && n.Retry == other.Retry && n.Start == other.Start
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
