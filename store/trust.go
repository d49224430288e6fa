package store

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/delta"
)

// Trust says what of a delta counts. The zero value is everything: it comes
// from where the database itself does.
type Trust struct {
	// Only, when not nil, is the one run the delta can speak for. Of such a
	// delta only that run's results and heal events are taken, and they are
	// kept apart: they never count for other branches.
	Only *OnlyRun
	// Learned lets such a delta also bring what tests write themselves:
	// fingerprints, pages and heals of no run.
	Learned bool
	// Hand limits a delta to what people decided about the quarantine.
	Manual bool
	// RepositoryID, when not 0, is the repository every run must be of, or of
	// none.
	RepositoryID int64
}

// OnlyRun names a run as the forge vouches for it.
type OnlyRun struct {
	RunID      int64
	RunAttempt int
	Branch     string
}

// Apart returns the run that wrote a delta when it is one of those that never
// count for other branches: of a pull request, a fork or another branch than
// the default one. Otherwise it returns nil.
func Apart(d *delta.Delta) *delta.Run {
	for _, r := range d.Records {
		run, ok := r.(*delta.Run)
		if ok && d.Run != nil && run.Key == *d.Run && (run.Origin == int(FromPullRequest) || run.Origin == int(FromBranch)) {
			return run
		}
	}
	return nil
}

// Imported says what Import did.
type Imported struct {
	Runs      int // runs that were not there before
	Results   int // attempts that were not there before
	Conflicts int // runs that were there with other results; both are kept
	Notices   []engine.Notice
}

// Takes reports whether a delta may bring records of this kind at all.
func (t Trust) Takes(r delta.Record) bool {
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

// decidedManually reports whether a record is what a person decided about the
// quarantine: an entry that only a person releases, or the log's line of either.
func decidedManually(r delta.Record) bool {
	switch r := r.(type) {
	case *delta.Quarantine:
		return !r.Auto
	case *delta.Change:
		return r.Action != SettingAction && r.Who != Automatic
	}
	return false
}
