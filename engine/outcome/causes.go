package outcome

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// CauseKind is what kind of thing a run fails for.
type CauseKind string

// The kinds, in the order in which they are shown.
const (
	CauseInfrastructure CauseKind = "infrastructure" // the application or the browser cannot be reached
	CauseLocator        CauseKind = "lost-locator"   // an element is no longer found, and something is known of it
	CauseError          CauseKind = "error"          // any other error, the same for all its tests
	CauseMissing        CauseKind = "missing-tests"  // tests that should have run
	CauseReport         CauseKind = "report-problem" // a report that proves nothing
)

// Title names the kind for people: "Lost locator".
func (k CauseKind) Title() string {
	switch k {
	case CauseInfrastructure:
		return "Infrastructure"
	case CauseLocator:
		return "Lost locator"
	case CauseMissing:
		return "Missing tests"
	case CauseReport:
		return "Report problem"
	default:
		return "Error"
	}
}

// Cause is one thing that a run fails for, with all the tests that it stops. Every test
// that blocks is in exactly one cause.
type Cause struct {
	Kind     CauseKind
	Failures []flaky.Failure // in the verdict's order; none of CauseMissing and CauseReport
	Lines    []string        // what went wrong, as ErrorLines has it of the first failure; of CauseMissing why, probably
	Lost     LostLocator     // of CauseLocator
	Missing  []engine.TestID // of CauseMissing
	Notice   engine.Notice   // of CauseReport
}

// Causes returns what the run fails for, whatever stops most tests first: a lost locator
// once for all its tests, an error once for all that fail with it at one locator, and the
// missing tests together.
func (r Run) Causes() []Cause {
	var causes []Cause
	at := map[causeKey]int{}
	lost := r.lostByTest()
	for _, f := range r.Verdict.Blocking {
		c := Cause{Lines: ErrorLines(f.Result)}
		named := NamedLocator(f.Result)
		key := keyOfError(c.Lines, named)
		if l, stops := lost.stopping(f.Result.ID, named, c.Lines); stops && key.kind == CauseError {
			c.Lost, key = l, causeKey{kind: CauseLocator, locator: l.key}
		}
		c.Kind = key.kind
		i, known := at[key]
		if !known {
			i = len(causes)
			at[key] = i
			causes = append(causes, c)
		}
		causes[i].Failures = append(causes[i].Failures, f)
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(compareFirst(a.Kind, b.Kind, CauseInfrastructure), cmp.Compare(len(b.Failures), len(a.Failures)), compareFirst(a.Kind, b.Kind, CauseLocator))
	})
	if len(r.Verdict.Missing) > 0 {
		causes = append(causes, Cause{Kind: CauseMissing, Missing: r.Verdict.Missing, Lines: []string{r.whyMissing()}})
	}
	for _, n := range r.Verdict.Notices {
		causes = append(causes, Cause{Kind: CauseReport, Notice: n})
	}
	return causes
}

// whyMissing says why tests are probably missing, and where to look.
func (r Run) whyMissing() string {
	for _, f := range r.Verdict.Blocking {
		file, _ := f.Result.ID.CutEnvironment()
		if named := string(file); len(file.Segments()) == 1 && strings.Contains(named, ".") && !strings.ContainsAny(named, " ()") {
			return "Probably because " + named + " did not load, which can stop the whole run: see its error, and the runner's log."
		}
	}
	for _, n := range r.Verdict.Notices {
		if strings.Contains(n.Reason, engine.OutsideTests) {
			return "Probably because a file did not load or the runner did not start: see the error outside the tests, and the runner's log."
		}
	}
	return "Perhaps a file did not load (a syntax error, a missing module) or the run was narrowed (`--grep`, `-g`, `-k`, `test.only`, named files): the runner's log says which."
}

// compareFirst orders a kind before all others.
func compareFirst(a, b, first CauseKind) int {
	switch {
	case a == b:
	case a == first:
		return -1
	case b == first:
		return 1
	}
	return 0
}

