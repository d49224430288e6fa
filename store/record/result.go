package record

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/store"
)

// ResultRow is one attempt as the table of results has it, with texts in place
// of their row ids.
type ResultRow struct {
	Test        engine.TestID
	Attempt     int // 1-based
	Status      int
	Duration    any // float64 or nil
	Healed      bool
	ErrorType   string
	Signature   string // see flaky.Signature; not part of the payload's digest
	Place       string // "file:line" of a failure, "" when unknown; not part of the digest either
	Environment string
	At          any // float64 Unix seconds or nil: the run's start
}

// ResultRows returns a row for every attempt. A result without attempts counts
// as an error. A test that is reported several times goes on counting its
// attempts.
func ResultRows(run store.Run) []ResultRow {
	healed := make(map[engine.TestID]bool, len(run.HealedTests))
	for _, id := range run.HealedTests {
		healed[id] = true
	}
	rows := make([]ResultRow, 0, len(run.Results))
	attempts := make(map[engine.TestID]int, len(run.Results))
	for _, r := range run.Results {
		environment := store.CleanID(r.Environment)
		tries := r.Attempts
		if len(tries) == 0 {
			tries = []engine.Attempt{r.Final()}
		}
		for _, a := range tries {
			attempts[r.ID]++
			rows = append(rows, ResultRow{
				Test: r.ID, Attempt: attempts[r.ID], Status: store.StatusIndex(a.Status), Duration: Duration(a.DurationMS),
				Healed: healed[r.ID], ErrorType: store.CleanText(a.ErrorType, 256), Environment: environment,
				Signature: store.CleanText(flaky.Signature(a), 256), Place: placeOf(r, a),
			})
		}
	}
	return rows
}

// placeOf returns where an attempt failed, "" when it passed or the line is
// unknown. A report has one place for all attempts of a test.
func placeOf(r engine.TestResult, a engine.Attempt) string {
	if !a.Status.Failing() || r.Line < 1 || r.File == "" {
		return ""
	}
	place := text.Place(r.File, r.Line)
	if len(place) > maxPlace {
		return ""
	}
	return store.Clean(place)
}

// maxPlace bounds a place in bytes: half a path names another file.
const maxPlace = 512

// Duration returns milliseconds rounded to the microsecond, nil when ms is no
// duration.
func Duration(ms float64) any {
	if !store.Finite(ms) || ms < 0 {
		return nil
	}
	return math.Round(ms*1000) / 1000
}

// PayloadDigest returns a digest of what was recorded, whatever the order of
// the tests.
func PayloadDigest(rows []ResultRow) []byte {
	var sum [sha256.Size]byte
	h := sha256.New()
	for _, r := range rows {
		h.Reset()
		r.writeHash(h)
		one := h.Sum(nil)
		var carry uint
		for i := range sum { // a sum modulo 2^256 depends on the number of rows but not on their order
			carry += uint(sum[i]) + uint(one[i])
			sum[i] = byte(carry)
			carry >>= 8
		}
	}
	return sum[:]
}

func (r ResultRow) writeHash(h hash.Hash) {
	for _, text := range []string{string(r.Test), r.ErrorType, r.Environment} {
		hashInt(h, int64(len(text)))
		h.Write([]byte(text))
	}
	hashInt(h, int64(r.Attempt))
	hashInt(h, int64(r.Status))
	for _, number := range []any{r.Duration, r.At} {
		f, ok := number.(float64)
		if !ok {
			f = math.Inf(-1)
		}
		hashInt(h, int64(math.Float64bits(f)))
	}
}

// Digest returns a digest of all values of a row, without its row id.
func (r ResultRow) Digest() (sum [sha256.Size]byte) {
	h := sha256.New()
	r.writeHash(h)
	var healed int64
	if r.Healed {
		healed = 1
	}
	hashInt(h, healed)
	h.Sum(sum[:0])
	return sum
}

func hashInt(h hash.Hash, n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
