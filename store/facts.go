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

// HealQuery selects heal events.
type HealQuery struct {
	Run int64 // of this run; 0: of all
	// Unclaimed: only rows that the seed appended and no run holds yet.
	Unclaimed bool
	// Refused: refusals instead of heals.
	Refused bool
	Test    string    // of this test; "": of all
	Since   time.Time // that happened then or later; zero: whenever
	Newest  int       // so many, the newest; 0: all
}

// SinceUnix returns Unix seconds, of which none come before those of the zero time.
func (q HealQuery) SinceUnix() float64 {
	if q.Since.IsZero() {
		return -math.MaxFloat64
	}
	return Unix(Bounded(q.Since))
}

// Automatic is who the log names for changes that follow from histories.
const Automatic = "breadcrumb"

// LogEntry is one line of the quarantine log.
type LogEntry struct {
	At     time.Time
	Who    string
	Change flaky.Change

	// Setting: no test moved, a setting of the name in Change.TestID got the
	// value in Change.Reason.
	Setting bool
}

// SettingAction marks a line of the log that tells of a setting: its name in
// place of the test's, its value in place of the reason.
const SettingAction = "setting"

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

// Facts are what a database says of itself.
type Facts struct {
	Schema    int
	Rows      Stats
	Watermark time.Time // runs that began before it are let go; zero: none
}

// Retention says how much history is kept. The zero value keeps all.
type Retention struct {
	Runs   int       // executions of a test, the newest; 0: all
	Before time.Time // runs that began earlier go; zero: none
}
