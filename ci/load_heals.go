package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/selfmend"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store/sqlite"
)

// collectHeals reads every source of heal events. They never decide a verdict,
// so what cannot be read of them is a warning; only a database or pattern that
// the user named wrongly stops the run. On a person's machine, where `breadcrumb run`
// appends the events of each run to one file, those count of the run that wrote the reports.
func (c *collected) collectHeals(ctx context.Context, cfg Config, reports []string) error {
	found, err := matchFiles(cfg.HealEvents)
	if err != nil {
		return InputError{err}
	}
	c.healPatterns, c.since = found.unmatched, map[string]float64{}
	c.notices = append(c.notices, found.warnings()...)
	for _, name := range found.names {
		heals, notices := readHeals(name)
		c.heals = append(c.heals, heals...)
		c.notices = append(c.notices, notices...)
		c.reruns = append(c.reruns, readReruns(name)...)
		if cfg.Info.RunID == 0 {
			c.since[name] = lastStart(name, writtenAt(reports))
		}
	}
	if cfg.HealDB == "" {
		return nil
	}
	heals, notices, err := sqlite.ReadSeedHeals(ctx, cfg.HealDB)
	if err != nil {
		return InputError{fmt.Errorf("heal database: %w", err)}
	}
	c.heals = append(c.heals, heals...)
	c.notices = append(c.notices, notices...)
	return nil
}

// readHeals reads NDJSON, or, for a file named .json, a Playwright report.
func readHeals(name string) ([]engine.HealEvent, []engine.Notice) {
	f, err := os.Open(name)
	if err != nil {
		return nil, []engine.Notice{{File: name, Severity: engine.SeverityWarning, Reason: "cannot be read: " + errors.Unwrap(err).Error()}}
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return selfmend.ReadHeals(name, f)
	}
	return engine.ReadHeals(name, f)
}

// readReruns reads what a file of heal events says of tests that ran again.
func readReruns(name string) []engine.Rerun {
	f, err := os.Open(name)
	if err != nil {
		return nil // readHeals said so
	}
	defer f.Close()
	return engine.ReadReruns(f)
}

// writtenAt returns when the first of the files was written, in Unix seconds.
func writtenAt(files []string) float64 {
	first := math.Inf(1)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			first = min(first, float64(info.ModTime().UnixMicro())/1e6)
		}
	}
	return first
}

// lastStart returns when the run began, by a file of heal events, that was going on at a
// time, both in Unix seconds; 0 where the file does not tell.
func lastStart(name string, at float64) float64 {
	f, err := os.Open(name)
	if err != nil {
		return 0 // readHeals said so
	}
	defer f.Close()
	return engine.LastStart(f, at)
}

// healSlack is how long before the first report a heal may have happened and
// still belong to the run: report times often carry no time zone.
const healSlack = 24 * time.Hour

// selectHeals sets the heal events that belong to this run, the newest of each
// broken locator, in a stable order. A heal database holds the events of all
// runs: those from before this run began are history, which is recorded and not
// proposed again.
func (r *run) selectHeals() {
	type key struct {
		test       engine.TestID
		locator    string
		occurrence int
	}
	since := r.collected.startedAt()
	newest := map[key]engine.HealEvent{}
	old := map[string]int{} // by file, but for the database, which holds every run's
	for _, h := range r.collected.heals {
		if h.Timestamp > 0 && h.Timestamp < r.collected.since[h.Source] {
			continue // of an earlier run of `breadcrumb run`
		}
		if !since.IsZero() && h.Timestamp > 0 && time.UnixMilli(int64(h.Timestamp*1000)).Before(since.Add(-healSlack)) {
			if h.Source != r.cfg.HealDB {
				old[h.Source]++
			}
			continue
		}
		k := key{h.TestID, h.Locator, h.Occurrence}
		if have, ok := newest[k]; !ok || saysMore(h, have) {
			newest[k] = h
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		r.note(engine.Notice{File: name, Severity: engine.SeverityWarning, Reason: text.Count(old[name], "heal event is", "heal events are") +
			" more than a day older than this run's reports and left out; delete the file before the tests run"})
	}
	r.heals = slices.SortedFunc(maps.Values(newest), compareHeals)
	r.index = identity.NewIndex(nil)
	if len(r.heals) > 0 || r.mayHaveTraces() { // of many tests it is large
		r.index = identity.NewIndex(r.collected.results)
	}
}

func compareHeals(a, b engine.HealEvent) int {
	return cmp.Or(cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Occurrence, b.Occurrence))
}

// saysMore reports whether a says more than b about the same broken locator: the event of
// the test itself does, or else the later one, and of two copies of one event the one that
// knows its site.
func saysMore(a, b engine.HealEvent) bool {
	if a.Ahead != b.Ahead {
		return b.Ahead
	}
	if a.Timestamp != b.Timestamp {
		return a.Timestamp > b.Timestamp
	}
	if (a.Site != nil) != (b.Site != nil) {
		return a.Site != nil
	}
	return a.HealedLocator > b.HealedLocator
}

// startedAt returns when the first report began, zero if none says.
func (c collected) startedAt() time.Time {
	var first time.Time
	for _, f := range c.files {
		if !f.Started.IsZero() && (first.IsZero() || f.Started.Before(first)) {
			first = f.Started
		}
	}
	return first
}
