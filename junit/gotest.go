package junit

import (
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// goEvents reads the events of go test -json (go doc test2json), one JSON
// object a line, as they come from go, gotestsum --jsonfile or test2json.
type goEvents struct {
	feed     *feed
	r        *jsonReader
	packages map[string]*goPackage // nil for one that ended
	builds   map[string]*field     // build output by import path
	unbuilt  map[string]bool       // import paths that do not build
	running  int                   // tests that run now, in all packages
	err      error
}

// goUnbuilt bounds the packages that are remembered as not built: as many as
// have their output kept.
const goUnbuilt = 1000

// goRunning bounds the tests that run at one time, those that wait included.
const goRunning = 50_000

type goPackage struct {
	running map[string]*goTest
	output  *field          // nil where there is none
	failed  int             // tests that failed since the package began
	names   map[uint64]bool // hashes of their names
	ended   bool
}

type goTest struct {
	output field
	line   int
}

// goEvent is one event; its output goes to the test's or package's own field.
type goEvent struct {
	line                      int
	action, pkg, test, failed string
	importPath, output, stamp string
	elapsed                   float64
}

func readGoTest(f *feed) (string, error) {
	g := &goEvents{feed: f, r: newJSONReader(f.c.doc.scan, f.c.options.Limits.Depth), packages: map[string]*goPackage{}, builds: map[string]*field{}, unbuilt: map[string]bool{}}
	for g.next() {
	}
	if g.err != nil {
		return formatGoTest, g.err
	}
	return formatGoTest, g.close()
}

// next reads one event or drops one line of other text, such as what the go
// command itself prints.
func (g *goEvents) next() bool {
	g.r.skipSpace()
	if !g.r.have(1) || g.r.stopped() || g.err != nil {
		return false
	}
	if g.r.buf[g.r.pos] != '{' {
		g.stray()
		return true
	}
	e := goEvent{line: g.r.line}
	g.r.object(func(key string) { g.event(&e, key) })
	if !g.r.stopped() {
		g.err = g.apply(e)
	}
	return true
}

// goUnready is what the go command says in plain text of a package whose tests
// cannot even begin. Where that stands between the events there is none of it.
var goUnready = regexp.MustCompile(`^FAIL\s+\S+ \[(?:setup|build) failed\]`)

// stray drops a line that is no event.
func (g *goEvents) stray() {
	at, s := g.r.line, field{max: kilobyte}
	g.r.lineInto(&s)
	if goUnready.Match(s.b) {
		g.feed.c.notes.block("unready", at, "the go command reports: "+text.Cut(clean(string(s.b)), messageMax))
		return
	}
	g.feed.c.notes.warn("stray", at, "a line that is no test event was left out")
}

func (g *goEvents) event(e *goEvent, key string) {
	name := g.feed.c.options.Limits.FieldBytes
	switch key {
	case "Action":
		e.action = g.r.text(nameMax)
	case "Package":
		e.pkg = g.r.text(name)
	case "Test":
		e.test = g.r.text(name)
	case "ImportPath":
		e.importPath = g.r.text(name)
	case "FailedBuild":
		e.failed = g.r.text(name)
	case "Elapsed":
		e.elapsed = min(max(g.r.number(), 0), secondsMax)
	case "Output":
		e.output = g.r.text(name)
	case "Time":
		e.stamp = g.r.text(nameMax)
	}
}

func (g *goEvents) apply(e goEvent) error {
	d := g.feed.c.doc
	if d.started.IsZero() {
		d.started = timestamp(e.stamp)
	}
	switch e.action {
	case "build-fail":
		if len(g.unbuilt) < goUnbuilt {
			g.unbuilt[e.importPath] = true
		}
		return g.buildOutput(e)
	case "build-output":
		return g.buildOutput(e)
	}
	p, err := g.pkg(e)
	if err != nil {
		return err
	}
	switch e.action {
	case "start":
		p.ended, p.failed, p.names = false, 0, nil
	case "run":
		return g.run(p, e)
	case "output":
		g.output(p, e)
	case "pass", "fail", "skip":
		if e.test != "" {
			return g.testEnd(p, e)
		}
		return g.packageEnd(p, e)
	}
	return nil
}

// pkg returns the state of e's package, begun where it is new.
func (g *goEvents) pkg(e goEvent) (*goPackage, error) {
	p, known := g.packages[e.pkg]
	if p != nil {
		return p, nil
	}
	if known {
		p = &goPackage{ended: true}
		g.packages[e.pkg] = p
		return p, nil
	}
	d := g.feed.c.doc
	if len(g.packages) >= d.limits.Suites {
		return nil, d.stop(e.line, fmt.Sprintf("the file holds more than %d packages; the rest was not read", d.limits.Suites))
	}
	p = &goPackage{}
	g.packages[e.pkg] = p
	return p, g.feed.c.enterSuite(e.pkg)
}

func (g *goEvents) run(p *goPackage, e goEvent) error {
	p.ended = false
	if p.running[e.test] != nil {
		return nil
	}
	if p.names != nil && p.names[hashOf(e.test)] { // a rerun is another run of the package
		g.feed.c.counted = true
	}
	d := g.feed.c.doc
	if g.running >= goRunning {
		return d.stop(e.line, fmt.Sprintf("more than %d tests run at one time; the rest was not read", goRunning))
	}
	if p.running == nil {
		p.running = map[string]*goTest{}
	}
	g.running++
	p.running[e.test] = &goTest{line: e.line}
	return nil
}

// output keeps what a test prints until its end shows whether it is wanted.
func (g *goEvents) output(p *goPackage, e goEvent) {
	if p.output == nil {
		p.output = &field{max: 16 * kilobyte}
	}
	dst := p.output
	if t := p.running[e.test]; t != nil && e.test != "" {
		dst = &t.output
		dst.max = max(dst.max, min(len(dst.b)+g.feed.room(), g.feed.c.options.Limits.FieldBytes))
	}
	before := len(dst.b)
	dst.write([]byte(e.output))
	*g.feed.budget -= int64(len(dst.b) - before)
}

func (g *goEvents) buildOutput(e goEvent) error {
	out := g.builds[e.importPath]
	if out == nil {
		if len(g.builds) >= goUnbuilt {
			return nil
		}
		out = &field{max: 16 * kilobyte}
		g.builds[e.importPath] = out
	}
	out.write([]byte(e.output))
	return nil
}

var goStatus = map[string]engine.Status{"pass": engine.StatusPassed, "fail": engine.StatusFailed, "skip": engine.StatusSkipped}

func (g *goEvents) testEnd(p *goPackage, e goEvent) error {
	t := p.running[e.test]
	if t == nil {
		t = &goTest{line: e.line}
	}
	g.end(p, e.test)
	status := goStatus[e.action]
	if status == engine.StatusFailed {
		p.fail(e.test)
	}
	return g.enter(e.pkg, e.test, t, status, e.elapsed)
}

// fail counts a test that failed.
func (p *goPackage) fail(test string) {
	p.failed++
	if p.names == nil {
		p.names = map[uint64]bool{}
	}
	p.names[hashOf(test)] = true
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// end drops a test that no longer runs.
func (g *goEvents) end(p *goPackage, name string) {
	if p.running[name] != nil {
		g.running--
		delete(p.running, name)
	}
}

// packageEnd closes a package. Tests still running did not end: a crash, a
// time-out, a call of os.Exit. A failing package without a failing test did not
// build or failed in its TestMain, which stands for it, as in gotestsum's XML.
func (g *goEvents) packageEnd(p *goPackage, e goEvent) error {
	g.packages[e.pkg] = nil
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		t := p.running[name]
		t.output.write([]byte("the package ended before the test did\n"))
		t.output.write(p.output.bytes())
		g.end(p, name)
		p.failed++
		if err := g.enter(e.pkg, name, t, engine.StatusError, 0); err != nil {
			return err
		}
	}
	output := p.output.bytes()
	*g.feed.budget += int64(len(output))
	if e.action != "fail" || p.failed > 0 {
		return nil
	}
	main := &goTest{line: e.line, output: field{max: 32 * kilobyte}}
	for _, path := range slices.Compact([]string{e.failed, e.pkg}) {
		if built := g.builds[path]; built != nil {
			main.output.write(built.b)
		}
	}
	main.output.write(output)
	p.failed++
	return g.enter(e.pkg, "TestMain", main, engine.StatusError, e.elapsed)
}

// enter hands on one test with the names of gotestsum's XML.
func (g *goEvents) enter(pkg, name string, t *goTest, status engine.Status, elapsed float64) error {
	*g.feed.budget += int64(len(t.output.b))
	a := engine.Attempt{Status: status}
	switch {
	case status.Failing():
		t.output.b = t.output.b[:min(len(t.output.b), g.feed.room())]
		a = attempt(status, elapsed, "", "", string(t.output.b))
		*g.feed.budget -= int64(len(a.Text))
	case status == engine.StatusSkipped:
		a.Message = firstLine("", string(t.output.b))
	}
	a.DurationMS = milliseconds(elapsed)
	return g.feed.enter(t.line, entry{
		suite: suite{path: pkg, name: pkg, runner: RunnerGo},
		class: pkg, name: name,
		attempts: []engine.Attempt{a},
	})
}

// close tells of packages whose end is missing.
func (g *goEvents) close() error {
	open := 0
	first := ""
	for _, name := range slices.Sorted(maps.Keys(g.packages)) {
		if p := g.packages[name]; p != nil && !p.ended {
			open++
			if first == "" {
				first = name
			}
			for _, test := range slices.Sorted(maps.Keys(p.running)) {
				if err := g.enter(name, test, unended(p.running[test]), engine.StatusError, 0); err != nil {
					return err
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(g.builds)) {
		if len(g.packages) == 0 || g.unbuilt[path] {
			g.feed.c.notes.block("build", 0, "package "+text.Cut(clean(path), 80)+" does not build: "+firstLine("", string(g.builds[path].b)))
		}
	}
	switch {
	case g.r.broken != "":
		g.feed.finish(g.r)
	case g.r.cut || open > 0:
		reason := "the report is truncated"
		if open > 0 {
			reason += fmt.Sprintf(": %d packages did not end (first: %s)", open, text.Cut(clean(first), 80))
		}
		g.feed.c.notes.block("truncated", g.r.line, reason+"; only what is complete was read")
	}
	return nil
}

func unended(t *goTest) *goTest {
	t.output.max += kilobyte
	t.output.write([]byte("the report ends before the test does\n"))
	return t
}
