package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/store"
)

// withLists returns f with empty lists in place of nil ones, as the seed
// writes them.
func withLists(f engine.Fingerprint) engine.Fingerprint {
	if f.Attributes == nil {
		f.Attributes = engine.Attributes{}
	}
	if f.DOMPath == nil {
		f.DOMPath = []string{}
	}
	if f.Siblings == nil {
		f.Siblings = []string{}
	}
	return f
}

// HealRow is a row of healing_events.
type HealRow struct {
	ID              any // int64, or nil for the next
	TestID, Locator string
	Confidence      float64
	OriginalJSON    string // fingerprint JSON as stored
	HealedJSON      string
	Timestamp       float64
	Run             any    // int64; nil: a seed tool wrote it and no run recorded it yet
	Event           string // whole event as JSON; "" in a row of the seed
	Refused         bool   // nothing was healed
	Suggested       bool   // nothing was healed, and a person was told what the element may be
	Reason          string // of a refusal or a suggestion
	Digest          []byte
}

// HealRowOf returns the row of an event, with fingerprints as the seed writes
// them.
func HealRowOf(e engine.HealEvent) (HealRow, error) {
	e = CanonicalHeal(e)
	original, err1 := e.Original.SeedJSON()
	healed, err2 := e.Healed.SeedJSON()
	event, err3 := json.Marshal(storedHeal(e))
	if err := errors.Join(err1, err2, err3); err != nil {
		return HealRow{}, err
	}
	if len(event) > store.MaxJSON {
		return HealRow{}, fmt.Errorf("it is larger than %d bytes", store.MaxJSON)
	}
	if !store.Finite(e.Timestamp) || !(e.Confidence >= 0 && e.Confidence <= 1) {
		return HealRow{}, errors.New("its confidence or timestamp is out of range")
	}
	return HealRow{TestID: string(e.TestID), Locator: e.Locator, Confidence: e.Confidence, OriginalJSON: string(original),
		HealedJSON: string(healed), Timestamp: e.Timestamp, Event: string(event),
		Refused: e.Outcome != engine.OutcomeHealed, Suggested: e.Outcome == engine.OutcomeSuggested, Reason: store.CleanText(e.Reason, store.MaxText)}, nil
}

// HealRows returns the rows of a run's heal events. Events that cannot be stored
// become notices of recorded, whose run the others are of.
func HealRows(run store.Run, recorded *store.Recorded) []HealRow {
	digests, key := HealDigests{}, KeyOf(run.Info, run.ReportDigest)
	var rows []HealRow
	for _, e := range run.Heals {
		row, err := HealRowOf(e)
		if err != nil {
			recorded.Notices = append(recorded.Notices, engine.Notice{File: e.Source, Severity: engine.SeverityWarning,
				Reason: fmt.Sprintf("heal event of %.80q left out: %v", e.TestID, err)})
			continue
		}
		row.Run, row.Digest = recorded.RunID, digests.Next(sha256.Sum256([]byte(row.Event)), row.Timestamp, key)
		rows = append(rows, row)
	}
	return rows
}

// CanonicalHeal returns e as it is stored, so that equal events have equal
// digests.
func CanonicalHeal(e engine.HealEvent) engine.HealEvent {
	e = redact.Heal(e)
	e.Locator = store.CleanID(e.Locator)
	for _, f := range []*engine.Fingerprint{&e.Original, &e.Healed} {
		*f = withLists(*f)
	}
	if _, there := e.Extra[suggestedField]; there {
		e.Extra = maps.Clone(e.Extra)
		delete(e.Extra, suggestedField)
	}
	if len(e.Extra) == 0 {
		e.Extra = nil
	}
	e.Trial = nil // written behind the event, which stays the same
	return e
}

// suggestedField marks the stored event of a suggestion. An older version, which
// leaves out an event whose outcome it does not know, reads it as a refusal.
const suggestedField = "suggested"

// storedHeal returns a canonical event as its JSON is stored.
func storedHeal(e engine.HealEvent) engine.HealEvent {
	if e.Outcome != engine.OutcomeSuggested {
		return e
	}
	e.Outcome, e.Extra = engine.OutcomeRefused, maps.Clone(e.Extra)
	if e.Extra == nil {
		e.Extra = map[string]json.RawMessage{}
	}
	e.Extra[suggestedField] = json.RawMessage("true")
	return e
}

// readStored is the inverse of storedHeal.
func readStored(e engine.HealEvent) engine.HealEvent {
	mark := string(e.Extra[suggestedField])
	e = CanonicalHeal(e)
	if mark == "true" && e.Outcome == engine.OutcomeRefused {
		e.Outcome = engine.OutcomeSuggested
	}
	return e
}

// HealEvent decodes the event of a row, as strictly as one from a file.
func (r HealRow) HealEvent(source string) (engine.HealEvent, error) {
	line := []byte(r.Event)
	if r.Event == "" {
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
	return readStored(events[0]), nil
}

// seedEvent returns the event line of a row that has only the columns of the
// seed.
func (r HealRow) seedEvent() ([]byte, error) {
	e := engine.HealEvent{TestID: engine.NewTestID(r.TestID), Locator: r.Locator, Confidence: r.Confidence,
		Outcome: engine.OutcomeHealed, Timestamp: r.Timestamp}
	if err := json.Unmarshal([]byte(r.OriginalJSON), &e.Original); err != nil {
		return nil, fmt.Errorf("original_json is no fingerprint: %w", err)
	}
	if err := json.Unmarshal([]byte(r.HealedJSON), &e.Healed); err != nil {
		return nil, fmt.Errorf("healed_json is no fingerprint: %w", err)
	}
	return json.Marshal(CanonicalHeal(e))
}

// SeedDigest returns the digest of the event in a row of the seed, or of the
// raw values if they are no event.
func (r HealRow) SeedDigest() [sha256.Size]byte {
	e, err := r.HealEvent("")
	if err == nil {
		if row, err := HealRowOf(e); err == nil {
			return sha256.Sum256([]byte(row.Event))
		}
	}
	raw, _ := json.Marshal([]any{r.TestID, r.Locator, r.Confidence, r.OriginalJSON, r.HealedJSON, r.Timestamp})
	return sha256.Sum256(raw)
}

// HealDigests numbers equal events of one source. Two equal events stay two,
// and the same source read again adds none.
type HealDigests map[[sha256.Size]byte]int

// Next returns the digest to store for an event with a digest of its own.
// Events without a time are the same only within their run.
func (d HealDigests) Next(event [sha256.Size]byte, timestamp float64, run RunKey) []byte {
	scope := ""
	if timestamp == 0 {
		scope = fmt.Sprintf("%q", run.Args())
	}
	key := sha256.Sum256(fmt.Appendf(event[:], "|%s", scope))
	nth := d[key]
	d[key]++
	sum := sha256.Sum256(fmt.Appendf(key[:], "|%d", nth))
	return sum[:]
}

// BadHeal returns the notice for a row of healing_events that was left out.
func BadHeal(file string, id any, err error) engine.Notice {
	return engine.Notice{File: file, Severity: engine.SeverityWarning,
		Reason: fmt.Sprintf("healing_events row %d left out: %v", id, err)}
}
