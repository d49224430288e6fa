package state_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/state"
)

// kept is how long GitHub keeps artifacts unless the repository says otherwise.
const kept = 90 * 24 * time.Hour

// aliveAt returns which of the snapshots that are saved one from the other are there at a
// time.
func aliveAt(now time.Time, saved []time.Time) (alive []int) {
	for i, life := range state.Lives(saved) {
		if life == 0 {
			life = kept
		}
		if !saved[i].After(now) && saved[i].Add(life).After(now) {
			alive = append(alive, i)
		}
	}
	return alive
}

// timesOf returns n times, one after the other.
func timesOf(n int, apart time.Duration) []time.Time {
	times := make([]time.Time, n)
	for i := range times {
		times[i] = time.Unix(1_800_000_000, 0).Add(time.Duration(i) * apart)
	}
	return times
}

// TestStoredBytesAreBounded weighs what a run of the default branch saves at full age,
// and adds up what 30 runs a day keep at once. Sizes grow with the tests.
func TestStoredBytesAreBounded(t *testing.T) {
	t.Parallel()
	const runs, perDay, most = 300, 30, 1_000_000_000
	tests, scale := 500, int64(20)
	if os.Getenv("BREADCRUMB_LONG") != "" {
		tests, scale = 10_000, 1
	}
	dir := t.TempDir()
	backend := state.NewPath(dir)
	bigSnapshot(t, backend, runs, tests)
	last := self(runs, 0)
	ageOneRun(t, backend, last, tests)
	delta, snapshot := sizeOf(t, filepath.Join(dir, last.DeltaName())), sizeOf(t, filepath.Join(dir, last.SnapshotName()))

	saved := timesOf(120*perDay, 24*time.Hour/perDay)
	snapshots := int64(len(aliveAt(saved[len(saved)-1], saved)))
	deltas := int64(kept/(24*time.Hour)) * perDay
	const covered = 80        // bytes of a covered delta in a manifest
	snapshot += snapshot / 10 // up to the next boundary a tenth more runs stay, as a rule
	stored := deltas*scale*delta + snapshots*(scale*snapshot+deltas*covered)
	t.Logf("of 10,000 tests a delta has %d KB and a snapshot %d KB; %d and %d of them %d MB", scale*delta/1000, scale*snapshot/1000, deltas, snapshots, stored/1_000_000)
	if stored > most {
		t.Errorf("%d bytes are stored, more than %d", stored, most)
	}
}

// sizeOf returns the bytes of an item in a directory.
func sizeOf(t *testing.T, item string) (size int64) {
	t.Helper()
	files, err := os.ReadDir(item)
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if err != nil || size == 0 {
		t.Fatal(size, err)
	}
	return size
}

// TestASnapshotOutlivesWhatIsQuiet looks for the newest snapshot after times on which
// nothing ran: how many runs since are in deltas alone. A run takes in 20, and a snapshot
// names 64 that are not.
func TestASnapshotOutlivesWhatIsQuiet(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		apart, quiet time.Duration
		behind       int // runs at most
	}{
		"30 runs a day, a night":              {48 * time.Minute, 14 * time.Hour, 0},
		"30 runs a day, a long weekend":       {48 * time.Minute, 5 * day, 7},
		"30 runs a day, a month":              {48 * time.Minute, 30 * day, 59},
		"30 runs a day, 87 days":              {48 * time.Minute, 87 * day, 59},
		"1,000 runs a day, a weekend":         {86 * time.Second, 3 * day, 14},
		"1,000 runs a day, 87 days":           {86 * time.Second, 87 * day, 59},
		"a run a night, two weeks":            {day, 14 * day, 1},
		"a run a week, every time a long one": {7 * day, 80 * day, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most := 0
			for n := range 300 { // wherever the quiet begins
				saved := timesOf(300+n, c.apart)
				alive := aliveAt(saved[len(saved)-1].Add(c.quiet), saved)
				if len(alive) == 0 {
					t.Fatalf("none is left after %d runs", len(saved))
				}
				most = max(most, len(saved)-1-alive[len(alive)-1])
			}
			if most != c.behind {
				t.Errorf("the newest snapshot that is left is %d runs behind, want %d", most, c.behind)
			}
		})
	}
}

// TestAClockThatIsAheadEndsNoLife saves a snapshot at a wrong time among others.
func TestAClockThatIsAheadEndsNoLife(t *testing.T) {
	t.Parallel()
	saved := timesOf(10, time.Hour)
	saved[3] = saved[3].AddDate(4, 0, 0)
	if lives := state.Lives(saved); lives[3] != 0 || lives[4] != 0 || lives[5] == 0 {
		t.Errorf("lives %v: want long ones at the wrong time and right after it", lives)
	}
}

// A repository is renamed and then quiet for a week. The snapshots that had taken its deltas
// in are gone by then, so that they are merged anew: what was the default branch's under its
// former name must still be.
func TestARenameIsRememberedUntilWhatWasBeforeIsTakenIn(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		after time.Duration
		left  int
		found state.Former
		want  []string
	}{
		"soon after":                            {day, 0, state.Former{}, []string{"master"}},
		"soon after, with deltas left":          {day, 100, state.Former{}, []string{"master"}},
		"long after":                            {8 * day, 0, state.Former{}, nil},
		"long after, with deltas left":          {9 * day, 100, state.Former{}, []string{"master"}},
		"by a clock that is behind":             {-50 * day, 0, state.Former{}, []string{"master"}},
		"at the end of the least, a week":       {7 * day, 0, state.Former{}, []string{"master"}},
		"renamed again soon after":              {day, 0, state.Former{Branch: "trunk"}, []string{"trunk", "master"}},
		"renamed again, and both are known now": {day, 0, state.Former{Branch: "trunk", Branches: []string{"master"}}, []string{"trunk", "master"}},
		"renamed again long after":              {8 * day, 0, state.Former{Branch: "trunk"}, []string{"trunk"}},
		"renamed for the sixth time in a week":  {day, 0, state.Former{Branch: "f", Branches: []string{"e", "d", "c", "b"}}, []string{"f", "e", "d", "c", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, state.RememberRename(c.after, c.left, c.found)); diff != "" {
				t.Errorf("the snapshot names (-want +got):\n%s", diff)
			}
		})
	}
}
