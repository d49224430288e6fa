// Package location says where tests and failures are: the paths that a report names,
// relative to the checkout, and the line that a failure text names.
package location

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Absolute reports whether a path with forward slashes is absolute.
func Absolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// runnerCheckout matches the directories into which runners check a repository out:
// GitHub's, and below _work those of one's own. A report that was written on the host names them even where the action runs
// in a container.
var runnerCheckout = lazyregexp.New(`^(?:/home/runner/work/([^/]+)/([^/]+)|/Users/runner/work/([^/]+)/([^/]+)|/__w/([^/]+)/([^/]+)|[A-Za-z]:/a/([^/]+)/([^/]+)|/github/workspace|(?:[A-Za-z]:)?(?:/[^/]+)*?/_work/([^/]+)/([^/]+))/`)

// Relative returns the path p that a test run named, slash-separated and relative
// to the checkout at root, or "" when it is outside. A relative path is taken as
// relative to the checkout. Paths in a runner's checkout count as inside.
func Relative(p, root string) string {
	p = strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	if u, found := strings.CutPrefix(p, "file://"); found {
		plain, err := url.PathUnescape(u)
		if p = plain; err != nil {
			p = u
		}
	}
	if p == "" || strings.ContainsAny(p, "\x00\n\r") || strings.Contains(p, "://") {
		return ""
	}
	if Absolute(p) {
		p = insideRoot(p, root)
	}
	if p = path.Clean(p); p == "." || p == ".." || strings.HasPrefix(p, "../") || Absolute(p) {
		return ""
	}
	return p
}

