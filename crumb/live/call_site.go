package live

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// ours is the path of the packages that stand between a test and its binding.
const ours = "github.com/breadcrumb/action/crumb"

// Site is where a locator is written: the innermost calls when it was made. It
// costs about a microsecond to take and is looked up when it is needed.
type Site [8]uintptr

// CallSite returns the site of the caller's caller.
func CallSite() (s Site) {
	runtime.Callers(3, s[:])
	return s
}

// findUserFrame returns the first frame that is not of our packages; their tests are
// not.
func (s Site) findUserFrame() (file string, line int, ok bool) {
	frames := runtime.CallersFrames(s[:])
	for f, _ := frames.Next(); f.PC != 0; f, _ = frames.Next() {
		below, within := strings.CutPrefix(f.Function, ours)
		if !within || below == "" || below[0] != '.' && below[0] != '/' || strings.HasSuffix(f.File, "_test.go") {
			return f.File, f.Line, true
		}
	}
	return "", 0, false
}

// relativeTo returns the site with its file below root, which is a slash path; a file
// elsewhere keeps its whole name. It is nil when the site is not known.
func (s Site) relativeTo(root string) *engine.Site {
	file, line, ok := s.findUserFrame()
	if !ok {
		return nil
	}
	if below, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(below) {
		file = below
	}
	return &engine.Site{File: filepath.ToSlash(file), Line: line}
}
