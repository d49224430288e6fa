package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/store/storetest"
)

// printer keeps fingerprints, in either kind of database.
type printer interface {
	SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error
	LoadFingerprint(ctx context.Context, testID engine.TestID, locator string) (engine.Fingerprint, []byte, bool, error)
	Stale(ctx context.Context, since time.Time) (int, error)
}

// What a run learned that was known is written again after a day, no sooner.
func TestWhatIsKnownIsWrittenOnceADay(t *testing.T) {
	t.Parallel()
	url, repository := pgtest.URL(t), int64(0)
	start := time.Unix(1_700_000_000, 0)
	changed := storetest.Fingerprints(1, "a", "#x")
	changed[0].Text = "log in"
	for name, c := range map[string]struct {
		after   time.Duration
		prints  []engine.Fingerprint
		page    string
		written bool
	}{
		"the same an hour later":              {time.Hour, storetest.Fingerprints(1, "a", "#x"), "sign in", false},
		"the same without its page":           {time.Hour, storetest.Fingerprints(1, "a", "#x"), "", false},
		"the same a day later":                {25 * time.Hour, storetest.Fingerprints(1, "a", "#x"), "sign in", true},
		"the same by a clock that stood back": {-time.Hour, storetest.Fingerprints(1, "a", "#x"), "sign in", true},
		"another element":                     {time.Hour, changed, "sign in", true},
		"another page":                        {time.Hour, storetest.Fingerprints(1, "a", "#x"), "sign out", true},
	} {
		for _, kind := range []string{"file", "server"} {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				ctx := t.Context()
				var db printer = openFile(t)
				if kind == "server" {
					repository++
					db = openPostgres(t, url, repository)
				}
				save := func(prints []engine.Fingerprint, page string, now time.Time) {
					var state []byte
					if page != "" {
						state = storetest.PageState(t, page)
					}
					if err := db.SaveFingerprints(ctx, prints, state, now); err != nil {
						t.Fatal(err)
					}
				}
				save(storetest.Fingerprints(1, "a", "#x"), "sign in", start)
				again := start.Add(c.after)
				save(c.prints, c.page, again)
				// Of the two times one lies before the one between them.
				between := start.Add(c.after / 2)
				old, err := db.Stale(ctx, between)
				if err != nil {
					t.Fatal(err)
				}
				if written := (old == 0) == again.After(start); written != c.written {
					t.Errorf("written %v, want %v", written, c.written)
				}
				if f, state, ok, err := db.LoadFingerprint(ctx, "a", "#x"); !ok || err != nil || f.Text != c.prints[0].Text || state == nil {
					t.Errorf("loaded %+v, a page %v, %v", f, state != nil, err)
				}
			})
		}
	}
}
