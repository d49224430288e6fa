package callers

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// namedAt is a name in one of the declarations and values of another.
type namedAt struct {
	src *source.File
	i   int
	of  int // the token of the other one
}

// definitions returns the names in the declarations and values of a name outside of
// tests.
func (x *classes) definitions(name string) []namedAt {
	if got, ok := x.defined[name]; ok {
		return got
	}
	var named []namedAt
	for _, file := range x.files {
		found, _ := x.collect(file, name, func(at int) bool { return !source.AnyContains(x.suite.testsIn(file), at) })
		named = append(named, found...)
	}
	x.defined[name] = named
	return named
}

// collect returns the names in the declarations and values that a name has in a part of
// a file, and whether it has any. A value that tells nothing has the token -1: nothing,
// or the parameter of the same name, which has its own declaration.
func (x *classes) collect(src *source.File, name string, in func(at int) bool) ([]namedAt, bool) {
	var out []namedAt
	any := false
	for _, i := range src.Idents[name] {
		if !in(src.Tokens[i].Start) || src.InImport(i) {
			continue
		}
		parts := x.decidingParts(src, definitionOf(src, i))
		if len(parts) == 0 && (isPlainParameter(src, i) || isPythonParameter(src, i) && !x.isFunction(name)) {
			return append(out, namedAt{src, i, i}), true // tells nothing
		}
		for _, part := range parts {
			any = true
			if saysNothing(src, part, name) {
				out = append(out, namedAt{src, -1, i})
			}
			for j := part.first; j <= part.last; j++ {
				if text := src.Text(j); src.Kind(j) == scan.Ident && (text != name || src.IsMember(j)) && !noMember[text] {
					out = append(out, namedAt{src, j, i})
				}
			}
		}
	}
	return out, any
}

// decidingParts returns those parts of a definition that say the class. In Java and C# an
// object is of its declared class or of one below it, whatever calls its value comes from.
func (x *classes) decidingParts(src *source.File, parts []run) []run {
	if lang := src.Dialect.Scan; len(parts) < 2 || lang != scan.Java && lang != scan.CSharp {
		return parts
	}
	declared, first := parts[0].last, parts[0].first
	if first != declared-1 || !x.isType[src.Text(declared)] || src.IsMember(declared) {
		return parts // var, a type of a library, or one of several classes
	}
	return parts[:1]
}
