package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// maxNames bounds how often names are followed to other names.
const maxNames = 8

// nameOwners finds what the constant's class or object is called in the files, and
// returns false when an object is used as a whole, so that its names are not known.
func (f *follower) nameOwners() bool {
	if f.owner != "" {
		f.names[f.owner] = true
	}
	f.family[f.owner] = f.owner != "" && !f.entry
	if f.owner != "" && !f.entry && !f.static {
		f.above[f.owner] = true
	}
	for _, in := range f.files {
		f.nameImports(in)
	}
	for round := 0; round < maxNames; round++ {
		known := len(f.names) + len(f.family) + len(f.above)
		for _, in := range f.files {
			if !f.entry {
				f.addFamily(in)
			} else if !f.addAliases(in) {
				return false
			}
		}
		if len(f.names)+len(f.family)+len(f.above) == known {
			return true
		}
	}
	return false
}

// nameImports adds the names under which a file imports the class or object.
func (f *follower) nameImports(in *source.File) {
	for _, j := range in.Idents[f.owner] {
		if in.Text(j+1) == "as" && in.InImport(j) {
			f.names[in.Text(j+2)] = true
		}
	}
	if f.tree == nil || !in.Dialect.IsScript() || f.owner != "" && len(f.parents) > 0 {
		return
	}
	for _, name := range callers.DefaultImportNames(f.tree, in, f.own.Path) {
		f.names[name] = true
	}
}

// addFamily adds the classes of a file that inherit from one of the family, and those
// that the constant's own class inherits from: their code takes what it overrides.
func (f *follower) addFamily(in *source.File) {
	for class := range f.family {
		for _, i := range in.Idents[class] {
			if name := subclassAt(in, i); name != "" {
				f.family[name] = true
			}
		}
	}
	for class := range f.above {
		for _, base := range basesOf(in, class) {
			f.family[base], f.above[base] = true, true
		}
	}
}

// basesOf returns the types that a class of the file inherits from.
func basesOf(in *source.File, class string) (bases []string) {
	for _, i := range in.Idents[class] {
		first, end := i+1, in.HeaderEnd(i)
		if in.Dialect.Scan == scan.Python && in.Text(i-1) == "class" {
			first, end = i+2, in.End(i+1)
		}
		for j := first; j < end; j = in.Next(j) {
			if in.Text(j) == "<" {
				j = max(j, in.AngleEnd(j))
			} else if in.Kind(j) == scan.Ident && subclassAt(in, j) == class {
				bases = append(bases, in.Text(j))
			}
		}
	}
	return bases
}

// subclassAt returns the class that inherits from the one named at i, "" for none.
func subclassAt(in *source.File, i int) string {
	if in.Dialect.Scan != scan.Python {
		return in.Subtype(i)
	}
	if open := in.Parent[i]; open > 1 && in.Text(open-2) == "class" {
		return in.Text(open - 1)
	}
	return ""
}

// addAliases adds the names that a file gives to the object, and returns false when it
// uses the object as a whole in another way.
func (f *follower) addAliases(in *source.File) bool {
	names := slices.Clone(f.parents)
	for name := range f.names {
		names = append(names, name)
	}
	for _, name := range names {
		for _, j := range in.Idents[name] {
			if !f.isWhole(in, j) {
				continue
			}
			first := in.Leftmost(j)
			if takesEntries(in, first) && f.names[name] {
				continue
			}
			alias, _ := in.Assignee(first - 1)
			if in.Text(first-1) != "=" || alias == "" || alias == "exports" || slices.Contains(f.parents, name) {
				return false
			}
			f.names[alias] = true
		}
	}
	return true
}

// isWhole reports whether the name at j is the object itself, used as a value.
func (f *follower) isWhole(in *source.File, j int) bool {
	next, before := in.Text(j+1), in.Text(j-1)
	open := in.Parent[j]
	switch {
	case in.InImport(j), before == "default", before == "typeof", before == "namespace", before == "module", next == ":", next == "(", next == "[",
		before == "=" && in.Text(j-2) == "exports", f.isExported(in, open):
		return false
	case next == "." || next == "?.":
		return wholeObject[in.Text(j+2)] && in.Text(j+3) == "(" && !getsEntry(in, j)
	case next == "=", next == "|" || next == "&" && in.Text(j+2) == "=":
		return false
	case in.IsMember(j):
		x := in.Text(in.ReceiverEnd(j))
		return f.names[x] || slices.Contains(f.parents, x) || selfNames[x] && in.Text(j) != f.owner
	}
	return in.Kind(j+1) != scan.Ident || in.BreaksLine(j) || next == "as" || next == "satisfies" || next == "in" || next == "of"
}

// takesEntries reports whether named entries are taken out of the object that the expression
// at token first is, and no more: const { name, other: x } = selectors.
func takesEntries(in *source.File, first int) bool {
	end := first - 2
	if !in.Dialect.IsScript() || in.Text(first-1) != "=" || in.Text(end) != "}" || in.Text(in.End(end)-2) == "export" {
		return false
	}
	for i := in.End(end) + 1; i < end; i++ {
		if in.Kind(i) != scan.Ident && in.Text(i) != "," && in.Text(i) != ":" {
			return false
		}
	}
	return true
}

// getsEntry reports whether the object at j is asked for an entry by its name:
// x.get("name").
func getsEntry(in *source.File, j int) bool {
	_, isText := in.Literal(j + 4)
	return in.Dialect.Scan == scan.Python && in.Text(j+2) == "get" && isText && in.Text(j+5) == ")"
}

// isExported reports whether the brace at open is that of what a module exports:
// module.exports = { selectors }.
func (f *follower) isExported(in *source.File, open int) bool {
	return in.Text(open) == "{" && in.Text(open-1) == "=" && in.Text(open-2) == "exports"
}

// wholeObject are the methods that return all entries of an object, or one by a
// computed name.
var wholeObject = scan.WordSet("get items values keys pop entries forEach map getOrDefault")
