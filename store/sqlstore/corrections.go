package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// AddVeto keeps a veto. One that holds stays as it was said first.
func (s *Store) AddVeto(ctx context.Context, v store.Veto) error {
	return store.Wrap(s.turnVeto(ctx, v, true), "add veto")
}

// WithdrawVeto ends a veto until it is said again; v.Who and v.At are of who takes it back.
// One that does not hold is no error.
func (s *Store) WithdrawVeto(ctx context.Context, v store.Veto) error {
	return store.Wrap(s.turnVeto(ctx, v, false), "withdraw veto")
}

// turnVeto makes a veto hold or not, by its next turn where its last one says otherwise.
func (s *Store) turnVeto(ctx context.Context, v store.Veto, holds bool) error {
	v, err := v.Clean()
	if err != nil {
		return err
	}
	turns, err := s.vetoTurns(ctx, v.TestID)
	if err != nil {
		return err
	}
	last := turns[vetoKey{v.TestID, v.Locator, v.Signature}]
	turn := last.number
	if last.holds() != holds {
		turn++
	}
	switch {
	case turn == 0:
		return nil
	case turn > 1:
		v.Signature += turnMark + strconv.Itoa(turn)
	}
	_, err = s.conn.Exec(ctx, s.sql.AddVeto, Args{"test": v.TestID, "locator": v.Locator, "signature": v.Signature,
		"who": v.Who, "at": store.Unix(v.At), "digest": record.KeyDigest(v.TestID, v.Locator, v.Signature)})
	return err
}

// Vetoes returns the vetoes that hold for a test, those of all tests among them,
// oldest first; for "" every veto. They are at most store.MaxCorrections.
func (s *Store) Vetoes(ctx context.Context, testID engine.TestID) ([]store.Veto, error) {
	turns, err := s.vetoTurns(ctx, testID)
	var vetoes []store.Veto
	for _, t := range turns {
		if t.holds() {
			vetoes = append(vetoes, t.Veto)
		}
	}
	slices.SortFunc(vetoes, func(a, b store.Veto) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Signature, b.Signature))
	})
	return vetoes, store.Wrap(err, "read vetoes")
}

// vetoTurn is a veto as it was said (an odd number) or taken back (an even one). Each is
// a row that nothing changes, told apart by its number at the end of the signature, so
// that a merge is a union and the highest number counts: a causal-length set (Yu and
// Rostad 2020). A Breadcrumb that knows no numbers goes on vetoing.
type vetoTurn struct {
	store.Veto
	number int
}

func (t vetoTurn) holds() bool { return t.number%2 == 1 }

type vetoKey struct {
	test               engine.TestID
	locator, signature string
}

// turnMark stands between a signature and the number of a turn after the first.
const turnMark = "~"

// vetoTurns returns the last turn of each veto of a test, or of every one for "".
func (s *Store) vetoTurns(ctx context.Context, testID engine.TestID) (map[vetoKey]vetoTurn, error) {
	last := map[vetoKey]vetoTurn{}
	var v store.Veto
	var at float64
	args := Args{"test": testID, "limit": store.MaxCorrections}
	err := s.conn.Each(ctx, s.sql.Vetoes, args, []any{&v.TestID, &v.Locator, &v.Signature, &v.Who, &at}, func() error {
		turn := vetoTurn{v, 1}
		turn.At = store.FromUnix(at)
		if signature, digits, ok := strings.Cut(v.Signature, turnMark); ok {
			if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n > 1 && strconv.FormatInt(n, 10) == digits {
				turn.Signature, turn.number = signature, int(n)
			}
		}
		if key := (vetoKey{turn.TestID, turn.Locator, turn.Signature}); turn.number > last[key].number {
			last[key] = turn
		}
		return nil
	})
	return last, err
}

// AddLesson keeps a lesson for good. One that is there stays as it was taught first.
func (s *Store) AddLesson(ctx context.Context, l store.Lesson) error {
	l, err := l.Clean()
	if err == nil {
		_, err = s.conn.Exec(ctx, s.sql.AddLesson, Args{"was": l.Was, "now": l.Now,
			"who": l.Who, "at": store.Unix(l.At), "digest": record.KeyDigest(l.Was, l.Now)})
	}
	return store.Wrap(err, "add lesson")
}

// Lessons returns the lessons, oldest first, at most store.MaxCorrections.
func (s *Store) Lessons(ctx context.Context) ([]store.Lesson, error) {
	var lessons []store.Lesson
	var l store.Lesson
	var at float64
	args := Args{"limit": store.MaxCorrections}
	err := s.conn.Each(ctx, s.sql.Lessons, args, []any{&l.Was, &l.Now, &l.Who, &at}, func() error {
		l.At = store.FromUnix(at)
		lessons = append(lessons, l)
		return nil
	})
	return lessons, store.Wrap(err, "read lessons")
}

// AddAccepted keeps an element that a person accepted for a locator. The newest counts.
func (s *Store) AddAccepted(ctx context.Context, a store.Accepted) error {
	f := a.Fingerprint
	f.TestID, f.Locator = engine.NewTestID(string(f.TestID)), store.CleanID(f.Locator)
	text, err := record.FingerprintJSON(f)
	if err == nil {
		_, err = s.conn.Exec(ctx, s.sql.AddAccepted, Args{"test": f.TestID, "locator": f.Locator, "fingerprint": text,
			"who": store.CleanText(a.Who, store.MaxWho), "at": store.Unix(a.At), "digest": record.KeyDigest(f.TestID, f.Locator)})
	}
	return store.Wrap(err, "add accepted element")
}
