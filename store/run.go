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

// Origin is where a run's rows come from and thereby what they may decide.
type Origin int

const (
	fromLocal       Origin = iota // a laptop
	FromDefault                   // the default branch in CI
	FromSeed                      // rows a seed tool wrote
	FromPullRequest               // only ever shown to that pull request
	FromBranch                    // another branch in CI, kept apart as well
)

// TrustedOrigins is the SQL list of the origins that count for everybody.
const TrustedOrigins = "(0, 1, 2)"

func OriginOf(info engine.RunInfo) Origin {
	switch {
	case info.PullRequest != 0 || info.Fork:
		return FromPullRequest
	case info.RunID == 0:
		return fromLocal
	case info.DefaultBranch:
		return FromDefault
	default:
		return FromBranch
	}
}

// Statuses are stored by their index.
var Statuses = [...]engine.Status{engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed, engine.StatusError}

// StatusIndex returns the stored form of s. What is no status of ours counts
// as an error: it must not pass for a pass.
func StatusIndex(s engine.Status) int {
	for i, known := range Statuses {
		if s == known {
			return i
		}
	}
	return len(Statuses) - 1
}

// Bounded keeps a time within what Unix microseconds can hold; the zero time
// becomes the epoch.
func Bounded(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0)
	}
	return FromUnix(float64(t.Unix())).Add(time.Duration(t.Nanosecond()))
}

// Unix returns t in Unix seconds as the seed keeps them, to the microsecond.
func Unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// FromUnix is the inverse of unix.
func FromUnix(seconds float64) time.Time {
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
