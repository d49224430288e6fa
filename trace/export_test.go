package trace

import (
	"testing"

	"github.com/breadcrumb/action/engine/heal"
)

// What the tests in a browser need of those beside them.

var Truth = truth

// The oldest and the newest Playwright that testdata has traces of.
const (
	Oldest = "1.52.0"
	Newest = newestPlaywright
)

// RealTraces returns the traces of a release of the suite by their names.
func RealTraces(tb testing.TB, version, release string) map[string]*Trace {
	tb.Helper()
	return realTraces(tb, version, release)
}

// Learn returns what the traces of the first release teach, by test and locator.
func Learn(t *testing.T, version string) map[string]heal.Learned {
	t.Helper()
	return learn(t, version)
}

// TraceOf reads a trace of clicks: whether each failed, by what it looks for and
// the page before and after it.
func TraceOf(tb testing.TB, clicks ...string) *Trace {
	tb.Helper()
	all := newest
	for _, c := range clicks {
		all += c
	}
	t, err := read(pack(tb, file{"0-trace.trace", all}))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// Click is a click for TraceOf.
func Click(id, selector, page string, failed bool) string {
	return click(id, selector, page, page, failed)
}
