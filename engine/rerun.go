package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// RerunSchema is the schema name of a Rerun's line.
const RerunSchema = "breadcrumb.rerun/v1"

// Rerun is what `breadcrumb run` says of a test that it ran again: one that failed, or one
// that a pull request adds. Its lines stand among those of heal events.
type Rerun struct {
	Schema     string  `json:"schema"` // RerunSchema
	TestID     TestID  `json:"test_id"`
	Passed     bool    `json:"passed"`      // at the last of them
	Reruns     int     `json:"reruns"`      // how often it ran again
	Failed     int     `json:"failed"`      // how often of these
	New        bool    `json:"new"`         // the pull request adds it; else every attempt of it had failed
	RunID      int64   `json:"run_id"`      // the forge's, 0 locally
	RunAttempt int     `json:"run_attempt"` // as RunInfo's, 0 locally
	Timestamp  float64 `json:"timestamp"`   // Unix seconds, when it had ended

	// FailsAfter is the test after which it was shown to fail, in the same worker, while it
	// passes alone; "" where none was. It excuses nothing.
	FailsAfter TestID `json:"fails_after,omitempty"`
}

// maxReruns bounds the reruns of one file.
const maxReruns = 1000

// ReadReruns returns the reruns among the lines of a file of heal events, in the file's
// order. Lines that are none are passed over.
func ReadReruns(r io.Reader) []Rerun {
	var reruns []Rerun
	lines := lineReader{buffered: bufio.NewReaderSize(io.LimitReader(r, maxHealFileBytes), MaxHealBytes)}
	for len(reruns) < maxReruns {
		text, err := lines.next()
		switch {
		case errors.Is(err, errLongLine):
			continue
		case err != nil:
			return reruns
		}
		if rerun, ok := parseRerun(text); ok {
			reruns = append(reruns, rerun)
		}
	}
	return reruns
}

// parseRerun returns the rerun of a line, false for any other line.
func parseRerun(line []byte) (Rerun, bool) {
	var r Rerun
	if !bytes.Contains(line, []byte(RerunSchema)) || json.Unmarshal(line, &r) != nil || r.Schema != RerunSchema {
		return Rerun{}, false
	}
	r.TestID, r.FailsAfter = NewTestID(string(r.TestID)), NewTestID(string(r.FailsAfter))
	usable := checkName("test_id", string(r.TestID), true) == nil && r.Reruns > 0 && r.Failed >= 0 && r.Failed <= r.Reruns && r.Timestamp >= 0 && r.Timestamp <= maxTimestamp
	return r, usable
}
