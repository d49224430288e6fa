package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

// forge is a repository of the in-memory GitHub, with a folder of two files.
type forge struct {
	t      *testing.T
	server *githubtest.Server
	env    map[string]string
	dir    string
	commit string // of the workflow's run
}

const testedCommit = "abababababababababababababababababababab"

func newForge(t *testing.T, change func(*githubtest.Repository)) *forge {
	t.Helper()
	repo := githubtest.Repository{ID: 1, FullName: "breadcrumb/action", DefaultBranch: "main", ImmutableReleases: true}
	if change != nil {
		change(&repo)
	}
	f := &forge{t: t, dir: t.TempDir(), server: githubtest.New(githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{repo}, LastID: 100}})}
	server := httptest.NewServer(f.server)
	t.Cleanup(server.Close)
	f.env = map[string]string{"GITHUB_API_URL": server.URL, "GITHUB_REPOSITORY": "breadcrumb/action", "GH_TOKEN": "token"}
	f.commit = testedCommit
	for name, text := range map[string]string{"SHA256SUMS": "sums", "breadcrumb-linux-amd64": "binary"} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *forge) run(args ...string) (string, error) {
	var out bytes.Buffer
	err := run(context.Background(), args, func(name string) string { return f.env[name] }, streams{out: &out})
	return out.String(), err
}

func (f *forge) publish() error {
	_, err := f.run("publish", "v1.2.3", f.dir)
	return err
}

// isOut reports whether a file is there for everybody.
func (f *forge) isOut(name, text string) bool {
	got, ok := f.server.ReleaseFile("breadcrumb/action", "v1.2.3", name)
	return ok && string(got) == text
}

func (f *forge) bothAreOut() bool {
	return f.isOut("SHA256SUMS", "sums") && f.isOut("breadcrumb-linux-amd64", "binary")
}

// Whatever request fails, before or after GitHub carried it out, nothing is published
// without all files, and the next call does the rest.
func TestPublishingIsRunAgainAfterAnyFailure(t *testing.T) {
	whole := newForge(t, nil)
	if err := whole.publish(); err != nil || !whole.bothAreOut() {
		t.Fatal(err)
	}
	requests := len(whole.server.Requests())
	if requests != 6 {
		t.Errorf("%d requests", requests)
	}
	for at := range requests {
		for name, fault := range map[string]githubtest.Fault{
			"refused": {Status: http.StatusBadGateway}, "lost": {Drop: githubtest.DropBefore}, "not answered": {Drop: githubtest.DropAfter},
		} {
			f := newForge(t, nil)
			fault.Skip, fault.Times = at, 2 // net/http asks once more after a lost connection
			f.server.Inject(fault)
			err := f.publish()
			if err == nil {
				t.Errorf("request %d %s: no error", at, name)
			}
			if f.isOut("SHA256SUMS", "sums") && !f.bothAreOut() {
				t.Errorf("request %d %s: a part is out", at, name)
			}
			f.server.ClearFaults()
			if err := f.publish(); err != nil || !f.bothAreOut() {
				t.Errorf("request %d %s, again: %v", at, name, err)
			}
			if err := f.publish(); err != nil {
				t.Errorf("request %d %s, once more: %v", at, name, err)
			}
		}
	}
}

func TestADraftIsCompleted(t *testing.T) {
	draft := func(assets ...githubtest.ReleaseAsset) func(*githubtest.Repository) {
		return func(r *githubtest.Repository) {
			r.Releases = []githubtest.Release{{ID: 7, Tag: "v1.2.3", Draft: true, Assets: assets}}
		}
	}
	for name, assets := range map[string][]githubtest.ReleaseAsset{
		"none":              nil,
		"one":               {{ID: 8, Name: "SHA256SUMS", Content: []byte("sums")}},
		"a cut upload":      {{ID: 8, Name: "SHA256SUMS", Content: []byte("su"), Started: true}},
		"other text":        {{ID: 8, Name: "SHA256SUMS", Content: []byte("others")}},
		"one that is extra": {{ID: 8, Name: "breadcrumb-plan9", Content: []byte("sums")}},
	} {
		f := newForge(t, draft(assets...))
		if err := f.publish(); err != nil || !f.bothAreOut() || f.isOut("breadcrumb-plan9", "sums") {
			t.Errorf("%s: %v", name, err)
		}
		if f.server.Count(http.MethodPost, "/repos/breadcrumb/action/releases") != 0 {
			t.Errorf("%s: a second draft was made", name)
		}
	}
}

func TestWhatIsOutIsNotChanged(t *testing.T) {
	f := newForge(t, func(r *githubtest.Repository) {
		r.Releases = []githubtest.Release{{ID: 7, Tag: "v1.2.3", Immutable: true, Assets: []githubtest.ReleaseAsset{{ID: 8, Name: "SHA256SUMS", Content: []byte("others")}}}}
	})
	if err := f.publish(); err == nil || !strings.Contains(err.Error(), "v1.2.3 is published with other files") {
		t.Error(err)
	}
	for _, r := range f.server.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.Path)
		}
	}
}

func TestAReleaseThatCanBeChangedFails(t *testing.T) {
	f := newForge(t, func(r *githubtest.Repository) { r.ImmutableReleases = false })
	for range 2 {
		if err := f.publish(); err == nil || !strings.Contains(err.Error(), "Enable release immutability") {
			t.Error(err)
		}
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for want, change := range map[string]func(*forge){
		"GH_TOKEN is not set": func(f *forge) { delete(f.env, "GH_TOKEN") },
		"there are none in":   func(f *forge) { f.dir = t.TempDir() },
		"draft v1.2.3: ":      func(f *forge) { f.env["GITHUB_REPOSITORY"] = "breadcrumb/none" },
	} {
		f := newForge(t, nil)
		change(f)
		if err := f.publish(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := newForge(t, nil).run("publish", "v1.2.3"); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
		t.Error(err)
	}
}
