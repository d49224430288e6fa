package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// isForeign reports whether the expression that ends at token e is no object of a class of the
// project: a locator of Playwright, or in Java and C# a name that is declared as what neither
// that class nor one related to it can be.
func (r *Runner) isForeign(src *source.File, e int, class string) bool {
	if r.isLocator(src, e) {
		return true
	}
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || src.Kind(e) != scan.Ident || src.IsMember(e) && src.Text(e-2) != "this" {
		return false
	}
	if is, declared := r.declaresForeign(src, src.Text(e), class); declared {
		return is
	}
	found := false
	for _, file := range r.files {
		is, declared := r.declaresForeign(file, src.Text(e), class)
		if declared && !is {
			return false
		}
		found = found || declared
	}
	return found
}

// isLocator reports whether the expression that ends at token e is a locator of Playwright: a
// locator call that no code of the project has the name of, or what narrows one.
func (r *Runner) isLocator(src *source.File, e int) bool {
	if src.Text(e) != ")" {
		return false
	}
	c := src.Callee(src.End(e))
	name := locator.Fold(src.Text(c))
	if !src.IsMember(c) || len(r.types.definitions(src.Text(c))) > 0 {
		return false
	}
	if name == "first" || name == "last" || name == "filter" { // a list has these, too
		return r.isLocator(src, src.ReceiverEnd(c))
	}
	return locator.CallKind(name) != "" || name == "nth"
}

// declaresForeign reports whether a file declares a name, and whether it is no object of a
// class wherever it does.
func (r *Runner) declaresForeign(src *source.File, name, class string) (is, declared bool) {
	for _, i := range src.Idents[name] {
		switch {
		case isArrowParameter(src, i):
			return false, true
		case src.IsMember(i) || !isTyped(src, i) && src.Text(i-1) != "?" && src.Text(i-1) != "]":
			continue
		case src.Text(i-1) == "var" && src.Text(i+1) == "=" && r.isLocator(src, src.ExpressionEnd(i+2)):
		case !r.isForeignType(typeBefore(src, i), class):
			return false, true
		}
		declared = true
	}
	return declared, declared
}

// isArrowParameter reports whether the name at i is a parameter without a type, of a lambda.
func isArrowParameter(src *source.File, i int) bool {
	isArrow := func(i int) bool { return src.Text(i) == "=>" || src.Text(i) == "-" && src.Text(i+1) == ">" }
	open := src.Parent[i]
	inList := src.Text(open) == "(" && isArrow(src.End(open)+1) && !isTyped(src, i)
	return inList || isArrow(i+1) && !isTyped(src, i) && !src.IsMember(i)
}

// isForeignType reports whether no object of a class can have a type: one of Playwright's that
// the project does not implement, or any where the class and those related to it inherit from
// the project alone.
func (r *Runner) isForeignType(name, class string) bool {
	isParameter := len(name) < 2 || name[0] == 'T' && name[1] >= 'A' && name[1] <= 'Z'
	switch {
	case r.types.isType[name] || isParameter || anyType[name]:
		return false
	case objectsOfPlaywright[name] && !r.isImplemented(name):
		return true
	}
	for other := range r.types.outside {
		if r.types.related(other, class) {
			return false
		}
	}
	return true
}

// anyType are the words for a type that any object may have.
var anyType = scan.WordSet("var dynamic object Object final let val")

// objectsOfPlaywright are the types of Playwright's objects that pages are worked with by.
var objectsOfPlaywright = scan.WordSet("Page Locator Frame FrameLocator ElementHandle IPage ILocator IFrame IFrameLocator IElementHandle")

// isImplemented reports whether a class of the project inherits from a type.
func (r *Runner) isImplemented(name string) bool {
	return slices.ContainsFunc(r.files, func(file *source.File) bool {
		return slices.ContainsFunc(file.Idents[name], func(i int) bool { return file.Subtype(i) != "" })
	})
}
