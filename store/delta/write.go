package delta

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Header is the first line of a delta.
type Header struct {
	Body   string         `json:"body"`          // SHA-256 of the lines after this one, in hexadecimal
	Counts map[string]int `json:"counts"`        // lines by kind
	Format string         `json:"format"`        // Format
	Run    *Key           `json:"run,omitempty"` // the run that wrote it; nil: a merge of many
	Schema int            `json:"schema"`        // database schema that it was taken from
}

// Delta is what one run recorded, or a merge of many.
type Delta struct {
	Run     *Key
	Schema  int
	Records []Record
}

// Body returns the canonical lines: each once, sorted by their bytes, each
// ended by a line feed.
func (d *Delta) Body() ([]byte, map[string]int, error) {
	lines, counts, err := d.lines(nil)
	return []byte(strings.Join(lines, "")), counts, err
}

// lines returns the lines of the body, and how many there are by kind. It calls encoded,
// unless that is nil, with the index of every record and its line.
func (d *Delta) lines(encoded func(int, string)) ([]string, map[string]int, error) {
	lines := make([]string, 0, len(d.Records))
	kinds, size := make(map[string]int), 0
	for i, r := range d.Records {
		line, err := encodeRecord(r)
		if err != nil {
			return nil, nil, fmt.Errorf("encode %s: %w", r.kind(), err)
		}
		if len(line) >= maxLine {
			return nil, nil, fmt.Errorf("encode %s: %w", r.kind(), ErrTooLarge)
		}
		line += "\n"
		lines = append(lines, line)
		if encoded != nil {
			encoded(i, line)
		}
	}
	many := len(lines) > maxRecords
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, line := range lines {
		kinds[kindOf(line)]++
		size += len(line)
	}
	if many || size > maxBody {
		return nil, nil, fmt.Errorf("encode: %w", ErrTooLarge)
	}
	return lines, kinds, nil
}

// Write writes the delta, compressed. Of every result only its line stays in d, so that a
// large run is not held twice: d can be written again and fitted, but no longer read.
func (d *Delta) Write(w io.Writer) error {
	lines, counts, err := d.lines(func(i int, line string) {
		if r, ok := d.Records[i].(*Result); ok {
			d.Records[i] = &resultLine{run: r.Run, line: line[:len(line)-1]}
		}
	})
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, line := range lines {
		_, _ = io.WriteString(sum, line) // a hash takes all
	}
	header, err := marshalCanonical(Header{Body: hex.EncodeToString(sum.Sum(nil)), Counts: counts, Format: Format, Run: d.Run, Schema: d.Schema})
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return err
	}
	_, err = io.WriteString(z, header+"\n")
	for i := 0; i < len(lines) && err == nil; i++ {
		_, err = io.WriteString(z, lines[i])
	}
	return errors.Join(err, z.Close())
}
