package formats

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// goEvents reads the events of go test -json (go doc test2json), one JSON
// object a line, as they come from go, gotestsum --jsonfile or test2json.
type goEvents struct {
	feed     *Feed
	r        *scan.JSONReader
	packages map[string]*goPackage  // nil for one that ended
	builds   map[string]*scan.Field // build output by import path
	unbuilt  map[string]bool        // import paths that do not build
	running  int                    // tests that run now, in all packages
	seed     maphash.Seed           // of goPackage.names
	err      error
}

// Bounds of what is remembered at one time.
const (
	goUnbuilt = 1000   // packages that do not build, and those with build output
	goRunning = 50_000 // tests that run or wait
)

type goPackage struct {
	running map[string]*goTest
	output  *scan.Field     // nil where there is none
	failed  int             // tests that failed since the package began
	names   map[uint64]bool // hashes of their names
	ended   bool
}

type goTest struct {
	output scan.Field
	line   int
}

// goEvent is one event; its output goes to the test's or package's own field.
type goEvent struct {
	line                      int
	action, pkg, test, failed string
	importPath, output, stamp string
	elapsed                   float64
}

func readGoTest(f *Feed) (string, error) {
	g := &goEvents{feed: f, r: scan.NewJSONReader(f.Scan, f.Limits.Depth), packages: map[string]*goPackage{}, builds: map[string]*scan.Field{}, unbuilt: map[string]bool{}, seed: maphash.MakeSeed()}
	for g.readEvent() {
	}
	if g.err != nil {
		return GoTest, g.err
	}
	return GoTest, g.finishReport()
}

// readEvent reads one event or skips one line of other text, such as the go command's own.
func (g *goEvents) readEvent() bool {
	g.r.SkipSpace()
	if !g.r.Have(1) || g.r.Stopped() || g.err != nil {
		return false
	}
	if g.r.Current() != '{' {
		g.skipLine()
		return true
	}
	e := goEvent{line: g.r.Line()}
	g.r.Object(func(key string) { g.readField(&e, key) })
	if !g.r.Stopped() {
		g.err = g.applyEvent(e)
	}
	return true
}

// goUnready matches what the go command prints about a package whose tests cannot
// start. It is plain text between the events, which say nothing about it.
var goUnready = lazyregexp.New(`^FAIL\s+\S+ \[(?:setup|build) failed\]`)

// skipLine skips a line that is no event.
func (g *goEvents) skipLine() {
	at, line := g.r.Line(), scan.Field{Max: 1 << 10}
	g.r.LineInto(&line)
	if goUnready.Match(line.Text) {
		g.feed.Notices.Block("unready", at, "the go command reports: %s", text.Cut(identity.Clean(string(line.Text)), input.MaxMessage))
		return
	}
	g.feed.Notices.Warn("stray", at, "a line that is no test event was left out")
}

func (g *goEvents) readField(e *goEvent, key string) {
	name := g.feed.Limits.FieldBytes
	switch key {
	case "Action":
		e.action = g.r.Text(scan.MaxName)
	case "Package":
		e.pkg = g.r.Text(name)
	case "Test":
		e.test = g.r.Text(name)
	case "ImportPath":
		e.importPath = g.r.Text(name)
	case "FailedBuild":
		e.failed = g.r.Text(name)
	case "Elapsed":
		e.elapsed = min(max(g.r.Number(), 0), input.MaxSeconds)
	case "Output":
		e.output = g.r.Text(name)
	case "Time":
		e.stamp = g.r.Text(scan.MaxName)
	}
}

func (g *goEvents) applyEvent(e goEvent) error {
	if g.feed.Started.IsZero() {
		g.feed.Started = input.Timestamp(e.stamp)
	}
	switch e.action {
	case "build-fail":
		if len(g.unbuilt) < goUnbuilt {
			g.unbuilt[e.importPath] = true
		}
		return g.keepBuildOutput(e)
	case "build-output":
		return g.keepBuildOutput(e)
	}
	p, err := g.packageOf(e)
	if err != nil {
		return err
	}
	switch e.action {
	case "start":
		p.ended, p.failed, p.names = false, 0, nil
	case "run":
		return g.startTest(p, e)
	case "output":
		g.keepOutput(p, e)
	case "pass", "fail", "skip", "bench":
		if e.test != "" {
			return g.endTest(p, e)
		}
		return g.endPackage(p, e)
	}
	return nil
}

