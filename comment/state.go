package comment

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// State is what a sticky comment remembers for commands and for the next run, in
// a hidden second line. Everybody with write access can change it, so whoever
// reads it proves every edit again.
type State struct {
	Head    string      `json:"head"`              // commit the edits were made for
	Edits   []SavedEdit `json:"offers,omitempty"`  // edits that may be made
	Ignored []string    `json:"ignored,omitempty"` // ids of ignored edits, oldest first

	Offered  []OfferedAt    `json:"known,omitempty"`    // by this run and earlier ones, oldest first
	Unedited []SavedElement `json:"unedited,omitempty"` // suggested elements without an offered edit
	Fork     bool           `json:"fork,omitempty"`     // the head cannot be committed to

	Writer *Writer `json:"run,omitempty"` // run that wrote the comment, nil in one of an older version
}

// OfferedAt says at which commit an edit was offered last: a later run looks there
// whether somebody took it.
type OfferedAt struct {
	ID   string `json:"id"`
	Head string `json:"head"`
}

// SavedEdit is an offered edit as it is remembered.
type SavedEdit struct {
	SavedElement
	Bundle   string `json:"bundle,omitempty"` // as of an outcome.OfferedEdit: edits with one are made together
	Path     string `json:"path"`             // from the repository's top
	Blob     string `json:"blob"`             // git's hash of the file
	Line     int    `json:"line"`
	Start    int    `json:"start"` // byte offset of the literal
	Old      string `json:"old"`   // source text of the literal
	New      string `json:"new"`
	InReview bool   `json:"suggested,omitempty"` // posted in a review
	Changed  bool   `json:"changed,omitempty"`   // a suggestion, whose element means something else now: made only by its box or id

	Accepted []engine.Fingerprint `json:"accepted,omitempty"` // what is known of the element for the new locator, in each test
}

// SavedElement is the element that an edit or a suggestion names.
type SavedElement struct {
	ID        string `json:"id"`
	Test      string `json:"test"`
	Locator   string `json:"locator,omitempty"`   // the lost one, as the store knows it
	Signature string `json:"signature,omitempty"` // of the element, "" when it is not known
	Shared    bool   `json:"shared,omitempty"`    // by several tests

	Was string `json:"was,omitempty"` // with Now how it differs, in the texts of heal.Lesson: what a person teaches who takes the edit; "" for none
	Now string `json:"now,omitempty"`
}

const (
	stateStart = "<!-- breadcrumb:state v1 "

	maxStateText  = 16 << 10 // bytes of the hidden line
	maxStateBytes = 1 << 20  // bytes of its JSON
	maxStateItems = 1000     // suggestions, and ignored ids
	maxIgnored    = 200
	maxOfferedAt  = 100
)

var (
	idForm   = lazyregexp.New(`^[0-9a-f]{8}$`)
	blobForm = lazyregexp.New(`^[0-9a-f]{40}$`)

	signatureForm = lazyregexp.New(`^([0-9a-f]{16})?$`)
)

// NewState returns the state of a run at its pull request's head. placed are the
// ids of the edits that are in a review. Ignored edits and elements are left out,
// and so are the edits that no command can make, unless they are in the review.
func NewState(run outcome.Run, placed map[string]bool, ignored []string) State {
	s := State{Head: run.Info.HeadSHA, Ignored: ignored, Fork: run.Info.Fork}
	for _, u := range run.Unedited {
		if !slices.Contains(ignored, u.ID) {
			s.Unedited = append(s.Unedited, SavedElement{ID: u.ID, Test: string(u.Test), Locator: u.Locator, Signature: u.Signature})
		}
	}
	for _, o := range run.Edits {
		if o.IsAmong(ignored) || o.Unproven != "" && !placed[o.ID] {
			continue
		}
		edit := NewSavedEdit(o)
		edit.InReview = placed[o.ID]
		s.Edits = append(s.Edits, edit)
	}
	return s
}

// NewSavedEdit returns an offered edit as it is remembered.
func NewSavedEdit(o outcome.OfferedEdit) SavedEdit {
	return SavedEdit{
		SavedElement: elementOf(o), Bundle: o.Bundle,
		Path: o.Path, Blob: o.Blob, Line: o.Edit.Line, Start: o.Edit.Start,
		Old: o.Edit.Old, New: o.Edit.New, Changed: o.Changed != "", Accepted: o.Accepted,
	}
}

