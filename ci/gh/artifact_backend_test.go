package gh_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
)

func TestArtifactsAreVouchedForByTheirRun(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	for _, run := range []int64{mainRun, pullRun, forkRun} {
		for _, name := range []string{state.DeltaPrefix, state.SnapshotPrefix} {
			if err := a.artifacts(t, run).Put(t.Context(), fmt.Sprintf("%s%d-3-leg", name, run), mapFS(map[string]string{"a": "x"})); err != nil {
				t.Fatal(err)
			}
		}
	}
	backend := a.artifacts(t, mainRun)
	for _, prefix := range []string{state.DeltaPrefix, state.SnapshotPrefix, "breadcrumb-"} {
		items, err := backend.List(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		got := map[int64]state.Origin{}
		for _, item := range items {
			if !strings.HasPrefix(item.Name, prefix) {
				t.Errorf("%s is listed for %s", item.Name, prefix)
			}
			attempt := 0
			if strings.HasPrefix(item.Name, state.DeltaPrefix) {
				attempt = 3
			}
			if item.Origin.RunAttempt != attempt {
				t.Errorf("%s is of attempt %d", item.Name, item.Origin.RunAttempt)
			}
			item.Origin.RunAttempt = 0
			got[item.Origin.RunID] = item.Origin
		}
		want := map[int64]state.Origin{
			mainRun: {Known: true, RepositoryID: shopID, HeadRepositoryID: shopID, Branch: "main", Event: "push", Workflow: ".github/workflows/e2e.yml", HeadSHA: mainSHA, RunID: mainRun},
			pullRun: {Known: true, RepositoryID: shopID, HeadRepositoryID: shopID, Branch: "rename", HeadSHA: strings.Repeat("2", 40), RunID: pullRun},
			forkRun: {Known: true, RepositoryID: shopID, HeadRepositoryID: got[forkRun].HeadRepositoryID, Branch: "main", HeadSHA: strings.Repeat("3", 40), RunID: forkRun},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", prefix, diff)
		}
		if got[forkRun].HeadRepositoryID == shopID {
			t.Error("the fork's artifact counts as the repository's own")
		}
	}
}

// In a busy repository our artifacts are few among many, and GitHub filters by
// an exact name only.
func TestSnapshotIsFoundInABusyRepository(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	backend := a.artifacts(t, mainRun)
	if err := backend.Put(t.Context(), state.SnapshotPrefix+"1", mapFS(map[string]string{"a": "the snapshot"})); err != nil {
		t.Fatal(err)
	}
	a.fill(t, 1000)
	for _, prefix := range []string{state.SnapshotPrefix, "breadcrumb-"} {
		before := a.CountREST()
		item := onlyItem(t, backend, prefix)
		if calls := a.CountREST() - before; calls > 7 {
			t.Errorf("%s took %d calls", prefix, calls)
		}
		if got := getItem(t, backend, item); got["a"] != "the snapshot" {
			t.Errorf("got %v", got)
		}
	}
}

// fill saves n artifacts of something else.
func (a *actions) fill(t *testing.T, n int) {
	t.Helper()
	a.change(t, func(r *githubtest.Repository) {
		for i := range n {
			r.Artifacts = append(r.Artifacts, githubtest.Artifact{ID: int64(10_000 + i), Run: pullRun, Name: "blob-report", Created: a.clock, Content: []byte("x")})
		}
	})
}

// change lets change alter the repository behind GitHub's back.
func (a *actions) change(t *testing.T, change func(*githubtest.Repository)) {
	t.Helper()
	var dump bytes.Buffer
	if err := a.Dump(&dump); err != nil {
		t.Fatal(err)
	}
	s := parseState(t, dump.Bytes())
	change(&s.Repositories[0])
	s.LastID += 100_000
	if err := a.Load(marshal(t, s)); err != nil {
		t.Fatal(err)
	}
}

// A run that folds 20 deltas stays within its 23 calls, and a run of a pull
// request that reads the snapshot alone within three, beside the one for the tips.
func TestCallsOfARestore(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		for i := range 20 {
			run := int64(500 + i)
			r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: run, Event: "push", Path: ".github/workflows/e2e.yml", HeadBranch: "main", HeadSHA: mainSHA})
			r.Artifacts = append(r.Artifacts, zipArtifact(int64(i+1), run, fmt.Sprintf("%s%d-1", state.DeltaPrefix, run)))
		}
		r.Artifacts = append(r.Artifacts, zipArtifact(21, 519, ofE2E))
	})
	backend := a.artifacts(t, mainRun)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil || len(items) != 21 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for _, item := range items {
		if item.Origin.Event != "push" {
			t.Errorf("%s: event %q", item.Name, item.Origin.Event)
		}
		getItem(t, backend, item)
	}
	if calls := a.CountREST(); calls > 23+1 {
		t.Errorf("restoring 20 deltas and a snapshot took %d REST calls", calls)
	}

	pull, before := a.artifacts(t, pullRun), a.CountREST()
	items, err = pull.List(t.Context(), state.SnapshotPrefix)
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	getItem(t, pull, items[0])
	if calls := a.CountREST() - before; calls > 3+1 {
		t.Errorf("reading the snapshot took %d REST calls", calls)
	}
}

