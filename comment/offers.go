package comment

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/breadcrumb/action/engine/outcome"
)

// MaxOffersBytes bounds the text of [Offers], in bytes.
const MaxOffersBytes = 4 << 20

// Offers are the edits that one run offered, as the run itself keeps them where the
// forge vouches for who saved them. A comment can be changed by every job and everybody
// with write access, so what it remembers is made only where a run offered it.
type Offers struct {
	Head  string      `json:"head"` // commit the edits were made for
	Edits []SavedEdit `json:"offers"`
}

// NewOffers returns what a run offers.
func NewOffers(run outcome.Run) Offers {
	s := NewState(run, nil, nil)
	return Offers{Head: s.Head, Edits: s.Edits}
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
