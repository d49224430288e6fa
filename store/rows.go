package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

// resultRow is one attempt as results keeps it, texts still written out.
type resultRow struct {
	test        string
	attempt     int // 1-based
	status      int
	duration    any // float64 or nil
	healed      bool
	errorType   string
	signature   string // see flaky.Signature; not part of the payload's digest
	place       string // "file:line" of a failure, "" when unknown; not part of the digest either
	environment string
	at          any // float64 Unix seconds or nil: the run's start
}

// resultRows returns a row for every attempt. A result without attempts is an
// error, and one test reported several times keeps counting its attempts.
func resultRows(run Run) []resultRow {
	healed := make(map[string]bool, len(run.HealedTests))
	for _, id := range run.HealedTests {
		healed[id] = true
	}
	rows := make([]resultRow, 0, len(run.Results))
	attempts := make(map[string]int, len(run.Results))
	for _, r := range run.Results {
		id := CleanID(r.ID)
		environment := CleanID(r.Environment)
		tries := r.Attempts
		if len(tries) == 0 {
			tries = []engine.Attempt{r.Final()}
		}
		for _, a := range tries {
			attempts[id]++
			rows = append(rows, resultRow{
				test: id, attempt: attempts[id], status: statusIndex(a.Status), duration: duration(a.DurationMS),
				healed: healed[r.ID], errorType: cleanText(a.ErrorType, 256), environment: environment,
				signature: cleanText(flaky.Signature(a), 256), place: placeOf(r, a),
			})
		}
	}
	return rows
}

// placeOf returns where an attempt failed, "" when it did not or the line is
// not known. A report names one place for all attempts of a test.
func placeOf(r engine.TestResult, a engine.Attempt) string {
	if !a.Status.Failing() || r.Line < 1 || r.File == "" {
		return ""
	}
	place := text.Place(r.File, r.Line)
	if len(place) > maxPlace {
		return ""
	}
	return clean(place)
}

// maxPlace bounds a place in bytes: half a path names another file.
const maxPlace = 512

// duration returns ms to the microsecond, nil when it is no duration.
func duration(ms float64) any {
	if !finite(ms) || ms < 0 {
		return nil
	}
	return math.Round(ms*1000) / 1000
}

// payloadDigest identifies what was recorded, whatever the order of the tests.
func payloadDigest(rows []resultRow) []byte {
	var sum [sha256.Size]byte
	h := sha256.New()
	for _, r := range rows {
		h.Reset()
		r.hash(h)
		one := h.Sum(nil)
		var carry uint
		for i := range sum { // addition modulo 2^256 forgets the order, not the number
			carry += uint(sum[i]) + uint(one[i])
			sum[i] = byte(carry)
			carry >>= 8
		}
	}
	return sum[:]
}

func (r resultRow) hash(h hash.Hash) {
	for _, text := range []string{r.test, r.errorType, r.environment} {
		hashInt(h, int64(len(text)))
		h.Write([]byte(text))
	}
	hashInt(h, int64(r.attempt))
	hashInt(h, int64(r.status))
	for _, number := range []any{r.duration, r.at} {
		f, ok := number.(float64)
		if !ok {
			f = math.Inf(-1)
		}
		hashInt(h, int64(math.Float64bits(f)))
	}
}

func hashInt(h hash.Hash, n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

// insertResults writes the rows of a run.
func (db *DB) insertResults(ctx context.Context, w *writer, run int64, rows []resultRow) error {
	for _, r := range rows {
		test, err := w.tests.id(ctx, r.test)
		if err != nil {
			return err
		}
		failure, err := w.labels.optional(ctx, r.errorType)
		if err != nil {
			return err
		}
		environment, err := w.labels.optional(ctx, r.environment)
		if err != nil {
			return err
		}
		signature, err := w.labels.optional(ctx, r.signature)
		if err != nil {
			return err
		}
		place, err := w.labels.optional(ctx, r.place)
		if err != nil {
			return err
		}
		if err := w.results.add(ctx, []any{test, run, r.attempt, r.status, r.duration, boolInt(r.healed), failure, environment, r.at, signature, place}); err != nil {
			return err
		}
	}
	return w.results.flush(ctx)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
