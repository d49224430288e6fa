package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Use is tokens first to last of a file, which give the value of a constant.
type Use struct {
	In          *source.File
	First, Last int
	Computed    bool   // the value of an object or map that is taken by a name which is not written there
	List        bool   // they are the whole list that has the value
	by          *taker // of a value in a table: what takes its rows one after the other, nil for none
}

// follower follows a constant through the files that can use it.
type follower struct {
	Constant
	own    *source.File
	files  []*source.File
	names  map[string]bool // what the constant's class or object is called: its own name and other ones
	family map[string]bool // the class, those that inherit from it, and those it inherits from
	above  map[string]bool // the class and those it inherits from
	tree   *checkout.Tree  // nil for the constant's own file alone
}

// FindUses returns the places that use the value of k, and false when one of them does
// more than name it. Without a tree it looks at the constant's own file alone.
func FindUses(s *source.File, t *checkout.Tree, k Constant) ([]Use, bool) {
	if k.Cell != nil {
		return k.Cell.cellUses(t)
	}
	f := follower{Constant: k, own: s, tree: t, files: []*source.File{s}, names: map[string]bool{}, family: map[string]bool{}, above: map[string]bool{}}
	if local := k.scope != s.Whole(); t != nil && !k.private && !local {
		f.files = f.filesNaming()
	}
	if k.keyed {
		return f.keyedUses()
	}
	if k.member && !f.nameOwners() || k.Traced && !k.entry && k.scope == s.Whole() && f.isNamedByText() {
		return nil, false
	}
	var out []Use
	for _, in := range f.files {
		found, ok := f.usesIn(in)
		if !ok {
			return nil, false
		}
		out = append(out, found...)
	}
	return out, true
}

// isNamedByText reports whether a file has the constant's name as a text, by which code may
// get it: getattr(selectors, "SAVE").
func (f *follower) isNamedByText() bool {
	return slices.ContainsFunc(f.files, func(in *source.File) bool { return len(in.Saying(f.Name)) > 0 })
}

