package cli

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

func TestDoctorSaysWhatItFinds(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	well := checkup{Checkup: health.Checkup{Name: ".breadcrumb.db", Now: now, Size: 31_400_000, Schema: 7, Held: 3,
		Facts: store.Facts{Schema: 7, Rows: store.Stats{Runs: 300, Results: 1_000_000, Tests: 3400, Heals: 12, Refusals: 3, Fingerprints: 800, PageStates: 40, Quarantined: 5}},
		State: &state.Condition{Snapshot: "breadcrumb-snapshot-9-1-ab", Created: now.Add(-2 * day), Expires: now.Add(88 * day), Covered: 60, Uncovered: 2, NextLost: now.Add(89 * day)}}}
	ill := checkup{Checkup: health.Checkup{Name: "old.db", Now: now, Schema: 2, Held: 9, Stale: 7, Leftover: []string{"old.db-wal"},
		Unread: []engine.Notice{{Reason: "3 × row of runs left out; the first: origin 9 is none"}},
		Facts:  store.Facts{Schema: 7, Rows: store.Stats{Tests: 60, Fingerprints: 7, Quarantined: 9}},
		State:  &state.Condition{Snapshot: "breadcrumb-snapshot-9-1-ab", Unreadable: errors.New("it has no manifest"), Uncovered: 31, NextLost: now.Add(-day)}}}
	expiring := well
	expiring.State = &state.Condition{Snapshot: "s", Created: now.Add(-20 * day), Expires: now.Add(day)}
	fresh := checkup{Checkup: health.Checkup{Name: ".breadcrumb.db", Now: now, Schema: 7, Facts: store.Facts{Schema: 7}, State: &state.Condition{}}}
	newer := well
	newer.Schema, newer.Newer = 9, "a newer Breadcrumb has brought it to schema 9, and this one knows up to 7: what it knows is read and written; update Breadcrumb"
	newer.Facts.Schema = 9
	for name, tt := range map[string]struct {
		health   checkup
		findings int
	}{"well": {well, 0}, "ill": {ill, 6}, "expiring": {expiring, 2}, "fresh": {fresh, 1}, "newer": {newer, 1}} {
		var out bytes.Buffer
		if got := tt.health.printFindings(&out); got != tt.findings {
			t.Errorf("%s: %d findings, want %d", name, got, tt.findings)
		}
		golden.Check(t, "testdata/doctor/"+name+".txt", out.String())
	}
}
