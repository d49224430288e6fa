package store

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Run is one run to record.
type Run struct {
	Info         engine.RunInfo
	ReportDigest string // identifies the reports; tells local runs apart
	Results      []engine.TestResult
	Heals        []engine.HealEvent // healed, suggested and refused
	HealedTests  []engine.TestID    // ids of the results that healed a locator
	Now          time.Time

	// Incomplete says that tests which should have run are missing. KnownTests
	// never answers from such a run: the same tests would be missing unnoticed
	// the next time.
	Incomplete bool
}

// Recorded is the outcome of RecordRun.
type Recorded struct {
	RunID     int64     // row id of the run
	At        time.Time // when the run was recorded first
	Duplicate bool      // the run was there already and nothing was added to it
	Conflict  bool      // the run was there with other results; both are kept
	Results   int       // attempts recorded
	Heals     int       // heal events that were not there before
	Notices   []engine.Notice
}

// Base is a commit of the default branch from which others branched off.
type Base struct {
	Commit string
	At     time.Time // when it was committed
}

// LastTests are the tests of the run that another one is compared with.
type LastTests struct {
	Tests   []engine.TestID // sorted by id
	RunID   int64           // of the forge
	Branch  string
	Commit  string
	Trusted bool // the run counts for everybody; otherwise it is of the same branch or pull request
}

// Suite is what is kept of the last complete trusted run of a workflow, job and leg, beside
// the names of its tests.
type Suite struct {
	RunID   int64 // of the forge
	Commit  string
	Reports int // that it had, each run of tests once
	Tests   map[engine.TestID]Place
}

// Place is where a test stood.
type Place struct {
	Title TitleOrigin
	// Reports is how many reports showed it, at most 63, where one of them showed nothing that
	// the others did not and the test failed in none; else 0.
	Reports int
}

// TitleOrigin says where the title of a test comes from.
type TitleOrigin int

// The origins, as they are stored.
const (
	TitleUnknown TitleOrigin = iota
	TitleWritten             // its file holds it, or a template that makes it
	TitleMade                // its file holds neither: other files or data make it
)

// RunFacts describes a recorded run.
type RunFacts struct {
	ID           int64
	Info         engine.RunInfo
	ReportDigest string
	Ordinal      int // 0; higher for further payloads under the same key
	Results      int // attempts
	Incomplete   bool
	RecordedAt   time.Time
}

// Origin is where a run comes from, which decides for whom its results count.
type Origin int

// The origins, as they are stored.
const (
	fromLocal       Origin = iota // outside CI
	FromDefault                   // the default branch in CI
	FromSeed                      // rows a seed tool wrote
	FromPullRequest               // counts for that pull request, or those of that merge group, alone
	FromBranch                    // another branch in CI, counts for that branch alone
)

// TrustedOrigins is the SQL list of the origins that count for everybody: those
// of trusted runs, see engine.RunInfo.Trusted, and of seed tools.
const TrustedOrigins = "(0, 1, 2)"

// OriginOf returns the origin of a run.
func OriginOf(info engine.RunInfo) Origin {
	switch {
	case info.PullRequest != 0 || len(info.MergeGroup) > 0 || info.Fork:
		return FromPullRequest
	case info.RunID == 0:
		return fromLocal
	case info.DefaultBranch:
		return FromDefault
	default:
		return FromBranch
	}
}

// MaxMergeGroup bounds the pull requests of one merge group; GitHub allows 100.
const MaxMergeGroup = 500

// FormatGroup returns the pull requests of a merge group as they are stored: their
// numbers, ascending, a space between them.
func FormatGroup(group []int) string {
	group = slices.Compact(slices.Sorted(slices.Values(group)))
	words := make([]string, len(group))
	for i, pr := range group {
		words[i] = strconv.Itoa(pr)
	}
	return strings.Join(words, " ")
}

// ParseGroup is the inverse of FormatGroup. It returns an error for what FormatGroup
// does not write.
func ParseGroup(text string) ([]int, error) {
	var group []int
	for word := range strings.FieldsSeq(text) {
		pr, err := strconv.Atoi(word)
		if err != nil || pr <= 0 || len(group) == MaxMergeGroup {
			return nil, fmt.Errorf("%.60q is no list of pull requests", text)
		}
		group = append(group, pr)
	}
	if FormatGroup(group) != text {
		return nil, fmt.Errorf("%.60q is no list of pull requests", text)
	}
	return group, nil
}

// Statuses are the statuses by the numbers that stand for them in a database.
var Statuses = [...]engine.Status{engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed, engine.StatusError}

// StatusIndex returns the number that stands for s. An unknown status counts as
// an error, so that it is never taken for a pass.
func StatusIndex(s engine.Status) int {
	if i := slices.Index(Statuses[:], s); i >= 0 {
		return i
	}
	return len(Statuses) - 1
}

// Unix returns t in Unix seconds as the seed keeps them, to the microsecond and
// not beyond what FromUnix returns. The zero time is the epoch.
func Unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(FromUnix(float64(t.Unix())).Add(time.Duration(t.Nanosecond())).UnixMicro()) / 1e6
}

// FromUnix is the inverse of Unix.
func FromUnix(seconds float64) time.Time {
	const farthest = 253402300799 // the last second of the year 9999
	seconds = max(-farthest, min(farthest, seconds))
	whole := int64(seconds)
	return time.UnixMicro(whole*1e6 + int64((seconds-float64(whole))*1e6+math.Copysign(0.5, seconds))).UTC()
}
