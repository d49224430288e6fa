package record

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/store"
)

// FingerprintJSON returns the stored form of f: the seed's fields, then ours.
func FingerprintJSON(f engine.Fingerprint) (string, error) {
	if f.TestID == "" {
		return "", errors.New("it has no test id")
	}
	if f.Locator == "" {
		return "", errors.New("it has no locator")
	}
	text, err := redact.Fingerprint(f).SeedJSON()
	if err != nil {
		return "", err
	}
	if len(text) > store.MaxJSON {
		return "", fmt.Errorf("it is larger than %d bytes", store.MaxJSON)
	}
	return string(text), nil
}

// FingerprintRow is a fingerprint as the table has it.
type FingerprintRow struct {
	TestID        engine.TestID
	Locator, JSON string
	Page, PageOf  any // page_state and page_state_of
}

// FingerprintRows returns the rows of fingerprints that were taken on the page of
// link. The error wraps ErrLeftOut when some cannot be stored.
func FingerprintRows(fps []engine.Fingerprint, link PageLink) ([]FingerprintRow, error) {
	left := LeftOut{What: "fingerprint"}
	rows := make([]FingerprintRow, 0, len(fps))
	for _, f := range fps {
		f.Locator = store.CleanID(f.Locator)
		row := FingerprintRow{TestID: f.TestID, Locator: f.Locator}
		var err error
		if row.JSON, err = FingerprintJSON(f); err != nil {
			left.Add(fmt.Errorf("%.80q in %.80q: %w", f.Locator, f.TestID, err))
			continue
		}
		row.Page, row.PageOf = link.pageColumns(row.JSON)
		rows = append(rows, row)
	}
	return rows, left.Err()
}

// pageColumns returns the values of page_state and page_state_of for a
// fingerprint.
func (l PageLink) pageColumns(fingerprint string) (page, of any) {
	if l.State == nil {
		return nil, nil
	}
	sum := sha256.Sum256([]byte(fingerprint))
	return l.Digest[:], sum[:]
}

// readFingerprint decodes fingerprint_json, which must have a tag as in the
// seed.
func readFingerprint(text string) (f engine.Fingerprint, err error) {
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return engine.Fingerprint{}, fmt.Errorf("fingerprint_json is no fingerprint: %w", err)
	}
	if f.Tag == "" {
		return engine.Fingerprint{}, errors.New("fingerprint_json has no tag")
	}
	return f, nil
}

// AddFingerprint adds a row, or a notice that it holds no fingerprint.
func AddFingerprint(f *store.Fingerprints, database string, test engine.TestID, locator, text string) {
	one, err := readFingerprint(text)
	if err != nil {
		f.Notices = append(f.Notices, engine.Notice{File: database, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("fingerprint of %.80q in %.80q left out: %v", locator, test, err)})
		return
	}
	one.TestID, one.Locator = test, locator
	f.List = append(f.List, one)
}
