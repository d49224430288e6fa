package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// run is tokens first to last.
type run struct{ first, last int }

// definitionOf returns the tokens that say what the name at i stands for, where it is
// declared or gets a value: its type, its value, or the code of the function.
func definitionOf(src *source.File, i int) []run {
	var out []run
	next := src.Text(i + 1)
	typed := src.Dialect.Scan == scan.Java || src.Dialect.Scan == scan.CSharp
	if end := i - 1; typed && !src.IsMember(i) && (src.Kind(end) == scan.Ident && !noMember[src.Text(end)] || src.Text(end) == ">" && src.Text(end-1) != "-") { // not -> name
		out = append(out, run{min(end, src.AngleStart(end)) - 1, end}) // Type name
	}
	switch {
	case src.Dialect.Scan == scan.Go:
		return append(out, goDefinition(src, i)...)
	case next == "=" || next == "=>" || next == ":" && !src.IsMember(i), (next == "?" || next == "!") && src.Text(i+2) == ":":
		return append(out, run{i + 1, partEnd(src, i+1)})
	case next != "(":
	case src.Text(i-1) == "def":
		return append(out, run{i + 1, max(i+1, src.TokenFrom(src.Block(src.LineOf(i)).End)-1)})
	case !src.IsMember(i):
		end := src.End(i + 1)
		for j := end + 1; j < min(end+40, len(src.Tokens)); j++ {
			if text := src.Text(j); text == "{" || text == "=>" {
				return append(out, run{end + 1, max(src.End(j), partEnd(src, j))})
			} else if text == ";" || text == ")" || text == "}" || text == "," || text == "." {
				break
			}
		}
	}
	return out
}

// goDefinition is definitionOf for Go.
func goDefinition(src *source.File, i int) []run {
	next := src.Text(i + 1)
	switch {
	case next == "(" && (src.Text(i-1) == "func" || src.Text(i-1) == ")" && src.Parent[i] < 0):
		end := src.End(i + 1)
		j := end + 1
		for j < len(src.Tokens) && src.Text(j) != "{" {
			j++
		}
		return []run{{end + 1, j - 1}}
	case src.IsMember(i) && next != "=":
		return nil
	case next == "=" || next == ":":
		return []run{{i + 1, partEnd(src, i+1)}}
	case next == "," && src.Parent[i] >= 0 && src.Text(src.Parent[i]) == "{":
		for j := i + 1; j < min(i+12, len(src.Tokens)) && (src.Text(j) == "," || src.Kind(j) == scan.Ident || src.Text(j) == ":" || src.Text(j) == "="); j++ {
			if src.Text(j) == "=" {
				return []run{{j, lineEnd(src, j)}}
			}
		}
	case (src.Kind(i+1) == scan.Ident || next == "*") && !src.BreaksLine(i):
		return []run{{i + 1, min(partEnd(src, i+1), i+8)}}
	}
	return nil
}

// lineEnd returns the last token of the line, or of the brackets that end on it.
func lineEnd(src *source.File, i int) int {
	for ; i+1 < len(src.Tokens) && !src.BreaksLine(i); i++ {
		i = max(i, src.End(i))
	}
	return min(i, len(src.Tokens)-1)
}

// maxPart bounds the tokens of a type or value.
const maxPart = 400

// partEnd returns the last token of the type or value that begins at i.
func partEnd(src *source.File, i int) int {
	for n := 0; i+1 < len(src.Tokens) && n < maxPart; n++ {
		i = max(i, src.End(i))
		text := src.Text(i + 1)
		closes := i+1 < len(src.Tokens) && src.Tokens[i+1].Closes
		ends := src.BreaksLine(i) && src.Text(i) != "=" && src.Text(i) != "=>" && text != "." && text != "?" && text != ":" && text != "=>" && text != "{" && text != "|"
		if closes || text == "," || text == ";" || ends {
			return i
		}
		i++
	}
	return min(i, len(src.Tokens)-1)
}

// saysNothing reports whether a value is that of nothing, of a parameter of the name, or
// a new object of the declared type.
func saysNothing(src *source.File, part run, name string) bool {
	i := part.first
	if src.Text(i) == ":" || src.Text(i) == "=" {
		i++
	}
	if src.Text(i) == "=" {
		i++
	}
	switch src.Text(i) {
	case "new":
		return src.Text(i+1) == "("
	case "null", "None", "undefined", "nil":
		return true
	}
	return src.Text(i) == name && i == part.last
}

// isPlainParameter reports whether the name at i is a parameter without a type, which is
// no fixture: in a script one that is not taken out of an object.
func isPlainParameter(src *source.File, i int) bool {
	open := src.Parent[i]
	if !src.Dialect.IsScript() || src.Text(open) != "(" {
		return false
	}
	if before := src.Text(i - 1); before != "(" && before != "," && before != "." {
		return false
	}
	after := src.Text(src.End(open) + 1)
	return after == "{" || after == "=>"
}

// isPythonParameter reports whether the name at i is a parameter of a function in Python.
func isPythonParameter(src *source.File, i int) bool {
	open := src.Parent[i]
	return src.Dialect.Scan == scan.Python && src.Text(open) == "(" && src.Text(open-2) == "def" && !selfNames[src.Text(i)]
}

// isFunction reports whether a file defines a function of Python by a name, as those of
// pytest's fixtures are.
func (x *classes) isFunction(name string) bool {
	return slices.ContainsFunc(x.files, func(src *source.File) bool {
		return slices.ContainsFunc(src.Idents[name], func(i int) bool { return src.Text(i-1) == "def" })
	})
}
