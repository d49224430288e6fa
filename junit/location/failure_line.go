package location

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// searchBytes is how much of a failure text is searched for a line.
const searchBytes = 16 << 10

// tracePattern matches the forms in which traces name a line, in one pass:
// Python's File "x.py", line 3; Java's pkg.Type.method(Type.java:14); C#'s
// "in /x/T.cs:line 12"; and path.ext:line, optionally with a column, as
// JavaScript, Go, Ruby, PHP, Rust, C++ and pytest write it. It has no counted
// repetition ({1,80}), which would make the program large and matching slow.
var tracePattern = lazyregexp.New(
	`File "([^"\n]+)", line (\d+)` +
		`|([\w$.]+)\(([\w$-]+\.(?:java|kt|scala|groovy)):(\d+)\)` +
		`| in ([^\n:]{0,2}:?[^\n:]+):line (\d+)` +
		`|((?:file://|[A-Za-z]:)?[^\s"'()\[\]<>:,;=|]+\.[A-Za-z]{1,6}):(\d+)`)

// libraryCode matches directories of code that is not the repository's own.
var libraryCode = lazyregexp.New(`(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|gems|\.cargo|lib/python\d[\d.]*)/|^node:|^internal/`)

// Search says for which test the line of a failure is looked for.
type Search struct {
	Root  string
	Own   string // the test's own file, may be ""
	Class string // the test's class, may be ""
}

// findPlace returns the place that a failure text names: the first in the test's own
// file or class, else the marked line of a code frame, else Playwright's title
// line, where the test begins, else the first in code that can be the
// repository's own.
func (t Search) findPlace(text string) Place {
	text = text[:min(len(text), searchBytes)]
	var title, other, frame Place
	for line := range strings.Lines(text) {
		if frame.File == "" && t.Own != "" && strings.Contains(line, ">") {
			if m := framePattern.FindStringSubmatch(line); m != nil {
				frame = PlaceOf(t.Own, m[1])
			}
		}
		if !namesPlace(line) {
			continue
		}
		line = line[:min(len(line), 4<<10)]
		for _, m := range tracePattern.FindAllStringSubmatchIndex(line, 8) {
			p := traceMatch(line, m, t.Root)
			if p.File != "" && p.Line == frame.Line && !t.isOwn(p.File) {
				frame = Place{} // the code shown is of another file
			}
			switch {
			case p.File == "" || libraryCode.MatchString(p.File):
			case t.isOwn(p.File) && titleLine(line, m):
				title = cmp.Or(title, p)
			case t.isOwn(p.File):
				return p
			case !t.inOtherPackage(p.File):
				other = cmp.Or(other, p)
			}
		}
	}
	return cmp.Or(frame, title, other)
}

// maxPlaces is how many places of one text are returned.
const maxPlaces = 64

// Places returns the places in a failure text that can be the repository's own, in the
// order of the text. A file is named as the text does, relative to the checkout where
// it is inside.
func (t Search) Places(text string) (places []Place) {
	for line := range strings.Lines(text[:min(len(text), searchBytes)]) {
		if !namesPlace(line) {
			continue
		}
		line = line[:min(len(line), 4<<10)]
		for _, m := range tracePattern.FindAllStringSubmatchIndex(line, 8) {
			p := traceMatch(line, m, t.Root)
			if p.File == "" || libraryCode.MatchString(p.File) || titleLine(line, m) {
				continue
			}
			if places = append(places, p); len(places) == maxPlaces {
				return places
			}
		}
	}
	return places
}

// Cache remembers the last search: one outage fails many tests with one text.
type Cache struct {
	search Search
	text   string
	place  Place
}

// Find returns what search finds in text.
func (t *Cache) Find(search Search, text string) Place {
	if search != t.search || text != t.text {
		*t = Cache{search, text, search.findPlace(text)}
	}
	return t.place
}

// framePattern matches the marked line of a code frame: "> 10 |   expect(…)".
var framePattern = lazyregexp.New(`^\s*>\s*(\d{1,7})\s\|`)

// namesPlace reports whether a line can name a place: a digit follows a colon or
// "line ". Most lines then need no regular expression.
func namesPlace(line string) bool {
	for i := 1; i < len(line); i++ {
		if c := line[i]; c >= '0' && c <= '9' && (line[i-1] == ':' || strings.HasSuffix(line[:i], "line ")) {
			return true
		}
	}
	return false
}

// isOwn reports whether file is the test's own or has the name of its class.
func (t Search) isOwn(file string) bool {
	if t.Own != "" {
		return SameFile(file, t.Own)
	}
	class, _, _ := strings.Cut(t.Class, "$")
	return class != "" && SameFile(TrimExt(file), strings.ReplaceAll(class, ".", "/"))
}

// inOtherPackage reports whether file lies in another top-level package than the
// test's class, which is then a library's.
func (t Search) inOtherPackage(file string) bool {
	class := strings.Split(t.Class, ".")
	segments := strings.Split(file, "/")
	if !slices.Contains(jvmExtensions, path.Ext(file)) || len(class) < 2 || len(segments) < 2 {
		return false
	}
	return segments[0] != class[0] || len(class) > 2 && len(segments) > 2 && segments[1] != class[1]
}

var jvmExtensions = []string{".java", ".kt", ".scala", ".groovy"}

// titleLine reports whether a match stands in Playwright's title line, "[chromium] ›
// a.spec.ts:4:3 › login", which names where the test begins and not where it failed.
func titleLine(line string, match []int) bool {
	return strings.HasSuffix(line[:match[0]], "› ") || titleTail.MatchString(line[match[1]:])
}

var titleTail = lazyregexp.New(`^(?::\d+)? › `)

func traceMatch(text string, m []int, root string) Place {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	for _, g := range [][2]int{{1, 2}, {6, 7}, {8, 9}} {
		if file := group(g[0]); file != "" {
			if !LooksLikeSource(file) {
				return Place{}
			}
			return PlaceOf(Relative(file, root), group(g[1]))
		}
	}
	return PlaceOf(Relative(frameFile(group(3), group(4)), ""), group(5))
}

// frameFile returns the file of a stack frame, in the directory of its method's package:
// the JVM names files without a directory.
func frameFile(method, file string) string {
	segments := strings.Split(method, ".")
	switch {
	case libraryFrame(method):
		return ""
	case len(segments) <= 2:
		return file
	}
	return path.Join(strings.Join(segments[:len(segments)-2], "/"), file)
}

// libraryFrame reports whether a method belongs to the JVM or a test library.
func libraryFrame(method string) bool {
	return slices.ContainsFunc(libraryPackages, func(name string) bool { return strings.HasPrefix(method, name+".") })
}

var libraryPackages = strings.Fields(`java javax jdk sun kotlin scala groovy org.junit junit org.testng org.hamcrest
	org.assertj org.apache.maven org.gradle com.google.common.truth`)
