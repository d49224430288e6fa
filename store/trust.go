package store

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/delta"
)

// Trust says which records of a delta are imported. The zero value imports
// everything.
type Trust struct {
	// Only, when not nil, is the one run that wrote the delta. Only the results
	// and heal events of that run are imported, and they never count for other
	// branches.
	Only *OnlyRun
	// Learned imports from such a delta also what tests write themselves:
	// fingerprints, pages and heals of no run.
	Learned bool
	// Manual imports only what people decided: about the quarantine, by a veto, by
	// accepting an edit and by letting an element be forgotten.
	Manual bool
	// Releases imports only that people let tests out of quarantine, which can make a
	// verdict stricter and nothing else.
	Releases bool
	// RepositoryID, when not 0, is the repository that every run must be of;
	// runs of no repository pass as well.
	RepositoryID int64
}

// OnlyRun is a run as the forge, not the delta, describes it.
type OnlyRun struct {
	RunID      int64
	RunAttempt int
	Branch     string
}

// Apart returns the run that wrote a delta if it is a run of a pull request, a
// fork or another branch than the default one: such runs never count for other
// branches. Otherwise it returns nil.
func Apart(d *delta.Delta) *delta.Run {
	for _, r := range d.Records {
		run, ok := r.(*delta.Run)
		if ok && d.Run != nil && run.Key == *d.Run && (run.Origin == int(FromPullRequest) || run.Origin == int(FromBranch)) {
			return run
		}
	}
	return nil
}

// Imported counts what Import added.
type Imported struct {
	Runs      int // runs that were not there before
	Results   int // attempts that were not there before
	Conflicts int // runs that were there with other results; both are kept
	Notices   []engine.Notice
}

// Takes reports whether the record of a delta may be imported at all.
func (t Trust) Takes(r delta.Record) bool {
	if t.Releases {
		c, isChange := r.(*delta.Change)
		return isChange && c.Action == ReleaseAction && decidedManually(c)
	}
	if t.Manual {
		return decidedManually(r)
	}
	if t.Only == nil {
		return true
	}
	switch r.(type) {
	case *delta.Run, *delta.Result, *delta.Heal:
		return true
	case *delta.Fingerprint, *delta.Page:
		return t.Learned
	}
	return false
}

// decidedManually reports whether a person made the record's decision: an entry of
// the quarantine that only a person releases, a line of its log, a veto, a lesson,
// an accepted element, an element to forget.
func decidedManually(r delta.Record) bool {
	switch r := r.(type) {
	case *delta.Quarantine:
		return !r.Auto
	case *delta.Change:
		return r.Action != SettingAction && r.Who != Automatic
	case *delta.Veto, *delta.Lesson, *delta.Accepted, *delta.Forgotten:
		return true
	}
	return false
}
