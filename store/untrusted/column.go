package untrusted

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
)

// Column is one column of a table as it is copied from a file.
type Column struct {
	Name string
	kind kind
	null bool // a NULL stays a NULL
}

// Columns returns the columns in a list: of each the name, the kind of its
// values, "?" if it may be NULL, and "since" with the first version that has it,
// as in "id int, place text? since 6". A row without a value that may not be NULL
// is left out.
func Columns(list string, version int) []Column {
	var columns []Column
	for one := range strings.SplitSeq(list, ",") {
		words := strings.Fields(one)
		if len(words) > 2 {
			if since, err := strconv.Atoi(words[3]); err != nil || since > version {
				continue
			}
		}
		name, null := strings.CutSuffix(words[1], "?")
		columns = append(columns, Column{Name: words[0], kind: kind(name), null: null})
	}
	return columns
}

// kind is the type of values that a column may hold.
type kind string

// The kinds of values.
const (
	kindID      kind = "id"      // text that names something, see store.CleanID
	kindText    kind = "text"    // text that describes, cut to store.MaxText
	kindJSON    kind = "json"    // text, at most store.MaxJSON
	kindReal    kind = "real"    // finite number
	kindInt     kind = "int"     // integer that a float64 can hold, so that sums of it fit
	kindFlag    kind = "flag"    // integer, 0 or 1
	kindDigest  kind = "digest"  // 32 bytes
	kindState   kind = "state"   // at most heal.MaxStateBytes
	kindDerived kind = "derived" // at most store.MaxDerived bytes
	kindPacked  kind = "packed"  // at most store.MaxInput bytes
	kindAny     kind = "any"     // as it is: a newer version knows what it is
)

var errMissing = errors.New("is missing or too large")

// readValue returns v as the column holds it, or an error that says why it cannot.
func (c Column) readValue(v any) (any, error) {
	if v == nil {
		if c.null {
			return nil, nil
		}
		return nil, fmt.Errorf("%s %w", c.Name, errMissing)
	}
	if read, ok := c.kind.readAs(v); ok {
		return read, nil
	}
	return nil, fmt.Errorf("%s holds no %s", c.Name, cmp.Or(kindWords[c.kind], string(c.kind)))
}

func (k kind) readAs(v any) (any, bool) {
	if k == kindAny {
		return v, true
	}
	switch v := v.(type) {
	case string:
		return k.readText(v)
	case int64:
		return k.readInt(v)
	case float64:
		return v, k == kindReal && store.Finite(v)
	case []byte:
		return v, k == kindDigest && len(v) == 32 || k == kindState && len(v) <= heal.MaxStateBytes || k == kindDerived && len(v) <= store.MaxDerived || k == kindPacked && len(v) <= store.MaxInput
	default:
		return nil, false
	}
}

// exactInt bounds integers: a float64 holds every smaller one exactly.
const exactInt = 1 << 53

func (k kind) readInt(n int64) (any, bool) {
	switch k {
	case kindReal:
		return float64(n), true
	case kindFlag:
		if n != 0 {
			n = 1
		}
		return n, true
	default:
		return n, k == kindInt && -exactInt <= n && n <= exactInt
	}
}

func (k kind) readText(s string) (any, bool) {
	switch k {
	case kindID:
		return store.CleanID(s), true
	case kindText:
		return store.CleanText(s, store.MaxText), true
	case kindJSON:
		return store.Clean(s), len(s) <= store.MaxJSON
	default:
		return nil, false
	}
}

// kindWords names kinds in errors, where that is another word.
var kindWords = map[kind]string{kindID: "text", kindJSON: "text of a bearable size", kindReal: "finite number",
	kindInt: "integer of a bearable size", kindState: "page state of a bearable size", kindDerived: "bytes of a bearable size", kindPacked: "bytes of a bearable size"}

// ReadRow replaces the values of a row by what the columns hold.
func ReadRow(columns []Column, values []any) error {
	for i, c := range columns {
		v, err := c.readValue(values[i])
		if err != nil {
			return err
		}
		values[i] = v
	}
	return nil
}