func zipArtifact(id, run int64, name string) githubtest.Artifact {
	content := zipOf(zipFile{"a", "text", 0})
	return githubtest.Artifact{ID: id, Run: run, Name: name, Digest: digest(content), Created: time.Date(2025, 12, 1, 0, 0, int(id), 0, time.UTC), Content: content}
}

type zipFile struct {
	name, content string
	mode          uint32 // Unix mode in the upper half, 0 for a plain file
}

func zipOf(files ...zipFile) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, ExternalAttrs: f.mode << 16}
		if f.mode != 0 {
			header.CreatorVersion = 3 << 8
		}
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = entry.Write([]byte(f.content))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestForgedArtifactsAreRefused(t *testing.T) {
	t.Parallel()
	bomb := zipOf(zipFile{"a", strings.Repeat("\x00", state.MaxBytes+1), 0})
	good := zipOf(zipFile{"a", "text", 0})
	forgeries := map[string]struct {
		artifact githubtest.Artifact
		want     error // nil for any
	}{
		"another digest":         {githubtest.Artifact{Content: good, Digest: digest([]byte("other"))}, nil},
		"truncated":              {githubtest.Artifact{Content: good[:len(good)/2]}, nil},
		"no zip":                 {githubtest.Artifact{Content: []byte("SQLite format 3\x00")}, nil},
		"empty":                  {githubtest.Artifact{Content: []byte{}}, nil},
		"a name above":           {githubtest.Artifact{Content: zipOf(zipFile{"../a", "x", 0})}, state.ErrHostile},
		"an absolute name":       {githubtest.Artifact{Content: zipOf(zipFile{"/etc/passwd", "x", 0})}, state.ErrHostile},
		"a name in a folder":     {githubtest.Artifact{Content: zipOf(zipFile{"b/a", "x", 0})}, state.ErrHostile},
		"a backslash":            {githubtest.Artifact{Content: zipOf(zipFile{`..\a`, "x", 0})}, state.ErrHostile},
		"a folder":               {githubtest.Artifact{Content: zipOf(zipFile{"b/", "", 0})}, state.ErrHostile},
		"a name twice":           {githubtest.Artifact{Content: zipOf(zipFile{"a", "x", 0}, zipFile{"a", "y", 0})}, state.ErrHostile},
		"a link":                 {githubtest.Artifact{Content: zipOf(zipFile{"a", "/etc/passwd", 0o120777})}, state.ErrHostile},
		"a bomb":                 {githubtest.Artifact{Content: bomb}, state.ErrTooLarge},
		"a bomb of small pieces": {githubtest.Artifact{Content: zipOf(pieces(101)...)}, state.ErrTooLarge},
		"expired since":          {githubtest.Artifact{Content: good, Expires: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}, state.ErrGone},
	}
	promise.Tried(t, "artifacts", len(forgeries))
	for name, c := range forgeries {
		t.Run(name, func(t *testing.T) {
			a := newActions(t, githubtest.Options{})
			forged := c.artifact
			forged.ID, forged.Run, forged.Name, forged.Created = 77, mainRun, state.DeltaPrefix+"1-1", a.clock
			a.change(t, func(r *githubtest.Repository) { r.Artifacts = append(r.Artifacts, forged) })
			item := state.Item{ID: "77", Name: forged.Name, Size: int64(len(forged.Content)), Digest: forged.Digest}
			err := getInto(t, a.artifacts(t, mainRun), item, t.TempDir())
			if err == nil || errors.Is(err, state.ErrGone) != errors.Is(c.want, state.ErrGone) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Get = %v, want %v", err, c.want)
			}
		})
	}
}

