package values

import "github.com/breadcrumb/action/engine/patch/internal/source"

// AssignedTo returns the constant, field or variable that the tokens from first to last are the
// value of.
func AssignedTo(s *source.File, first, last int) (Constant, bool) {
	return assignedName(s, first, last)
}

// KeptBy returns the field that no other file knows and that has the tokens from first to last,
// or the property or function that gives them and does nothing else.
func KeptBy(s *source.File, first, last int) (Constant, bool) {
	if k, ok := assignedName(s, first, last); ok {
		return k, k.IsHidden(s)
	}
	if k, ok := givenName(s, first, last); ok {
		return k, true
	}
	return ReturnedBy(s, first, last)
}
