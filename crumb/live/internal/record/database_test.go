package record

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

func TestWhatPeopleSaidComesWithWhatWasLearned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crumbs.db")
	d, now := database{file}, time.Unix(1.7e9, 0)
	learned := heal.Learned{Fingerprint: engine.Fingerprint{TestID: "deploys", Locator: "#go", Tag: "button", Text: "deploy"}}
	if _, err := d.save(t.Context(), []heal.Learned{learned}, nil, now); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), file, sqlite.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []store.Veto{
		{TestID: "deploys", Locator: "#go", Signature: "00000000000000aa", Who: "ann", At: now},
		{Locator: "#go", Signature: "00000000000000bb", Who: "ann", At: now},
		{TestID: "deploys", Locator: "#stop", Signature: "00000000000000cc", Who: "ann", At: now},
		{TestID: "another", Locator: "#go", Signature: "00000000000000dd", Who: "ann", At: now},
	} {
		if err := db.AddVeto(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	lesson := heal.Lesson{Lost: heal.SignatureOf(learned.Fingerprint), Found: "00000000000000ee", Changed: []engine.Change{{What: "name", Was: "deploy", Now: "release"}}}
	was, is := lesson.Texts()
	taught := []store.Lesson{{Was: "sign", Now: "log", Who: "ann", At: now}, {Was: was, Now: is, Who: "ann", At: now}}
	for _, element := range []string{"aa", "bb"} {
		w, i := heal.Lesson{Lost: "1" + element, Found: "2" + element, Changed: []engine.Change{{What: "name", Was: "save " + element, Now: "store " + element}}, New: true}.Texts()
		taught = append(taught, store.Lesson{Was: w, Now: i, Who: "ann", At: now})
	}
	for _, l := range taught {
		if err := db.AddLesson(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	known, err := d.load(t.Context(), "deploys", []string{"#go", "#go #2"})
	if err != nil || len(known) != 1 {
		t.Fatalf("%d known, %v", len(known), err)
	}
	want := map[string]bool{"00000000000000aa": true, "00000000000000bb": true}
	got := map[string]bool{}
	for _, s := range known[0].Corrections.Vetoed {
		got[s] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("vetoed (-want +got):\n%s", diff)
	}
	if got := known[0].Corrections.Lessons; len(got) != 3 || cmp.Diff(lesson, got[0]) != "" && cmp.Diff(lesson, got[2]) != "" {
		t.Errorf("lessons %+v", got)
	}
	if diff := cmp.Diff([]heal.Synonym{{Was: "save", Now: "store"}}, known[0].Corrections.Synonyms); diff != "" {
		t.Errorf("synonyms (-want +got):\n%s", diff)
	}
}

func TestWhatDiffersBetweenTheRunsOfAPageVaries(t *testing.T) {
	d, now := database{filepath.Join(t.TempDir(), "crumbs.db")}, time.Unix(1.7e9, 0)
	for run, page := range []struct{ address, headline, name string }{
		{"/posts/red-fox?id=7&view=list", "red fox news", "/posts/red-fox?id=*&view=list"},
		{"/posts/blue-owl?id=7&view=list", "blue owl news", "/posts/**?id=7&view=list"},
		{"/posts/old-dog?id=8&view=list", "old dog news", "/posts/**?id=#&view=list"},
	} {
		l := heal.Learned{Fingerprint: engine.Fingerprint{TestID: "posts", Locator: "#edit", Tag: "button", Text: "edit", Headline: page.headline}}
		l.SetPage(page.address)
		if _, err := d.save(t.Context(), []heal.Learned{l}, nil, now); err != nil {
			t.Fatal(err)
		}
		known, err := d.load(t.Context(), "posts", []string{"#edit"})
		if err != nil || len(known) != 1 {
			t.Fatalf("%d known, %v", len(known), err)
		}
		f := known[0].Fingerprint
		if f.Page != page.name || f.PageAddress != page.address {
			t.Errorf("run %d: page %q at %q, want %q", run, f.Page, f.PageAddress, page.name)
		}
		want := strings.Fields(strings.TrimSuffix(page.headline, "news"))
		if run == 0 {
			want = nil
		}
		if diff := cmp.Diff(want, f.Varies); diff != "" {
			t.Errorf("run %d: varies (-want +got):\n%s", run, diff)
		}
	}
}
