package junit

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// place is a line of a source file, relative to the checkout.
type place struct {
	file string
	line int // 1-based, 0 when unknown
}

// pathMax bounds a path in a trace in bytes, lineMax a line's number.
const (
	pathMax = 400
	lineMax = 9_999_999
)

// locationScan is how much of a failure text is searched for a place.
const locationScan = 16 * kilobyte

// tracePattern matches the forms in which traces name a line, in one pass:
// Python's File "x.py", line 3; Java's pkg.Type.method(Type.java:14); C#'s
// "in /x/T.cs:line 12"; and path.ext:line, optionally with a column, as
// JavaScript, Go, Ruby, PHP, Rust, C++ and pytest write it. Repeats are not
// counted: a counted one makes the program so large that matching is slow.
var tracePattern = regexp.MustCompile(
	`File "([^"\n]+)", line (\d+)` +
		`|([\w$.]+)\(([\w$-]+\.(?:java|kt|scala|groovy)):(\d+)\)` +
		`| in ([^\n:]{0,2}:?[^\n:]+):line (\d+)` +
		`|((?:file://|[A-Za-z]:)?[^\s"'()\[\]<>:,;=|]+\.[A-Za-z]{1,6}):(\d+)`)

// foreignCode are directories of code that is not the repository's own.
var foreignCode = regexp.MustCompile(`(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|gems|\.cargo|lib/python\d[\d.]*)/|^node:|^internal/`)

// tracer finds the line of a failure.
type tracer struct {
	root  string
	own   string // the test's own file, may be ""
	class string // the test's class, may be ""
}

// find returns the place a failure text names: the first in the test's own
// file or class, else the marked line of a code frame, else the first in code
// that can be the repository's own.
// Playwright's title line comes last: it is where the test begins.
func (t tracer) find(text string) place {
	text = text[:min(len(text), locationScan)]
	var title, other, frame place
	for line := range strings.Lines(text) {
		if frame.file == "" && t.own != "" && strings.Contains(line, ">") {
			if m := framePattern.FindStringSubmatch(line); m != nil {
				frame = placeOf(t.own, m[1])
			}
		}
		if !namesPlace(line) {
			continue
		}
		line = line[:min(len(line), 4*kilobyte)]
		for _, m := range tracePattern.FindAllStringSubmatchIndex(line, 8) {
			p := traceMatch(line, m, t.root)
			if p.file != "" && p.line == frame.line && !t.isOwn(p.file) {
				frame = place{line: -1} // the code shown is of another file
			}
			switch {
			case p.file == "" || foreignCode.MatchString(p.file):
			case t.isOwn(p.file) && titleLine(line, m):
				title = firstPlace(title, p)
			case t.isOwn(p.file):
				return p
			case !t.elsewhere(p.file):
				other = firstPlace(other, p)
			}
		}
	}
	return firstPlace(firstPlace(frame, title), other)
}

// traced is what was found last: one outage fails many tests with one text.
type traced struct {
	by    tracer
	text  string
	place place
}

// find returns what search finds in text.
func (t *traced) find(search tracer, text string) place {
	if search != t.by || text != t.text {
		*t = traced{search, text, search.find(text)}
	}
	return t.place
}

// framePattern matches the marked line of a code frame: "> 10 |   expect(…)".
var framePattern = regexp.MustCompile(`^\s*>\s*(\d{1,7})\s\|`)

// namesPlace reports whether a line can name a place: a digit behind a colon
// or behind "line ". It spares most lines the regular expression.
func namesPlace(line string) bool {
	for i := 1; i < len(line); i++ {
		if c := line[i]; c >= '0' && c <= '9' && (line[i-1] == ':' || strings.HasSuffix(line[:i], "line ")) {
			return true
		}
	}
	return false
}

func firstPlace(a, b place) place {
	if a.file != "" {
		return a
	}
	return b
}

// isOwn reports whether file is the test's own, or named after its class.
func (t tracer) isOwn(file string) bool {
	if t.own != "" {
		return samePlace(file, t.own)
	}
	class, _, _ := strings.Cut(t.class, "$")
	return class != "" && samePlace(trimExt(file), strings.ReplaceAll(class, ".", "/"))
}

// elsewhere reports whether file lies in another top package than the test's
// class: a library's frame.
func (t tracer) elsewhere(file string) bool {
	class := strings.Split(t.class, ".")
	if !jvmFile(file) || len(class) < 2 {
		return false
	}
	segments := strings.Split(file, "/")
	if len(segments) < 2 {
		return false
	}
	return segments[0] != class[0] || len(class) > 2 && len(segments) > 2 && segments[1] != class[1]
}

func jvmFile(file string) bool {
	switch path.Ext(file) {
	case ".java", ".kt", ".scala", ".groovy":
		return true
	}
	return false
}

// titleLine reports whether a match stands in Playwright's title line,
// "[chromium] › a.spec.ts:4:3 › login": the test's beginning, not its failure.
func titleLine(line string, match []int) bool {
	return strings.HasSuffix(line[:match[0]], "› ") || titleTail.MatchString(line[match[1]:])
}

var titleTail = regexp.MustCompile(`^(?::\d+)? › `)

func traceMatch(text string, m []int, root string) place {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	for _, g := range [][2]int{{1, 2}, {6, 7}, {8, 9}} {
		if file := group(g[0]); file != "" {
			if !looksLikeFile(file) {
				return place{}
			}
			return placeOf(relative(file, root), group(g[1]))
		}
	}
	return placeOf(relative(javaFile(group(3), group(4)), ""), group(5))
}

func placeOf(file, line string) place {
	n, err := strconv.Atoi(line)
	if err != nil || file == "" || len(file) > pathMax || n < 1 || n > lineMax {
		return place{}
	}
	return place{file, n}
}

// javaFile puts the package of a stack frame's method before its file, which
// the JVM names without a directory.
func javaFile(method, file string) string {
	segments := strings.Split(method, ".")
	if len(segments) <= 2 || libraryFrame(method) {
		if libraryFrame(method) {
			return ""
		}
		return file
	}
	return path.Join(strings.Join(segments[:len(segments)-2], "/"), file)
}

// libraryFrame reports whether a method belongs to the JVM or a test library.
func libraryFrame(method string) bool {
	for _, prefix := range []string{"java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "groovy.", "org.junit.", "junit.", "org.testng.", "org.hamcrest.", "org.assertj.", "org.apache.maven.", "org.gradle.", "com.google.common.truth."} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// samePlace reports whether two paths can name one file: one is a tail of the
// other on whole segments.
func samePlace(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b)
}
