package callers

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// callersOf returns the names by which the code at token i is used: of the function,
// field or type around it. hook says that every test of the file may run the code:
// before or after the test, when the file is loaded, or in a way that is not
// understood.
func callersOf(s *source.File, i int) (found []string, hook bool) {
	if key := keyOf(s, i); key != "" && source.ContainsWord([]byte(key), key) { // any other text is not found where it is used
		return []string{key}, false
	}
	if s.Dialect.Scan == scan.Python {
		return pythonCallersOf(s, i)
	}
	c := climb{s: s, called: s.Kind(i) == scan.String, eager: callsMore(s, i)}
	for k := i; k >= 0; k = s.Parent[k] {
		if c.step(k) {
			return c.names, c.hook
		}
	}
	if len(c.names) > 0 {
		return c.names, false
	}
	if c.local != "" && c.local != "_" {
		return []string{c.local}, false
	}
	return nil, c.called
}

// keyOf returns the key of which the string at token i is the value in a map, "" for none.
func keyOf(s *source.File, i int) string {
	if s.Kind(i) != scan.String {
		return ""
	}
	if key, _ := s.MapKey(i); key >= 0 {
		if text, isText := s.Literal(key); isText {
			return text
		}
		return s.Text(key)
	}
	if key, ok := s.Literal(i - 2); ok && s.Dialect.Scan == scan.Python && s.Text(i-1) == ":" && isAssigned(s, s.Parent[i]) {
		return key // of a dictionary
	}
	return ""
}

// isAssigned reports whether the brace at open is the value of a name, or inside of one.
func isAssigned(s *source.File, open int) bool {
	for open >= 0 && s.Text(open) == "{" && s.Text(open-1) == ":" {
		open = s.Parent[open]
	}
	name, _ := s.Assignee(open - 1)
	return open >= 0 && s.Text(open) == "{" && s.Text(open-1) == "=" && name != ""
}

// climb is the way from a token outwards, bracket by bracket.
type climb struct {
	s        *source.File
	names    []string
	hook     bool
	local    string // the variable that the code is the value of
	called   bool   // the code is part of a call
	eager    bool   // it acts at once, and does not only make a locator
	deferred bool   // it is in a function that somebody else has to call
}

var (
	hookCalls = scan.WordSet("beforeeach beforeall aftereach afterall before after")
	hookNames = scan.WordSet("beforeEach beforeAll afterEach afterAll SetupTest SetupSuite TearDownTest TearDownSuite BeforeTest AfterTest TestMain InitializeAsync DisposeAsync")
	hookWords = scan.WordSet("beforeeach beforeall aftereach afterall before after beforeclass afterclass beforemethod aftermethod setup teardown onetimesetup onetimeteardown testinitialize testcleanup classinitialize")
)

// step goes outwards over what stands left of token k in the same bracket, and
// reports whether it found who uses the code.
func (c *climb) step(k int) bool {
	s := c.s
	start, ok := s.HeaderStart(k)
	h := header{s, start, k}
	switch {
	case !ok, s.Text(k) == "(" && hookCalls[locator.Fold(s.Text(s.Callee(k)))], h.isAnnotation():
		c.hook = true
		return true
	case s.Text(k) == "(":
		c.called = true
		c.eager = c.eager || !c.deferred && callsMore(s, s.Callee(k))
	}
	if h.isInFunction() {
		c.deferred, c.eager = true, false
	}
	if s.Text(k) == "(" && (s.Text(s.End(k)+1) == "(" || s.Text(s.Callee(k)) == "Promise") {
		c.eager = true // a function that is called where it stands
	}
	if name, ok := h.declaredType(); ok && name != "" {
		c.names = append(c.names, name)
		return true
	}
	if s.IsTypeBody(s.Parent[k]) {
		return c.stepToMember(h)
	}
	return c.stepToStatement(h)
}

// stepToMember takes the name of the member of a class around the code. Code that runs
// when the class is made is used by the name of the class, and so is a member without
// a name that is understood.
func (c *climb) stepToMember(h header) bool {
	names := h.memberNames()
	constructs := slices.Contains(names, "constructor")
	c.names = append(c.names, slices.DeleteFunc(names, func(name string) bool { return name == "constructor" })...)
	if slices.ContainsFunc(names, func(name string) bool { return hookNames[name] }) || hasHookAnnotation(h) {
		c.hook = true
		return true
	}
	byClass := len(names) == 0 || c.eager && h.has("=") || constructs
	class := c.s.TypeName(c.s.Parent[h.end])
	if byClass && class != "" {
		c.names = append(c.names, class)
	}
	return !byClass || class != ""
}

