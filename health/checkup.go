package health

import (
	"context"
	"fmt"
	"os"
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

// Checkup is what is known of how a database is doing. The caller fills in Name to
// Leftover, and State where the history is kept elsewhere; Read fills in the
// rest.
type Checkup struct {
	Name     string // of the file, for people
	Now      time.Time
	Size     int64    // bytes
	Absent   bool     // there is no such file, and State alone is known
	Leftover []string // files of a program that was killed, or is running

	Schema int    // of the file
	Newer  string // what is said of a schema newer than this Breadcrumb's, or ""
	Facts  store.Facts
	Stale  int             // fingerprints not seen for 30 days
	Held   int             // tests in quarantine by evidence
	Unread []engine.Notice // what could not be read

	State *state.Condition
}

// Finding is one line of a check-up.
type Finding struct {
	Bad  bool // should be looked at
	Name string
	Text string // may hold texts of a test run
}

// examined is what Read needs of a database.
type examined interface {
	FileSchema() int
	Newer() string
	Unread() []engine.Notice
	Facts(ctx context.Context) (store.Facts, error)
	Stale(ctx context.Context, since time.Time) (int, error)
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
}

// Read fills in what the database says of itself.
func (c *Checkup) Read(ctx context.Context, db examined) (err error) {
	c.Schema, c.Newer, c.Unread = db.FileSchema(), db.Newer(), db.Unread()
	if c.Facts, err = db.Facts(ctx); err != nil {
		return err
	}
	if c.Stale, err = db.Stale(ctx, c.Now.Add(-staleAfter)); err != nil {
		return err
	}
	entries, err := db.Quarantine(ctx)
	for _, e := range entries {
		if e.AutoUnquarantine {
			c.Held++
		}
	}
	return err
}

// Findings returns all that is known, line by line.
func (c *Checkup) Findings() []Finding {
	var all []Finding
	line := func(bad bool, name, format string, args ...any) {
		all = append(all, Finding{bad, name, fmt.Sprintf(format, args...)})
	}
	if c.Absent {
		line(false, "Database", "none at %s", c.Name)
	} else {
		c.addDatabase(line)
	}
	if c.State != nil {
		c.addState(line)
	}
	return all
}

func (c *Checkup) addDatabase(line func(bad bool, name, format string, args ...any)) {
	r := c.Facts.Rows
	line(false, "Database", "%s, %.1f MB", c.Name, float64(c.Size)/1e6)
	line(c.Newer != "", "Schema", "%s", c.schemaText())
	line(len(c.Unread) > 0, "Integrity", "%s", c.integrity())
	line(len(c.Leftover) > 0, "Left behind", "%s", c.leftovers())
	line(false, "Rows", "%s, %s of %s, %s, %s", text.Count(r.Runs, "run", "runs"), text.Count(r.Results, "result", "results"),
		text.Count(r.Tests, "test", "tests"), text.Count(r.Heals, "heal event", "heal events"), text.Count(r.Refusals, "refusal", "refusals"))
	line(c.Stale > 0, "Fingerprints", "%d, %d not seen for 30 days; %s", r.Fingerprints, c.Stale, text.Count(r.PageStates, "page state", "page states"))
	room := flaky.Room(flaky.DefaultShare, r.Tests)
	line(c.Held > room, "Quarantine", "%s, %s; room for %d of %s", text.Count(r.Quarantined, "test", "tests"), text.Count(c.Held, "leaves on its own", "leave on their own"), room, text.Count(r.Tests, "test", "tests"))
}

func (c *Checkup) addState(line func(bad bool, name, format string, args ...any)) {
	s := c.State
	switch age := c.Now.Sub(s.Created); {
	case s.Snapshot == "":
		line(true, "Snapshot", "none yet: a run on the default branch saves one")
	case s.Unreadable != nil:
		line(true, "Snapshot", "%s cannot be used: %v", s.Snapshot, s.Unreadable)
	default:
		line(age > snapshotOld, "Snapshot", "%s, %s old, %d deltas in it", s.Snapshot, days(age), s.Covered)
		line(!s.Expires.IsZero() && s.Expires.Sub(c.Now) < expirySoon, "Expiry", "%s", c.expiry(s.Expires))
	}
	soon := !s.NextLost.IsZero() && s.NextLost.Sub(c.Now) < expirySoon
	next := ""
	if !s.NextLost.IsZero() {
		next = ", the first of them " + c.expiry(s.NextLost)
	}
	line(s.Uncovered > manyUnfolded || soon, "Deltas", "%d not in a snapshot%s", s.Uncovered, next)
}

func (c *Checkup) schemaText() string {
	if c.Schema < c.Facts.Schema {
		return fmt.Sprintf("%d; the next run makes it %d", c.Schema, c.Facts.Schema)
	}
	if c.Newer != "" {
		return fmt.Sprintf("%d: %s", c.Schema, c.Newer)
	}
	return fmt.Sprint(c.Schema)
}

func (c *Checkup) integrity() string {
	if len(c.Unread) == 0 {
		return "ok"
	}
	return fmt.Sprintf("%s; the first: %s", text.Count(len(c.Unread), "problem", "problems"), c.Unread[0].Reason)
}

func (c *Checkup) leftovers() string {
	if len(c.Leftover) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, of a program that runs or was killed; the next run takes it in", c.Leftover[0])
}

func (c *Checkup) expiry(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	if at.Before(c.Now) {
		return "expired " + days(c.Now.Sub(at)) + " ago"
	}
	return "expires in " + days(at.Sub(c.Now))
}

// Leftovers returns the files beside a database file of a program that was
// killed, or is running.
func Leftovers(database string) []string {
	var left []string
	for _, suffix := range []string{"-wal", "-journal"} {
		if _, err := os.Lstat(database + suffix); err == nil {
			left = append(left, database+suffix)
		}
	}
	return left
}

func days(d time.Duration) string {
	if n := int(d.Hours() / 24); n != 1 {
		return fmt.Sprintf("%d days", n)
	}
	return "1 day"
}
