package state_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/sqlite"
)

// victim is the test that forged state wants to have excused.
const victim = "pays"

// forgedFiles are a snapshot and a delta in which the victim is in quarantine.
func forgedFiles(t *testing.T) (snapshot, change map[string][]byte) {
	t.Helper()
	m := &statetest.Memory{}
	s := self(0, 0)
	dir := t.TempDir()
	path := filepath.Join(dir, ".breadcrumb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QuarantineAdd(t.Context(), flaky.Entry{TestID: victim, Reason: "forged", Since: time.Unix(1_700_000_000, 0)}, "mallory"); err != nil {
		t.Fatal(err)
	}
	if err := db.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := session(t.Context(), dir, m.As(origin(s)), s); err != nil {
		t.Fatal(err)
	}
	return m.Files(s.SnapshotName()), m.Files(s.DeltaName())
}

// quarantined restores as a run of the default branch and returns what is in
// quarantine and what was said.
func quarantined(t *testing.T, backend state.Backend) ([]flaky.Entry, string) {
	t.Helper()
	var said strings.Builder
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), ".breadcrumb.db"), sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) error {
		restored, err := state.Restore(ctx, backend, self(500, 0), db)
		for _, n := range restored.Notices {
			said.WriteString(n.File + ": " + n.Reason + "\n")
		}
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	entries, err := db.Quarantine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return entries, said.String()
}

// manifestOf returns files with another manifest.
func manifestOf(t *testing.T, files map[string][]byte, change func(m map[string]any)) map[string][]byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	files = maps.Clone(files)
	files["manifest.json"] = text
	return files
}

// packed returns a snapshot of any bytes with a manifest that fits.
func packed(t *testing.T, files map[string][]byte, database []byte) map[string][]byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(database); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	files = manifestOf(t, files, func(m map[string]any) { m["digest"] = "sha256:" + hex.EncodeToString(sum[:]) })
	files["snapshot.db.zst"] = b.Bytes()
	return files
}

