package junit

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
)

// notes gathers the notices of one file: one a kind, with the first place and
// how often it came.
type notes struct {
	file  string
	order []noteKind
	kinds map[noteKind]*note
}

type noteKind struct {
	severity engine.Severity
	name     string
}

type note struct {
	notice engine.Notice
	times  int
}

func newNotes(file string) *notes { return &notes{file: file, kinds: map[noteKind]*note{}} }

func (n *notes) warn(kind string, line int, reason string) {
	n.warnf(kind, line, "%s", reason)
}

func (n *notes) warnf(kind string, line int, format string, args ...any) {
	n.add(noteKind{engine.SeverityWarning, kind}, line, format, args)
}

func (n *notes) block(kind string, line int, reason string) {
	n.blockf(kind, line, "%s", reason)
}

func (n *notes) blockf(kind string, line int, format string, args ...any) {
	n.add(noteKind{engine.SeverityBlocking, kind}, line, format, args)
}

// add writes a reason only where it is the first of its kind: a report can give
// one at every line.
func (n *notes) add(kind noteKind, line int, format string, args []any) {
	if seen, ok := n.kinds[kind]; ok {
		seen.times++
		return
	}
	n.order = append(n.order, kind)
	n.kinds[kind] = &note{
		notice: engine.Notice{File: n.file, Line: line, Severity: kind.severity, Reason: fmt.Sprintf(format, args...)},
		times:  1,
	}
}

// list returns the notices in the order they first came.
func (n *notes) list() []engine.Notice {
	var out []engine.Notice
	for _, kind := range n.order {
		seen := n.kinds[kind]
		notice := seen.notice
		if seen.times > 1 {
			notice.Reason += fmt.Sprintf(" (and %d more like it)", seen.times-1)
		}
		out = append(out, notice)
	}
	return out
}

// blocked reports whether any notice blocks.
func (n *notes) blocked() bool {
	for _, seen := range n.kinds {
		if seen.notice.Severity == engine.SeverityBlocking {
			return true
		}
	}
	return false
}