// insideRoot returns what follows root, or a hosted runner's checkout, in an absolute
// path; ".." for a path outside.
func insideRoot(p, root string) string {
	p = path.Clean(p)
	root = strings.TrimSuffix(strings.ReplaceAll(root, `\`, "/"), "/")
	if root != "" && len(p) > len(root) && p[len(root)] == '/' && (p[:len(root)] == root || p[1] == ':' && strings.EqualFold(p[:len(root)], root)) {
		return p[len(root)+1:]
	}
	if m := runnerCheckout.FindStringSubmatch(p); m != nil && sameRepository(m[1:]) {
		return p[len(m[0]):]
	}
	return ".."
}

// sameRepository reports whether the two last directories of a runner's checkout have
// one name: work/NAME/NAME.
func sameRepository(groups []string) bool {
	for i := 0; i+1 < len(groups); i += 2 {
		if groups[i] != groups[i+1] {
			return false
		}
	}
	return true
}

// checkoutInText matches what runnerCheckout does, anywhere in a text.
var checkoutInText = lazyregexp.New(`(?:/home/runner/work/([^/\s]+)/([^/\s]+)|/Users/runner/work/([^/\s]+)/([^/\s]+)|/__w/([^/\s]+)/([^/\s]+)` +
	`|[A-Za-z]:[\\/]a[\\/]([^\\/\s]+)[\\/]([^\\/\s]+)|/github/workspace|(?:[A-Za-z]:)?(?:[\\/][^\\/\s]+)*?[\\/]_work[\\/]([^\\/\s]+)[\\/]([^\\/\s]+))[\\/]`)

// Localize returns a text without the directory of the checkout before the paths that
// it names: that differs from machine to machine.
func Localize(text, root string) string {
	if strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, m := range checkoutsIn(text, root) {
		if m[0] >= done && (m[0] == 0 || !continuesPath(text[m[0]-1])) {
			out.WriteString(text[done:m[0]])
			done = m[1]
		}
	}
	return out.String() + text[done:]
}

// checkoutsIn returns where directories of a checkout stand in a text, in their order.
func checkoutsIn(text, root string) (found [][2]int) {
	if root = strings.TrimRight(root, `/\`); len(root) > 1 {
		for at := 0; ; {
			i := strings.Index(text[at:], root)
			if i < 0 {
				break
			}
			end := at + i + len(root)
			if end < len(text) && (text[end] == '/' || text[end] == '\\') {
				found = append(found, [2]int{at + i, end + 1})
			}
			at = end
		}
	}
	if !mayNameCheckout(text) {
		return found
	}
	for _, m := range checkoutInText.FindAllStringSubmatchIndex(text, -1) {
		groups := []string{}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				groups = append(groups, text[m[i]:m[i+1]])
			}
		}
		if sameRepository(groups) {
			found = append(found, [2]int{m[0], m[1]})
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return found
}

// mayNameCheckout reports whether checkoutInText can match, many times as fast: a report
// names thousands of paths.
func mayNameCheckout(text string) bool {
	for _, part := range [...]string{"runner/work/", "/__w/", ":/a", `:\a`, "/github/workspace", "_work"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// continuesPath reports whether a path that begins after c began before it.
func continuesPath(c byte) bool {
	return c >= 0x80 || c == '/' || c == '\\' || c == '.' || c == '_' || c == '-' || c == ':' ||
		'0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// SameFile reports whether two paths can name one file: the segments of one end the
// other.
func SameFile(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b)
}

// PlaceOf returns the place with a relative path and a line as text, the zero Place where
// they name none.
func PlaceOf(file, line string) Place {
	n, err := strconv.Atoi(line)
	if err != nil || file == "" || len(file) > pathMax || n < 1 || n > lineMax {
		return Place{}
	}
	return Place{file, n}
}

// Dotted writes a path with dots, as Python and Java name modules.
func Dotted(s string) string { return strings.ReplaceAll(strings.TrimPrefix(s, "./"), "/", ".") }

// SameDotted reports whether Dotted writes two paths alike.
func SameDotted(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return len(a) == len(b) && (a == b || Dotted(a) == Dotted(b))
}

// TrimExt returns a path without its extension.
func TrimExt(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// Slashed writes a path with forward slashes. Text that is no path, such as a regular
// expression in a name, is returned unchanged.
func Slashed(s string) string {
	if strings.IndexByte(s, '\\') < 0 || !onDrive(s) && strings.ContainsAny(s, " \t\n*?\"<>|") {
		return s
	}
	return strings.ReplaceAll(s, `\`, "/")
}

// onDrive reports whether s begins as "C:\" does.
func onDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// LooksLikeSource reports whether name ends in the extension of a source file,
// so that a class such as com.acme.Login is not taken for one.
func LooksLikeSource(name string) bool {
	return slices.Contains(sourceExtensions, strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
}

// IsSourcePath reports whether name is the absolute path of a source file.
func IsSourcePath(name string) bool {
	return len(name) > 2 && (name[0] == '/' || name[0] == '\\' || name[1] == ':') && Absolute(Slashed(name)) && LooksLikeSource(name)
}

var sourceExtensions = strings.Fields(`js jsx mjs cjs ts tsx mts cts vue svelte py rb java kt scala groovy cs fs vb php
	swift m mm c cc cpp cxx h hpp rs go feature robot bats sh lua ex exs dart phpt code pl pm t ps1`)

// testFile matches the names of test files, so that a suite called "Node.js"
// is not taken for one.
var testFile = lazyregexp.New(`^[^\s]*(?:/|[._-](?:test|spec|cy|e2e|it)\.)[^\s]*$`)

// IsTestScript reports whether name is that of a JavaScript or TypeScript test file.
func IsTestScript(name string) bool { return IsScript(name) && testFile.MatchString(Slashed(name)) }

// IsScript reports whether name is a JavaScript or TypeScript file.
func IsScript(name string) bool {
	return (strings.HasSuffix(name, "s") || strings.HasSuffix(name, "x")) && slices.Contains(scriptExtensions, path.Ext(name))
}

var scriptExtensions = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}

var filePosition = lazyregexp.New(`^(.+\.[A-Za-z]{1,6}):(\d{1,7})(?::\d{1,7})?$`)

// CutLine cuts the line off a reported file such as ExUnit's "test/cart_test.exs:3". A
// line that is reported itself goes first.
func CutLine(file, line string) (string, string) {
	if !strings.Contains(file, ":") {
		return file, line
	}
	if m := filePosition.FindStringSubmatch(file); m != nil {
		return m[1], cmp.Or(strings.TrimSpace(line), m[2])
	}
	return file, line
}

// Place is a line of a source file, relative to the checkout.
type Place struct {
	File string
	Line int // 1-based, 0 when unknown
}

// pathMax bounds a path in a trace in bytes, lineMax a line's number.
const (
	pathMax = 400
	lineMax = 9_999_999
)
