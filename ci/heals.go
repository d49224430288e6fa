package ci

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/identity"
)

// healSlack is how long before the first report a heal may have happened and
// still belong to the run: report times often carry no time zone.
const healSlack = 24 * time.Hour

// recent returns the heal events that belong to this run, the newest of each
// broken locator, in a stable order. A heal database holds the events of every
// run there ever was: those from before the run began are history, recorded
// but not proposed again.
func recent(got collected) []engine.HealEvent {
	type key struct {
		test, locator string
		occurrence    int
	}
	since := startedAt(got.files)
	newest := map[key]engine.HealEvent{}
	for _, h := range got.heals {
		if !since.IsZero() && h.Timestamp > 0 && time.UnixMilli(int64(h.Timestamp*1000)).Before(since.Add(-healSlack)) {
			continue
		}
		k := key{h.TestID, h.Locator, h.Occurrence}
		if have, ok := newest[k]; !ok || better(h, have) {
			newest[k] = h
		}
	}
	heals := make([]engine.HealEvent, 0, len(newest))
	for _, h := range newest {
		heals = append(heals, h)
	}
	slices.SortFunc(heals, func(a, b engine.HealEvent) int {
		return cmp.Or(cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Occurrence, b.Occurrence))
	})
	return heals
}

// better reports whether a says more than b about the same broken locator: the
// later event, and of two copies of one event the one that knows its site.
func better(a, b engine.HealEvent) bool {
	if a.Timestamp != b.Timestamp {
		return a.Timestamp > b.Timestamp
	}
	if (a.Site != nil) != (b.Site != nil) {
		return a.Site != nil
	}
	return a.HealedLocator > b.HealedLocator
}

// startedAt returns when the first report began, zero if none says.
func startedAt(files []*junit.File) time.Time {
	var first time.Time
	for _, f := range files {
		if !f.Started.IsZero() && (first.IsZero() || f.Started.Before(first)) {
			first = f.Started
		}
	}
	return first
}

// healedTests returns the identities of the results that healed a locator.
func healedTests(heals []engine.HealEvent, index *identity.Index) []string {
	var ids []string
	for _, h := range heals {
		if h.Outcome != engine.OutcomeHealed {
			continue
		}
		if r, ok := index.Find(h.TestID); ok {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// passed returns the tests that passed, each with the locators that were found
// broken on its way. Environments of one test count as one: an event seldom
// says which it comes from.
func passed(results []engine.TestResult, heals []engine.HealEvent, index *identity.Index) []patch.PassedTest {
	type name struct{ file, suite, class, title string }
	of := func(r engine.TestResult) name { return name{r.File, r.Suite, r.Class, r.Name} }
	broken := map[name][]string{}
	for _, h := range heals {
		at := name{title: lastTitle(h.TestID)}
		if r, ok := index.Find(h.TestID); ok {
			at = of(r)
		}
		broken[at] = append(broken[at], h.Locator)
	}
	var out []patch.PassedTest
	for _, r := range results {
		if r.Final().Status == engine.StatusPassed {
			out = append(out, patch.PassedTest{Test: r, Healed: slices.Concat(broken[of(r)], broken[name{title: r.Name}])})
		}
	}
	return out
}

// lastTitle returns what stands behind the last › or :: of a test id.
func lastTitle(id string) string {
	for _, between := range []string{"›", "::"} {
		if i := strings.LastIndex(id, between); i >= 0 {
			id = id[i+len(between):]
		}
	}
	return strings.TrimSpace(id)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// quoteSome names the first few of a list.
func quoteSome(names []string) string {
	const shown = 5
	text := ""
	for i, name := range names[:min(len(names), shown)] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
