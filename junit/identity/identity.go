// Package identity makes the identity of a test from the names that a report gives
// it, and finds the test that an identity written elsewhere means.
package identity

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/location"
)

// MaxBytes bounds an identity in bytes; a longer one is cut and ends in a digest of the
// whole.
const MaxBytes = 512

// Names is what a report calls one test.
type Names struct {
	Runner  Runner
	Suite   *Suite
	Class   string
	Name    string
	File    string // relative to the checkout, "" where it is unknown or outside
	Outside string // base name of a file outside the checkout
}

// Environment returns what the test ran in: Playwright's project. The host name
// of other runners is a machine.
func (n *Names) Environment() string {
	if n.Runner == RunnerPlaywright {
		return n.Suite.Host
	}
	return ""
}

// Namer makes identities. It remembers what it made of the last suite path and
// class, because tests that follow each other mostly share them.
type Namer struct {
	Root string // of the checkout, whose directory is in no identity

	suites   string // suite path
	segments []string
	class    string
	stable   string // stableName of class
	base     string
	byClass  bool // the language of base names tests by class
	pytest   struct{ class, file, prefix string }

	parts []string // memory of segmentsOf
	id    []byte   // memory of Identity
}

// Identity returns the stable identity of a test; see the documentation of package
// junit.
func (m *Namer) Identity(n *Names) engine.TestID {
	if local := location.Localize(n.Name, m.Root); local != n.Name {
		one := *n
		n, one.Name = &one, local
	}
	id := m.id[:0]
	switch n.Runner {
	case RunnerPytest:
		id = append(id, m.pytestIdentity(n)...)
	case RunnerGo:
		id = append(id, n.goIdentity()...)
	default:
		for i, part := range m.segmentsOf(n) {
			if i > 0 {
				id = append(id, Separator...)
			}
			id = append(id, part...)
		}
	}
	if env := n.Environment(); env != "" {
		id = append(append(append(id, " ["...), Clean(env)...), ']')
	}
	if m.id = id; len(id) > MaxBytes {
		sum := sha256.Sum256(id)
		return engine.NewTestID(text.Cut(string(id), MaxBytes-24) + " #" + hex.EncodeToString(sum[:8]))
	}
	return engine.NewTestID(string(id))
}

// pytestIdentity returns the node id of a pytest case.
func (m *Namer) pytestIdentity(n *Names) string {
	if n.Class == "" {
		return n.pytestIdentity()
	}
	return m.pytestPrefix(n) + n.cleanName()
}

func (m *Namer) pytestPrefix(n *Names) string {
	if last := &m.pytest; last.prefix == "" || last.class != n.Class || last.file != n.File {
		last.class, last.file, last.prefix = n.Class, n.File, n.pytestPrefix()
	}
	return m.pytest.prefix
}

// PytestFile returns the file of a pytest case with a class.
func (m *Namer) PytestFile(n *Names) string {
	file, _, _ := strings.Cut(m.pytestPrefix(n), "::")
	return file
}

// cleanName returns the name of the test, which is never empty in an identity.
func (n *Names) cleanName() string { return cmp.Or(Clean(n.Name), "(unnamed)") }

// goIdentity returns package and test. The package is the suite, because a reporter
// may shorten classname.
func (n *Names) goIdentity() string {
	return joinSegments(Clean(cmp.Or(n.Suite.Name, n.Class)), n.cleanName())
}

func joinSegments(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + Separator + second
}

// segmentsOf returns the segments of an identity: file or class, the suites that
// add something to it, and the name. They are valid until the next call.
func (m *Namer) segmentsOf(n *Names) []string {
	name, class := n.cleanName(), m.stableClass(n.Class)
	base, rest := cmp.Or(n.File, n.Outside), class
	if base != m.base {
		m.base, m.byClass = base, namesByClass(base)
	}
	if base == "" || m.byClass && (class != "" || n.Suite.Path != "") {
		base, rest = class, ""
	}
	if containerClasses[base] {
		base = ""
	}
	if n.Runner == RunnerVitest {
		name = strings.ReplaceAll(name, " > ", Separator)
	}
	out := m.parts[:0]
	if base != "" && base != name {
		out = append(out, base)
	}
	for _, segment := range m.stableSuites(n.Suite.Path) {
		if !isRedundant(segment, out, base, class, name) {
			out = append(out, segment)
		}
	}
	if rest != "" && !isRedundant(rest, out, base, "", name) && !strings.HasSuffix(name, rest) && !strings.HasPrefix(name, rest) {
		out = append(out, rest)
	}
	m.parts = append(out, name)
	return m.parts
}

func (m *Namer) stableClass(class string) string {
	if class != m.class {
		m.class, m.stable = class, m.localClass(class)
	}
	return m.stable
}

// localClass returns a class that is the same on every machine. One that is a path
// outside the checkout is named by its file alone.
func (m *Namer) localClass(class string) string {
	class = stableName(Clean(location.Slashed(location.Localize(class, m.Root))))
	if location.Absolute(class) && location.LooksLikeSource(class) {
		return path.Base(class)
	}
	return class
}