// packageOf returns the state of e's package, which is made for a new one.
func (g *goEvents) packageOf(e goEvent) (*goPackage, error) {
	p, known := g.packages[e.pkg]
	if p != nil {
		return p, nil
	}
	if limit := g.feed.Limits.Suites; !known && len(g.packages) >= limit {
		return nil, g.feed.Stop(e.line, "the file holds more than %d packages; the rest was not read", limit)
	}
	p = &goPackage{ended: known}
	g.packages[e.pkg] = p
	if known {
		return p, nil
	}
	_, err := g.feed.sink.AddSuite(e.pkg)
	return p, err
}

func (g *goEvents) startTest(p *goPackage, e goEvent) error {
	p.ended = false
	if p.running[e.test] != nil {
		return nil
	}
	if p.names != nil && p.names[maphash.String(g.seed, e.test)] { // a rerun is another run of the package
		g.feed.Repeated = true
	}
	if g.running >= goRunning {
		return g.feed.Stop(e.line, "more than %d tests run at one time; the rest was not read", goRunning)
	}
	if p.running == nil {
		p.running = map[string]*goTest{}
	}
	g.running++
	p.running[e.test] = &goTest{line: e.line}
	return nil
}

// keepOutput keeps what a test prints until its end shows whether it is needed.
func (g *goEvents) keepOutput(p *goPackage, e goEvent) {
	if p.output == nil {
		p.output = &scan.Field{Max: 16 << 10}
	}
	dst := p.output
	if t := p.running[e.test]; t != nil && e.test != "" {
		dst = &t.output
		g.feed.growField(dst)
	}
	g.feed.appendText(dst, e.output)
}

func (g *goEvents) keepBuildOutput(e goEvent) error {
	out := g.builds[e.importPath]
	if out == nil {
		if len(g.builds) >= goUnbuilt {
			return nil
		}
		out = &scan.Field{Max: 16 << 10}
		g.builds[e.importPath] = out
	}
	out.Write([]byte(e.output))
	return nil
}

var goStatus = map[string]engine.Status{"pass": engine.StatusPassed, "bench": engine.StatusPassed, "fail": engine.StatusFailed, "skip": engine.StatusSkipped}

func (g *goEvents) endTest(p *goPackage, e goEvent) error {
	if p.running[e.test] == nil {
		e.test = p.benchmarkName(e.test)
	}
	t := p.running[e.test]
	if t == nil {
		t = &goTest{line: e.line}
	}
	g.dropRunning(p, e.test)
	status := goStatus[e.action]
	if status == engine.StatusFailed {
		p.failed++
		if p.names == nil {
			p.names = map[uint64]bool{}
		}
		p.names[maphash.String(g.seed, e.test)] = true
	}
	return g.addTest(e.pkg, e.test, t, status, e.elapsed)
}

// benchmarkProcs is what the end of a benchmark has behind its name: BenchmarkAdd-8.
var benchmarkProcs = lazyregexp.New(`^(Benchmark.*)-\d+$`)

// benchmarkName returns the name under which a benchmark began, name where none did.
func (p *goPackage) benchmarkName(name string) string {
	if m := benchmarkProcs.FindStringSubmatch(name); m != nil && p.running[m[1]] != nil {
		return m[1]
	}
	return name
}

// passedBenchmarks returns the running benchmarks that passed: the go command writes no
// end of them. One ends before the next begins, so where the package failed only the
// last one to begin, with those around it, may have ended it.
func (p *goPackage) passedBenchmarks(passed bool) (names []string) {
	last := ""
	running := slices.Sorted(maps.Keys(p.running))
	for _, name := range running {
		if last == "" || p.running[name].line > p.running[last].line {
			last = name
		}
	}
	for _, name := range running {
		if strings.HasPrefix(name, "Benchmark") && (passed || name != last && !strings.HasPrefix(last, name+"/")) {
			names = append(names, name)
		}
	}
	return names
}

