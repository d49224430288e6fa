package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// IsOn reports whether a call whose name is token callee, behind a dot, is made for certain on
// an object of a class or of one that inherits from it, and whether it may be: in doubt it may.
// The file may be one of which literals were edited since.
func (r *Runner) IsOn(src *source.File, callee int, class string) (certain, may bool) {
	n := slices.IndexFunc(r.files, func(file *source.File) bool { return file.Path == src.Path && len(file.Tokens) == len(src.Tokens) })
	if n < 0 {
		return false, true
	}
	src, r.types.own = r.files[n], r.bodies.Own
	classes := r.types.of(src, src.ReceiverEnd(callee))
	if len(classes) == 0 {
		return false, true
	}
	isOther := func(c string) bool {
		return !slices.Contains(r.types.above(c), class) && !slices.Contains(r.types.above(class), c) // of an interface, what implements it
	}
	certain = !slices.ContainsFunc(classes, isOther)
	return certain, slices.ContainsFunc(classes, func(c string) bool { return r.types.related(c, class) })
}
