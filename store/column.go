package store

import (
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine/heal"
)

// column is one column of a table as it is taken over from a file.
type column struct {
	name string
	kind kind
	null bool // a NULL stays a NULL
}

// kind is what a column may hold.
type kind int

const (
	kindID      kind = iota // text that names something, see CleanID
	kindText                // text that describes, cut to maxText
	kindJSON                // text, at most maxJSON or the row is left out
	kindReal                // finite number
	kindInt                 // integer that a float64 can hold, so that sums of it fit
	kindFlag                // integer, 0 or 1
	kindDigest              // 32 bytes
	kindState               // at most heal.MaxStateBytes
	kindDerived             // at most maxDerived bytes
)

var errMissing = errors.New("is missing or too large")

// read returns v as the column holds it, or why it cannot.
func (c column) read(v any) (any, error) {
	if v == nil {
		if c.null {
			return nil, nil
		}
		return nil, fmt.Errorf("%s %w", c.name, errMissing)
	}
	if read, ok := c.kind.read(v); ok {
		return read, nil
	}
	return nil, fmt.Errorf("%s holds no %s", c.name, c.kind)
}

func (k kind) read(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return k.readText(v)
	case int64:
		return k.readInt(v)
	case float64:
		return v, k == kindReal && finite(v)
	case []byte:
		return v, k == kindDigest && len(v) == 32 || k == kindState && len(v) <= heal.MaxStateBytes || k == kindDerived && len(v) <= maxDerived
	default:
		return nil, false
	}
}

// exactInt is the largest integer of which every smaller one is a float64, too.
const exactInt = 1 << 53

func (k kind) readInt(n int64) (any, bool) {
	switch k {
	case kindReal:
		return float64(n), true
	case kindFlag:
		return int64(boolInt(n != 0)), true
	default:
		return n, k == kindInt && -exactInt <= n && n <= exactInt
	}
}

func (k kind) readText(s string) (any, bool) {
	switch k {
	case kindID:
		return CleanID(s), true
	case kindText:
		return cleanText(s, maxText), true
	case kindJSON:
		return clean(s), len(s) <= maxJSON
	default:
		return nil, false
	}
}

func (k kind) String() string {
	return [...]string{"text", "text", "text of a bearable size", "finite number", "integer of a bearable size", "flag", "digest", "page state of a bearable size", "bytes of a bearable size"}[k]
}

// readRow reads a row in place.
func readRow(columns []column, values []any) error {
	for i, c := range columns {
		v, err := c.read(values[i])
		if err != nil {
			return err
		}
		values[i] = v
	}
	return nil
}