// filesNaming returns the files that name the constant, or its object, and reach it.
func (f *follower) filesNaming() []*source.File {
	if f.keyed {
		files := f.tree.FilesReaching(f.own, f.owner)
		if !slices.Contains(files, f.own) {
			files = append(files, f.own)
		}
		return files
	}
	files := f.tree.FilesReaching(f.own, f.Name)
	if f.member && !f.entry && !f.static && f.owner != "" { // what it inherits from takes its value, too
		for _, file := range f.tree.FilesWith(f.tree.ReachableFrom(f.own.Path), f.Name) {
			if in, err := f.tree.Load(file); err == nil && !slices.Contains(files, in) {
				files = append(files, in)
			}
		}
	}
	words := f.getters
	if f.entry && f.owner != "" {
		words = append(words, f.owner)
	}
	for _, word := range words {
		for _, file := range f.tree.FilesReaching(f.own, word) {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// usesIn returns the places of a file that use the value of the constant, and false
// when one of them does more than name it.
func (f *follower) usesIn(in *source.File) ([]Use, bool) {
	if len(f.getters) > 0 {
		return f.getterUses(in), true
	}
	var out []Use
	for _, j := range in.Idents[f.Name] {
		if in == f.own && (j == f.at || !f.scope.Contains(in.Tokens[j].Start)) {
			continue
		}
		if in.Text(j+1) == "as" && in.InImport(j) {
			return nil, false // uses of the other name are not followed
		}
		if f.entry && in.IsDestructured(j) && in.Dialect.IsScript() {
			taken, ok := f.takenUses(in, j)
			if !ok {
				return nil, false
			}
			out = append(out, taken...)
			continue
		}
		if f.onlyNames(in, j) {
			continue
		}
		first, last := in.Leftmost(j), j
		next := in.Text(j + 1)
		isAssigned := next == "=" || (next == "+" || next == ":") && in.Text(j+2) == "="
		if in.IsMember(first) || isAssigned {
			return nil, false
		}
		switch {
		case f.byValue && next == "." && in.Text(j+2) == "value":
			last = j + 2
		case f.called && (next != "(" || in.Text(j+2) != ")" && !f.takes):
			return nil, false
		case f.called:
			last = in.End(j + 1)
		}
		out = append(out, Use{In: in, First: first, Last: last})
	}
	if !f.entry {
		return out, true
	}
	return append(out, f.objectUses(in)...), true
}

// takenUses returns the uses of the variable that the name at j is taken out of an object
// as, const { name: variable } = selectors: none where that is another object.
func (f *follower) takenUses(in *source.File, j int) ([]Use, bool) {
	open := in.Parent[j]
	value := in.End(open) + 2
	if in.Text(j-1) == ":" { // the variable of another entry
		return nil, true
	}
	if !takesEntries(in, value) || !f.names[in.Text(value)] || !EndsValue(in, value) {
		return nil, false
	}
	k := Constant{Name: in.Text(j), at: j, scope: in.Whole()}
	if in.Text(j+1) == ":" {
		k.Name, k.at = in.Text(j+2), j+2
	}
	if around := in.Parent[open]; around >= 0 {
		k.scope = in.SpanOf(around, in.End(around))
	}
	return FindUses(in, f.tree, k)
}

// selfNames are the names of the object or class that code belongs to.
var selfNames = scan.WordSet("this self cls super base")

// onlyNames reports whether the name at j does not use the constant: it is a
// declaration, an import or export, or another thing with the same name. A text is
// never called, and has no actions.
func (f *follower) onlyNames(in *source.File, j int) bool {
	next, before := in.Text(j+1), in.Text(j-1)
	open := in.Parent[j]
	lang := in.Dialect.Scan
	switch {
	case f.called:
		return declaresMethod(in, j) || in.IsMember(j) && !f.isOwnedAt(in, j) || f.entry && !in.IsMember(j)
	case in.InImport(j), next == "(", next == "." && IsAction(in.Text(j+2)) && in.Text(j+3) == "(":
		return true
	case in.IsMember(j):
		return !f.isOwnedAt(in, j)
	case f.member && (in.Dialect.IsScript() || lang == scan.Python):
		return !in.IsDestructured(j)
	case f.member && lang == scan.Go:
		return true // a key, or a field that is declared
	case f.member && (!f.isMemberOf(in, j) || declaresMember(in, j) || isShadowed(in, j)):
		return true
	case next == ":" && in.Text(open) == "{" && (before == "{" || before == ","): // a key
		return true
	case next == "=" && in.Text(open) == "(" && lang == scan.Python: // a keyword
		return true
	}
	return next == ";" && in.Kind(j-1) == scan.Ident && before != "return" && in.Dialect.Print != locator.Go // declared only
}

// declaresMethod reports whether the name at j is that of a method, or of a function,
// where it is declared.
func declaresMethod(in *source.File, j int) bool {
	switch before := in.Text(j - 1); {
	case in.InImport(j), before == "def", before == "function", before == "func":
		return true
	case in.IsTypeBody(in.Parent[j]):
		return before != "=" && before != "=>"
	case in.Dialect.Scan == scan.Go:
		return before == ")" && in.Text(in.End(j-1)-1) == "func"
	}
	return false
}

// declaresMember reports whether the name at j is that of a field or property of Java or
// C#, where it is declared.
func declaresMember(in *source.File, j int) bool {
	typed := in.Kind(j-1) == scan.Ident || in.Text(j-1) == ">" || in.Text(j-1) == "]" || in.Text(j-1) == "?"
	return typed && in.IsTypeBody(in.Parent[j])
}

// isShadowed reports whether the bare name at j is a parameter of the function around it,
// not the field of that name.
func isShadowed(in *source.File, j int) bool {
	return slices.ContainsFunc(in.Idents[in.Text(j)], func(k int) bool {
		f := Helper{in: in, open: in.Parent[k]}
		if in.Text(f.open) != "(" || in.Kind(k-1) != scan.Ident && in.Text(k-1) != ">" && in.Text(k-1) != "]" {
			return false
		}
		body := f.body()
		return j == k || body >= 0 && f.open < j && j < in.End(body)
	})
}

// IsAction reports whether a name is that of what is done with a locator or page.
func IsAction(name string) bool {
	name = locator.Fold(name)
	return calls.PageMethods[name] || calls.ValueMethods[name] || name == "waitfor" || locator.CallKind(name) != ""
}

// isOwnedAt reports whether the name at j, behind a dot, can be the constant, going by
// what stands before the dot. In doubt it can.
func (f *follower) isOwnedAt(in *source.File, j int) bool {
	r := in.ReceiverEnd(j)
	x := in.Text(r)
	switch {
	case !f.member:
		return f.isNamespace(in, r)
	case selfNames[x] && !in.IsMember(r) && f.entry:
		return in == f.own && f.object.Contains(in.Tokens[j].Start)
	case selfNames[x] && !in.IsMember(r):
		class := in.ClassAround(j)
		return class == "" || f.owner == "" || f.family[class]
	case in.Kind(r) != scan.Ident:
		return !f.entry || x != ")"
	case f.names[x] || f.family[x]:
		return true
	case f.entry || f.static:
		return f.owner == "" && !f.module
	}
	owner := locator.Fold(f.owner)
	x = strings.TrimLeft(locator.Fold(x), "#$")
	return owner == "" || len(x) <= 3 || strings.Contains(owner, x) || strings.Contains(x, owner)
}

// isNamespace reports whether the name at r is that of a module or package by which a
// file may know the constant.
func (f *follower) isNamespace(in *source.File, r int) bool {
	if in.Dialect.Scan == scan.Go {
		return in.Text(r) == f.own.Text(1) || slices.ContainsFunc(in.Idents[in.Text(r)], func(i int) bool { return in.Kind(i+1) == scan.String })
	}
	return in.Kind(r) != scan.Ident || slices.ContainsFunc(in.Idents[in.Text(r)], func(i int) bool {
		return in.InImport(i) || in.Text(i+1) == "=" && (in.Text(i+2) == "require" || in.Text(i+2) == "await")
	})
}

// isMemberOf reports whether the bare name at j can be the member of a class: in a class
// of its family, or behind a static import.
func (f *follower) isMemberOf(in *source.File, j int) bool {
	for open := in.Parent[j]; open >= 0; open = in.Parent[open] {
		if name := in.TypeName(open); name != "" && f.family[name] {
			return true
		}
	}
	return slices.ContainsFunc(in.Idents["static"], func(i int) bool {
		if before := in.Text(i - 1); before != "import" && before != "using" {
			return false
		}
		for i++; i < len(in.Tokens) && in.Text(i) != ";"; i++ {
			if in.Text(i) == f.owner {
				return true
			}
		}
		return false
	})
}

// getterUses returns the places of a file that take the value of an enum's constant out
// of it, or of a variable that may be it.
func (f *follower) getterUses(in *source.File) []Use {
	var out []Use
	for _, getter := range f.getters {
		for _, j := range in.Idents[getter] {
			if !in.IsMember(j) || in.Kind(in.ReceiverEnd(j)) != scan.Ident {
				continue
			}
			r := in.ReceiverEnd(j)
			isEnum := func(i int) bool { return in.Text(i-1) == f.owner }
			if in.Text(r) != f.Name && (in.IsMember(r) || !slices.ContainsFunc(in.Idents[in.Text(r)], isEnum)) || in.IsMember(r) && !f.names[in.Text(r-2)] {
				continue
			}
			last := j
			if in.Text(j+1) == "(" && in.Text(j+2) == ")" {
				last = j + 2
			}
			out = append(out, Use{In: in, First: in.Leftmost(j), Last: last})
		}
	}
	return out
}

// objectUses returns the places of a file that take an entry of the object by a text,
// x["name"] and Python's x.get("name"), or by a computed name.
func (f *follower) objectUses(in *source.File) []Use {
	var out []Use
	isObject := func(j int) bool { return f.owner == "" && !f.module || f.names[in.Text(j)] || in.Kind(j) != scan.Ident }
	for name := range f.names {
		for _, j := range in.Idents[name] {
			if _, literal := in.Literal(j + 2); in.Text(j+1) == "[" && (!literal || in.Text(j+3) != "]") { // x[name]
				out = append(out, Use{In: in, First: in.Leftmost(j), Last: in.End(j + 1), Computed: true})
			}
			if key, _ := in.Literal(j + 4); key == f.Name && in.Text(j+1) == "." && getsEntry(in, j) {
				out = append(out, Use{In: in, First: in.Leftmost(j), Last: j + 5})
			}
		}
	}
	for i, tok := range in.Tokens { // x["name"]
		if tok.Kind == scan.String && tok.Lit.Value == f.Name && in.Text(i-1) == "[" && in.Text(i+1) == "]" && in.Kind(i-2) == scan.Ident && isObject(i-2) {
			out = append(out, Use{In: in, First: in.Leftmost(i - 2), Last: i + 1})
		}
	}
	return out
}