// RememberOffered adds the edits to what was remembered of those that were offered
// before.
func (s *State) RememberOffered(before []OfferedAt) {
	s.Offered = slices.DeleteFunc(slices.Clone(before), func(o OfferedAt) bool {
		_, again := s.Find(o.ID)
		return again || slices.Contains(s.Ignored, o.ID)
	})
	for _, e := range s.Edits {
		s.Offered = append(s.Offered, OfferedAt{e.ID, s.Head})
	}
}

// elementOf returns the element of an edit.
func elementOf(o outcome.OfferedEdit) SavedElement {
	return SavedElement{ID: o.ID, Test: string(o.Tests[0]), Locator: o.Locator, Signature: o.Signature, Shared: len(o.Tests) > 1, Was: o.Was, Now: o.Now}
}

// HasContent reports whether there is anything to remember.
func (s State) HasContent() bool { return s.Writer != nil || s.hasSuggestions() }

// hasSuggestions reports whether anything was suggested or ignored.
func (s State) hasSuggestions() bool {
	return commitForm.MatchString(s.Head) && len(s.Edits)+len(s.Unedited)+len(s.Ignored)+len(s.Offered) > 0
}

// Ignore adds an id to those that are ignored, for an edit that of its bundle.
func (s *State) Ignore(id string) {
	if edit, ok := s.Find(id); ok && edit.Bundle != "" {
		id = edit.Bundle
	}
	if !slices.Contains(s.Ignored, id) {
		s.Ignored = append(s.Ignored, id)
	}
	s.Offered = slices.DeleteFunc(s.Offered, func(o OfferedAt) bool { return o.ID == id })
	s.Edits = slices.DeleteFunc(s.Edits, func(o SavedEdit) bool { return o.ID == id || o.Bundle == id })
	s.Unedited = slices.DeleteFunc(s.Unedited, func(e SavedElement) bool { return e.ID == id })
}

// Elements returns the elements of the edits, and those without one.
func (s State) Elements() []SavedElement {
	var list []SavedElement
	for _, e := range s.Edits {
		list = append(list, e.SavedElement)
	}
	return append(list, s.Unedited...)
}

// Find returns the suggestion with the id.
func (s State) Find(id string) (SavedEdit, bool) {
	if i := slices.IndexFunc(s.Edits, func(o SavedEdit) bool { return o.ID == id }); i >= 0 {
		return s.Edits[i], true
	}
	return SavedEdit{}, false
}

// Names reports whether an id is that of an edit or of an element without one.
func (s State) Names(id string) bool {
	return slices.ContainsFunc(s.Elements(), func(e SavedElement) bool { return e.ID == id })
}

// isOfHead reports whether the state names the commit that its edits are made for, or
// has none.
func (s State) isOfHead() bool {
	return commitForm.MatchString(s.Head) || s.Head == "" && s.Writer != nil && len(s.Edits)+len(s.Unedited) == 0
}

// isValid reports whether every part is well-formed.
func (s State) isValid() bool {
	return s.isOfHead() && s.Writer.isValid() && len(s.Edits) <= maxStateItems && len(s.Unedited) <= maxStateItems && len(s.Ignored) <= maxStateItems &&
		len(s.Offered) <= maxStateItems && !slices.ContainsFunc(s.Offered, func(o OfferedAt) bool { return !idForm.MatchString(o.ID) || !commitForm.MatchString(o.Head) }) &&
		!slices.ContainsFunc(s.Ignored, func(id string) bool { return !idForm.MatchString(id) }) &&
		!slices.ContainsFunc(s.Elements(), func(e SavedElement) bool { return !idForm.MatchString(e.ID) || !signatureForm.MatchString(e.Signature) }) &&
		!slices.ContainsFunc(s.Edits, func(o SavedEdit) bool {
			return !blobForm.MatchString(o.Blob) || !isRepositoryPath(o.Path) || o.Line < 1 || o.Start < 0
		})
}

// isValid reports whether every part is well-formed. Nobody is a writer of no run.
func (w *Writer) isValid() bool {
	return w == nil || w.Run > 0 && (w.Head == "" || commitForm.MatchString(w.Head)) && len(w.Job) == 16
}
