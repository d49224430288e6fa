package untrusted

import (
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
)

// Column is one column of a table as it is copied from a file.
type Column struct {
	Name string
	kind kind
	null bool // a NULL stays a NULL
}

// kind is the type of values that a column may hold.
type kind int

// The kinds of values.
const (
	ID      kind = iota // text that names something, see store.CleanID
	Text                // text that describes, cut to store.MaxText
	JSON                // text, at most store.MaxJSON
	Real                // finite number
	Int                 // integer that a float64 can hold, so that sums of it fit
	Flag                // integer, 0 or 1
	Digest              // 32 bytes
	State               // at most heal.MaxStateBytes
	Derived             // at most store.MaxDerived bytes
)

var errMissing = errors.New("is missing or too large")

// read returns v as the column holds it, or an error that says why it cannot.
func (c Column) read(v any) (any, error) {
	if v == nil {
		if c.null {
			return nil, nil
		}
		return nil, fmt.Errorf("%s %w", c.Name, errMissing)
	}
	if read, ok := c.kind.read(v); ok {
		return read, nil
	}
	return nil, fmt.Errorf("%s holds no %s", c.Name, c.kind)
}

func (k kind) read(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return k.readText(v)
	case int64:
		return k.readInt(v)
	case float64:
		return v, k == Real && store.Finite(v)
	case []byte:
		return v, k == Digest && len(v) == 32 || k == State && len(v) <= heal.MaxStateBytes || k == Derived && len(v) <= store.MaxDerived
	default:
		return nil, false
	}
}

// exactInt bounds integers: a float64 holds every smaller one exactly.
const exactInt = 1 << 53

func (k kind) readInt(n int64) (any, bool) {
	switch k {
	case Real:
		return float64(n), true
	case Flag:
		if n != 0 {
			n = 1
		}
		return n, true
	default:
		return n, k == Int && -exactInt <= n && n <= exactInt
	}
}

func (k kind) readText(s string) (any, bool) {
	switch k {
	case ID:
		return store.CleanID(s), true
	case Text:
		return store.CleanText(s, store.MaxText), true
	case JSON:
		return store.Clean(s), len(s) <= store.MaxJSON
	default:
		return nil, false
	}
}

func (k kind) String() string {
	return [...]string{"text", "text", "text of a bearable size", "finite number", "integer of a bearable size", "flag", "digest", "page state of a bearable size", "bytes of a bearable size"}[k]
}

// ReadRow replaces the values of a row by what the columns hold.
func ReadRow(columns []Column, values []any) error {
	for i, c := range columns {
		v, err := c.read(values[i])
		if err != nil {
			return err
		}
		values[i] = v
	}
	return nil
}

// Required is a column whose rows are left out without a value.
func Required(name string, k kind) Column { return Column{Name: name, kind: k} }

// Optional is a column that may be NULL.
func Optional(name string, k kind) Column { return Column{Name: name, kind: k, null: true} }

// Condition returns the SQL condition for a value that the column can hold
// without a change.
func (c Column) Condition() string {
	condition := ""
	switch c.kind {
	case Int:
		condition = fmt.Sprintf("typeof(%s) = 'integer' AND %[1]s BETWEEN -%[2]d AND %[2]d", c.Name, exactInt)
	case Flag:
		condition = fmt.Sprintf("typeof(%s) = 'integer' AND %[1]s BETWEEN 0 AND 1", c.Name)
	case Real:
		condition = fmt.Sprintf("typeof(%s) = 'real' AND abs(%[1]s) <= 1.7976931348623157e308", c.Name)
	default:
		return "false"
	}
	if c.null {
		condition = c.Name + " IS NULL OR " + condition
	}
	return "(" + condition + ")"
}
