package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
)

// healRow is a row of healing_events.
type healRow struct {
	id              any // int64, or nil for the next
	testID, locator string
	confidence      float64
	original        string // fingerprint JSON as stored
	healed          string
	timestamp       float64
	run             any    // int64; nil: written by the seed and in no run yet
	event           string // whole event as JSON; "" in a row of the seed
	digest          []byte
}

// rowOfHeal returns the row of an event. The fingerprints are in the seed's
// shape, whose lists are never null.
func rowOfHeal(e engine.HealEvent) (healRow, error) {
	e = canonical(e)
	original, err1 := e.Original.SeedJSON()
	healed, err2 := e.Healed.SeedJSON()
	event, err3 := json.Marshal(e)
	if err := errors.Join(err1, err2, err3); err != nil {
		return healRow{}, err
	}
	if len(event) > maxJSON {
		return healRow{}, fmt.Errorf("it is larger than %d bytes", maxJSON)
	}
	if !finite(e.Timestamp) || !(e.Confidence >= 0 && e.Confidence <= 1) {
		return healRow{}, errors.New("its confidence or timestamp is out of range")
	}
	return healRow{testID: e.TestID, locator: e.Locator, confidence: e.Confidence, original: string(original),
		healed: string(healed), timestamp: e.Timestamp, event: string(event)}, nil
}

// canonical returns e as it is stored, so that one event has one digest.
func canonical(e engine.HealEvent) engine.HealEvent {
	e.TestID, e.Locator = CleanID(e.TestID), CleanID(e.Locator)
	for _, f := range []*engine.Fingerprint{&e.Original, &e.Healed} {
		*f = withLists(*f)
	}
	return e
}

// healEvent returns the row's event, checked as strictly as one from a file.
func (r healRow) healEvent(source string) (engine.HealEvent, error) {
	line := []byte(r.event)
	if r.event == "" {
		var err error
		if line, err = r.seedEvent(); err != nil {
			return engine.HealEvent{}, err
		}
	}
	var one bytes.Buffer
	if err := json.Compact(&one, line); err != nil {
		return engine.HealEvent{}, errors.New("its event is not JSON")
	}
	events, notices := engine.ReadHeals(source, &one)
	if len(events) != 1 {
		reason := "it holds no event"
		if len(notices) > 0 {
			reason = notices[0].Reason
		}
		return engine.HealEvent{}, errors.New(reason)
	}
	return events[0], nil
}

// seedEvent returns the event line of a row that has the seed's columns only.
func (r healRow) seedEvent() ([]byte, error) {
	e := engine.HealEvent{TestID: r.testID, Locator: r.locator, Confidence: r.confidence,
		Outcome: engine.OutcomeHealed, Timestamp: r.timestamp}
	if err := json.Unmarshal([]byte(r.original), &e.Original); err != nil {
		return nil, fmt.Errorf("original_json is no fingerprint: %w", err)
	}
	if err := json.Unmarshal([]byte(r.healed), &e.Healed); err != nil {
		return nil, fmt.Errorf("healed_json is no fingerprint: %w", err)
	}
	return json.Marshal(canonical(e))
}

// seedDigest identifies a row of the seed by its event, and one that is no
// event by its bytes.
func (r healRow) seedDigest() [sha256.Size]byte {
	e, err := r.healEvent("")
	if err == nil {
		if row, err := rowOfHeal(e); err == nil {
			return sha256.Sum256([]byte(row.event))
		}
	}
	raw, _ := json.Marshal([]any{r.testID, r.locator, r.confidence, r.original, r.healed, r.timestamp})
	return sha256.Sum256(raw)
}

// healDigests numbers equal events of one source, so that two that happened
// stay two while the same source read again adds none.
type healDigests map[[sha256.Size]byte]int

// next returns the digest to store for an event with the given digest. Events
// without a time are only known within their run.
func (d healDigests) next(event [sha256.Size]byte, timestamp float64, run runKey) []byte {
	scope := ""
	if timestamp == 0 {
		scope = fmt.Sprintf("%q", run.args())
	}
	key := sha256.Sum256(fmt.Appendf(event[:], "|%s", scope))
	nth := d[key]
	d[key]++
	sum := sha256.Sum256(fmt.Appendf(key[:], "|%d", nth))
	return sum[:]
}

// recordHeals adds the run's events that are not there yet. A row that the
// seed wrote and nobody claimed becomes the run's.
func recordHeals(ctx context.Context, tx *sql.Tx, run Run, recorded *Recorded) error {
	digests, key := healDigests{}, keyOf(run.Info, run.ReportDigest)
	for _, e := range run.Heals {
		row, err := rowOfHeal(e)
		if err != nil {
			recorded.Notices = append(recorded.Notices, engine.Notice{File: e.Source, Severity: engine.SeverityWarning,
				Reason: fmt.Sprintf("heal event of %.80q left out: %v", e.TestID, err)})
			continue
		}
		row.run = recorded.RunID
		row.digest = digests.next(sha256.Sum256([]byte(row.event)), row.timestamp, key)
		insert := insertHeal
		if e.Outcome != engine.OutcomeHealed {
			insert = insertRefusal
		}
		added, err := insert(ctx, tx, row, cleanText(e.Reason, maxText))
		if err != nil {
			return err
		}
		recorded.Heals += added
	}
	return nil
}

func insertHeal(ctx context.Context, tx *sql.Tx, r healRow, reason string) (int, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO healing_events (id, test_id, locator, confidence, original_json,
		healed_json, timestamp, run, outcome, reason, event_json, event_digest)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'healed', nullif(?, ''), nullif(?, ''), ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run, outcome = excluded.outcome,
			event_json = excluded.event_json WHERE healing_events.run IS NULL AND excluded.run IS NOT NULL
		ON CONFLICT DO NOTHING`,
		r.id, r.testID, r.locator, r.confidence, r.original, r.healed, r.timestamp, r.run, reason, r.event, r.digest)
	return affected(done, err)
}

func insertRefusal(ctx context.Context, tx *sql.Tx, r healRow, reason string) (int, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO heal_refusals (run, test_id, locator, confidence, reason, event_json,
		event_digest, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run WHERE heal_refusals.run = 0 AND excluded.run <> 0
		ON CONFLICT DO NOTHING`,
		r.run, r.testID, r.locator, r.confidence, reason, r.event, r.digest, r.timestamp)
	return affected(done, err)
}

func affected(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}
