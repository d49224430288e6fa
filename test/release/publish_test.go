package release

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

// builds writes a release's files as the stand-ins do, and returns the binaries of Linux.
func (w *world) builds(version string) map[string]string {
	w.t.Helper()
	w.command(w.dir, "sh", "-ec", "rm -rf dist; release/build "+version+"; release/parts "+version)
	linux := map[string]string{}
	for _, platform := range platforms[:2] {
		linux[platform] = fmt.Sprintf("#!/bin/sh\necho \"%s for %s\"\n", version, platform)
	}
	return linux
}

// script runs a script of release on the branch's commit, as in the world.
func (w *world) script(name string, args ...string) (string, error) {
	w.t.Helper()
	w.command(w.dir, "git", "checkout", "-q", "-f", "--detach", "main")
	return w.checkout.script(w.environment(), name, args...)
}

// release runs the workflow.
func (w *world) release(version string) error {
	w.t.Helper()
	return w.start("release.yml", version).attempt()
}

// isOut checks that a version is public in every place.
func (w *world) isOut(version string) {
	w.t.Helper()
	for _, platform := range platforms {
		text, _ := w.github.ReleaseFile(repositoryName, version, "breadcrumb-"+platform)
		if want := fmt.Sprintf("#!/bin/sh\necho \"%s for %s\"\n", version, platform); string(text) != want {
			w.t.Errorf("breadcrumb-%s of %s is %q", platform, version, text)
		}
	}
	if action := w.command(w.remote, "git", "show", version+":action.yml"); !strings.Contains(action, "image: docker://"+w.image+"@"+w.crane("digest", w.image+":"+version)+" # "+version+"\n") {
		w.t.Errorf("action.yml of %s names another image", version)
	}
}

// is checks which version a major's tag is.
func (w *world) is(major, version string) {
	w.t.Helper()
	if kind := w.command(w.remote, "git", "cat-file", "-t", major); kind != "commit" {
		w.t.Errorf("%s is no plain tag but a %s", major, kind)
	}
	if w.at(major) != w.at(version) {
		w.t.Errorf("%s is not %s", major, version)
	}
}

// The world looks after each change that v1 names nothing which is not there.
func TestTheMajorTagFollowsTheNewestRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct{ version, v1 string }{
		{"v1.9.0", "v1.9.0"}, {"v1.10.0", "v1.10.0"}, {"v1.9.1", "v1.10.0"}, {"v2.0.0", "v1.10.0"}, {"v1.10.1", "v1.10.1"},
	} {
		if err := w.release(step.version); err != nil {
			t.Fatalf("%s: %v", step.version, err)
		}
		w.isOut(step.version)
		w.is("v1", step.v1)
	}
	w.is("v2", "v2.0.0")
}

// From whatever change on nothing succeeds any more, the failed jobs can be run again, or
// all of them, and the same release is out then. `make faults` tries each change, `make
// test` some.
func TestEveryStepCanBeRunAgain(t *testing.T) {
	t.Parallel()
	whole := newWorld(t)
	if err := whole.release("v1.2.3"); err != nil {
		t.Fatal(err)
	}
	step := 6
	if os.Getenv("FAULTS") != "" {
		step = 1
	}
	for at := 1; at <= whole.changes; at += step {
		for _, first := range []string{"lost", "not answered"} {
			t.Run(fmt.Sprintf("%s %d", first, at), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.breaks = func(n int) string { return map[int]string{-1: "", 0: first, 1: "lost"}[cmp.Compare(n, at)] }
				run := w.start("release.yml", "v1.2.3")
				failed := run.attempt()
				if failed == nil && at < whole.changes { // git does not fail for what is told after a push
					t.Error("it is no failure")
				}
				w.breaks = func(int) string { return "" }
				if at%2 == 0 {
					run = w.start("release.yml", "v1.2.3")
				}
				if err := run.attempt(); err != nil {
					t.Errorf("%v\nafter %v", err, failed)
				}
				w.isOut("v1.2.3")
				w.is("v1", "v1.2.3")
			})
		}
	}
	if step == 1 {
		t.Logf("%d changes", whole.changes)
	}
}

func TestWhatIsNotThereForEverybodyIsNotTagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.private = true
	run := w.start("release.yml", "v1.2.3")
	if err := run.attempt(); err == nil || !strings.Contains(err.Error(), "Make the package public") {
		t.Errorf("a private image: %v", err)
	}
	if tags := w.command(w.remote, "git", "tag"); tags != "" {
		t.Errorf("a private image: tags %q", tags)
	}
	w.private = false
	if err := run.attempt(); err != nil {
		t.Errorf("made public: %v", err)
	}
	w.is("v1", "v1.2.3")

	w = newWorld(t)
	other := w.push(w.builds("v1.2.2"))
	w.builds("v1.2.3")
	if out, err := w.script("image", "check", other, filepath.Join(w.dir, "dist")); err == nil || !strings.Contains(out, "holds another binary for linux/amd64") {
		t.Errorf("another image: %v\n%s", err, out)
	}
}

// The major tag does not move to what lacks a part, whoever asks for it.
func TestAMajorTagNeedsItsRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for version, want := range map[string]string{"v1.2.3": "there is no tag v1.2.3", "v1": "is no version"} {
		if out, err := w.script("major", version); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", version, err, out)
		}
	}
	if out, err := w.script("tag", "v1.2.3", w.push(w.builds("v1.2.3")), "dist"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := w.script("major", "v1.2.3"); err == nil || !strings.Contains(out, "of v1.2.3 cannot be fetched") {
		t.Errorf("no release: %v\n%s", err, out)
	}
	release := githubtest.Release{ID: 2, Tag: "v1.2.3"}
	for i, platform := range platforms {
		release.Assets = append(release.Assets, githubtest.ReleaseAsset{ID: int64(3 + i), Name: "breadcrumb-" + platform, Content: []byte("another")})
	}
	w.github = githubtest.New(githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{{ID: 1, FullName: repositoryName, Releases: []githubtest.Release{release}}}}})
	if out, err := w.script("major", "v1.2.3"); err == nil || !strings.Contains(out, "of v1.2.3 is another file") {
		t.Errorf("another file: %v\n%s", err, out)
	}
	if tags := w.command(w.remote, "git", "tag"); tags != "v1.2.3" {
		t.Errorf("tags %s", tags)
	}
}

// GitHub would make a missing tag where it likes.
func TestAReleaseNeedsItsTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.builds("v1.2.3")
	if out, err := w.script("publish", "v1.2.3", "dist"); err == nil || !strings.Contains(out, "there is no tag v1.2.3") {
		t.Errorf("%v\n%s", err, out)
	}
	if n := w.github.Count(http.MethodPost, ""); n != 0 {
		t.Errorf("%d requests that change something", n)
	}
}

// A second run of the workflow, on another commit, does not take over a version.
func TestAVersionIsOfOneCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.release("v1.2.3"); err != nil {
		t.Fatal(err)
	}
	before := w.at("v1.2.3")
	w.commit("second")
	if err := w.release("v1.2.3"); err == nil || !strings.Contains(err.Error(), "v1.2.3 is out already, on another commit") {
		t.Error(err)
	}
	if w.at("v1.2.3") != before {
		t.Error("the tag moved")
	}
}

// commit makes a commit on the branch of the remote.
func (c checkout) commit(message string) {
	c.t.Helper()
	c.command(c.dir, "git", "checkout", "-q", "-f", "main")
	c.command(c.dir, "git", "add", "-A", ":!dist")
	c.command(c.dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "--allow-empty", "-qm", message)
	c.command(c.dir, "git", "push", "-q", "origin", "main")
}
