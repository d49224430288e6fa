package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Runner tells which code one test may run. Unlike a Tracer, which goes by names alone,
// it looks at the classes of the objects that the code is called on.
type Runner struct {
	suite  *Suite
	test   *source.File
	bodies testcode.Bodies
	files  []*source.File // the test's file and those that it reaches
	types  *typeIndex

	// hides says that parameters, variables and records hide the members of their name. Where
	// one of several places is looked for, all stay that have the name.
	hides bool
}

// Runner returns a Runner of the test whose bodies in its file are given, nil when a
// file that it reaches cannot be read.
func (s *Suite) Runner(test *source.File, bodies testcode.Bodies) *Runner {
	types := s.loadTypes(test)
	if types == nil {
		return nil
	}
	return &Runner{suite: s, test: test, bodies: bodies, files: types.files, types: types}
}

// loadTypes returns the types of what a test file names, nil when a file that it reaches
// cannot be read.
func (s *Suite) loadTypes(test *source.File) *typeIndex {
	c := s.classesOf(test)
	if c == nil {
		return nil
	}
	return &typeIndex{classes: c, test: test, byName: map[string][]string{}, visited: map[string]bool{}}
}

// member is a name by which code is used: of a member of a class, or of anything else
// in a file.
type member struct {
	name, class string
	file        *source.File
}

// maxMembers bounds the names that are followed from one literal.
const maxMembers = 400

// MayRun reports whether the test may run the code at a token of a file. In doubt it
// may.
func (r *Runner) MayRun(file *source.File, token int) bool {
	if file == r.test && r.bodies.InOwn(file.Tokens[token].Start) || !slices.Contains(r.files, file) || len(r.bodies.Own) == 0 {
		return true
	}
	r.types.own = r.bodies.Own
	names, hook := callersOf(file, token)
	if hook || len(names) == 0 {
		return true
	}
	queue, computed := r.membersAt(file, token, names), r.computed()
	seen := map[member]bool{}
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		if seen[m] {
			continue
		}
		seen[m] = true
		if len(seen) > maxMembers || r.isOwnClass(m) {
			return true
		}
		users, runs := r.usersOf(m, computed)
		if runs {
			return true
		}
		queue = append(queue, users...)
	}
	return false
}

// usersOf returns the names of the code that uses a member, and true when that is the test,
// or code that runs for every test.
func (r *Runner) usersOf(m member, computed []place) (users []member, runs bool) {
	users, runs = r.computing(computed, m)
	for _, src := range r.files {
		if runs {
			return nil, true
		}
		var found []member
		found, runs = r.usersIn(src, m)
		users = append(users, found...)
	}
	return users, runs
}

// membersAt returns the names of the code at a token, each with its class.
func (r *Runner) membersAt(file *source.File, token int, names []string) []member {
	class := classOf(file, token)
	var out []member
	for _, name := range names {
		m := member{name: name, file: file}
		if class != "" && name != class && !r.types.isType[name] && r.types.declares(file, class, name) {
			m.class = class
		}
		out = append(out, m)
	}
	return out
}

// isOwnClass reports whether a member is the class that the test is in, which is made
// before the test runs.
func (r *Runner) isOwnClass(m member) bool {
	return slices.ContainsFunc(r.bodies.Own, func(at source.Span) bool {
		class := classOf(r.test, min(r.test.TokenFrom(at.Start)+1, len(r.test.Tokens)-1))
		return class != "" && m.class == "" && slices.Contains(r.types.above(class), m.name)
	})
}

// usersIn returns the names of the code of a file that uses a member, and true when
// that is the test, or code that runs for every test.
func (r *Runner) usersIn(src *source.File, m member) (found []member, runs bool) {
	uses := append(slices.Clone(src.Idents[m.name]), textsNaming(src, m.name)...)
	if len(uses) == 0 {
		return nil, false
	}
	others := r.bodies.Others
	if src != r.test {
		others = r.suite.testsIn(src)
	}
	for _, i := range uses {
		at := src.Tokens[i].Start
		own := src == r.test && r.bodies.InOwn(at)
		if !own && source.AnyContains(others, at) || !r.mayMean(src, i, m) {
			continue
		}
		if own {
			return nil, true
		}
		names, hook := r.callersAt(src, i)
		if hook {
			return nil, true
		}
		for _, user := range r.membersAt(src, i, names) {
			if declared := user.name == m.name && m.class != "" && !src.IsMember(i); !declared {
				found = append(found, user)
			}
		}
	}
	return found, false
}