// causeKey is what failures of one cause have in common.
type causeKey struct {
	kind    CauseKind
	error   string // its lines without what is volatile
	locator string
}

// keyOfError returns what failures with the same error share. Errors that name a locator
// are the same at one locator, whatever was expected of it; the others are the same by all
// their lines, for "expected 1, got 2" says nothing alone.
func keyOfError(lines []string, named string) causeKey {
	if len(lines) == 0 {
		return causeKey{kind: CauseError}
	}
	if what := surroundings(lines[0]); what != "" {
		return causeKey{kind: CauseInfrastructure, error: what}
	}
	if named == "" {
		return causeKey{kind: CauseError, error: flaky.Steady(strings.Join(lines, "\n"))}
	}
	return causeKey{kind: CauseError, error: flaky.Steady(lines[0]), locator: flaky.Steady(named)}
}

// NamedLocator returns the locator that the error of a test's deciding attempt names or,
// where it names none, the one of its output that ErrorLines shows with it.
func NamedLocator(r engine.TestResult) string {
	a := r.Final()
	for _, s := range []string{a.Message, a.Text} {
		if named := text.NamedLocator(text.SplitRetries(text.Clean(text.Cut(s, maxNamed)), 2)[0]); named != "" {
			return named
		}
	}
	if a.Waited != "" && slices.Contains(ErrorLines(r), text.WaitedLine(a.Waited)) {
		return a.Waited
	}
	return ""
}

// maxNamed bounds the text that a locator is looked for in, in bytes.
const maxNamed = 16 << 10

// unreachable are errors of what surrounds the tests: the application, its network, the
// browser and the disk. What they have in common is what they are about.
var unreachable = []struct {
	form *lazyregexp.Regexp
	what string
}{
	{lazyregexp.New(`net::ERR_(?:CONNECTION|NAME|ADDRESS|INTERNET|NETWORK|PROXY|TUNNEL|EMPTY|TIMED)_\w+|NS_ERROR_(?:CONNECTION|UNKNOWN|NET)\w+|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b`), "unreachable"},
	{lazyregexp.New(`Executable doesn't exist|Failed to launch|Host system is missing dependencies`), "no browser"},
	{lazyregexp.New(`\b(?:Page|Target|page|target) crashed\b|browser has disconnected`), "the browser crashed"},
	{lazyregexp.New(`config\.webServer`), "no server"},
	{lazyregexp.New(`\bENOSPC\b|[Nn]o space left on device|heap out of memory`), "no room"},
}

var hostForm = lazyregexp.New(`[a-z]+://([^/\s"']+)`)

// surroundings returns what an error of the tests' surroundings is about, with the host
// that it names, "" for any other error.
func surroundings(line string) string {
	for _, u := range unreachable {
		if u.form.MatchString(line) {
			if host := hostForm.FindStringSubmatch(line); host != nil {
				return u.what + " " + host[1]
			}
			return u.what
		}
	}
	return ""
}

// stopping returns the lost locator that a test's failure is of: the one that its error
// names or, where it names none and says that something was not found, the only one that
// the test lost. Any other error is one of its own.
func (x lostIndex) stopping(test engine.TestID, named string, lines []string) (LostLocator, bool) {
	uses := x.byTest[test]
	if named == "" {
		if len(uses) != 1 || len(lines) == 0 || !absentForm.MatchString(lines[0]) {
			return LostLocator{}, false
		}
		return x.all[uses[0].lost], true
	}
	at := slices.IndexFunc(uses, func(u lostUse) bool { return IsNamed(u.event, named) })
	if at < 0 {
		return LostLocator{}, false
	}
	return x.all[uses[at].lost], true
}

// absentForm is how errors say that something was not there in time.
var absentForm = lazyregexp.New(`(?i)time(d )?.?out|not found|no such element|unable to (find|locate)|no element`)
