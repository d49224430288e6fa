package junit

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/text"
)

// identityMax bounds an identity in bytes; a longer one ends in a digest of
// the whole.
const identityMax = 512

// names is what a report says about who a test is.
type names struct {
	runner   Runner
	suites   string // suite path
	suite    string // innermost suite
	class    string
	name     string
	file     string // relative, or "" where it is unknown or outside
	fileBase string // base name of a file outside the checkout
	env      string
}

// namer makes identities. It remembers what the last tests had in common.
type namer struct {
	suites   string // suite path
	segments []string
	class    string
	stable   string // of class
}

// identity returns the stable identity of a test, see the package
// documentation.
func (m *namer) identity(n names) string {
	if clean(n.name) == "" {
		n.name = "(unnamed)"
	}
	var id string
	switch n.runner {
	case RunnerPytest:
		id = n.pytest()
	case RunnerGo:
		id = n.goTest()
	default:
		id = strings.Join(m.segmentsOf(n), pathSeparator)
	}
	if n.env != "" {
		id += " [" + clean(n.env) + "]"
	}
	return bounded(id)
}

func bounded(id string) string {
	if len(id) <= identityMax {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return text.Cut(id, identityMax-24) + " #" + hex.EncodeToString(sum[:8])
}

// goTest is package and test. The package is the suite: a reporter may shorten
// classname.
func (n names) goTest() string {
	pkg := n.suite
	if pkg == "" {
		pkg = n.class
	}
	return joinSegments(clean(pkg), clean(n.name))
}

func joinSegments(segments ...string) string {
	var kept []string
	for _, s := range segments {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, pathSeparator)
}

// segmentsOf returns file or class, the suites that add something to it, and the
// name.
func (m *namer) segmentsOf(n names) []string {
	name, class := clean(n.name), m.stableClass(n.class)
	base, rest := n.file, class
	if base == "" {
		base = n.fileBase
	}
	if base == "" || classFirst(base) && (class != "" || n.suites != "") {
		base, rest = class, ""
	}
	if containerClasses[base] {
		base = ""
	}
	if n.runner == RunnerVitest {
		name = strings.ReplaceAll(name, " > ", pathSeparator)
	}
	suites := m.stableSuites(n.suites)
	out := make([]string, 0, len(suites)+3)
	if base != "" && base != name {
		out = append(out, base)
	}
	for _, segment := range suites {
		if !redundant(segment, out, base, class, name) {
			out = append(out, segment)
		}
	}
	if rest != "" && !redundant(rest, out, base, "", name) && !strings.HasSuffix(name, rest) && !strings.HasPrefix(name, rest) {
		out = append(out, rest)
	}
	return append(out, name)
}

func (m *namer) stableClass(class string) string {
	if class != m.class {
		m.class, m.stable = class, stableName(clean(slashed(class)))
	}
	return m.stable
}

// stableSuites returns the segments of a suite path that are the same on every
// machine.
func (m *namer) stableSuites(suites string) []string {
	if suites != m.suites {
		m.suites, m.segments = suites, m.segments[:0]
		for _, segment := range strings.Split(suites, pathSeparator) {
			if segment = stableSuite(segment); segment != "" {
				m.segments = append(m.segments, segment)
			}
		}
	}
	return m.segments
}

// redundant reports whether a segment says nothing that is not said already.
func redundant(segment string, said []string, base, class, name string) bool {
	if segment == name || segment == base || segment == class || segment == path.Base(base) {
		return true
	}
	if ext := path.Ext(segment); class != "" && (ext == ".dll" || ext == ".exe") {
		return true
	}
	if dotted(segment) == dotted(trimExt(base)) || strings.HasPrefix(dotted(class), segment+".") || strings.HasPrefix(segment, class+"::") && class != "" {
		return true
	}
	for _, s := range said {
		if s == segment {
			return true
		}
	}
	return strings.HasPrefix(name, segment+".")
}

func dotted(s string) string { return strings.ReplaceAll(strings.TrimPrefix(s, "./"), "/", ".") }

func trimExt(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// classFirst reports whether tests of a file's language are named by class,
// so that the file adds nothing.
func classFirst(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".java", ".kt", ".scala", ".groovy", ".cs", ".fs", ".vb", ".php", ".swift", ".m", ".mm",
		".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs", ".go":
		return true
	}
	return false
}

// clean puts a name on one line: line breaks and tabs become spaces, control
// characters go, the ends are trimmed. Spaces inside stay: "a b" and "a  b"
// are two tests.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if strings.IndexFunc(s, unprintable) < 0 {
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

func unprintable(r rune) bool {
	return r != ' ' && (r < ' ' || r >= 0x7f && (unicode.IsControl(r) || unicode.IsSpace(r)))
}

// slashed writes a path with forward slashes. Text that is no path, such as a
// regular expression in a name, stays as it is.
func slashed(s string) string {
	if onDrive(s) {
		return strings.ReplaceAll(s, `\`, "/")
	}
	if !strings.Contains(s, `\`) || strings.ContainsAny(s, " \t\n*?\"<>|") {
		return s
	}
	return strings.ReplaceAll(s, `\`, "/")
}

// onDrive reports whether s begins as "C:\" does.
func onDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}
