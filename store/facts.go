package store

import (
	"math"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Fingerprints are some of a database's fingerprints.
type Fingerprints struct {
	List    []engine.Fingerprint // sorted by test and locator
	Total   int                  // how many there are
	Notices []engine.Notice      // of rows that hold no fingerprint and were left out
}

// HealQuery selects heal events. The zero value selects all heals.
type HealQuery struct {
	Run int64 // events of this run; 0: of all
	// Unclaimed selects only rows that a seed tool appended and no run has
	// recorded yet.
	Unclaimed bool
	// Refused selects refusals and suggestions instead of heals.
	Refused bool
	// Suggested selects only suggestions of them; it goes with Refused.
	Suggested bool
	Test      engine.TestID // events of this test; "": of all
	Since     time.Time     // events at that time or later; zero: at any time
	Newest    int           // how many events, the newest; 0: all
}

// SinceUnix returns Since in Unix seconds, the lowest number for the zero time.
func (q HealQuery) SinceUnix() float64 {
	if q.Since.IsZero() {
		return -math.MaxFloat64
	}
	return Unix(q.Since)
}

// Automatic is the author that the log names for changes made by rule.
const Automatic = "breadcrumb"

// MovedTo begins the reason of an automatic release that a rename made: the
// entry goes on under the name that follows, whoever made it.
const MovedTo = "goes on as "

// LogEntry is one line of the quarantine log.
type LogEntry struct {
	At     time.Time
	Who    string
	Change flaky.Change

	// Setting means that no test changed: the setting named in Change.TestID got
	// the value in Change.Reason.
	Setting bool
}

// SettingAction marks a line of the log that records a setting: its name stands
// in place of the test id, its value in place of the reason.
const SettingAction = "setting"

// ReleaseAction marks a line of the log that lets a test out of quarantine.
const ReleaseAction = "release"

// Stats counts the rows of a database.
type Stats struct {
	Fingerprints  int
	PageStates    int
	Heals         int
	Refusals      int
	Tests         int
	Runs          int
	Results       int // attempts
	Quarantined   int
	QuarantineLog int
}

// Facts describe a database.
type Facts struct {
	Schema    int
	Rows      Stats
	Watermark time.Time // runs that began earlier are deleted; zero: none
}

// Retention says how much history is kept. The zero value keeps all.
type Retention struct {
	Runs   int       // how many runs of a job and of a test, the newest, at least; 0: all
	Before time.Time // runs that began earlier are deleted; zero: none
	// Now is the time by which Before was made, when the run began that reads; zero
	// where nobody knows it. A mark after it, or a run more than RunLife after it, is of
	// a clock that was wrong: such a mark does not count, and such a run is as old as one
	// can be.
	Now time.Time
}

// RunLife is for how long a run may read and save after it began: GitHub lets it be run
// again for 30 days, and each time it may take 35
// (https://docs.github.com/en/actions/reference/limits). Runs that began meanwhile are
// newer than it.
const RunLife = 65 * 24 * time.Hour

// UnixOrLatest returns a time in Unix seconds, the highest number for the zero time.
func UnixOrLatest(t time.Time) float64 {
	if t.IsZero() {
		return math.MaxFloat64
	}
	return Unix(t)
}
