package callers

import (
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// classes are those of the files that a test file reaches, with the values of names there.
// They are the same for each test file that reaches these files.
type classes struct {
	suite   *Suite
	files   []*source.File // by path
	isType  map[string]bool
	bases   map[string][]string // what a class inherits from
	open    map[string]bool     // classes that inherit from what a function gives
	outside map[string]bool     // classes of Java and C# that inherit from a library's
	defined map[string][]namedAt
}

// typeIndex knows for the tests of a file of which class what a name stands for can be, by
// the declarations and values of the name.
type typeIndex struct {
	*classes
	test    *source.File
	own     []source.Span       // of the test whose variables come first
	byName  map[string][]string // the classes of a name outside of tests
	visited map[string]bool     // names that are looked up at the moment
	spent   int                 // names that were looked up for the outermost of them
}

func (s *Suite) newClasses(files []*source.File) *classes {
	x := &classes{suite: s, files: files, isType: map[string]bool{}, open: map[string]bool{}, outside: map[string]bool{}, bases: map[string][]string{}, defined: map[string][]namedAt{}}
	for _, src := range files {
		for _, i := range typeNames(src) {
			x.isType[src.Text(i)] = true
		}
	}
	for _, src := range files {
		for _, i := range typeNames(src) {
			x.bases[src.Text(i)] = append(x.bases[src.Text(i)], x.basesAt(src, i)...)
			if x.namesOutside(src, i) {
				x.outside[src.Text(i)] = true
			}
		}
	}
	return x
}

// typeNames returns the tokens that name the types which a file declares.
func typeNames(src *source.File) []int {
	var out []int
	add := func(i int) {
		if src.Kind(i) == scan.Ident {
			out = append(out, i)
		}
	}
	switch src.Dialect.Scan {
	case scan.Python:
		for _, i := range src.Idents["class"] {
			add(i + 1)
		}
	case scan.Go:
		for _, i := range src.Idents["struct"] { // of any other type may be what fulfils it
			if src.Text(i-1) == "]" {
				i = src.End(i - 1)
			}
			if src.Text(i-2) == "type" || src.Parent[i] >= 0 && src.Text(src.Parent[i]-1) == "type" && src.BreaksLine(i-2) {
				add(i - 1)
			}
		}
	default:
		for _, word := range []string{"class", "interface", "record", "struct", "enum"} {
			for _, i := range src.Idents[word] {
				if name, ok := src.DeclaredType(i); ok && name == src.Text(i+1) {
					add(i + 1)
				}
			}
		}
	}
	return out
}

// basesAt returns the known types in the header of the type named at i: what it inherits
// from. In Go these are the ones that stand in its body without a name.
func (x *classes) basesAt(src *source.File, i int) []string {
	var out []string
	isGo := src.Dialect.Scan == scan.Go
	end := min(i+120, len(src.Tokens))
	if isGo {
		end = min(src.End(i+2), end)
	}
	for j := i + 1; j < end; j++ {
		text := src.Text(j)
		if !isGo && (text == "{" && !src.IsMember(j) && src.Parent[j] == src.Parent[i] && src.TypeName(j) == src.Text(i) || text == ";") ||
			src.Dialect.Scan == scan.Python && src.Text(j-1) != "(" && src.Parent[j] == src.Parent[i] && text == ":" {
			break
		}
		if src.Kind(j) == scan.Ident && src.Text(j+1) == "(" && (src.Dialect.IsScript() || src.Dialect.Scan == scan.Python) {
			x.open[src.Text(i)] = true
		}
		if text == "(" && src.Dialect.Scan != scan.Python && !src.Dialect.IsScript() {
			j = src.End(j) // what the class is made of
		}
		if x.isType[text] && (!isGo || isEmbedded(src, j)) {
			out = append(out, text)
		}
	}
	return out
}

// namesOutside reports whether the header of the type of Java or C# that is named at i names
// one which is none of the project's.
func (x *classes) namesOutside(src *source.File, i int) bool {
	if lang := src.Dialect.Scan; lang != scan.Java && lang != scan.CSharp {
		return false
	}
	for j := i + 1; j < src.HeaderEnd(i); j = src.Next(j) {
		if text := src.Text(j); src.Kind(j) == scan.Ident && !x.isType[text] && text != "extends" && text != "implements" {
			return true
		}
	}
	return false
}

// isEmbedded reports whether the type at j stands in a structure of Go without a name.
func isEmbedded(src *source.File, j int) bool {
	for src.IsMember(j) {
		j -= 2
	}
	if src.Text(j-1) == "*" {
		j--
	}
	return src.Text(j-1) == "{" || src.BreaksLine(j-1)
}

// above returns a class and what it inherits from.
func (x *classes) above(class string) []string {
	out := []string{class}
	for i := 0; i < len(out) && i < 64; i++ {
		for _, base := range x.bases[out[i]] {
			if !slices.Contains(out, base) {
				out = append(out, base)
			}
		}
	}
	return out
}

// related reports whether an object of one class can be one of the other: one inherits
// from the other, or a third from both.
func (x *classes) related(a, b string) bool {
	isOpen := func(class string) bool { return x.open[class] }
	if slices.ContainsFunc(append(x.above(a), x.above(b)...), isOpen) {
		return true
	}
	if slices.Contains(x.above(a), b) || slices.Contains(x.above(b), a) {
		return true
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(x.bases)), func(class string) bool {
		above := x.above(class)
		return slices.Contains(above, a) && slices.Contains(above, b)
	})
}

