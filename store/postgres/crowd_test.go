package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/store/storetest"
)

// TestRunsThatSaveAtOnceAllSave lets runs of one job save the same rows, fifty at
// a time, each in an order of its own.
func TestRunsThatSaveAtOnceAllSave(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	const runs = 160
	save := func(ctx context.Context, n int) error {
		db, err := Open(ctx, url, 7)
		if err != nil {
			return err
		}
		defer db.Close()
		r, run := rand.New(rand.NewPCG(uint64(n), 3)), storetest.Run(n, 20)
		r.Shuffle(len(run.Results), func(i, k int) { run.Results[i], run.Results[k] = run.Results[k], run.Results[i] })
		recorded, err := db.RecordRun(ctx, run)
		if err != nil {
			return err
		}
		prints := storetest.Fingerprints(20, fmt.Sprint("run ", n), "#x")
		for i := range prints {
			prints[i].Text = fmt.Sprint("text ", n)
		}
		r.Shuffle(len(prints), func(i, k int) { prints[i], prints[k] = prints[k], prints[i] })
		judge, err := db.LoadCheckpoint(ctx, run.Info, recorded.RunID)
		if err != nil {
			return err
		}
		judge.ObserveRest()
		var order []engine.TestID
		for _, result := range run.Results {
			order = append(order, result.ID)
		}
		changes := []flaky.Change{{TestID: order[0], Reason: "flips"}, {TestID: order[1], Reason: "flips"}, {TestID: order[2], Released: true}}
		return errors.Join(db.SaveCheckpoint(ctx, judge), db.KeepOrder(ctx, run.Info, order),
			db.SaveFingerprints(ctx, prints, storetest.PageState(t, fmt.Sprint("page ", n%3)), run.Now),
			db.ApplyChanges(ctx, changes, run.Now), db.Save(ctx))
	}
	gate := make(chan struct{}, 50)
	var all sync.WaitGroup
	for n := range runs {
		gate <- struct{}{}
		all.Go(func() {
			defer func() { <-gate }()
			if err := save(t.Context(), n); err != nil {
				t.Errorf("run %d: %v", n, err)
			}
		})
	}
	all.Wait()
	stats, err := openPostgres(t, url, 7).Stats(t.Context())
	if err != nil || stats.Runs != runs {
		t.Errorf("%d runs saved, want %d; %v", stats.Runs, runs, err)
	}
}

// Of fifty that found no schema, several made parts of it at once: in 8 of 240 databases a
// sequence got another name than the one that statements ask for. The second waits before it
// makes anything, here for one that is cut off.
func TestOnlyOneMakesTheSchema(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.URL(t)
	var sessions [3]*pgx.Conn
	for i := range sessions {
		var err error
		if sessions[i], err = pgx.Connect(ctx, url); err != nil {
			t.Fatal(err)
		}
		defer sessions[i].Close(context.Background())
	}
	first, second, watch := sessions[0], sessions[1], sessions[2]
	made := make(chan error, 1)
	cutOff := errors.New("cut off")
	one := &DB{conn: first}
	if err := one.createSchema(ctx, schemaVersion); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(ctx, first, func(tx pgx.Tx) error {
		if err := one.createVersion(ctx, tx, 1); err != nil {
			return err
		}
		go func() {
			made <- pgx.BeginFunc(ctx, second, func(tx pgx.Tx) error { return one.createVersion(ctx, tx, 1) })
		}()
		waits := ""
		for ; waits == ""; time.Sleep(time.Millisecond) {
			const query = `SELECT coalesce(max(query), '') FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted WHERE a.datname = current_database()`
			if err := watch.QueryRow(ctx, query).Scan(&waits); err != nil {
				return err
			}
		}
		if !strings.HasSuffix(waits, "FOR UPDATE") {
			t.Errorf("the second waits with %q", waits)
		}
		return cutOff
	})
	if !errors.Is(err, cutOff) {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Error(err)
	}
}

func TestOneOfTwoThatWaitForEachOtherTriesAgain(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.URL(t)
	a, b := openPostgres(t, url, 7), openPostgres(t, url, 7)
	at := time.Unix(1_700_000_000, 0)
	add := func(db *DB, test engine.TestID) error {
		return db.QuarantineAdd(ctx, flaky.Entry{TestID: test, Reason: "r", Since: at}, "ada")
	}
	if err := errors.Join(add(a, "one"), add(a, "two"), a.Save(ctx)); err != nil {
		t.Fatal(err)
	}
	// Each holds what the other wants next; who is told to give way lets go of it.
	both := func(db *DB, first, second string, held, other chan struct{}) error {
		tries := 0
		err := db.inSavepoint(ctx, func(tx pgx.Tx) error {
			for i, test := range []string{first, second} {
				if _, err := tx.Exec(ctx, `UPDATE breadcrumb_quarantine SET reason = 'new' WHERE test_id = $1`, test); err != nil {
					return err
				}
				if i == 0 && tries == 0 {
					tries++
					close(held)
					<-other
				}
			}
			return nil
		})
		return errors.Join(err, db.Save(ctx))
	}
	ofA, ofB := make(chan struct{}), make(chan struct{})
	var errA error
	var all sync.WaitGroup
	all.Go(func() { errA = both(a, "one", "two", ofA, ofB) })
	errB := both(b, "two", "one", ofB, ofA)
	all.Wait()
	if errA != nil || errB != nil {
		t.Errorf("a: %v, b: %v", errA, errB)
	}
}

func TestWhatNeverSucceedsEnds(t *testing.T) {
	t.Parallel()
	db, tries := openPostgres(t, pgtest.URL(t), 7), 0
	err := db.inSavepoint(t.Context(), func(pgx.Tx) error {
		tries++
		return &pgconn.PgError{Code: "40P01"}
	})
	if err == nil || tries != maxTries {
		t.Errorf("%d tries, %v", tries, err)
	}
}
