package delta

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

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
	lines := make([]string, 0, len(d.Records))
	kinds := make(map[string]int)
	for _, r := range d.Records {
		line, err := encodeRecord(r)
		if err != nil {
			return nil, nil, fmt.Errorf("encode %s: %w", r.kind(), err)
		}
		if len(line) >= maxLine {
			return nil, nil, fmt.Errorf("encode %s: %w", r.kind(), ErrTooLarge)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	var body bytes.Buffer
	for _, line := range slices.Compact(lines) {
		kinds[kindOf(line)]++
		body.WriteString(line)
		body.WriteByte('\n')
	}
	if body.Len() > maxBody || len(lines) > maxRecords {
		return nil, nil, fmt.Errorf("encode: %w", ErrTooLarge)
	}
	return body.Bytes(), kinds, nil
}

// Write writes the delta, compressed.
func (d *Delta) Write(w io.Writer) error {
	body, counts, err := d.Body()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	header, err := marshalCanonical(Header{Body: hex.EncodeToString(sum[:]), Counts: counts, Format: Format, Run: d.Run, Schema: d.Schema})
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return err
	}
	if _, err := z.Write([]byte(header + "\n")); err != nil {
		return errors.Join(err, z.Close())
	}
	if _, err := z.Write(body); err != nil {
		return errors.Join(err, z.Close())
	}
	return z.Close()
}
