package crumb

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// ours begins the names of this package's functions.
const ours = "github.com/breadcrumb/action/crumb."

// site is where a locator is written: the innermost calls when it was made. It
// costs about a microsecond to take and is looked up when it is needed.
type site [8]uintptr

// callSite returns the site of the caller's caller.
func callSite() (s site) {
	runtime.Callers(3, s[:])
	return s
}

// findUserFrame returns the first frame that is not this package's own; its tests are
// not.
func (s site) findUserFrame() (file string, line int, ok bool) {
	frames := runtime.CallersFrames(s[:])
	for f, _ := frames.Next(); f.PC != 0; f, _ = frames.Next() {
		if !strings.HasPrefix(f.Function, ours) || strings.HasSuffix(f.File, "_test.go") {
			return f.File, f.Line, true
		}
	}
	return "", 0, false
}

// relativeTo returns the site with its file below root, which is a slash path; a file
// elsewhere keeps its whole name. It is nil when the site is not known.
func (s site) relativeTo(root string) *engine.Site {
	file, line, ok := s.findUserFrame()
	if !ok {
		return nil
	}
	if below, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(below) {
		file = below
	}
	return &engine.Site{File: filepath.ToSlash(file), Line: line}
}