// stepToStatement takes the name of a function, variable or entry.
func (c *climb) stepToStatement(h header) bool {
	name, kind := h.declared()
	switch {
	case kind == declaresFunction && name == "init" && c.s.Dialect.Scan == scan.Go, kind == declaresFunction && hookNames[name]:
		c.hook = true
		return true
	case name == "":
		return false
	case kind == declaresFunction:
		c.names = append(c.names, name)
		return true
	case kind == declaresInner:
		c.names = append(c.names, name)
	case kind == declaresField && isLocatorOptions(c.s, c.s.Parent[h.end]):
		return false
	case kind == declaresField && isAutoFixture(c.s, h.end):
		c.hook = true
		return true
	case kind == declaresField:
		c.names = append(c.names, name)
		return !c.eager
	case c.deferred && name != "_" && !c.isInMember():
		c.names = append(c.names, name)
		return h.isInFunction() && c.s.Dialect.IsScript()
	case c.local == "":
		c.local = name
	}
	return false
}

// isInMember reports whether the code is in a language in which all code is in a member of a
// type, so that a variable is used by no other name than that member's.
func (c *climb) isInMember() bool {
	return c.s.Dialect.Scan == scan.Java || c.s.Dialect.Scan == scan.CSharp
}

// isLocatorOptions reports whether the brace at open holds the options of a locator call,
// which are used by nobody else.
func isLocatorOptions(s *source.File, open int) bool {
	if open < 0 || s.Text(open) != "{" {
		return false
	}
	c := s.Callee(s.Parent[open])
	name := locator.Fold(s.Text(c))
	return s.IsMember(c) && (locator.CallKind(name) != "" || name == "filter")
}

// isAutoFixture reports whether token k is in a fixture of Playwright that every
// test gets without naming it: name: [async …, { auto: true }].
func isAutoFixture(s *source.File, k int) bool {
	for ; k >= 0; k = s.Parent[k] {
		if s.Text(k) != "[" || s.Text(k-1) != ":" {
			continue
		}
		for i := k; i < s.End(k); i++ {
			if s.Text(i) == "auto" && s.Text(i+1) == ":" && s.Text(i+2) == "true" {
				return true
			}
		}
	}
	return false
}

// hasHookAnnotation reports whether an annotation makes a member run before or after
// tests.
func hasHookAnnotation(h header) bool {
	for i := h.start; i <= h.end; i++ {
		text := h.s.Text(i)
		if before := h.s.Text(i - 1); hookWords[strings.ToLower(text)] && (before == "@" || before == "[" || before == "," || before == ".") {
			return true
		}
	}
	return false
}

// makers are the folded names of calls that make a locator, or a function, and do
// nothing with it.
var makers = scan.WordSet("page getpage framelocator contentframe filter first last nth and or owner partial partialmethod property staticmethod classmethod")

// callsMore reports whether the name at token c is called, or something on what it
// gives, that may do more than make a locator.
func callsMore(s *source.File, c int) bool {
	for hops := 0; c >= 0 && hops < 64; hops++ {
		next := c + 1
		if s.Kind(c) == scan.Ident && s.Text(next) == "(" {
			name := locator.Fold(s.Text(c))
			if locator.CallKind(name) == "" && !makers[name] && !makesObject(s, c) && !setsOption(s, c) {
				return true
			}
			next = s.End(next) + 1
		}
		if s.Text(next) == "!" || s.Text(next) == "[" {
			next = s.End(next) + 1
		}
		if !s.IsMember(next + 1) {
			return false
		}
		c = next + 1
	}
	return false
}

// setsOption reports whether the name at token c is that of a setter of Java's options:
// new Page.GetByRoleOptions().setName("Save").
func setsOption(s *source.File, c int) bool {
	for s.Dialect.Scan == scan.Java && s.IsMember(c) && strings.HasPrefix(s.Text(c), "set") && s.Text(c-2) == ")" {
		if c = s.Callee(s.End(c - 2)); strings.HasSuffix(s.Text(c), "Options") {
			return makesObject(s, s.Leftmost(c))
		}
	}
	return false
}

// makesObject reports whether the call of the name at token c makes an object: new X(…),
// and X(…) in Python.
func makesObject(s *source.File, c int) bool {
	if s.Dialect.Scan == scan.Python {
		return s.Text(c) != "" && s.Text(c)[0] >= 'A' && s.Text(c)[0] <= 'Z'
	}
	return s.Text(c-1) == "new"
}