// stableSuites returns the segments of a suite path that are the same on every
// machine.
func (m *Namer) stableSuites(suites string) []string {
	if suites != m.suites {
		m.suites, m.segments = suites, m.segments[:0]
		for _, segment := range strings.Split(suites, Separator) {
			if segment = m.stableSuite(segment); segment != "" {
				m.segments = append(m.segments, segment)
			}
		}
	}
	return m.segments
}

// isRedundant reports whether a segment repeats what the rest of the identity says.
func isRedundant(segment string, earlier []string, base, class, name string) bool {
	if segment == name || segment == base || segment == class || segment == path.Base(base) {
		return true
	}
	if ext := path.Ext(segment); class != "" && (ext == ".dll" || ext == ".exe") {
		return true
	}
	if location.SameDotted(segment, location.TrimExt(base)) || beginsWith(location.Dotted(class), segment, ".") || class != "" && beginsWith(segment, class, "::") {
		return true
	}
	return slices.Contains(earlier, segment) || beginsWith(name, segment, ".")
}

// beginsWith reports whether s begins with first and then second.
func beginsWith(s, first, second string) bool {
	rest, found := strings.CutPrefix(s, first)
	return found && strings.HasPrefix(rest, second)
}

// namesByClass reports whether the language of a file names tests by class, so that the
// file adds nothing.
func namesByClass(file string) bool {
	return slices.Contains(classFirstExtensions, strings.ToLower(path.Ext(file)))
}

var classFirstExtensions = strings.Fields(`.java .kt .scala .groovy .cs .fs .vb .php .swift .m .mm
	.c .cc .cpp .cxx .h .hpp .rs .go`)

// Clean puts a name on one line: line breaks and tabs become spaces, control characters
// are dropped and the ends trimmed. Spaces inside stay, because "a b" and "a  b" are
// two tests.
func Clean(s string) string {
	if s = strings.TrimSpace(s); isPrintable(s) {
		return s
	}
	if strings.IndexFunc(s, isUnprintable) < 0 {
		return s
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s))
}

// isPrintable reports whether s is printable ASCII, as most names are.
func isPrintable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func isUnprintable(r rune) bool {
	return r != ' ' && (r < ' ' || r >= 0x7f && (unicode.IsControl(r) || unicode.IsSpace(r)))
}

// containerSuites are suites that hold everything that a runner reports.
var containerSuites = map[string]bool{
	"pytest": true, "nosetests": true, "Mocha Tests": true, "Root Suite": true, "jest tests": true,
	"Cucumber": true, "(empty)": true, "TestResults": true, "undefined": true, "rspec": true,
}

// containerClasses are class names that a runner (node:test) gives to every test.
var containerClasses = map[string]bool{"test": true}

// stampPattern matches the start time that unittest-xml-reporting adds to the name of a
// suite.
var stampPattern = lazyregexp.New(`-(?:19|20)\d{12}$`)

// buildName matches what ctest calls a build without a name: system and compiler.
var buildName = lazyregexp.New(`^(?:Linux|Darwin|FreeBSD|Win32|Win64|Windows|CYGWIN|MINGW)[\w.]*-[\w+.-]+$`)

// Karma, WebdriverIO and TestCafe write the browser's version and the system
// into suite or class: "Chrome Headless 120.0.0.0 (Linux x86_64)",
// "chrome.120_0_6099.linux.Login", "TestCafe Tests: Chrome 120.0 / Linux 0.0".
var (
	karmaBrowser = lazyregexp.New(`^([A-Za-z][A-Za-z _]{2,40}?)[ _]\d+(?:[._]\d+)*[ _]\([^)]{1,60}\)`)
	wdioBrowser  = lazyregexp.New(`^([A-Za-z]{3,20})\.\d[\d_]*\.[A-Za-z][\w]{2,20}\.`)
)

// stableName drops what a browser's update or another machine changes in the
// name of a suite or class.
func stableName(s string) string {
	if strings.IndexByte(s, '(') > 0 {
		if m := karmaBrowser.FindStringSubmatchIndex(s); m != nil {
			return s[m[2]:m[3]] + s[m[1]:]
		}
	}
	if dot := strings.IndexByte(s, '.'); dot < 0 || dot+1 == len(s) || s[dot+1] < '0' || s[dot+1] > '9' {
		return s
	}
	if m := wdioBrowser.FindStringSubmatchIndex(s); m != nil {
		return s[m[2]:m[3]] + "." + s[m[1]:]
	}
	return s
}

// stableSuite returns the part of a suite's name that is the same on every
// machine: no time, no directory of a checkout.
func (m *Namer) stableSuite(segment string) string {
	segment = Clean(location.Slashed(segment))
	if containerSuites[segment] || strings.HasPrefix(segment, "TestCafe Tests: ") {
		return ""
	}
	if segment != "" && segment[len(segment)-1] >= '0' && segment[len(segment)-1] <= '9' {
		segment = stampPattern.ReplaceAllString(segment, "")
	}
	segment = stableName(segment)
	if strings.IndexByte(segment, '-') > 0 && buildName.MatchString(segment) {
		return ""
	}
	if !location.Absolute(segment) {
		return location.Localize(segment, m.Root)
	}
	switch path.Ext(segment) {
	case "", ".xml", ".dist":
		return "" // a directory of the machine, or PHPUnit's configuration
	}
	return path.Base(segment)
}

// Separator joins the segments of suite paths and identities.
const Separator = " › "
