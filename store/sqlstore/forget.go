package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Forget deletes what was learned of elements, or accepted for them, and returns which, sorted by test and
// locator. What was learned of them before now does not come back with a merge.
func (s *Store) Forget(ctx context.Context, what store.Learned, now time.Time) ([]store.LearnedElement, error) {
	what.TestID, what.Locator = engine.NewTestID(string(what.TestID)), store.CleanID(what.Locator)
	var forgotten []store.LearnedElement
	err := s.conn.InTx(ctx, func(tx Conn) error {
		var err error
		if forgotten, err = s.findLearned(ctx, tx, what); err != nil {
			return err
		}
		for _, e := range forgotten {
			args := Args{"test": e.TestID, "locator": e.Locator, "digest": record.KeyDigest(e.TestID, e.Locator), "at": store.Unix(now)}
			for _, statement := range []string{s.sql.ForgetElement, s.sql.ForgetAccepted, s.sql.NoteForgotten} {
				if statement == "" {
					continue
				}
				if _, err := tx.Exec(ctx, statement, args); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return forgotten, store.Wrap(err, "forget elements")
}

// findLearned returns the learned and accepted elements that are meant.
func (s *Store) findLearned(ctx context.Context, tx Conn, what store.Learned) ([]store.LearnedElement, error) {
	var found []store.LearnedElement
	var e store.LearnedElement
	var text string
	args := Args{"test": what.TestID, "limit": maxForgotten}
	for _, query := range []string{s.sql.Fingerprints, s.sql.Accepted} {
		err := tx.Each(ctx, query, args, []any{&e.TestID, &e.Locator, &text}, func() error {
			if what.Locator != "" && what.Locator != e.Locator || what.Page != "" && !isOnPage(text, what.Page) {
				return nil
			}
			found = append(found, e)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b store.LearnedElement) int {
		return cmp.Or(cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator))
	})
	return slices.Compact(found), nil
}

// maxForgotten is how many elements are looked through: more than any database has.
const maxForgotten = 1 << 30

// isOnPage reports whether a stored fingerprint was taken on the page that a person
// writes.
func isOnPage(fingerprint, page string) bool {
	var f struct {
		Page    string `json:"page"`
		Address string `json:"page_address"`
	}
	return json.Unmarshal([]byte(fingerprint), &f) == nil && engine.Fingerprint{Page: f.Page, PageAddress: f.Address}.IsPage(page)
}