// of returns the classes that the expression which ends at token e can be of, none when
// they are not known.
func (x *typeIndex) of(src *source.File, e int) []string {
	for src.Text(e) == "!" || src.Text(e) == "?" {
		e--
	}
	switch text := src.Text(e); {
	case text == ")":
		c := src.Callee(src.End(e))
		if c < 0 {
			return nil
		}
		if x.isType[src.Text(c)] {
			return []string{src.Text(c)}
		}
		return x.ofName(src, c)
	case src.Kind(e) != scan.Ident:
		return nil
	case selfNames[text] && !src.IsMember(e) && (text != "base" || src.Dialect.Scan == scan.CSharp):
		if class := classOf(src, e); class != "" {
			return []string{class}
		}
		return nil
	case x.isType[text]:
		return []string{text}
	}
	return x.ofName(src, e)
}

var selfNames = scan.WordSet("this self cls super base")

// ofName returns the classes of what the name at token e stands for: in the test, that
// of its own variable when it has one.
func (x *typeIndex) ofName(src *source.File, e int) []string {
	if class, declared := x.declaredType(src, e); declared {
		return []string{class}
	}
	name, key := src.Text(e), src.Text(e)
	named, ok := []namedAt(nil), false
	if src == x.test && source.AnyContains(x.own, src.Tokens[e].Start) && (!src.IsMember(e) || !x.visited[name+" of the test"]) {
		if named, ok = x.collect(src, name, func(at int) bool { return source.AnyContains(x.own, at) }); ok {
			key += " of the test"
		}
	}
	if !ok || src.IsMember(e) {
		named = slices.Concat(named, x.definitions(name))
	}
	if got, known := x.byName[key]; known && !ok {
		return got
	}
	outermost := len(x.visited) == 0
	if outermost {
		x.spent = 0
	}
	if x.spent++; x.visited[key] || len(x.visited) > maxTypeNames || x.spent > maxLookups {
		return nil
	}
	x.visited[key] = true
	classes := x.classesIn(named)
	delete(x.visited, key)
	if x.spent > maxLookups {
		classes = nil
	}
	if outermost && !ok {
		x.byName[key] = classes
	}
	return classes
}

// maxTypeNames bounds how far the values of names are followed, and maxLookups how many
// names are looked up on the way: beyond, the classes are not known.
const (
	maxTypeNames = 6
	maxLookups   = 1000
)

// classesIn returns the classes among the names of declarations and values, and those
// of the functions and members there; without a class, those of every name there. It
// returns none when one declaration or value tells none.
func (x *typeIndex) classesIn(named []namedAt) []string {
	found := map[string]bool{}
	type place struct {
		src *source.File
		of  int
	}
	told := map[place]bool{}
	for _, n := range named {
		at := place{n.src, n.of}
		told[at] = told[at] || n.i < 0
		if n.i >= 0 && x.isType[n.src.Text(n.i)] {
			found[n.src.Text(n.i)], told[at] = true, true
		}
	}
	direct := maps.Clone(told)
	for _, n := range named {
		at := place{n.src, n.of}
		if n.i < 0 || x.isType[n.src.Text(n.i)] || direct[at] && n.src.Text(n.i+1) != "(" && !n.src.IsMember(n.i) {
			continue
		}
		for _, class := range x.ofName(n.src, n.i) {
			found[class], told[at] = true, true
		}
	}
	for _, known := range told {
		if !known {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// classOf returns the class that the code at a token belongs to, "" for none: in Go the
// type of the method's receiver.
func classOf(src *source.File, i int) string {
	if src.Dialect.Scan != scan.Go {
		return src.ClassAround(i)
	}
	for src.Parent[i] >= 0 {
		i = src.Parent[i]
	}
	for ; i > 0 && (src.Text(i) != "func" || !src.BreaksLine(i-1)); i = min(i, src.End(i)) - 1 {
		if src.Text(i) == "}" && src.BreaksLine(i) {
			return ""
		}
	}
	if i < 0 || src.Text(i) != "func" || src.Text(i+1) != "(" {
		return ""
	}
	class := ""
	for j := i + 2; j < src.End(i+1); j = src.Next(j) {
		if src.Kind(j) == scan.Ident {
			class = src.Text(j)
		}
	}
	return class
}

// declares reports whether a file declares a member of a class by a name: in its body,
// by an assignment to this or self, or as a method of Go.
func (x *classes) declares(src *source.File, class, name string) bool {
	return slices.ContainsFunc(src.Idents[name], func(i int) bool {
		switch src.Dialect.Scan {
		case scan.Go:
			return src.Text(i-1) == ")" && src.Parent[i] < 0 && classOf(src, i) == class
		case scan.Python:
			selfField := src.IsMember(i) && selfNames[src.Text(i-2)]
			return (src.Text(i-1) == "def" || selfField || src.Text(i+1) == "=" || src.Text(i+1) == ":") && src.ClassAround(i) == class
		}
		if src.IsMember(i) {
			return src.Text(i-2) == "this" && src.Text(i+1) == "=" && src.ClassAround(i) == class
		}
		next := src.Text(i + 1)
		extension := next == "(" && src.Text(i+2) == "this" && src.Dialect.Scan == scan.CSharp
		if next == "<" {
			next = src.Text(src.AngleEnd(i+1) + 1)
		}
		named := next == "(" || src.Kind(i+1) != scan.Ident && next != "." && next != "[" && next != ">" && next != "?" && (src.Text(i+1) != "<" || next == "(")
		return src.TypeName(src.Parent[i]) == class && class != "" && !extension && (named || src.Dialect.IsScript())
	})
}
