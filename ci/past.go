package ci

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store/sqlite"
)

// Past is what earlier runs say of tests that have just ended: of which a failure may be
// excused, and which are new. The zero value says nothing.
type Past struct {
	Quarantined []engine.TestID `json:"quarantined"` // by evidence, on the default branch or on pull requests
	Suite       []uint64        `json:"suite"`       // digests of the default branch's tests, ascending; see digestTest
}

// pastName is what a database file keeps a Past under, for a job whose file has no runs.
const pastName = "past of tests"

// ReadPast returns what a database file says of tests: by its runs, or else as
// RestoreLearned left it there. A file that is missing says nothing.
func ReadPast(ctx context.Context, file string, info engine.RunInfo) (past Past, err error) {
	db, err := sqlite.OpenReading(ctx, file, sqlite.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return past, nil
	}
	if err != nil {
		return past, fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	stats, err := db.Stats(ctx)
	if err != nil {
		return past, err
	}
	if stats.Runs > 0 {
		return pastOf(ctx, db, info)
	}
	kept, err := db.Derived(ctx, pastName)
	if err != nil || kept == nil {
		return past, err
	}
	if err := json.Unmarshal(kept, &past); err != nil {
		return Past{}, fmt.Errorf("%s: what earlier runs say of tests: %w", file, err)
	}
	return past, nil
}

// Holds reports whether a test is in quarantine, so that a rerun decides over its failure.
func (p Past) Holds(id engine.TestID) bool { return slices.Contains(p.Quarantined, id) }

// IsNew reports whether the default branch has no test of that identity, false where
// nothing is known of its tests.
func (p Past) IsNew(id engine.TestID) bool {
	_, known := slices.BinarySearch(p.Suite, digestTest(id))
	return len(p.Suite) > 0 && !known
}

// pastOf returns what the runs of a database say.
func pastOf(ctx context.Context, db *sqlite.DB, info engine.RunInfo) (past Past, err error) {
	c, err := db.LoadCheckpoint(ctx, info, 0)
	if err != nil {
		return past, fmt.Errorf("read evidence: %w", err)
	}
	c.ObserveRest()
	held := c.Judge.Pulls.All()
	if err := db.NameTests(ctx, &c.Evidence, held); err != nil {
		return past, fmt.Errorf("read tests: %w", err)
	}
	for _, test := range held {
		past.Quarantined = append(past.Quarantined, c.Tests[test])
	}
	table, err := db.Quarantine(ctx)
	if err != nil {
		return past, err
	}
	table = slices.DeleteFunc(table, func(e flaky.Entry) bool { return !e.ByEvidence() })
	past.Quarantined = append(past.Quarantined, flaky.TestIDs(table, func(e flaky.Entry) engine.TestID { return e.TestID })...)
	slices.Sort(past.Quarantined)
	past.Quarantined = slices.Compact(past.Quarantined)
	suite, err := db.TestsIn(ctx, c.Suite)
	if err != nil {
		return past, err
	}
	for _, id := range suite {
		past.Suite = append(past.Suite, digestTest(id))
	}
	slices.Sort(past.Suite)
	return past, nil
}

// digestTest returns the first 8 bytes of an identity's SHA-256.
func digestTest(id engine.TestID) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:])
}
