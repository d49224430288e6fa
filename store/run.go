package store

import (
	"time"

	"github.com/breadcrumb/action/engine"
)

// Run is one run to record.
type Run struct {
	Info         engine.RunInfo
	ReportDigest string // identifies the reports; tells local runs apart
	Results      []engine.TestResult
	Heals        []engine.HealEvent // healed and refused
	HealedTests  []string           // ids of the results that healed a locator
	Now          time.Time

	// Incomplete says that tests are missing which should have run. Such a
	// run is never what KnownTests answers from, or else the same gap would
	// pass unseen the next time.
	Incomplete bool
}

// Recorded says what RecordRun did.
type Recorded struct {
	RunID     int64     // row id of the run
	At        time.Time // when the run was recorded first
	Duplicate bool      // the run was there already and nothing was added to it
	Conflict  bool      // the run was there with other results; both are kept
	Results   int       // attempts recorded
	Heals     int       // heal events that were not there before
	Notices   []engine.Notice
}

// RunFacts is what is known of a recorded run.
type RunFacts struct {
	ID           int64
	Info         engine.RunInfo
	ReportDigest string
	Ordinal      int // 0; higher for further payloads under the same key
	Results      int // attempts
	Incomplete   bool
	RecordedAt   time.Time
}

// origin is where a run's rows come from and thereby what they may decide.
type origin int

const (
	fromLocal       origin = iota // a laptop
	fromDefault                   // the default branch in CI
	fromSeed                      // rows a seed tool wrote
	fromPullRequest               // only ever shown to that pull request
	fromBranch                    // another branch in CI, kept apart as well
)

// trustedOrigins is the SQL list of the origins that count for everybody.
const trustedOrigins = "(0, 1, 2)"

func originOf(info engine.RunInfo) origin {
	switch {
	case info.PullRequest != 0 || info.Fork:
		return fromPullRequest
	case info.RunID == 0:
		return fromLocal
	case info.DefaultBranch:
		return fromDefault
	default:
		return fromBranch
	}
}

// statuses are stored by their index.
var statuses = [...]engine.Status{engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed, engine.StatusError}

// statusIndex returns the stored form of s. What is no status of ours counts
// as an error: it must not pass for a pass.
func statusIndex(s engine.Status) int {
	for i, known := range statuses {
		if s == known {
			return i
		}
	}
	return len(statuses) - 1
}

// unix returns t in Unix seconds as the seed keeps them, to the microsecond.
func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// fromUnix is the inverse of unix.
func fromUnix(seconds float64) time.Time {
	const farthest = 253402300799 // the last second of the year 9999
	seconds = max(-farthest, min(farthest, seconds))
	whole := int64(seconds)
	return time.UnixMicro(whole*1e6 + int64((seconds-float64(whole))*1e6+0.5*sign(seconds))).UTC()
}

func sign(f float64) float64 {
	if f < 0 {
		return -1
	}
	return 1
}
