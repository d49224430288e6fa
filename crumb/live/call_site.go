package live

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// ours is the path of the packages that stand between a test and its binding.
const ours = "github.com/breadcrumb/action/crumb"

// Site is where a locator is written. The zero value is not known.
type Site struct {
	// The innermost calls when the locator was made. They cost about a microsecond to
	// take and are looked up when they are needed.
	calls [8]uintptr
	named engine.Site // where a binding names the place, instead of calls
}

// CallSite returns the site of the caller's caller.
func CallSite() (s Site) {
	runtime.Callers(3, s.calls[:])
	return s
}

// SiteAt returns the site of a place that a binding names: of a file, which may be
// absolute, and a line from 1.
func SiteAt(place engine.Site) Site { return Site{named: place} }

// findUserFrame returns the first frame that is not of our packages; their tests are
// not.
func (s Site) findUserFrame() (file string, line int, ok bool) {
	frames := runtime.CallersFrames(s.calls[:])
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
	at := s.named
	if at.File == "" {
		var ok bool
		if at.File, at.Line, ok = s.findUserFrame(); !ok {
			return nil
		}
	}
	if below, err := filepath.Rel(root, at.File); err == nil && filepath.IsLocal(below) {
		at.File = below
	}
	at.File = filepath.ToSlash(at.File)
	return &at
}