// callersAt is Tracer.callersAt for the files of the test.
func (r *Runner) callersAt(src *source.File, i int) ([]string, bool) {
	u := Tracer{suite: r.suite, tree: r.suite.tree}
	for _, file := range r.files {
		u.reachable = append(u.reachable, file.Path)
	}
	return u.callersAt(src, i)
}

// mayMean reports whether the name at token i can be a member, going by what it is a
// member of there, or where it is imported from.
func (r *Runner) mayMean(src *source.File, i int, m member) bool {
	switch {
	case src.Kind(i) != scan.Ident:
		return true
	case src.IsMember(i):
		return r.mayBeOn(src, src.ReceiverEnd(i), m)
	case m.class != "" && isSetAt(src, i) && m.isReadOnly():
		return false
	case m.class != "":
		isHidden := r.hides && r.isHidden(src, i, m)
		return !isHidden && !r.isOfOtherClass(src, i, m)
	}
	return r.mayImport(src, m)
}

// mayBeOn reports whether a member can belong to the expression that ends at token e.
func (r *Runner) mayBeOn(src *source.File, e int, m member) bool {
	switch {
	case m.class == "":
		return r.mayBeNamespace(src, e, m)
	case isPythonModule(src, e):
		return false
	}
	classes := r.types.of(src, e)
	if len(classes) == 0 && r.isForeign(src, e, m.class) {
		return false
	}
	return len(classes) == 0 || slices.ContainsFunc(classes, func(class string) bool { return r.types.related(class, m.class) })
}

// isOfOtherClass reports whether the bare name at i is that of another class's member
// than m: one that it declares or, where a class's own members are used so, one that it
// uses.
func (r *Runner) isOfOtherClass(src *source.File, i int, m member) bool {
	lang := src.Dialect.Scan
	if lang == scan.Go {
		return true // methods and fields are used behind a dot
	}
	class := classOf(src, i)
	if class == "" {
		return lang == scan.Python || src.Dialect.IsScript() && !takesOut(src, m.name)
	}
	if r.types.related(class, m.class) {
		return false
	}
	if lang == scan.Java || lang == scan.CSharp {
		return slices.ContainsFunc(r.types.above(class), func(c string) bool {
			return slices.ContainsFunc(r.files, func(file *source.File) bool { return r.types.declares(file, c, m.name) })
		})
	}
	return src.IsTypeBody(src.Parent[i]) || lang == scan.Python && src.Text(i-1) == "def"
}

// takesOut reports whether a script may take a member of a name out of an object, so that
// the bare name means it: { name }, { name: other }.
func takesOut(src *source.File, name string) bool {
	return slices.ContainsFunc(src.Idents[name], func(i int) bool {
		open, before, next := src.Parent[i], src.Text(i-1), src.Text(i+1)
		return !src.IsMember(i) && src.Text(open) == "{" && !src.IsTypeBody(open) && (before == "{" || before == ",") &&
			(next == "," || next == "}" || next == "=" || next == ":" && src.Kind(i+2) == scan.Ident)
	})
}

// mayBeNamespace reports whether the expression that ends at token e can be the module
// in which a function stands.
func (r *Runner) mayBeNamespace(src *source.File, e int, m member) bool {
	for _, i := range src.Idents[src.Text(e)] {
		if src.Dialect.IsScript() && src.Text(i-1) == "as" && src.Text(i-2) == "*" && src.Text(i+1) == "from" {
			return r.resolvesTo(src, i+2, m)
		}
	}
	return true
}

// mayImport reports whether the bare name of m can be a function of its file: it is not,
// where the file declares one itself or imports it from elsewhere.
func (r *Runner) mayImport(src *source.File, m member) bool {
	if !src.Dialect.IsScript() || src == m.file {
		return true
	}
	for _, j := range src.Idents[m.name] {
		if src.Text(j-1) == "function" {
			return false
		}
		if !src.InImport(j) || src.Text(j-1) == "as" {
			continue
		}
		for k := j; k < len(src.Tokens) && src.Text(k) != ";"; k++ {
			if src.Text(k) == "from" {
				return r.resolvesTo(src, k+1, m)
			}
		}
	}
	return true
}

// resolvesTo reports whether the module named by the text at i is the file of m, or
// reaches it.
func (r *Runner) resolvesTo(src *source.File, i int, m member) bool {
	name, ok := src.Literal(i)
	if !ok {
		return true
	}
	return slices.ContainsFunc(r.suite.tree.ResolveModule(src.Path, name), func(file string) bool {
		return slices.Contains(r.suite.tree.ReachableFrom(file), m.file.Path)
	})
}
