package sqlstore

import (
	"context"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// AddVeto keeps a veto for good. One that is there stays as it was said first.
func (s *Store) AddVeto(ctx context.Context, v store.Veto) error {
	v, err := v.Clean()
	if err == nil {
		_, err = s.conn.Exec(ctx, s.sql.AddVeto, Args{"test": v.TestID, "locator": v.Locator, "signature": v.Signature,
			"who": v.Who, "at": store.Unix(v.At), "digest": record.KeyDigest(v.TestID, v.Locator, v.Signature)})
	}
	return store.Wrap(err, "add veto")
}

// Vetoes returns the vetoes that hold for a test, those of all tests among them,
// oldest first; for "" every veto. They are at most store.MaxCorrections.
func (s *Store) Vetoes(ctx context.Context, testID engine.TestID) ([]store.Veto, error) {
	var vetoes []store.Veto
	var v store.Veto
	var at float64
	args := Args{"test": testID, "limit": store.MaxCorrections}
	err := s.conn.Each(ctx, s.sql.Vetoes, args, []any{&v.TestID, &v.Locator, &v.Signature, &v.Who, &at}, func() error {
		v.At = store.FromUnix(at)
		vetoes = append(vetoes, v)
		return nil
	})
	return vetoes, store.Wrap(err, "read vetoes")
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
