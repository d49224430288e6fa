package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// RunStartSchema is the schema name of a RunStart's line.
const RunStartSchema = "breadcrumb.run/v1"

// RunStart is a line among heal events where a run of `breadcrumb run` began. On a person's
// machine the file holds the events of earlier runs, too, and this tells them apart.
type RunStart struct {
	Schema    string  `json:"schema"`    // RunStartSchema
	Timestamp float64 `json:"timestamp"` // Unix seconds, when the run began
}

// LastStart returns when the newest run began that a file of heal events tells of and that
// had begun at a time, both in Unix seconds; 0 where it tells of none.
func LastStart(r io.Reader, at float64) (last float64) {
	lines := lineReader{buffered: bufio.NewReaderSize(io.LimitReader(r, maxHealFileBytes), MaxHealBytes)}
	for {
		text, err := lines.next()
		if err != nil && !errors.Is(err, errLongLine) {
			return last
		}
		if start, ok := parseRunStart(text); ok && start.Timestamp <= at {
			last = max(last, start.Timestamp)
		}
	}
}

// parseRunStart returns the start of a run in a line, false for any other line.
func parseRunStart(line []byte) (RunStart, bool) {
	var s RunStart
	if !bytes.Contains(line, []byte(RunStartSchema)) || json.Unmarshal(line, &s) != nil || s.Schema != RunStartSchema {
		return RunStart{}, false
	}
	return s, s.Timestamp > 0 && s.Timestamp <= maxTimestamp
}
