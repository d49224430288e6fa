package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// isPlaywrights reports whether the expression that ends at token e is an object of Playwright,
// on which no member of the project's classes is called: a locator call, or in Java and C# a
// name that is declared so.
func (r *Runner) isPlaywrights(src *source.File, e int) bool {
	if r.isLocator(src, e) {
		return true
	}
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || src.Kind(e) != scan.Ident || src.IsMember(e) && src.Text(e-2) != "this" {
		return false
	}
	if is, declared := r.declaresPlaywrights(src, src.Text(e)); declared {
		return is
	}
	found := false
	for _, file := range r.files {
		is, declared := r.declaresPlaywrights(file, src.Text(e))
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

// declaresPlaywrights reports whether a file declares a name, and whether it is an object of
// Playwright wherever it does.
func (r *Runner) declaresPlaywrights(src *source.File, name string) (is, declared bool) {
	for _, i := range src.Idents[name] {
		end := i - 1
		if src.Text(end) == "?" {
			end--
		}
		switch word := src.Text(end); {
		case src.IsMember(i) || src.Kind(end) != scan.Ident && src.Text(end) != ">" && src.Text(end) != "]" || noMember[word] || word == "in" || word == "throw" || word == "yield":
			continue
		case word == "var" && src.Text(i+1) == "=" && r.isLocator(src, src.ExpressionEnd(i+2)):
		case !objectsOfPlaywright[word] || r.types.isType[word] || r.isImplemented(word):
			return false, true
		}
		declared = true
	}
	return declared, declared
}

// objectsOfPlaywright are the types of Playwright's objects that pages are worked with by.
var objectsOfPlaywright = scan.WordSet("Page Locator Frame FrameLocator ElementHandle IPage ILocator IFrame IFrameLocator IElementHandle")

// isImplemented reports whether a class of the project inherits from a type.
func (r *Runner) isImplemented(name string) bool {
	return slices.ContainsFunc(r.files, func(file *source.File) bool {
		return slices.ContainsFunc(file.Idents[name], func(i int) bool { return file.Subtype(i) != "" })
	})
}
