package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

const doctorLong = `Say how the database and the history behind it are doing. Nothing is changed.

Exit code: 0 all is well, 1 something should be looked at, 2 the database cannot
be used or the command line is wrong.`

// What doctor finds worth a look.
const (
	staleAfter   = 30 * 24 * time.Hour // a fingerprint not seen since
	expirySoon   = 7 * 24 * time.Hour
	snapshotOld  = 14 * 24 * time.Hour
	manyUnfolded = 20 // deltas: more than one run folds
)

func newDoctor(s Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", Short: "Say how the database is doing", Long: doctorLong, Args: noArgs,
		Example: "  breadcrumb doctor\n  breadcrumb doctor --workflow\n  breadcrumb doctor --state-path history\n  GITHUB_TOKEN=… breadcrumb doctor --state artifact --repository acme/shop"}
	db := cmd.Flags().String("db", ".breadcrumb.db", "Breadcrumb's database `FILE`")
	place := cmd.Flags().String("state", "", "`PLACE` that keeps the history, to look there too: path, or on GitHub artifact, cache (in a job alone) or branch")
	completeWords(cmd, "state", statePath, stateArtifact, stateCache, stateBranch)
	path := cmd.Flags().String("state-path", "", "`DIR` that keeps the history")
	workflow := cmd.Flags().Bool("workflow", false, "say instead what to switch on in this folder's Playwright configuration, and what is unsafe in its GitHub workflows, and why")
	repo := cmd.Flags().String("repository", os.Getenv("GITHUB_REPOSITORY"), "`OWNER/NAME` on GitHub whose history it is; the token is GITHUB_TOKEN")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *workflow {
			findings, err := adviseWorkflow(s.Out, os.DirFS("."))
			if err == nil && findings > 0 {
				err = exitError{ci.ExitBlocked}
			}
			return err
		}
		h := health{db: *db, now: time.Now()}
		if err := h.look(cmd.Context()); err != nil {
			return err
		}
		if err := h.inspect(cmd.Context(), *place, *path, *repo); err != nil {
			return err
		}
		if findings := h.print(s.Out); findings > 0 {
			return exitError{ci.ExitBlocked}
		}
		return nil
	}
	return cmd
}

// inspect looks at the history at its place, if one is named.
func (h *health) inspect(ctx context.Context, place, path, repo string) error {
	var shelf state.Shelf
	self := state.Self{AnyWorkflow: true}
	switch {
	case place == "" && path == "":
		return nil
	case (place == statePath || place == "") && path != "":
		shelf = state.NewPath(path)
	case place == statePath:
		return usageError{"--state path: say which directory with --state-path"}
	case path != "":
		return usageError{"--state-path is for state path"}
	default:
		remote, o, err := remoteShelf(ctx, place, repo)
		if err != nil {
			return err
		}
		shelf = remote
		self.DefaultBranch, self.Info.RepositoryID, self.Info.Repository = o.DefaultBranch, o.RepositoryID, o.Repository
	}
	c, err := state.Inspect(ctx, shelf, self)
	if err != nil {
		return err
	}
	h.state = &c
	return nil
}

// health is what doctor knows of a database.
type health struct {
	db       string
	now      time.Time
	size     int64
	leftover []string // of a program that was killed, or is running
	schema   int      // of the file
	facts    store.Facts
	stale    int
	held     int // tests in quarantine by evidence
	notices  []engine.Notice
	state    *state.Condition
}

func (h *health) look(ctx context.Context) error {
	if store.IsPostgres(h.db) {
		return usageError{"doctor looks at a database file; a server has tools of its own for that"}
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if _, err := os.Lstat(h.db + suffix); err == nil {
			h.leftover = append(h.leftover, h.db+suffix)
		}
	}
	info, err := os.Stat(h.db)
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Sprintf("no database at %s: name it with --db, or run `breadcrumb ci` first", h.db)}
	}
	if err != nil {
		return usageError{err.Error()}
	}
	h.size = info.Size()
	db, err := openOwn(ctx, h.db)
	if err != nil {
		return err
	}
	defer db.Close()
	return h.read(ctx, db)
}

