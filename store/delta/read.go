package delta

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Errors of Read to branch on.
var (
	// ErrNewer says that a newer Breadcrumb wrote the delta.
	ErrNewer = errors.New("the delta was written by a newer version of Breadcrumb")
	// ErrTooLarge says that a delta, or a line of it, is beyond the bounds.
	ErrTooLarge = errors.New("the delta is too large")
)

// Read reads a whole delta and checks it: format, order, counts, digest. After
// any error nothing of it may be used.
func Read(r io.Reader) (*Delta, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxBody+maxLine))
	if err != nil {
		return nil, fmt.Errorf("read delta: %w", err)
	}
	defer z.Close()
	d, err := readLines(z)
	if err != nil {
		return nil, fmt.Errorf("read delta: %w", err)
	}
	return d, nil
}

// readLines reads the header and all lines after it.
func readLines(r io.Reader) (*Delta, error) {
	limited := &io.LimitedReader{R: r, N: maxBody + maxLine}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	header, err := readHeader(lines)
	if err != nil {
		return nil, err
	}
	body := reading{delta: Delta{Run: header.Run, Schema: header.Schema}, counts: map[string]int{}, texts: map[string]string{}}
	sum := sha256.New()
	for n := 2; lines.Scan(); n++ {
		sum.Write(lines.Bytes())
		sum.Write([]byte{'\n'})
		if err := body.addLine(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) || limited.N == 0 {
		return nil, ErrTooLarge
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != header.Body {
		return nil, fmt.Errorf("its lines have the digest %s, its header says %.64q", got, header.Body)
	}
	if !maps.Equal(body.counts, header.Counts) {
		return nil, errors.New("it holds other records than its header says")
	}
	return &body.delta, nil
}

func readHeader(lines *bufio.Scanner) (h Header, err error) {
	if !lines.Scan() {
		return h, errors.Join(errors.New("it is empty"), lines.Err())
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
		return h, fmt.Errorf("its header is no JSON object: %w", err)
	}
	if h.Format != Format {
		if strings.HasPrefix(h.Format, formatName) {
			return h, fmt.Errorf("format %.40q: %w; update Breadcrumb", h.Format, ErrNewer)
		}
		return h, fmt.Errorf("its format is %.40q, not %s", h.Format, Format)
	}
	return h, nil
}

// reading collects the records of a delta.
type reading struct {
	delta  Delta
	counts map[string]int
	last   string
	texts  map[string]string // texts that come again and again, once each
}

func (b *reading) addLine(text string) error {
	if text <= b.last {
		return errors.New("out of order, or there twice")
	}
	b.last = text
	if len(b.delta.Records) >= maxRecords {
		return ErrTooLarge
	}
	r, rest, err := decodeLine(text)
	if err != nil {
		return err
	}
	b.counts[kindOf(text)]++
	if r != nil {
		b.shareTexts(r)
		b.delta.Records = append(b.delta.Records, r)
	}
	if rest != nil {
		b.delta.Records = append(b.delta.Records, rest)
	}
	return nil
}

// shareTexts makes equal texts of results share their memory.
func (b *reading) shareTexts(r Record) {
	result, ok := r.(*Result)
	if !ok {
		return
	}
	for _, text := range []*string{&result.Run, &result.Status, &result.Error, &result.Environment, &result.Signature, &result.Place} {
		if once, ok := b.texts[*text]; ok {
			*text = once
		} else if len(b.texts) < 10_000 {
			b.texts[*text] = *text
		}
	}
}
