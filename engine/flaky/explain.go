package flaky

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// Facts is what a quarantine rests on.
type Facts struct {
	Evidence   []Evidence
	Executions int     // within the window
	Rate       float64 // ratio in [0,1]: how often it gives evidence
	Clean      int     // executions since the last evidence
	Release    int     // clean executions that will have let it out, if all are clean from now on
	PullsOnly  bool    // quarantine on pull requests, not on the default branch
}

// Facts returns what is known of a test, false when nothing is.
func (l *Tracker) Facts(test int) (Facts, bool) {
	s := l.states[test]
	if s == nil {
		return Facts{}, false
	}
	return Facts{
		Evidence: append([]Evidence(nil), s.pieces...), Executions: min(s.executions, evidenceWindow),
		Rate: s.rate(), Clean: s.clean(), Release: l.leavesAt(s), PullsOnly: l.scope == ScopePulls,
	}, true
}

// Facts returns what is known of a test where it is in quarantine: on the
// default branch, else on pull requests.
func (j *Judge) Facts(test int) (Facts, bool) {
	if f, ok := j.Main.Facts(test); ok && j.Main.Held(test) {
		return f, true
	}
	return j.Pulls.Facts(test)
}

// Commits returns the commits of the pieces, oldest first; one that is not known
// is "unknown".
func (f Facts) Commits() []string {
	var commits []string
	for _, p := range f.Evidence {
		commits = append(commits, cmp.Or(p.Commit, "unknown"))
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
// and d4e5f60; 2 of 41 clean runs ≈ 4 %; not a burst; TimeoutError at
// login.spec.ts:12". Clean are the runs that were no burst, and the percentage
// is the estimated rate.
func (f Facts) String() string {
	var parts []string
	for _, k := range []Kind{KindSameCommit, KindLoneMain, KindLonePull} {
		if commits := f.of(k); len(commits) > 0 {
			parts = append(parts, [...]string{
				KindSameCommit: "failed then passed on ",
				KindLoneMain:   "red alone on the default branch, green at the next run: ",
				KindLonePull:   "red alone on a pull request, green at its next push: ",
			}[k]+listCommits(commits))
		}
	}
	parts = append(parts,
		fmt.Sprintf("%d of %d clean runs ≈ %s", len(f.Evidence), max(f.Executions, len(f.Evidence)), percent(f.Rate)), "not a burst")
	if e := f.errors(); e != "" {
		parts = append(parts, e)
	}
	if f.PullsOnly {
		parts = append(parts, "on pull requests only, the default branch has not shown it")
	}
	return strings.Join(parts, "; ")
}

// of returns the commits that gave evidence of one kind.
func (f Facts) of(k Kind) []string {
	var commits []string
	unknown := 0
	for _, p := range f.Evidence {
		switch {
		case p.Kind != k:
		case p.Commit == "":
			unknown++
		default:
			commits = append(commits, clipRunes(p.Commit, 7))
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

// errors returns the error seen last, where it was, and how many others there
// were.
func (f Facts) errors() string {
	var all []string
	var last, place string
	for _, p := range f.Evidence {
		all = union(all, p.Signatures)
		if n := len(p.Signatures); n > 0 {
			last, place = p.Signatures[n-1], p.Place
		}
	}
	if last == "" {
		return ""
	}
	text := errorName(last)
	if place != "" {
		text += " at " + clipStart(place, shownPlace)
	}
	if n := len(all) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d other %s)", n, plural(n, "error", "errors"))
	}
	return text
}

// errorClass matches the class that a signature begins with, packages cut off.
var errorClass = regexp.MustCompile(`^(?:[\w$]+[.:\\/])*([A-Z]\w*(?:Error|Exception|Failure|Timeout))(?::|$)`)

// genericErrors say nothing without their message.
var genericErrors = []string{"Error", "AssertionError", "AssertionFailedError", "AssertionFailure", "Exception", "RuntimeException", "TypeError", "RuntimeError"}

// errorName returns what people call an error: its class where that says
// enough, else the beginning of its signature.
func errorName(signature string) string {
	if m := errorClass.FindStringSubmatch(signature); m != nil && !contains(genericErrors, m[1]) {
		return clipText(m[1], shownError)
	}
	return strings.TrimRight(clipText(signature, shownError), ".:;, ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func listCommits(commits []string) string {
	more := len(commits) - shownCommits
	if more > 0 {
		return strings.Join(commits[more:], ", ") + fmt.Sprintf(" and %d more", more)
	}
	if n := len(commits); n > 1 {
		return strings.Join(commits[:n-1], ", ") + " and " + commits[n-1]
	}
	return strings.Join(commits, "")
}

func clipText(s string, most int) string {
	if c := clipRunes(s, most); c != s {
		return c + "…"
	}
	return s
}

// clipStart is clipText at the start, for paths.
func clipStart(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return "…" + string(runes[len(runes)-most:])
}

// clipRunes returns the first most characters of s.
func clipRunes(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}
