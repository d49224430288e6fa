package input

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Notices collects the notices of one file: one of each kind, with its first
// place and how often it came.
type Notices struct {
	file  string
	order []*repeatedNotice
	kinds map[noticeKind]*repeatedNotice
	miss  bool
}

type noticeKind struct {
	severity engine.Severity
	name     string
}

type repeatedNotice struct {
	notice engine.Notice
	times  int
}

// Warn adds a warning of a kind. Further ones of the kind are only counted.
func (n *Notices) Warn(kind string, line int, format string, args ...any) {
	n.add(noticeKind{engine.SeverityWarning, kind}, line, format, args)
}

// Block adds a blocking notice of a kind. Further ones of the kind are only counted.
func (n *Notices) Block(kind string, line int, format string, args ...any) {
	n.add(noticeKind{engine.SeverityBlocking, kind}, line, format, args)
}

// Miss adds a blocking notice for a report of which not every test was read.
func (n *Notices) Miss(kind string, line int, format string, args ...any) {
	n.miss = true
	n.Block(kind, line, format, args...)
}

// Missed reports whether a notice says that not every test was read.
func (n *Notices) Missed() bool { return n.miss }

// add formats a reason only where it is the first of its kind: a report can cause
// one at every line.
func (n *Notices) add(kind noticeKind, line int, format string, args []any) {
	if seen, ok := n.kinds[kind]; ok {
		seen.times++
		return
	}
	notice := engine.Notice{File: n.file, Line: line, Severity: kind.severity, Reason: fmt.Sprintf(format, args...)}
	n.kinds[kind] = &repeatedNotice{notice, 1}
	n.order = append(n.order, n.kinds[kind])
}

// List returns the notices in the order in which they first came.
func (n *Notices) List() []engine.Notice {
	var out []engine.Notice
	for _, seen := range n.order {
		notice := seen.notice
		if seen.times > 1 {
			notice.Reason += fmt.Sprintf(" (and %d more like it)", seen.times-1)
		}
		out = append(out, notice)
	}
	return out
}

// Blocked reports whether any notice blocks.
func (n *Notices) Blocked() bool {
	return slices.ContainsFunc(n.order, func(seen *repeatedNotice) bool { return seen.notice.Severity == engine.SeverityBlocking })
}