func (h *health) read(ctx context.Context, db *store.DB) (err error) {
	h.schema, h.notices = db.FileSchema(), db.Notices()
	if h.facts, err = db.Facts(ctx); err != nil {
		return err
	}
	if h.stale, err = db.Stale(ctx, h.now.Add(-staleAfter)); err != nil {
		return err
	}
	entries, err := db.Quarantine(ctx)
	for _, e := range entries {
		if e.AutoUnquarantine {
			h.held++
		}
	}
	return err
}

// print writes what is known, a "!" before what should be looked at, and
// returns how many of those there are.
func (h *health) print(w io.Writer) (findings int) {
	line := func(bad bool, name, format string, args ...any) {
		mark := " "
		if bad {
			mark = "!"
			findings++
		}
		fmt.Fprintf(w, "%s %-13s %s\n", mark, name, report.Clean(fmt.Sprintf(format, args...)))
	}
	r := h.facts.Rows
	line(false, "Database", "%s, %.1f MB", h.db, float64(h.size)/1e6)
	line(false, "Schema", "%s", h.schemaText())
	line(len(h.notices) > 0, "Integrity", "%s", h.integrity())
	line(len(h.leftover) > 0, "Left behind", "%s", h.leftovers())
	line(false, "Rows", "%d runs, %d results of %d tests, %d heal events, %d refusals", r.Runs, r.Results, r.Tests, r.Heals, r.Refusals)
	line(h.stale > 0, "Fingerprints", "%d, %d not seen for 30 days; %d page states", r.Fingerprints, h.stale, r.PageStates)
	room := int(math.Floor(float64(r.Tests) * flaky.DefaultShare))
	line(h.held > room, "Quarantine", "%d tests, %d of them released on their own; room for %d of %d tests", r.Quarantined, h.held, room, r.Tests)
	if h.state != nil {
		h.printState(line)
	}
	return findings
}

func (h *health) printState(line func(bad bool, name, format string, args ...any)) {
	c := h.state
	switch age := h.now.Sub(c.Created); {
	case c.Snapshot == "":
		line(true, "Snapshot", "none yet: a run on the default branch saves one")
	case c.Unreadable != nil:
		line(true, "Snapshot", "%s cannot be used: %v", c.Snapshot, c.Unreadable)
	default:
		line(age > snapshotOld, "Snapshot", "%s, %s old, %d deltas in it", c.Snapshot, days(age), c.Covered)
		line(!c.Expires.IsZero() && c.Expires.Sub(h.now) < expirySoon, "Expiry", "%s", h.expiry(c.Expires))
	}
	soon := !c.NextLost.IsZero() && c.NextLost.Sub(h.now) < expirySoon
	text := ""
	if !c.NextLost.IsZero() {
		text = ", the first of them " + h.expiry(c.NextLost)
	}
	line(c.Uncovered > manyUnfolded || soon, "Deltas", "%d not in a snapshot%s", c.Uncovered, text)
}

func (h *health) schemaText() string {
	if h.schema < h.facts.Schema {
		return fmt.Sprintf("%d; the next run makes it %d", h.schema, h.facts.Schema)
	}
	return fmt.Sprint(h.schema)
}

func (h *health) integrity() string {
	if len(h.notices) == 0 {
		return "ok"
	}
	return fmt.Sprintf("%d problems; the first: %s", len(h.notices), h.notices[0].Reason)
}

func (h *health) leftovers() string {
	if len(h.leftover) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, of a program that runs or was killed; the next run takes it in", h.leftover[0])
}

func (h *health) expiry(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	if at.Before(h.now) {
		return "expired " + days(h.now.Sub(at)) + " ago"
	}
	return "expires in " + days(at.Sub(h.now))
}

func days(d time.Duration) string {
	if n := int(d.Hours() / 24); n != 1 {
		return fmt.Sprintf("%d days", n)
	}
	return "1 day"
}
