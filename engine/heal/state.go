package heal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// MaxStateBytes is the size a stored page state never exceeds.
const MaxStateBytes = 40 << 10

// stateHeader names the format of a page state.
const stateHeader = "bcps1\n"

// maxStateRaw bounds what reading a page state unpacks.
const maxStateRaw = 16 << 20

// stateCuts say how much of a page is kept: bytes of a text, bytes of an attribute
// value, and elements. They are tried until the state is small enough.
var stateCuts = []struct{ text, value, elements int }{
	{phraseBytes, 100, MaxElements}, {96, 60, MaxElements}, {48, 40, MaxElements}, {32, 24, 4000}, {24, 16, 1500}, {16, 8, 500},
}

// State returns the part of a page that is needed to heal its elements later, at
// most MaxStateBytes: texts as they are written and attributes, cut, and roles and
// boxes. It has no markup, no styles, and nothing that people typed. ReadState reads
// it.
func (p *Page) State() ([]byte, error) {
	for _, cut := range stateCuts {
		n := min(len(p.elements), cut.elements)
		kept := make([]Element, n)
		for i := range kept {
			kept[i] = p.elements[i].reduced(cut.text, cut.value)
		}
		packed, err := packState(kept)
		if err != nil {
			return nil, err
		}
		if len(packed) <= MaxStateBytes {
			return packed, nil
		}
	}
	return nil, errors.New("page state does not fit: the page's elements are too large")
}

// stateWriters are kept for the next state: a new one takes 0.8 MB, far more than it writes.
var stateWriters = sync.Pool{New: func() any {
	z, _ := flate.NewWriter(nil, flate.BestCompression) // never fails at this level
	return z
}}

func packState(elements []Element) ([]byte, error) {
	b := bytes.NewBufferString(stateHeader)
	z := stateWriters.Get().(*flate.Writer)
	defer stateWriters.Put(z)
	z.Reset(b)
	err := json.NewEncoder(z).Encode(elements)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack page state: %w", err)
	}
	return b.Bytes(), nil
}

// ReadState returns the page a state was made of, as far as it was kept. The
// indexes of its elements are those of the page.
func ReadState(state []byte) (*Page, error) {
	rest, ok := bytes.CutPrefix(state, []byte(stateHeader))
	if !ok {
		return nil, fmt.Errorf("read page state: want it to begin with %q", stateHeader)
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(rest)), maxStateRaw+1))
	if err != nil {
		return nil, fmt.Errorf("read page state: %w", err)
	}
	if len(raw) > maxStateRaw {
		return nil, fmt.Errorf("read page state: more than %d bytes unpacked", maxStateRaw)
	}
	elements, err := ReadElements(raw)
	if err != nil {
		return nil, fmt.Errorf("read page state: %w", err)
	}
	return NewPage(elements), nil
}

// reduced returns what a page state keeps of an element.
func (e *Element) reduced(text, value int) Element {
	short := func(s string) string { return token.Cut(strings.Join(strings.Fields(token.Cut(s, 4*text)), " "), text) }
	r := Element{Parent: e.Parent, Tag: token.Cut(e.Tag, 40), Text: short(e.Text), OwnText: short(e.OwnText), Visible: e.Visible,
		Role: token.Cut(e.Role, 40), Name: short(e.Name), Label: short(e.Label), BBox: e.BBox}
	for _, a := range e.Attributes[:min(len(e.Attributes), engine.MaxAttributes)] {
		if a.Name == "style" || a.Name == "value" && typed(e) || len(a.Name) > 40 {
			continue
		}
		r.Attributes = append(r.Attributes, engine.Attribute{Name: a.Name, Value: token.Cut(a.Value, value)})
	}
	return r
}

// typed reports whether an element's value is what a person typed.
func typed(e *Element) bool {
	if e.Tag != "input" && e.Tag != "textarea" {
		return false
	}
	typ, _ := e.Attributes.Get("type")
	return !isButtonType(typ) && typ != "checkbox" && typ != "radio"
}
