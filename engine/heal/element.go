package heal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/breadcrumb/action/engine"
)

// Limits of what is read from a page, so that a hostile one does not cost too
// much. Page.Notes says when something was left out.
const (
	MaxElements   = 100_000 // elements of a page
	maxValueBytes = 400     // bytes of an attribute value
)

// Element is one element of a page as a browser or an HTML parser saw it, in
// document order. Its JSON form is the element record of the healing corpus:
// {"p":parent,"t":tag,"a":{attributes},"x":text,"o":own text,"b":[x,y,w,h],
// "v":1,"r":role,"n":accessible name,"l":label,"val":value}.
type Element struct {
	Parent     int // index of the parent in the same list, -1 for none
	Tag        string
	Attributes engine.Attributes
	Text       string              // text of the element and everything in it
	OwnText    string              // text that is the element's own
	BBox       *engine.BoundingBox // nil when the page was not laid out
	Visible    bool                // invisible elements are context, never candidates
	Role       string              // computed or explicit ARIA role
	Name       string              // accessible name
	Label      string              // text of the <label> that belongs to it
	Value      string
}

type elementRecord struct {
	Parent     int               `json:"p"`
	Tag        string            `json:"t"`
	Attributes engine.Attributes `json:"a"`
	Text       string            `json:"x,omitempty"`
	OwnText    string            `json:"o,omitempty"`
	Box        []float64         `json:"b,omitempty"`
	Visible    int               `json:"v"`
	Role       string            `json:"r,omitempty"`
	Name       string            `json:"n,omitempty"`
	Label      string            `json:"l,omitempty"`
	Value      string            `json:"val,omitempty"`
}

// UnmarshalJSON reads an element record; see Element.
func (e *Element) UnmarshalJSON(b []byte) error {
	r := elementRecord{Parent: -1}
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("read element record: %w", err)
	}
	return e.fill(r)
}

func (e *Element) fill(r elementRecord) error {
	if r.Tag == "" {
		return errors.New("element record has no tag (\"t\")")
	}
	*e = Element{Parent: r.Parent, Tag: r.Tag, Attributes: r.Attributes, Text: r.Text, OwnText: r.OwnText,
		Visible: r.Visible != 0, Role: r.Role, Name: r.Name, Label: r.Label, Value: r.Value}
	if len(r.Box) == 4 {
		e.BBox = &engine.BoundingBox{X: r.Box[0], Y: r.Box[1], Width: r.Box[2], Height: r.Box[3]}
	}
	return nil
}

// MarshalJSON writes an element record; see Element.
func (e Element) MarshalJSON() ([]byte, error) {
	r := elementRecord{Parent: e.Parent, Tag: e.Tag, Attributes: e.Attributes, Text: e.Text, OwnText: e.OwnText,
		Role: e.Role, Name: e.Name, Label: e.Label, Value: e.Value}
	if e.Visible {
		r.Visible = 1
	}
	if e.BBox != nil {
		r.Box = []float64{e.BBox.X, e.BBox.Y, e.BBox.Width, e.BBox.Height}
	}
	return json.Marshal(r)
}

// ReadElements reads a page as a JSON array of element records, the form a
// script in a live page returns. The error names the first record that cannot
// be read. Of a page larger than MaxElements only the first records are read.
func ReadElements(data []byte) ([]Element, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return nil, errors.New("read page elements: not a JSON list")
	}
	var elements []Element
	for decoder.More() && len(elements) <= MaxElements {
		r := elementRecord{Parent: -1} // in one pass; Element's own method would read each record twice
		var e Element
		err := decoder.Decode(&r)
		if err == nil {
			err = e.fill(r)
		}
		if err != nil {
			return nil, fmt.Errorf("page element %d: %w", len(elements), err)
		}
		elements = append(elements, e)
	}
	if len(elements) > MaxElements {
		return elements, nil
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read page elements: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("read page elements: text after the list")
	}
	return elements, nil
}