// dropRunning drops a test that no longer runs.
func (g *goEvents) dropRunning(p *goPackage, name string) {
	if p.running[name] != nil {
		g.running--
		delete(p.running, name)
	}
}

// endPackage closes a package. Tests that still run did not end: a crash, a time-out,
// a call of os.Exit. A package that fails without a failing test did not build or
// failed in TestMain; it becomes a test of that name, as in gotestsum's XML.
func (g *goEvents) endPackage(p *goPackage, e goEvent) error {
	g.packages[e.pkg] = nil
	for _, name := range p.passedBenchmarks(e.action == "pass") {
		t := p.running[name]
		g.dropRunning(p, name)
		if err := g.addTest(e.pkg, name, t, engine.StatusPassed, 0); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		t := p.running[name]
		t.output.Write([]byte("the package ended before the test did\n"))
		t.output.Write(p.output.Bytes())
		g.dropRunning(p, name)
		p.failed++
		if err := g.addTest(e.pkg, name, t, engine.StatusError, 0); err != nil {
			return err
		}
	}
	output := p.output.Bytes()
	g.feed.TextLeft += int64(len(output))
	if e.action != "fail" || p.failed > 0 {
		return nil
	}
	main := &goTest{line: e.line, output: scan.Field{Max: 32 << 10}}
	for _, path := range slices.Compact([]string{e.failed, e.pkg}) {
		if built := g.builds[path]; built != nil {
			main.output.Write(built.Text)
		}
	}
	main.output.Write(output)
	p.failed++
	return g.addTest(e.pkg, "TestMain", main, engine.StatusError, e.elapsed)
}

// addTest hands on one test with the names of gotestsum's XML.
func (g *goEvents) addTest(pkg, name string, t *goTest, status engine.Status, elapsed float64) error {
	g.feed.TextLeft += int64(len(t.output.Text))
	a := engine.Attempt{Status: status}
	switch {
	case status.Failing():
		t.output.Text = t.output.Text[:min(len(t.output.Text), g.feed.textRoom())]
		a = input.NewAttempt(status, elapsed, "", "", string(t.output.Text))
		g.feed.TextLeft -= int64(len(a.Text))
	case status == engine.StatusSkipped:
		a.Message = input.FirstLine("", string(t.output.Text))
	}
	a.DurationMS = input.Milliseconds(elapsed)
	return g.feed.addTest(t.line, Test{
		Suite: identity.Suite{Path: pkg, Name: pkg, Runner: identity.RunnerGo},
		Class: pkg, Name: name,
		Attempts: []engine.Attempt{a},
	})
}

// finishReport adds the tests of packages that did not end, and notes what is missing.
func (g *goEvents) finishReport() error {
	var open []string
	for _, name := range slices.Sorted(maps.Keys(g.packages)) {
		p := g.packages[name]
		if p == nil || p.ended {
			continue
		}
		open = append(open, name)
		for _, test := range slices.Sorted(maps.Keys(p.running)) {
			t := p.running[test]
			t.output.Max += 1 << 10
			t.output.Write([]byte("the report ends before the test does\n"))
			if err := g.addTest(name, test, t, engine.StatusError, 0); err != nil {
				return err
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(g.builds)) {
		if len(g.packages) == 0 || g.unbuilt[path] {
			g.feed.Notices.Block("build", 0, "package %s does not build: %s", text.Cut(identity.Clean(path), 80), input.FirstLine("", string(g.builds[path].Text)))
		}
	}
	switch {
	case g.r.Broken != "":
		g.feed.checkEnd(g.r)
	case g.r.Cut || len(open) > 0:
		reason := "the report is truncated"
		if len(open) > 0 {
			reason += fmt.Sprintf(": %d packages did not end (first: %s)", len(open), text.Cut(identity.Clean(open[0]), 80))
		}
		g.feed.Notices.Miss("truncated", g.r.Line(), "%s; only what is complete was read", reason)
	}
	return nil
}
