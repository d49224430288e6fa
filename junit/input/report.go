// Package input holds what the readers of all report formats share: the bounds of a
// report, the notices on it, and how reported durations, statuses and messages
// become those of an engine.Attempt.
package input

import (
	"errors"
	"time"

	"github.com/breadcrumb/action/junit/scan"
)

// Report is one report while it is read: its bytes, its bounds, and what is known
// of it so far.
type Report struct {
	Name     string
	Root     string // absolute directory of the checkout, "" where it is unknown
	Limits   Limits
	Scan     *scan.Scanner
	Notices  *Notices
	Started  time.Time // when the run began, zero where nothing says
	Rows     int       // test cases begun
	TextLeft int64     // bytes of failure text that may still be kept
	Mute     bool      // no text at all is kept any more
	Repeated bool      // go test -json shows that -count ran tests again
}

// NewReport returns the report called name of a checkout at root.
func NewReport(name, root string, l Limits) *Report {
	return &Report{Name: name, Root: root, Limits: l, Notices: &Notices{file: name, kinds: map[noticeKind]*repeatedNotice{}}, TextLeft: l.TextBytes}
}

// Stop ends the reading of a report that holds more than a limit allows.
func (r *Report) Stop(line int, format string, args ...any) error {
	r.Notices.Miss("limit", line, format, args...)
	return ErrStop
}

// DropTexts notes that failure texts from line on are left out, and keeps no more.
func (r *Report) DropTexts(line int) {
	r.TextLeft = min(r.TextLeft, 0)
	r.Notices.Warn("texts", line, "the report holds more than %d bytes of failure texts, properties and attachments; further ones were left out, the tests count", r.Limits.TextBytes)
}

// ErrStop ends the reading of a report, of which a notice says why.
var ErrStop = errors.New("stop")
