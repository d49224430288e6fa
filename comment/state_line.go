package comment

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// hiddenLine returns the state as a hidden line, and the state with only the
// suggestions that fit into it.
func (s State) hiddenLine() (string, State) {
	s.Ignored = s.Ignored[max(0, len(s.Ignored)-maxIgnored):]
	s.Offered = s.Offered[max(0, len(s.Offered)-maxOfferedAt):]
	s.Edits, s.Unedited = cutEdits(s.Edits, min(len(s.Edits), maxStateItems)), s.Unedited[:min(len(s.Unedited), maxStateItems)]
	for {
		text := stateStart + s.packText() + markerEnd
		if len(text) <= maxStateText || len(s.Edits)+len(s.Unedited)+len(s.Offered) == 0 {
			return text, s
		}
		if s.dropAccepted() {
			continue
		}
		if n := len(s.Offered); n > 0 {
			s.Offered = s.Offered[(n+1)/2:]
			continue
		}
		if s.Unedited = s.Unedited[:len(s.Unedited)/2]; len(s.Unedited) == 0 {
			s.Edits = cutEdits(s.Edits, len(s.Edits)*3/4)
		}
	}
}

// cutEdits returns the first n edits without those whose bundle is among the rest.
func cutEdits(edits []SavedEdit, n int) []SavedEdit {
	cut := map[string]bool{}
	for _, o := range edits[n:] {
		cut[o.Bundle] = o.Bundle != ""
	}
	return slices.DeleteFunc(slices.Clone(edits[:n]), func(o SavedEdit) bool { return cut[o.Bundle] })
}

// dropAccepted takes what is known of the elements from the last half of the edits that
// have it, and reports whether any had: the edits themselves are worth more.
func (s *State) dropAccepted() bool {
	var with []int
	for i := range s.Edits {
		if len(s.Edits[i].Accepted) > 0 {
			with = append(with, i)
		}
	}
	s.Edits = slices.Clone(s.Edits)
	for _, i := range with[len(with)/2:] {
		s.Edits[i].Accepted = nil
	}
	return len(with) > 0
}

// packText returns the state as text that holds no hyphen: nothing in it ends an
// HTML comment.
func (s State) packText() string {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	if err := json.NewEncoder(w).Encode(s); err != nil {
		panic(err) // plain strings and numbers; a buffer takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// ParseState returns the state of a sticky comment, and whether it has one that
// can be read.
func ParseState(body string) (State, bool) {
	if _, sticky := parseMarker(body); !sticky {
		return State{}, false
	}
	_, rest, _ := strings.Cut(body, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), stateStart)
	text, ends := strings.CutSuffix(text, markerEnd)
	if !ok || !ends {
		return State{}, false
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return State{}, false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxStateBytes))
	if err != nil {
		return State{}, false
	}
	var s State
	if json.Unmarshal(plain, &s) != nil || !s.isValid() {
		return State{}, false
	}
	return s, true
}
