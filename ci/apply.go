package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// maxEdited bounds a file that is edited, in bytes.
const maxEdited = 1 << 20

// Applied is what Apply did, or would do.
type Applied struct {
	Edits    []outcome.OfferedEdit // the edits that were asked for, sorted by file and place
	Unasked  []outcome.OfferedEdit // edits of suggestions, which are made by their ids only, when all were asked for and none was chosen one by one
	Declined bool                  // edits were there to choose from, and none was chosen
	Without  []patch.Proposal      // heals that come without an edit that is sure enough, when all were asked for
	Files    []string              // files that were written
	Notices  []engine.Notice       // about the input
	Refused  []engine.HealEvent    // locators that were not healed
	Lost     int                   // events of lost locators that were read, and of those that were found ahead
	Done     int                   // locators that were found ahead, and that no test looks for any more which did not pass
}

// ProposeEdits returns the edits for the reports, heal events and traces of cfg, as a run
// without a verdict: what is proposed, which of it is offered, what was refused, and the
// notices about the input. Of d it takes the clock and the browser. It needs no database and,
// but for a server, no network, and writes nothing; cfg.DB says which other uses the healed
// elements have, which elements people vetoed, and what traces are compared with. The error is an InputError where the user has to act.
func ProposeEdits(ctx context.Context, cfg Config, d Deps) (*outcome.Run, error) {
	r, err := proposeEdits(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	return r.outcome, nil
}

func proposeEdits(ctx context.Context, cfg Config, d Deps) (*run, error) {
	root, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return nil, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer root.Close()
	r := &run{cfg: cfg, deps: d, source: root.FS(), ending: ctx, now: d.Now()}
	if r.collected, err = collect(ctx, cfg); err != nil {
		return nil, err
	}
	r.locateFiles()
	r.selectHeals()
	r.outcome = &outcome.Run{Root: r.root}
	if closeDB := r.openKnown(ctx); closeDB != nil {
		defer closeDB()
	}
	if err := r.healFromTraces(ctx); err != nil {
		return nil, err
	}
	if err := r.propose(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // the traces after that were not read
		return nil, fmt.Errorf("propose edits: %w", err)
	}
	// A run in which nothing healed has no heal events, but who asks for edits may have
	// mistyped a pattern.
	unmatched := aboutPatterns(r.collected.healPatterns, "*.ndjson", engine.SeverityWarning, "no file matches this pattern of heal-events")
	r.outcome.Notices = slices.Concat(r.collected.notices, r.notices, unmatched)
	return r, nil
}

// countDone returns how many locators were found ahead that nothing is proposed for: no
// test looks for them any more, or those that do passed.
func (r *run) countDone() int {
	proposed, done := map[string]bool{}, map[string]bool{}
	for _, p := range r.outcome.Proposals {
		proposed[p.Heal.Locator] = true
	}
	for _, h := range r.heals {
		if h.Ahead && !proposed[h.Locator] {
			done[h.Locator] = true
		}
	}
	return len(done)
}

// Apply makes those of the edits of ProposeEdits with the given ids, or all that heals
// have, in the working tree cfg.Repo. Where all are asked for, choose returns the ids of
// those to make; nil takes all. With cfg.DryRun it writes nothing.
func Apply(ctx context.Context, cfg Config, d Deps, ids []string, choose func(outcome.Run) ([]string, error)) (Applied, error) {
	r, err := proposeEdits(ctx, cfg, d)
	if err != nil {
		return Applied{}, err
	}
	proposed := r.outcome
	applied := Applied{Notices: proposed.Notices, Refused: proposed.Refused, Lost: len(r.heals), Done: r.countDone()}
	for _, p := range proposed.Proposals {
		if !p.Sure() && !p.Follows() && wantsAll(ids) {
			applied.Without = append(applied.Without, p)
		}
	}
	if wantsAll(ids) {
		applied.Unasked = slices.DeleteFunc(slices.Clone(proposed.Edits), func(s outcome.OfferedEdit) bool { return s.Changed == "" })
	}
	if choose != nil && wantsAll(ids) && len(proposed.Edits) > 0 {
		applied.Unasked = nil // each is asked for
		if ids, err = choose(*proposed); err != nil || len(ids) == 0 {
			applied.Declined = err == nil
			return applied, err
		}
	}
	if applied.Edits, err = pickEdits(*proposed, ids); err != nil || cfg.DryRun {
		return applied, err
	}
	root, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return applied, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer root.Close()
	for _, f := range groupByFile(applied.Edits) {
		if err := editFile(root, f); err != nil {
			return applied, err
		}
		applied.Files = append(applied.Files, f.name)
	}
	return applied, nil
}

// healFromTraces looks through the traces for what the failed tests lost, without learning
// from the others. It needs a database of what was learned.
func (r *run) healFromTraces(ctx context.Context) error {
	if r.cfg.NoHeal {
		if r.healsFromTraces() {
			r.warn("the traces were not looked through: heal is off")
		}
		return nil
	}
	if r.learned == nil {
		if r.healsFromTraces() {
			r.warn("the traces were not looked through: there is no database of what was learned (--db)")
		}
		return nil
	}
	r.known = r.learned
	return r.readTraces(ctx, false)
}

// openKnown opens the database, where there is one, for what is known of elements and what
// people said of them, and returns what closes it. One that cannot be read is a warning.
func (r *run) openKnown(ctx context.Context) (closeDB func()) {
	name := r.cfg.DB
	var db Database
	var err error
	switch _, statErr := os.Stat(name); {
	case postgres.IsURL(name):
		db, err = postgres.Open(ctx, name, r.cfg.Info.RepositoryID)
	case name == "" || statErr != nil:
		return nil
	default:
		db, err = sqlite.OpenReading(ctx, name, sqlite.Options{})
	}
	if err != nil {
		r.warn("the database says nothing of vetoes and of other uses of the healed elements: %v", err)
		return nil
	}
	r.learned = db
	return func() { _ = db.Close() } // nothing was written
}

// pickEdits returns the suggestions with the given ids, each with its whole bundle, or
// all that heals have for none or for "all", which ids of suggestions may follow. An unknown id, or one of an element that was
// vetoed, is an InputError.
func pickEdits(proposed outcome.Run, ids []string) ([]outcome.OfferedEdit, error) {
	suggestions := proposed.Edits
	if wantsAll(ids) {
		return ofHeals(suggestions), nil
	}
	all := slices.Contains(ids, "all")
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "all" })
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[strings.ToLower(id)] = true
	}
	bundles := map[string]bool{}
	for _, o := range suggestions {
		if wanted[o.ID] && o.Bundle != "" {
			bundles[o.Bundle] = true
		}
	}
	var picked []outcome.OfferedEdit
	for _, o := range suggestions {
		if wanted[o.ID] || bundles[o.Bundle] || all && o.Changed == "" {
			picked = append(picked, o)
			delete(wanted, o.ID)
		}
	}
	for _, id := range ids {
		if wanted[strings.ToLower(id)] {
			for _, e := range proposed.Vetoed {
				if e.ID == strings.ToLower(id) {
					return nil, InputError{fmt.Errorf("the edit %s is not made: %s", e.ID, proposed.Proposals[e.Proposal].Reason)}
				}
			}
			return nil, InputError{fmt.Errorf("no proposed edit has the id %.40q; `breadcrumb apply --dry-run` lists them", id)}
		}
	}
	return picked, nil
}

