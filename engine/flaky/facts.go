package flaky

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Facts is what a quarantine rests on.
type Facts struct {
	Evidence   []Evidence
	Executions int       // within the window
	Rate       float64   // ratio in [0,1]: how often it gives evidence
	Clean      int       // executions without a red since the last evidence
	Release    int       // clean executions that will have let it out, if all are clean from now on
	Newest     time.Time // of the commit that brought evidence last, zero when unknown
	PullsOnly  bool      // quarantine on pull requests, not on the default branch
	Only       string    // the one variant that all evidence is of, where the test has others; see Run.Variant
}

// Facts returns what is known of a test, false when nothing is.
func (t *Tracker) Facts(test int) (Facts, bool) {
	s := t.states[test]
	if s == nil {
		return Facts{}, false
	}
	var newest time.Time
	if s.newest != 0 {
		newest = time.Unix(s.newest, 0)
	}
	return Facts{
		Newest: newest, Evidence: slices.Clone(s.evidence), Executions: min(s.executions, evidenceWindow),
		Rate: s.rate(), Clean: s.clean, Release: t.cleanAtRelease(s), PullsOnly: t.scope == ScopePulls, Only: s.onlyVariant(),
	}, true
}

// onlyVariant returns the variant that all evidence is of, "" where there are several or
// the test was seen in no other.
func (s *testState) onlyVariant() string {
	var all []string
	for _, e := range s.evidence {
		all = union(all, e.Variants)
	}
	if len(all) != 1 || len(s.variants) < 2 {
		return ""
	}
	return all[0]
}

// cleanAtRelease returns how many clean executions the test will have when it is
// released, if all are clean from now on: each one lowers the rate and so asks for more.
func (t *Tracker) cleanAtRelease(s *testState) int {
	ahead := *s
	for ahead.clean < t.cleanToRelease(&ahead) {
		ahead.executions++
		ahead.clean++
	}
	return ahead.clean
}

// Facts returns what is known of a test where it is in quarantine: on the
// default branch, else on pull requests.
func (j *Judge) Facts(test int) (Facts, bool) {
	if f, ok := j.Main.Facts(test); ok && j.Main.Held(test) {
		return f, true
	}
	return j.Pulls.Facts(test)
}

// Commits returns the commits of the evidence, oldest first; one that is not known
// is "unknown".
func (f Facts) Commits() []string {
	var commits []string
	for _, e := range f.Evidence {
		commits = append(commits, cmp.Or(e.Commit, "unknown"))
	}
	return commits
}

// shownCommits, shownError and shownPlace bound a reason in commits and
// characters.
const (
	shownCommits = 4
	shownError   = 90
	shownPlace   = 100
)

// String returns the reason in words, such as "failed then passed on a1b2c3d
// and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a
// burst; only in leg webkit of job e2e; TimeoutError at login.spec.ts:12". Runs that were a
// burst are not counted.
func (f Facts) String() string {
	var parts []string
	for _, k := range []Kind{KindSameCommit, KindLoneMain, KindLonePull, KindShared} {
		if commits := f.commitsOf(k); len(commits) > 0 {
			parts = append(parts, [...]string{
				KindSameCommit: "failed then passed on ",
				KindLoneMain:   "red alone on the default branch, green at the next run: ",
				KindShared:     "failed then passed together with others on ",
				KindLonePull:   "red alone on a pull request, green at its next push: ",
			}[k]+listCommits(commits))
		}
	}
	parts = append(parts,
		fmt.Sprintf("%d of %d runs flaked (estimated rate %s)", len(f.Evidence), max(f.Executions, len(f.Evidence)), formatPercent(f.Rate)), "not a burst")
	if f.Only != "" {
		parts = append(parts, "only in "+describeVariant(f.Only))
	}
	if e := f.describeErrors(); e != "" {
		parts = append(parts, e)
	}
	if f.PullsOnly {
		parts = append(parts, "on pull requests only, the default branch has not shown it")
	}
	return strings.Join(parts, "; ")
}

// commitsOf returns the commits that gave evidence of one kind.
func (f Facts) commitsOf(k Kind) []string {
	var commits []string
	unknown := 0
	for _, e := range f.Evidence {
		switch {
		case e.Kind != k:
		case e.Commit == "":
			unknown++
		default:
			commits = append(commits, fmt.Sprintf("%.7s", e.Commit))
		}
	}
	switch {
	case unknown == 1:
		commits = append(commits, "a run without a commit")
	case unknown > 1:
		commits = append(commits, fmt.Sprintf("%d runs without a commit", unknown))
	}
	return commits
}

// describeVariant names a variant as "leg webkit of job e2e". A leg is what a matrix sets,
// as a JSON object, of which the values tell enough, or the text that a workflow gives.
func describeVariant(variant string) string {
	workflow, rest, _ := strings.Cut(variant, "\n")
	job, leg, _ := strings.Cut(rest, "\n")
	var matrix map[string]any
	if err := json.Unmarshal([]byte(leg), &matrix); err == nil && len(matrix) > 0 {
		var values []string
		for _, key := range slices.Sorted(maps.Keys(matrix)) {
			values = append(values, fmt.Sprint(matrix[key]))
		}
		leg = strings.Join(values, ", ")
	}
	switch job, leg = text.Head(text.Line(job), shownPlace), text.Head(text.Line(leg), shownPlace); {
	case leg != "" && job != "":
		return "leg " + leg + " of job " + job
	case leg != "":
		return "leg " + leg
	case job != "":
		return "job " + job
	}
	return "workflow " + text.Tail(text.Line(strings.TrimSuffix(workflow, "@")), shownPlace)
}

// describeErrors returns the error seen last, where it was, and how many others there
// were.
func (f Facts) describeErrors() string {
	var all []string
	var last, place string
	for _, e := range f.Evidence {
		all = union(all, e.Signatures)
		if n := len(e.Signatures); n > 0 {
			last, place = e.Signatures[n-1], e.Place
		}
	}
	if last == "" {
		return ""
	}
	what := errorName(last)
	if place != "" {
		what += " at " + text.Tail(place, shownPlace)
	}
	if n := len(all) - 1; n > 0 {
		what += " (and " + text.Count(n, "other error", "other errors") + ")"
	}
	return what
}

// errorClass matches the class that a signature begins with, packages cut off.
var errorClass = lazyregexp.New(`^(?:[\w$]+[.:\\/])*([A-Z]\w*(?:Error|Exception|Failure|Timeout))(?::|$)`)

// genericErrors say nothing without their message.
var genericErrors = []string{"Error", "AssertionError", "AssertionFailedError", "AssertionFailure", "Exception", "RuntimeException", "TypeError", "RuntimeError"}

// errorName returns what people call an error: its class where that says
// enough, else the beginning of its signature.
func errorName(signature string) string {
	signature = errorOf(signature)
	if m := errorClass.FindStringSubmatch(signature); m != nil && !slices.Contains(genericErrors, m[1]) {
		return text.Head(m[1], shownError)
	}
	return strings.TrimRight(text.Head(Readable(signature), shownError), ".:;, ")
}

// listCommits names the newest commits.
func listCommits(commits []string) string {
	if more := len(commits) - shownCommits; more > 0 {
		commits = append(slices.Clone(commits[more:]), fmt.Sprintf("%d more", more))
	}
	return text.List(commits)
}