func unpacked(t *testing.T, text []byte) []byte {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForgedStateExcusesNobody offers items that must not count, in every way
// the backend or the content can give them away.
func TestForgedStateExcusesNobody(t *testing.T) {
	t.Parallel()
	snapshot, change := forgedFiles(t)
	good := origin(self(0, 0))
	other := func(edit func(*state.Origin)) state.Origin { o := good; edit(&o); return o }
	name, deltaName := self(0, 0).SnapshotName(), self(0, 0).DeltaName()
	type item struct {
		name   string
		origin state.Origin
		files  map[string][]byte
		quiet  bool // it is another's business: nothing is said
	}
	forged := map[string]item{
		"of another repository":  {name, other(func(o *state.Origin) { o.RepositoryID = 8 }), snapshot, true},
		"of a fork":              {name, other(func(o *state.Origin) { o.HeadRepositoryID = 8 }), snapshot, true},
		"of a fork's delta":      {deltaName, other(func(o *state.Origin) { o.HeadRepositoryID = 8; o.Branch = "x" }), change, true},
		"of another branch":      {name, other(func(o *state.Origin) { o.Branch = "feature" }), snapshot, true},
		"of a pull request":      {name, other(func(o *state.Origin) { o.Event = "pull_request" }), snapshot, true},
		"of pull_request_target": {name, other(func(o *state.Origin) { o.Event = "pull_request_target" }), snapshot, true},
		"of a comment":           {name, other(func(o *state.Origin) { o.Event = "issue_comment" }), snapshot, true},
		"of a comment elsewhere": {deltaName, other(func(o *state.Origin) {
			o.Event, o.Workflow = "issue_comment", ".github/workflows/evil.yml"
		}), change, true},
		"of an event nobody knows":         {name, other(func(o *state.Origin) { o.Event = "" }), snapshot, true},
		"of another workflow":              {name, other(func(o *state.Origin) { o.Workflow = ".github/workflows/evil.yml" }), snapshot, true},
		"under another run's name":         {name, other(func(o *state.Origin) { o.RunID = 5 }), snapshot, true},
		"a delta of a pull request":        {deltaName, other(func(o *state.Origin) { o.Branch = "feature"; o.Event = "pull_request" }), change, true},
		"with another digest":              {name, good, manifestOf(t, snapshot, func(m map[string]any) { m["digest"] = "sha256:00" }), false},
		"with a foreign manifest":          {name, good, manifestOf(t, snapshot, func(m map[string]any) { m["repository_id"] = 8 }), false},
		"in a newer format":                {name, good, manifestOf(t, snapshot, func(m map[string]any) { m["format"] = "breadcrumb.snapshot/v9" }), false},
		"without a manifest":               {name, good, map[string][]byte{"snapshot.db.zst": snapshot["snapshot.db.zst"]}, false},
		"without a database":               {name, good, map[string][]byte{"manifest.json": snapshot["manifest.json"]}, false},
		"cut":                              {name, good, map[string][]byte{"manifest.json": snapshot["manifest.json"], "snapshot.db.zst": snapshot["snapshot.db.zst"][:300]}, false},
		"a database that is none":          {name, good, packed(t, snapshot, []byte("SQLite format 3\x00 or so")), false},
		"a delta that is none":             {deltaName, good, map[string][]byte{"delta.ndjson.zst": []byte("PK\x03\x04")}, false},
		"a delta that is cut":              {deltaName, good, map[string][]byte{"delta.ndjson.zst": change["delta.ndjson.zst"][:len(change["delta.ndjson.zst"])-5]}, false},
		"larger than the limit":            {name, good, map[string][]byte{"manifest.json": snapshot["manifest.json"], "snapshot.db.zst": make([]byte, state.MaxBytes)}, false},
		"with a name that leads elsewhere": {name, good, map[string][]byte{"../manifest.json": snapshot["manifest.json"]}, false},
	}
	for kind, f := range forged {
		m := &statetest.Memory{}
		m.Forge(state.Item{Name: f.name, Origin: f.origin}, f.files)
		entries, said := quarantined(t, m.As(good))
		if len(entries) > 0 {
			t.Errorf("%s: accepted", kind)
		}
		if (said == "") != f.quiet {
			t.Errorf("%s: said %q", kind, said)
		}
	}
	promise.Tried(t, "items", len(forged))
	m := &statetest.Memory{}
	m.Forge(state.Item{Name: name, Origin: good}, snapshot)
	if entries, said := quarantined(t, m.As(good)); len(entries) != 1 || said != "" {
		t.Errorf("the good snapshot gives %v, %q: the test shows nothing", entries, said)
	}
}

// A command in a comment runs the default branch's workflow, so what it saved
// counts, but no more than a person may decide.
func TestADeltaOfACommentIsWhatAPersonDecided(t *testing.T) {
	t.Parallel()
	_, change := forgedFiles(t)
	commented := origin(self(0, 0))
	commented.Event = "issue_comment"
	m := &statetest.Memory{}
	m.Forge(state.Item{Name: self(0, 0).DeltaName(), Origin: commented}, change)
	if entries, said := quarantined(t, m.As(commented)); len(entries) != 1 || entries[0].TestID != victim || said != "" {
		t.Errorf("%v, said %q", entries, said)
	}
}

func TestABadSnapshotIsPassedOver(t *testing.T) {
	t.Parallel()
	snapshot, _ := forgedFiles(t)
	good := origin(self(0, 0))
	m := &statetest.Memory{}
	m.Forge(state.Item{Name: self(0, 0).SnapshotName(), Origin: good}, snapshot)
	m.Forge(state.Item{Name: self(0, 0).SnapshotName() + "b", Origin: good}, map[string][]byte{"manifest.json": []byte("{")})
	entries, said := quarantined(t, m.As(good))
	if len(entries) != 1 || !strings.Contains(said, "set aside") {
		t.Errorf("%v, said %q", entries, said)
	}
}

// TestNothingIsFoldedOverHistoryThatCouldNotBeRead keeps a run from saving a
// snapshot that would hide one which may be readable the next time.
func TestNothingIsFoldedOverHistoryThatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	m := &statetest.Memory{}
	first := self(0, 0)
	if _, err := session(t.Context(), t.TempDir(), m.As(origin(first)), first); err != nil {
		t.Fatal(err)
	}
	for n, call := range []string{"List", "Get " + first.SnapshotName()} {
		m.Fail = func(c string) error {
			if c == call {
				return os.ErrDeadlineExceeded
			}
			return nil
		}
		s := self(n+1, 0)
		if _, err := session(t.Context(), t.TempDir(), m.As(origin(s)), s); err != nil {
			t.Fatal(err)
		}
		if names := m.Names(); slices.Contains(names, s.SnapshotName()) || !slices.Contains(names, s.DeltaName()) {
			t.Errorf("%s failed, and there are %v", call, names)
		}
	}
	m.Fail = nil
	if there := present(t, m, 50); len(there) != 4 {
		t.Errorf("runs %v, want three and the one that looks", there)
	}
}

