package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// declaredType returns the class that the variable, field, property or method which the name at
// token e means is declared with: in the member around it, in its class or in one above. What
// it is given, or what others call by that name, says nothing of it. It knows those of Java
// and C#.
func (x *typeIndex) declaredType(src *source.File, e int) (class string, ok bool) {
	isOwn := src.IsMember(e) && src.Text(e-2) == "this"
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || src.IsMember(e) && !isOwn {
		return "", false
	}
	if !isOwn {
		if variables, certain := variablesNamed(src, e); len(variables) > 0 || !certain {
			class, ok = x.typeOfAll(src, variables)
			return class, ok && certain
		}
	}
	for _, owner := range x.above(src.ClassAround(e)) {
		for _, file := range x.files {
			declared := slices.DeleteFunc(slices.Clone(file.Idents[src.Text(e)]), func(i int) bool {
				return !isDeclaredIn(file, i, owner) || (file.Text(i+1) == "(") != (src.Text(e+1) == "(")
			})
			if len(declared) > 0 {
				return x.typeOfAll(file, declared)
			}
		}
	}
	return "", false
}

// typeOfAll returns the class that all of the names at tokens of a file are declared with.
func (x *typeIndex) typeOfAll(file *source.File, names []int) (class string, ok bool) {
	for _, i := range names {
		of := typeBefore(file, i)
		if !x.isType[of] || class != "" && of != class {
			return "", false
		}
		class = of
	}
	return class, class != ""
}

// isDeclaredIn reports whether the name at i is that of a member which a class declares.
func isDeclaredIn(file *source.File, i int, class string) bool {
	open := file.Parent[i]
	return class != "" && file.IsTypeBody(open) && file.TypeName(open) == class && (isTyped(file, i) || file.Text(i-1) == "?" && file.Kind(i-2) == scan.Ident)
}

// variablesNamed returns where variables and parameters are declared with a type in the member
// around the name at token e, by that name: a loop's, a pattern's, too. It is not certain where
// a lambda of the file has a parameter of the name without one.
func variablesNamed(src *source.File, e int) (declared []int, certain bool) {
	body := memberAround(src, e)
	for _, j := range src.Idents[src.Text(e)] {
		around := memberAround(src, j)
		switch {
		case isArrowParameter(src, j):
			return nil, false
		case src.IsMember(j) || src.IsTypeBody(src.Parent[j]) || !isTyped(src, j):
		case around == body || src.Text(around) == "(" && bodyBehind(src, around) == body:
			declared = append(declared, j)
		}
	}
	return declared, true
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