func wantsAll(ids []string) bool { return len(ids) == 0 || len(ids) == 1 && ids[0] == "all" }

// editFile makes the edits of one file below root. Only a regular file that no
// symbolic link leads to is edited; it is replaced whole and keeps its mode.
func editFile(root *os.Root, f fileEdits) error {
	mode, err := plainFile(root, f.name)
	var before []byte
	if err == nil {
		before, err = readEditable(root, f.name)
	}
	if err != nil {
		return fmt.Errorf("edit %s: %w", f.name, err)
	}
	after, err := patch.Apply(before, f.edits)
	if err != nil {
		return err
	}
	if err := replaceFile(root, f.name, after, mode); err != nil {
		return fmt.Errorf("edit %s: %w", f.name, err)
	}
	return nil
}

// plainFile returns the mode of a file that may be edited.
func plainFile(root *os.Root, name string) (fs.FileMode, error) {
	if !patch.Editable(name) {
		return 0, errors.New("the path is none that may be edited")
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(name[:i]); err != nil {
			return 0, err
		} else if !info.IsDir() {
			return 0, fmt.Errorf("%s is no folder", name[:i])
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("it is no regular file")
	}
	return info.Mode().Perm(), nil
}

func readEditable(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEdited+1))
	if err == nil && len(text) > maxEdited {
		err = fmt.Errorf("it is larger than %d bytes", maxEdited)
	}
	return text, err
}

// replaceFile writes text beside name and renames it there, so that whoever
// looks sees the old file or the new one.
func replaceFile(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	dir, base := path.Split(name)
	temporary := dir + ".breadcrumb-" + base
	_ = root.Remove(temporary) // of a run that was killed
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	for _, step := range []func() error{func() error { return file.Chmod(mode) }, file.Sync, file.Close} {
		if stepErr := step(); err == nil {
			err = stepErr
		}
	}
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

// ProposeFor returns the edits to try for the heal events of a run that has just ended, those
// of a heal whose test failed all the same as well, from the sources of the checkout and the database file db, where that is there. attempts
// are those of its tests, as far as they are known, each a result with one attempt, in the
// order that they were made in.
func ProposeFor(ctx context.Context, repo, db string, heals []engine.HealEvent, attempts []engine.TestResult) ([]patch.Proposal, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return nil, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer root.Close()
	var results []engine.TestResult
	at := map[engine.TestID]int{}
	for _, a := range attempts {
		if i, again := at[a.ID]; again {
			results[i].Attempts = append(results[i].Attempts, a.Attempts...)
			continue
		}
		at[a.ID] = len(results)
		results = append(results, a)
	}
	r := &run{forTrial: true, cfg: Config{Repo: repo, DB: db}, source: root.FS(), ending: ctx, collected: collected{root: repo, heals: heals, results: results}}
	r.locateFiles()
	r.selectHeals()
	r.outcome = &outcome.Run{Root: r.root}
	if closeDB := r.openKnown(ctx); closeDB != nil {
		defer closeDB()
	}
	if err := r.propose(ctx); err != nil {
		return nil, err
	}
	return r.outcome.Proposals, nil
}
