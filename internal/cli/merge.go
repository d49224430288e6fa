package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine/selfmend"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/sqlite"
)

const mergeLong = `Merge databases, and the snapshots and deltas of a history, into one database,
or selfmend's shards and baselines into one baseline, as selfmend writes it.

What any of them holds is there afterwards, once: their order does not matter,
and merging again changes nothing. What --out holds already stays. Databases of
the seed's schema are taken as well.

The baseline at --out is the committed one: the others refresh its entries and
add to them, and every entry stays. With --prune, entries that none of the
others has seen go; REPORT, the run's own (breadcrumb ci --report), must show
that every test ran and passed.`

func newMerge(s Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "merge FILE…", Short: "Merge databases, snapshots and deltas, or baselines", Long: mergeLong,
		Example: "  breadcrumb merge one.db two.db .breadcrumb.db.delta --out .breadcrumb.db\n  breadcrumb merge history/*/*.zst --out history.db\n  breadcrumb merge .selfmend/shards/*.json --out .selfmend/baseline.json"}
	out := cmd.Flags().String("out", "", "`FILE` to write (required)")
	prune := cmd.Flags().String("prune", "", "`REPORT` of a complete green run: drop entries that the run's shards have not seen")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out == "" || len(args) == 0 {
			return usageError{"name the files to merge and where the result goes: breadcrumb merge FILE… --out FILE"}
		}
		kinds := map[string]bool{}
		for _, name := range args {
			kind, err := detectFileKind(name)
			if err != nil {
				return err
			}
			kinds[kind] = true
		}
		switch {
		case kinds[baselineFile] && len(kinds) == 1:
			return mergeBaselines(s, args, *out, *prune)
		case kinds[baselineFile]:
			return usageError{"a baseline cannot be merged with a database or a delta"}
		case *prune != "":
			return usageError{"--prune is for baselines"}
		}
		return mergeDatabases(cmd.Context(), s, args, *out)
	}
	return cmd
}

// The kinds of files that merge takes.
const (
	databaseFile = "database"
	snapshotFile = "snapshot"
	deltaFile    = "delta"
	baselineFile = "baseline"
)

// detectFileKind returns a file's kind by its first bytes.
func detectFileKind(name string) (string, error) {
	head, err := readStart(name, 16)
	if err != nil {
		return "", usageError{err.Error()}
	}
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return databaseFile, nil
	case bytes.HasPrefix(head, []byte(packedMagic)):
		return detectPackedKind(name)
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")):
		return baselineFile, nil
	}
	return "", usageError{fmt.Sprintf("%s is no database, no snapshot, no delta and no baseline", name)}
}

// detectPackedKind returns the kind of a compressed file.
func detectPackedKind(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", usageError{err.Error()}
	}
	defer f.Close()
	if state.HoldsDatabase(f) {
		return snapshotFile, nil
	}
	return deltaFile, nil // whose reader says what is wrong with it
}

func mergeDatabases(ctx context.Context, s Streams, names []string, out string) error {
	db, err := openMergeDatabase(ctx, out)
	if err != nil {
		return err
	}
	defer db.Close()
	for i, name := range names {
		s.progress.show("merging %s, %d of %d", name, i+1, len(names))
		if err := mergeOne(ctx, db, name, out); err != nil {
			return err
		}
	}
	for _, n := range db.Notices() {
		fmt.Fprintf(s.Err, "note: %s: %s\n", report.LogLine(n.File), report.LogLine(n.Reason))
	}
	s.progress.show("saving %s", out)
	if err := db.Save(ctx); err != nil {
		return fmt.Errorf("save database: %w", err)
	}
	stats, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s: %s, %s, %s, %s, %s in quarantine\n", report.LogLine(out),
		text.Count(stats.Runs, "run", "runs"), text.Count(stats.Results, "result", "results"), text.Count(stats.Heals, "heal event", "heal events"),
		text.Count(stats.Fingerprints, "fingerprint", "fingerprints"), text.Count(stats.Quarantined, "test", "tests"))
	return nil
}

// mergeOne merges a file into db unless it is db's own.
func mergeOne(ctx context.Context, db *sqlite.DB, name, out string) error {
	if isSameFile(name, out) {
		return nil
	}
	switch kind, err := detectFileKind(name); {
	case err != nil:
		return err
	case kind == deltaFile:
		return mergeDelta(ctx, db, name)
	case kind == snapshotFile:
		return mergeSnapshot(ctx, db, name)
	}
	return mergeDatabase(ctx, db, name)
}

