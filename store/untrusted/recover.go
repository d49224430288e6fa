package untrusted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// recoverLogs lets SQLite fold a log or journal into the private copy, which may
// not grow beyond limit. Without a log nothing happens. After an error the
// copy is removed.
func (s *Copy) recoverLogs(ctx context.Context, path string, limit int64) error {
	if !s.hasSidecars() {
		return nil
	}
	if err := errors.Join(s.foldLogs(ctx), s.checkSize(limit)); err != nil {
		discarded := s.Discard()
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), discarded)
		}
		return errors.Join(Unreadable(path, err), discarded)
	}
	s.Recovered = true
	return nil
}

func (s *Copy) foldLogs(ctx context.Context) error {
	if s.Files[2] != nil {
		named, err := superJournal(s.File() + JournalSuffix)
		if err != nil {
			return fmt.Errorf("read rollback journal: %w", err)
		}
		if named {
			return errors.New("its rollback journal points at another file")
		}
	}
	db, err := sql.Open("sqlite", DSN(s.File(), "_defensive=1", "_pragma=trusted_schema(OFF)",
		"_pragma=locking_mode(EXCLUSIVE)", "_pragma=synchronous(OFF)", "_pragma=cell_size_check(ON)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	var tables, busy, log, folded int
	// The first read rolls a hot journal back.
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return errors.Join(fmt.Errorf("recover: %w", err), db.Close())
	}
	err = db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &folded)
	if err == nil && busy != 0 {
		err = errors.New("its write-ahead log cannot be folded in")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	return nil
}

// checkSize returns an error if the recovered copy exceeds limit: a log of a
// few bytes can claim any number of pages.
func (s *Copy) checkSize(limit int64) error {
	info, err := os.Stat(s.File())
	if err != nil {
		return err
	}
	if info.Size() > limit {
		return fmt.Errorf("with its log it has %d bytes, more than the limit of %d", info.Size(), limit)
	}
	return nil
}

// superMagic ends a rollback journal that names a super-journal, a file which
// recovery would read and delete (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
const superMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

// hasSidecars reports whether a log or journal lies beside the database.
func (s *Copy) hasSidecars() bool { return s.Files[1] != nil || s.Files[2] != nil }

// superJournal reports whether the journal file ends in the name of a
// super-journal.
func superJournal(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(superMagic)) {
		return false, err
	}
	tail := make([]byte, len(superMagic))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return false, err
	}
	return string(tail) == superMagic, nil
}
