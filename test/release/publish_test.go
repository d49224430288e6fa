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

// binary is what a version has for a platform: a script, which says its version.
func binary(version, platform string) string {
	return fmt.Sprintf("#!/bin/sh\n# %s\necho breadcrumb %s\n", platform, version)
}

// builds writes a release's files as the stand-ins do, and returns the binaries of Linux.
func (w *world) builds(version string) map[string]string {
	w.t.Helper()
	w.command(w.dir, "sh", "-ec", "rm -rf dist; release/build "+version+"; release/parts "+version)
	linux := map[string]string{}
	for _, platform := range platforms[:2] {
		linux[platform] = binary(version, platform)
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
		if want := binary(version, platform); string(text) != want {
			w.t.Errorf("breadcrumb-%s of %s is %q", platform, version, text)
		}
	}
	if action := w.command(w.remote, "git", "show", version+":action.yml"); !strings.Contains(action, "image: docker://"+w.image+"@"+w.crane("digest", w.image+":"+version)+" # "+version+"\n") {
		w.t.Errorf("action.yml of %s names another image", version)
	}
	w.crane("digest", w.image+":"+version+"-shell")
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

// thorough reports whether every place is tried, and not some.
func thorough() bool { return os.Getenv("FAULTS") != "" }

// From whatever change on nothing succeeds any more, the failed jobs can be run again, or
// all of them, and the same release is out then. `make faults` tries each
// change, `make test` one.
func TestEveryStepCanBeRunAgain(t *testing.T) {
	t.Parallel()
	whole := newWorld(t)
	if err := whole.release("v1.0.0"); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= whole.changes; at++ {
		if at != 7 && !thorough() { // among the uploads
			continue
		}
		for _, first := range []string{"lost", "not answered"} {
			t.Run(fmt.Sprintf("%s %d", first, at), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.breaks = func(n int) string { return map[int]string{-1: "", 0: first, 1: "lost"}[cmp.Compare(n, at)] }
				run := w.start("release.yml", "v1.0.0")
				failed := run.attempt()
				if failed == nil && at < whole.changes { // git does not fail for what is told after a push
					t.Error("it is no failure")
				}
				w.breaks = func(int) string { return "" }
				if at%2 == 0 {
					run = w.start("release.yml", "v1.0.0")
				}
				if err := run.attempt(); err != nil {
					t.Errorf("%v\nafter %v", err, failed)
				}
				w.isOut("v1.0.0")
				w.is("v1", "v1.0.0")
			})
		}
	}
	t.Logf("a release makes %d changes", whole.changes)
}

func TestWhatIsNotThereForEverybodyIsNotTagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.private = true
	run := w.start("release.yml", "v1.0.0")
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
	w.is("v1", "v1.0.0")

	w = newWorld(t)
	other := w.push(w.builds("v0.9.0"), "breadcrumb")
	w.builds("v1.0.0")
	if out, err := w.script("image", "check", other, filepath.Join(w.dir, "dist")); err == nil || !strings.Contains(out, "holds another binary for linux/amd64") {
		t.Errorf("another image: %v\n%s", err, out)
	}
}

// The major tag does not move to what lacks a part, whoever asks for it.
func TestAMajorTagNeedsItsRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for version, want := range map[string]string{"v1.0.0": "there is no tag v1.0.0", "v1": "is no version"} {
		if out, err := w.script("major", version); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", version, err, out)
		}
	}
	if out, err := w.script("tag", "v1.0.0", w.push(w.builds("v1.0.0"), "breadcrumb"), "dist"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := w.script("major", "v1.0.0"); err == nil || !strings.Contains(out, "of v1.0.0 cannot be fetched") {
		t.Errorf("no release: %v\n%s", err, out)
	}
	release := githubtest.Release{ID: 2, Tag: "v1.0.0"}
	for i, platform := range platforms {
		release.Assets = append(release.Assets, githubtest.ReleaseAsset{ID: int64(3 + i), Name: "breadcrumb-" + platform, Content: []byte("another")})
	}
	w.github = githubtest.New(githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{{ID: 1, FullName: repositoryName, Releases: []githubtest.Release{release}}}}})
	if out, err := w.script("major", "v1.0.0"); err == nil || !strings.Contains(out, "of v1.0.0 is another file") {
		t.Errorf("another file: %v\n%s", err, out)
	}
	if tags := w.command(w.remote, "git", "tag"); tags != "v1.0.0" {
		t.Errorf("tags %s", tags)
	}
}

// GitHub would make a missing tag where it likes.
func TestAReleaseNeedsItsTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.builds("v1.0.0")
	if out, err := w.script("publish", "v1.0.0", "dist"); err == nil || !strings.Contains(out, "there is no tag v1.0.0") {
		t.Errorf("%v\n%s", err, out)
	}
	if n := w.github.Count(http.MethodPost, ""); n != 0 {
		t.Errorf("%d requests that change something", n)
	}
}

// commit makes a commit on the branch of the remote, whose tests are green.
func (w *world) commit(message string) {
	c := w.checkout
	c.t.Helper()
	c.command(c.dir, "git", "checkout", "-q", "-f", "main")
	c.command(c.dir, "git", "add", "-A", ":!dist")
	c.command(c.dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "--allow-empty", "-qm", message)
	c.command(c.dir, "git", "push", "-q", "origin", "main")
	w.change(func(r *githubtest.Repository) { r.Runs = append(r.Runs, green(w.at("main"))) })
}
