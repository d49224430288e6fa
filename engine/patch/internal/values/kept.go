package values

import "github.com/breadcrumb/action/engine/patch/internal/source"

// AssignedTo returns the constant, field or variable that the tokens from first to last are the
// value of.
func AssignedTo(s *source.File, first, last int) (Constant, bool) {
	return assignedName(s, first, last)
}
