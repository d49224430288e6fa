package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
	"github.com/breadcrumb/action/store/untrusted"
)

// FuzzOpen opens mutated database files. Whatever is in one, it is refused with
// a known error and not touched, or what comes of it can be used and saved.
func FuzzOpen(f *testing.F) {
	seeds := []string{
		read(f, filledSeed(f)), read(f, bigFile(f, 2, 5)), read(f, pagesFile(f, 3)), read(f, altered(f, `VACUUM`)),
		read(f, altered(f, `PRAGMA page_size = 512`, `VACUUM`)), "", "SQLite format 3\x00",
	}
	for i, base := range seeds {
		for _, at := range []uint32{0, 16, 18, 28, 100, 4096, 8192} {
			f.Add(uint8(i), at, uint32(7), byte(0xff), byte(0x01), uint32(len(base)))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, at, at2 uint32, b, b2 byte, length uint32) {
		text := []byte(seeds[int(which)%len(seeds)])
		if len(text) > 0 {
			text[int(at)%len(text)] = b
			text[int(at2)%len(text)] ^= b2
			text = text[:min(len(text), int(length))]
		}
		openMutated(t, filepath.Join(dir, ".breadcrumb.db"), text)
	})
}

// FuzzOpenWithLog mutates the write-ahead log and the rollback journal that lie
// beside a database instead.
func FuzzOpenWithLog(f *testing.F) {
	withLog, withJournal := fileWithLog(f), fileWithJournal(f)
	bases := []struct{ db, suffix, log string }{
		{read(f, withLog), untrusted.WALSuffix, read(f, withLog+untrusted.WALSuffix)},
		{read(f, withJournal), untrusted.JournalSuffix, read(f, withJournal+untrusted.JournalSuffix)},
		{read(f, withLog), untrusted.JournalSuffix, read(f, withJournal+untrusted.JournalSuffix)},
		{read(f, withJournal), untrusted.WALSuffix, read(f, withLog+untrusted.WALSuffix)},
	}
	for i := range bases {
		for _, at := range []uint32{0, 8, 16, 24, 32, 36, 512} {
			f.Add(uint8(i), at, byte(0xff), uint32(1<<30))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, at uint32, b byte, length uint32) {
		base := bases[int(which)%len(bases)]
		path := filepath.Join(dir, ".breadcrumb.db")
		log := []byte(base.log)
		log[int(at)%len(log)] ^= b
		log = log[:min(len(log), int(length))]
		for _, suffix := range []string{untrusted.WALSuffix, untrusted.JournalSuffix} {
			if err := untrusted.RemoveIfThere(path + suffix); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path+base.suffix, log, 0o644); err != nil {
			t.Fatal(err)
		}
		openMutated(t, path, []byte(base.db))
	})
}

// openMutated opens text as a database file and uses what comes of it.
func openMutated(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _, healErr := ReadSeedHeals(ctx, path)
	db, err := Open(ctx, path, Options{})
	if read(t, path) != string(text) {
		t.Error("the file was written to")
	}
	if err != nil {
		if !errors.Is(err, store.ErrUnreadable) && !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("Open: %v", err)
		}
		return
	}
	defer db.Close()
	if healErr != nil {
		t.Errorf("opened, but its heals are not readable: %v", healErr)
	}
	run := storetest.Run(5, 3)
	run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500), storetest.Refusal("b")}
	if _, err := db.RecordRun(ctx, run); err != nil {
		t.Errorf("RecordRun: %v", err)
	}
	_, err1 := db.Histories(ctx, 20, run.Info)
	_, err2 := db.KnownTests(ctx, run.Info, "x")
	_, err3 := db.Quarantine(ctx)
	_, _, err4 := db.LastRun(ctx)
	_, _, err5 := db.Heals(ctx, store.HealQuery{})
	_, _, _, err6 := db.LoadFingerprint(ctx, "test 0", "#x")
	if err6 != nil && !strings.Contains(err6.Error(), path) {
		t.Errorf("LoadFingerprint: %v; want it to name the file", err6)
	}
	if err := errors.Join(err1, err2, err3, err4, err5, db.SaveFingerprints(ctx, storetest.Fingerprints(3, "test", "#x"), nil, run.Now), db.Save(ctx)); err != nil {
		t.Error(err)
	}
}
