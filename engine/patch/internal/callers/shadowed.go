package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// noType are the words that stand before a name and are no type of it.
var noType = scan.WordSet("return await throw yield else do goto case new assert is as not and or in out ref when select where from on by into equals instanceof typeof nameof default import using package namespace")

// isHidden reports whether the bare name at i is not a member of its name, but a variable or
// what another record is made of.
func (r *Runner) isHidden(src *source.File, i int, m member) bool {
	if class := madeWith(src, i); class != "" {
		return !r.types.related(class, m.class)
	}
	return isVariable(src, i)
}

// isVariable reports whether the bare name at i is a parameter or a variable of the code
// around it, which hides the members of that name. It knows those of Java and C#.
func isVariable(src *source.File, i int) bool {
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || isQualified(src, i) {
		return false
	}
	if isParameterAt(src, i) || isLocalAt(src, i) {
		return true
	}
	return slices.ContainsFunc(src.Idents[src.Text(i)], func(j int) bool {
		switch {
		case j >= i || isQualified(src, j):
			return false
		case isLocalAt(src, j):
			return isInside(src, i, src.Parent[j])
		}
		return isParameterAt(src, j) && isInside(src, i, bodyBehind(src, src.Parent[j]))
	})
}

// bodyBehind returns the brace of the method whose parameters are in the parenthesis at open,
// -1 for none.
func bodyBehind(src *source.File, open int) int {
	body := src.End(open) + 1
	for src.Text(body) == "," || src.Kind(body) == scan.Ident || src.Text(body) == "." {
		body++
	}
	if src.Text(body) != "{" {
		return -1
	}
	return body
}

// isQualified reports whether the name at i belongs to what stands before it, or is set
// where an object is made: those are members, whatever variables there are.
func isQualified(src *source.File, i int) bool {
	before := src.Text(i - 1)
	return src.IsMember(i) || before == ":" || before == "::" || isInitialiser(src, src.Parent[i])
}

// isInside reports whether token i is in the brace at open.
func isInside(src *source.File, i, open int) bool {
	for at := src.Parent[i]; at >= 0; at = src.Parent[at] {
		if at == open {
			return true
		}
	}
	return false
}

// isTyped reports whether a type may stand before the name at i.
func isTyped(src *source.File, i int) bool {
	before := i - 1
	if src.Text(before) == ">" {
		before = src.AngleStart(before) - 1
	}
	return src.Kind(before) == scan.Ident && !noType[src.Text(before)]
}

// isParameterAt reports whether a parameter of a method is declared at i. What stands behind
// the name of a record is a member of it.
func isParameterAt(src *source.File, i int) bool {
	if !isTypedArgument(src, i) || madeWith(src, i) != "" {
		return false
	}
	open := src.Parent[i]
	name := open - 1
	if src.Kind(name) != scan.Ident || noMember[src.Text(name)] || src.IsMember(name) || !isTyped(src, name) && !isConstructor(src, name) {
		return false // a call, or the head of a statement
	}
	after := src.Text(src.End(open) + 1)
	return after == "{" || after == "=>" || after == "throws"
}

// isTypedArgument reports whether a type and the name at i stand in a parenthesis, as a
// parameter does.
func isTypedArgument(src *source.File, i int) bool {
	next := src.Text(i + 1)
	return src.Text(src.Parent[i]) == "(" && (next == "," || next == ")" || next == "=") && isTyped(src, i)
}

// madeWith returns the name of the record or class behind whose name the one at i is declared:
// record Account(string Email).
func madeWith(src *source.File, i int) string {
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp || !isTypedArgument(src, i) {
		return ""
	}
	name := src.Parent[i] - 1
	if src.Text(name) == ">" {
		name = src.AngleStart(name) - 1
	}
	if class, ok := src.DeclaredType(name - 1); ok && class == src.Text(name) {
		return class
	}
	return ""
}

// isConstructor reports whether the name at i is that of the class in whose body it stands.
func isConstructor(src *source.File, i int) bool {
	return src.Text(i) == src.TypeName(src.Parent[i])
}

// isLocalAt reports whether a statement declares a variable at i: Type name = value;
func isLocalAt(src *source.File, i int) bool {
	open, next := src.Parent[i], src.Text(i+1)
	if src.Text(open) != "{" || src.IsTypeBody(open) || next != "=" && next != ";" || !isTyped(src, i) {
		return false
	}
	first := i - 1
	if src.Text(first) == ">" {
		first = src.AngleStart(first) - 1
	}
	for src.IsMember(first) {
		first -= 2
	}
	if src.Text(first-1) == "final" {
		first--
	}
	before := src.Text(first - 1)
	return before == "{" || before == ";" || before == "}"
}