// mergeSnapshot merges the database that a snapshot unpacks to.
func mergeSnapshot(ctx context.Context, db *sqlite.DB, name string) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return usageError{err.Error()}
	}
	defer f.Close()
	dir, err := os.MkdirTemp("", "breadcrumb-merge-")
	if err != nil {
		return fmt.Errorf("make a folder for the snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	unpacked := filepath.Join(dir, "snapshot.db")
	if err := state.Unpack(f, name, unpacked); err != nil {
		return usageError{err.Error()}
	}
	return mergeDatabase(ctx, db, unpacked)
}

func mergeDatabase(ctx context.Context, db *sqlite.DB, name string) error {
	other, err := openMergeDatabase(ctx, name)
	if err != nil {
		return err
	}
	defer other.Close()
	return db.MergeFrom(ctx, other)
}

func mergeDelta(ctx context.Context, db *sqlite.DB, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return usageError{err.Error()}
	}
	defer f.Close()
	d, err := delta.Read(f)
	if err != nil {
		return usageError{fmt.Sprintf("%s: %v", name, err)}
	}
	return db.MergeDelta(ctx, d, filepath.Base(name))
}

func isSameFile(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// openMergeDatabase opens a database; what the user can mend is a usage error.
func openMergeDatabase(ctx context.Context, name string) (*sqlite.DB, error) {
	db, err := sqlite.Open(ctx, name, sqlite.Options{Now: time.Now})
	if errors.Is(err, store.ErrNewerSchema) || errors.Is(err, store.ErrUnreadable) {
		return nil, usageError{err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return db, nil
}

// mergeBaselines merges baselines and shards of selfmend's. The committed baseline is the
// file at --out or, when pruning into another file, the first argument; the others refresh
// it.
func mergeBaselines(s Streams, names []string, out, prune string) error {
	var committed string
	var shards []*selfmend.Shard
	for i, name := range names {
		if isSameFile(name, out) || prune != "" && i == 0 {
			committed = name
			continue
		}
		shard, err := readSelfmend(name, selfmend.ReadShard)
		if err != nil {
			return err
		}
		shards = append(shards, shard)
	}
	if _, err := os.Stat(out); committed == "" && !errors.Is(err, os.ErrNotExist) {
		committed = out
	}
	baseline := &selfmend.Baseline{}
	if committed != "" {
		read, err := readSelfmend(committed, selfmend.ReadBaseline)
		if err != nil {
			return err
		}
		baseline = read
	}
	baseline.Refresh(shards...)
	if prune != "" {
		if err := checkCompleteRun(prune); err != nil {
			return err
		}
		baseline.Prune(shards...)
	}
	if err := replace.Write(out, ".breadcrumb-*", baseline.Write); err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	fmt.Fprintf(s.Out, "%s: %d baselines merged\n", report.LogLine(out), len(names))
	return nil
}

func readSelfmend[T any](name string, read func(io.Reader) (T, error)) (v T, err error) {
	f, err := os.Open(name)
	if err != nil {
		return v, usageError{err.Error()}
	}
	defer f.Close()
	if v, err = read(f); err != nil {
		return v, usageError{fmt.Sprintf("%s: %v", name, err)}
	}
	return v, nil
}

// maxReport is the largest report of a run in bytes: 256 MiB.
const maxReport = 256 << 20

// checkCompleteRun returns an error unless every test of the report ran and passed:
// only then is a baseline entry that the run did not use certainly unused.
func checkCompleteRun(name string) error {
	text, err := readBounded(name, maxReport)
	if err != nil {
		return usageError{err.Error()}
	}
	var run report.Document
	if err := json.Unmarshal(text, &run); err != nil || run.Schema != "breadcrumb.report/v1" {
		return usageError{fmt.Sprintf("%s is no report of breadcrumb ci --report", name)}
	}
	c := run.Counts
	if run.Verdict != "pass" || c.Tests == 0 || c.Failed+c.Errors+c.Skipped > 0 || len(run.Missing) > 0 || run.Run.Leg != "" || run.Run.PullRequest != 0 {
		return usageError{fmt.Sprintf("%s: the run was not complete and green (%d tests, %d failed, %d skipped, %d missing), so nothing is pruned",
			name, c.Tests, c.Failed+c.Errors, c.Skipped, len(run.Missing))}
	}
	return nil
}
