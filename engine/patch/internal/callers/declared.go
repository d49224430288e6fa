package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// declaredType returns the class that the field, property or method which the name at token e
// means is declared with, in the class around it or in one above: what other classes call by
// that name says nothing of it. It knows those of Java and C#.
func (x *typeIndex) declaredType(src *source.File, e int) (class string, ok bool) {
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || src.IsMember(e) && src.Text(e-2) != "this" || !src.IsMember(e) && hidesMember(src, e) {
		return "", false
	}
	for _, owner := range x.above(src.ClassAround(e)) {
		class, found := "", false
		for _, file := range x.files {
			for _, i := range file.Idents[src.Text(e)] {
				if !isDeclaredIn(file, i, owner) || (file.Text(i+1) == "(") != (src.Text(e+1) == "(") {
					continue
				}
				if of := typeBefore(file, i); found && of != class || !x.isType[of] {
					return "", false
				}
				class, found = typeBefore(file, i), true
			}
		}
		if found {
			return class, true
		}
	}
	return "", false
}

// isDeclaredIn reports whether the name at i is that of a member which a class declares.
func isDeclaredIn(file *source.File, i int, class string) bool {
	open := file.Parent[i]
	return class != "" && file.IsTypeBody(open) && file.TypeName(open) == class && (isTyped(file, i) || file.Text(i-1) == "?" && file.Kind(i-2) == scan.Ident)
}

// hidesMember reports whether a variable or parameter of any kind may have the name at token e
// in the member around it: a loop's, a lambda's, a pattern's.
func hidesMember(src *source.File, e int) bool {
	body := memberAround(src, e)
	return slices.ContainsFunc(src.Idents[src.Text(e)], func(j int) bool {
		switch isArrow := isArrowParameter(src, j); {
		case src.IsMember(j):
			return false
		case isArrow || src.IsTypeBody(src.Parent[j]):
			return isArrow
		}
		around := memberAround(src, j)
		return isTyped(src, j) && (around == body || src.Text(around) == "(" && bodyBehind(src, around) == body)
	})
}

// memberAround returns the bracket of a member's parameters or code that a token is in.
func memberAround(src *source.File, i int) int {
	open := src.Parent[i]
	for open >= 0 && !src.IsTypeBody(src.Parent[open]) {
		open = src.Parent[open]
	}
	return open
}

// typeBefore returns the type that stands before the name at i, without the types it has.
func typeBefore(file *source.File, i int) string {
	before := i - 1
	if file.Text(before) == "?" {
		before--
	}
	if file.Text(before) == ">" {
		before = file.AngleStart(before) - 1
	}
	return file.Text(before)
}

// isSetAt reports whether the name at i is set where an object of C# is made: new() { State = x }.
func isSetAt(src *source.File, i int) bool {
	return isInitialiser(src, src.Parent[i]) && src.Text(i+1) == "="
}

// isReadOnly reports whether a member is a property of C# that only gives a value, State => x.
func (m member) isReadOnly() bool {
	is := false
	for _, i := range m.file.Idents[m.name] {
		if isDeclaredIn(m.file, i, m.class) {
			if is = m.file.Text(i+1) == "=>"; !is {
				return false
			}
		}
	}
	return is
}