// mutations is how many damaged databases are opened.
func mutations() int { return promise.Count("damage") }

func TestADamagedDatabaseNeverPanicsOrHangs(t *testing.T) {
	t.Parallel()
	snapshot, _ := forgedFiles(t)
	whole := unpacked(t, snapshot["snapshot.db.zst"])
	random := rand.New(rand.NewPCG(5, 6))
	file := filepath.Join(t.TempDir(), "snapshot.db")
	refused := 0
	for range mutations() {
		text := slices.Clone(whole)
		for range 1 + random.IntN(8) {
			switch random.IntN(3) {
			case 0:
				text[random.IntN(len(text))] = byte(random.IntN(256))
			case 1: // the header and the first page, where the schema is
				text[random.IntN(4096)] ^= 1 << random.IntN(8)
			case 2:
				text = text[:1+random.IntN(len(text))]
				if len(text) < 4096 {
					text = append(text, make([]byte, 4096-len(text))...)
				}
			}
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "fresh.db"), sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) error {
			if err := db.LoadFile(ctx, file); err != nil {
				refused++
				if stats, err := db.Stats(ctx); err != nil || stats != (store.Stats{}) {
					t.Errorf("after a refusal there are %+v, %v", stats, err)
				}
			}
			return nil
		}})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed: the test shows nothing")
	}
}

func TestWhatANewerVersionSavedIsKeptForIt(t *testing.T) {
	t.Parallel()
	m := &statetest.Memory{}
	s := self(0, 0)
	var b bytes.Buffer
	d := delta.Delta{Schema: 99, Records: []delta.Record{&delta.Unknown{Line: `{"_":"comet","tail":3}`}}}
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	m.Forge(state.Item{Name: state.DeltaPrefix + "1000-1-new", Origin: origin(s)}, map[string][]byte{"delta.ndjson.zst": b.Bytes()})
	for n := range 2 {
		s := self(n, 0)
		dir := t.TempDir()
		if _, err := session(t.Context(), dir, m.As(origin(s)), s); err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(t.Context(), filepath.Join(dir, ".breadcrumb.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := db.Everything(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		body, _, _ := all.Body()
		if !strings.Contains(string(body), `{"_":"comet","tail":3}`) {
			t.Errorf("run %d lost the line", n)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingIsFoldedOverSnapshotsThatWereNotTried puts bad snapshots over a good one.
func TestNothingIsFoldedOverSnapshotsThatWereNotTried(t *testing.T) {
	t.Parallel()
	snapshot, _ := forgedFiles(t)
	for bad, found := range map[int]int{0: 1, 3: 1, 11: 1, 12: 0} {
		m := &statetest.Memory{}
		o := origin(self(0, 0))
		m.Forge(state.Item{Name: self(0, 0).SnapshotName(), Origin: o}, snapshot)
		for n := range bad {
			o.RunID = self(n+1, 0).Info.RunID
			m.Forge(state.Item{Name: self(n+1, 0).SnapshotName(), Origin: o}, map[string][]byte{"manifest.json": snapshot["manifest.json"]})
		}
		entries, said := quarantined(t, m.As(o))
		if len(entries) != found || strings.Contains(said, "nothing is saved over them") != (found == 0) {
			t.Errorf("under %d bad ones: %v, said %q", bad, entries, said)
		}
		before := len(m.Names())
		s := self(600, 0)
		if _, err := session(t.Context(), t.TempDir(), m.As(origin(s)), s); err != nil {
			t.Fatal(err)
		}
		if folded := len(m.Names()) == before+2; folded != (found == 1) {
			t.Errorf("over %d bad ones was folded: %v; %v", bad, folded, m.Names())
		}
	}
}
