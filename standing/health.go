package standing

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// What is worth a look.
const (
	staleAfter   = 30 * 24 * time.Hour // a fingerprint not seen since
	expirySoon   = 7 * 24 * time.Hour
	snapshotOld  = 14 * 24 * time.Hour
	manyUnfolded = 20 // deltas: more than one run folds
)

// Health is what is known of how a database is doing. Name to Leftover are the
// caller's to fill in, State too where the history is kept elsewhere; Read
// fills in the rest.
type Health struct {
	Name     string // of the file, for people
	Now      time.Time
	Size     int64    // bytes
	Absent   bool     // there is no such file, and State alone is known
	Leftover []string // files of a program that was killed, or is running

	Schema  int // of the file
	Facts   store.Facts
	Stale   int // fingerprints not seen for 30 days
	Held    int // tests in quarantine by evidence
	Notices []engine.Notice

	State *state.Condition
}

// Finding is one line of a check-up.
type Finding struct {
	Bad  bool // should be looked at
	Name string
	Text string // may hold texts of a test run
}

// patient is a database as Read examines it.
type patient interface {
	FileSchema() int
	Notices() []engine.Notice
	Facts(ctx context.Context) (store.Facts, error)
	Stale(ctx context.Context, since time.Time) (int, error)
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
}

// Read fills in what the database says of itself.
func (h *Health) Read(ctx context.Context, db patient) (err error) {
	h.Schema, h.Notices = db.FileSchema(), db.Notices()
	if h.Facts, err = db.Facts(ctx); err != nil {
		return err
	}
	if h.Stale, err = db.Stale(ctx, h.Now.Add(-staleAfter)); err != nil {
		return err
	}
	entries, err := db.Quarantine(ctx)
	for _, e := range entries {
		if e.AutoUnquarantine {
			h.Held++
		}
	}
	return err
}

// Findings returns all that is known, line by line.
func (h *Health) Findings() []Finding {
	var all []Finding
	line := func(bad bool, name, format string, args ...any) {
		all = append(all, Finding{bad, name, fmt.Sprintf(format, args...)})
	}
	if h.Absent {
		line(false, "Database", "none at %s", h.Name)
	} else {
		h.findFile(line)
	}
	if h.State != nil {
		h.findState(line)
	}
	return all
}

func (h *Health) findFile(line func(bad bool, name, format string, args ...any)) {
	r := h.Facts.Rows
	line(false, "Database", "%s, %.1f MB", h.Name, float64(h.Size)/1e6)
	line(false, "Schema", "%s", h.schemaText())
	line(len(h.Notices) > 0, "Integrity", "%s", h.integrity())
	line(len(h.Leftover) > 0, "Left behind", "%s", h.leftovers())
	line(false, "Rows", "%s, %s of %s, %s, %s", text.Count(r.Runs, "run", "runs"), text.Count(r.Results, "result", "results"),
		text.Count(r.Tests, "test", "tests"), text.Count(r.Heals, "heal event", "heal events"), text.Count(r.Refusals, "refusal", "refusals"))
	line(h.Stale > 0, "Fingerprints", "%d, %d not seen for 30 days; %s", r.Fingerprints, h.Stale, text.Count(r.PageStates, "page state", "page states"))
	room := int(math.Floor(float64(r.Tests) * flaky.DefaultShare))
	line(h.Held > room, "Quarantine", "%s, %s; room for %d of %s", text.Count(r.Quarantined, "test", "tests"), text.Count(h.Held, "leaves on its own", "leave on their own"), room, text.Count(r.Tests, "test", "tests"))
}

func (h *Health) findState(line func(bad bool, name, format string, args ...any)) {
	c := h.State
	switch age := h.Now.Sub(c.Created); {
	case c.Snapshot == "":
		line(true, "Snapshot", "none yet: a run on the default branch saves one")
	case c.Unreadable != nil:
		line(true, "Snapshot", "%s cannot be used: %v", c.Snapshot, c.Unreadable)
	default:
		line(age > snapshotOld, "Snapshot", "%s, %s old, %d deltas in it", c.Snapshot, days(age), c.Covered)
		line(!c.Expires.IsZero() && c.Expires.Sub(h.Now) < expirySoon, "Expiry", "%s", h.expiry(c.Expires))
	}
	soon := !c.NextLost.IsZero() && c.NextLost.Sub(h.Now) < expirySoon
	text := ""
	if !c.NextLost.IsZero() {
		text = ", the first of them " + h.expiry(c.NextLost)
	}
	line(c.Uncovered > manyUnfolded || soon, "Deltas", "%d not in a snapshot%s", c.Uncovered, text)
}

func (h *Health) schemaText() string {
	if h.Schema < h.Facts.Schema {
		return fmt.Sprintf("%d; the next run makes it %d", h.Schema, h.Facts.Schema)
	}
	return fmt.Sprint(h.Schema)
}

func (h *Health) integrity() string {
	if len(h.Notices) == 0 {
		return "ok"
	}
	return fmt.Sprintf("%d problems; the first: %s", len(h.Notices), h.Notices[0].Reason)
}

func (h *Health) leftovers() string {
	if len(h.Leftover) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, of a program that runs or was killed; the next run takes it in", h.Leftover[0])
}

func (h *Health) expiry(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	if at.Before(h.Now) {
		return "expired " + days(h.Now.Sub(at)) + " ago"
	}
	return "expires in " + days(at.Sub(h.Now))
}

func days(d time.Duration) string {
	if n := int(d.Hours() / 24); n != 1 {
		return fmt.Sprintf("%d days", n)
	}
	return "1 day"
}
