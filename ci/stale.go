package ci

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit"
)

// findStaleReports looks for reports that are left from an earlier run, because a
// runner was not cleaned, by a cache or by a commit: then this run's tests proved
// nothing. Reports hold the time at which they were made, so no two runs write
// the same bytes. Such reports are an InputError, or a warning where missing
// tests only warn.
func (r *run) findStaleReports(ctx context.Context) error {
	r.findOldReports()
	if r.cfg.Info.Relayed || !r.collected.dated() {
		return nil
	}
	earlier, err := r.session.DB.SameReports(ctx, r.cfg.Info, r.session.Self.ReportDigest)
	if err != nil || earlier == 0 {
		return err
	}
	reason := fmt.Sprintf("the reports are those of run %d, byte for byte: this job's tests wrote none", earlier)
	if r.cfg.Missing == MissingWarn {
		r.note(warning(reason))
		return nil
	}
	return InputError{fmt.Errorf(`%s; remove old reports before the tests, or where a build cache replays them on purpose set "missing: warn"`, reason)}
}

// dated reports whether a report says when it was made.
func (c collected) dated() bool {
	for _, f := range c.files {
		if isDated(f) {
			return true
		}
	}
	return false
}

// How much earlier than its run a report of the run can seem to be made. What a report says
// itself names no time zone more often than not; a runner's clock is a little wrong.
const (
	reportZone = 24 * time.Hour
	clockError = time.Hour
)

// findOldReports looks for single reports that were there before the run began, beside those
// that it wrote: the tests of such a report may not have run at all. They do not pass unless
// somebody says how the step of the tests ended, because a build cache replays reports, too.
// Where nobody knows when the run began, or by which clock its reports were made, a report
// that is much older than another is told.
func (r *run) findOldReports() {
	info := r.cfg.Info
	if info.Relayed {
		return
	}
	if info.RunID == 0 || info.StartedAt.IsZero() || info.LateStart {
		r.noteOlderReports()
		return
	}
	if now := r.deps.Now(); now.Before(info.StartedAt.Add(-clockError)) {
		r.note(warning(fmt.Sprintf("the clock of this machine says %s and this run began %s, so nobody can tell whether a report is older than the run; set the clock",
			formatMinute(now), formatMinute(info.StartedAt))))
		r.noteOlderReports()
		return
	}
	var old oldReports
	for _, f := range r.collected.files {
		made := f.Started
		if !isDated(f) || !made.Before(info.StartedAt.Add(-reportZone)) {
			written, err := os.Stat(f.Name)
			if err != nil || written.ModTime().Year() <= 1980 || !written.ModTime().Before(info.StartedAt.Add(-clockError)) {
				continue
			}
			made = written.ModTime()
		}
		old = append(old, oldReport{f.Name, made})
	}
	if len(old) == 0 {
		return
	}
	notice := old.describe("this run began "+formatMinute(info.StartedAt), "the tests may not have run")
	if r.cfg.Missing != MissingWarn && len(r.cfg.Steps) == 0 {
		notice.Severity = engine.SeverityBlocking
		notice.Reason += "; remove old reports before the tests, and tell with step-outcome how the tests' step ended, as it passes where a build cache replays reports"
	}
	r.note(notice)
}

// noteOlderReports warns of reports that are more than a day older than another one.
func (r *run) noteOlderReports() {
	var newest *junit.File
	for _, f := range r.collected.files {
		if isDated(f) && (newest == nil || f.Started.After(newest.Started)) {
			newest = f
		}
	}
	var old oldReports
	for _, f := range r.collected.files {
		if isDated(f) && f.Started.Before(newest.Started.Add(-reportZone)) {
			old = append(old, oldReport{f.Name, f.Started})
		}
	}
	if len(old) > 0 {
		r.note(old.describe(newest.Name+" is of "+formatMinute(newest.Started), "what is older may be left from an earlier run"))
	}
}

// oldReports are reports that are too old for the run, at least one of them for one reason.
type oldReports []oldReport

type oldReport struct {
	name string
	made time.Time
}

// maxOldReports bounds the reports that are listed.
const maxOldReports = 3

// describe returns one warning for all of them: what is newer than they are, and what that
// may mean.
func (o oldReports) describe(newer, so string) engine.Notice {
	if len(o) == 1 {
		notice := warning(fmt.Sprintf("the report is of %s and %s, so %s", formatMinute(o[0].made), newer, so))
		notice.File = o[0].name
		return notice
	}
	var listed []string
	for _, r := range o[:min(len(o), maxOldReports)] {
		listed = append(listed, fmt.Sprintf("%s (%s)", r.name, formatMinute(r.made)))
	}
	if more := len(o) - len(listed); more > 0 {
		listed = append(listed, fmt.Sprintf("%d more", more))
	}
	return warning(fmt.Sprintf("%d reports are too old: %s; %s, so %s", len(o), text.List(listed), newer, so))
}

// isDated reports whether a report says when it was made. A build that hides the clock
// writes its epoch.
func isDated(f *junit.File) bool { return f.Started.Year() > 1980 }

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
