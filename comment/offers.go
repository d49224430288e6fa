package comment

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/breadcrumb/action/engine/outcome"
)

// MaxOffersBytes bounds the text of [Offers], in bytes.
const MaxOffersBytes = 4 << 20

// Offers are the edits that one run offered and the elements that it named, as the run
// itself keeps them where the forge vouches for who saved them. A comment can be changed
// by every job and everybody with write access, so what it remembers is believed only
// where a run said it.
type Offers struct {
	Head     string         `json:"head"` // commit the edits were made for
	Edits    []SavedEdit    `json:"offers"`
	Elements []NamedElement `json:"elements,omitempty"` // of these edits, of those that no command can make, and without one
	Fork     bool           `json:"fork,omitempty"`     // the head is a fork's, whose tests said all of it
}

// NamedElement is an element that a run named.
type NamedElement struct {
	SavedElement
	Suggested bool `json:"suggested,omitempty"` // not healed
}

// NewOffers returns what a run offers.
func NewOffers(run outcome.Run) Offers {
	s := NewState(run, nil, nil)
	o := Offers{Head: s.Head, Edits: s.Edits, Fork: s.Fork}
	for _, e := range run.Edits {
		o.Elements = append(o.Elements, NamedElement{elementOf(e), e.Changed != ""})
	}
	for _, e := range s.Unedited {
		o.Elements = append(o.Elements, NamedElement{e, true})
	}
	return o
}

// Empty reports whether nothing is offered or named.
func (o Offers) Empty() bool { return len(o.Edits)+len(o.Elements) == 0 }

// Names reports whether an element is one of those that the run named, and whether it
// was only suggested.
func (o Offers) Names(e SavedElement) (suggested, ok bool) {
	i := slices.IndexFunc(o.Elements, func(n NamedElement) bool { return n.SavedElement == e })
	return i >= 0 && o.Elements[i].Suggested, i >= 0
}

// Pack returns the offers as a text that [ParseOffers] reads. Where it would be too long,
// it holds nothing that is known of elements.
func (o Offers) Pack() []byte {
	text := jsonOf(o)
	if len(text) <= MaxOffersBytes {
		return text
	}
	o.Edits = slices.Clone(o.Edits)
	for i := range o.Edits {
		o.Edits[i].Accepted = nil
	}
	return jsonOf(o)
}

func jsonOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // plain strings and numbers
	}
	return text
}

// ParseOffers returns the offers that a text holds, and whether it holds any.
func ParseOffers(text []byte) (Offers, bool) {
	var o Offers
	if len(text) > MaxOffersBytes || json.Unmarshal(text, &o) != nil {
		return Offers{}, false
	}
	return o, commitForm.MatchString(o.Head)
}

// Holds reports whether an edit that a comment remembers for a head is one of the offers,
// in all that it does. The comment on a commit with other edits of the same run has the
// file's new text and the literal's new place: then the literal must stand in that text
// once.
func (o Offers) Holds(s SavedEdit, head string, text []byte) bool {
	return slices.ContainsFunc(o.Edits, func(offered SavedEdit) bool {
		offered.InReview = s.InReview // says only where it is shown
		if o.Head == head {
			return offered.is(s)
		}
		offered.Blob, offered.Line, offered.Start = s.Blob, s.Line, s.Start
		return offered.is(s) && bytes.Count(text, []byte(s.Old)) == 1
	})
}

// is reports whether two edits are one. A comment may have no room for what is known of
// the element.
func (s SavedEdit) is(remembered SavedEdit) bool {
	if len(remembered.Accepted) == 0 {
		s.Accepted = nil
	}
	return bytes.Equal(jsonOf(s), jsonOf(remembered))
}