func pieces(n int) []zipFile {
	var files []zipFile
	for i := range n {
		files = append(files, zipFile{fmt.Sprint(i), "x", 0})
	}
	return files
}

// Whatever call's answer is lost after it was carried out, the same Put, sent
// again or repeated later, leaves one artifact with the whole content.
func TestLostAnswersLeaveOneArtifact(t *testing.T) {
	t.Parallel()
	const service = "/twirp/github.actions.results.api.v1.ArtifactService/"
	for name, fault := range map[string]githubtest.Fault{
		"create":          {Path: service + "CreateArtifact"},
		"block":           {Method: "PUT", Path: "/blob/*/*/*"},
		"list of blocks":  {Method: "PUT", Path: "/blob/*/*/*", Skip: 1},
		"finalize":        {Path: service + "FinalizeArtifact"},
		"find afterwards": {Path: service + "ListArtifacts"},
	} {
		for times := 1; times <= 2; times++ {
			t.Run(fmt.Sprint(name, " ", times), func(t *testing.T) {
				a := newActions(t, githubtest.Options{})
				fault.Times, fault.Drop = times, githubtest.DropAfter
				a.Inject(fault)
				for range 3 {
					if err := a.artifacts(t, mainRun).Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "whole"})); err != nil {
						t.Errorf("Put = %v", err)
					}
				}
				backend := a.artifacts(t, mainRun)
				if got := getItem(t, backend, onlyItem(t, backend, state.DeltaPrefix)); got["a"] != "whole" {
					t.Errorf("got %v", got)
				}
			})
		}
	}
}

func TestArtifactsElsewhere(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	if err := a.artifacts(t, mainRun).Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "x"})); err != nil {
		t.Fatal(err)
	}
	client, o := a.job(t, mainRun, "refs/heads/main")

	enterprise := o
	enterprise.ServerURL = "https://github.example.com"
	if _, err := client.ArtifactBackend(enterprise); err == nil || !strings.Contains(err.Error(), "GitHub Enterprise Server has no results service") {
		t.Errorf("on GitHub Enterprise Server: %v", err)
	}
	o.RuntimeToken, o.ServerURL = "", "https://acme.ghe.com"
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := getItem(t, backend, onlyItem(t, backend, state.DeltaPrefix)); got["a"] != "x" {
		t.Errorf("outside of a job: %v", got)
	}
	if err := backend.Put(t.Context(), state.DeltaPrefix+"2-1", mapFS(nil)); err == nil || !strings.Contains(err.Error(), "ACTIONS_RUNTIME_TOKEN") {
		t.Errorf("Put outside of a job: %v", err)
	}
}

func TestNoPermissionSaysWhichToGive(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.Inject(githubtest.Fault{Path: "/repos/*/*/actions/*", Status: 403, Message: "Resource not accessible by integration"})
	for name, backend := range map[string]state.Backend{"artifact": a.artifacts(t, mainRun), "cache": a.caches(t, "refs/heads/main")} {
		_, err := backend.List(t.Context(), state.DeltaPrefix)
		if !errors.Is(err, gh.ErrNoPermission) || !strings.Contains(err.Error(), "actions: read") {
			t.Errorf("%s: %v", name, err)
		}
	}
	reader := newActions(t, githubtest.Options{Fork: true})
	err := reader.branch(t).Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "x"}))
	if !errors.Is(err, gh.ErrNoPermission) || !strings.Contains(err.Error(), "contents: write") {
		t.Errorf("branch: %v", err)
	}
}

// A signed address is as good as a password, and so are the tokens.
func TestErrorsOfTheStorageHoldNoSecret(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	backend := a.artifacts(t, mainRun)
	if err := backend.Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "x"})); err != nil {
		t.Fatal(err)
	}
	item := onlyItem(t, backend, state.DeltaPrefix)
	a.Inject(githubtest.Fault{Path: "/blob/*/*", Drop: githubtest.DropBefore})
	a.Inject(githubtest.Fault{Path: "/blob/*/*/*", Drop: githubtest.DropBefore})
	for what, err := range map[string]error{
		"Get": getInto(t, backend, item, t.TempDir()),
		"Put": backend.Put(t.Context(), state.DeltaPrefix+"2-1", mapFS(map[string]string{"a": "y"})),
	} {
		if err == nil || strings.Contains(err.Error(), "sig=") || strings.Contains(err.Error(), "eyJ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if a.waited > 120*time.Second {
		t.Errorf("waited %s", a.waited)
	}
}
