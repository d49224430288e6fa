package release

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

// names checks which version the image's name leads to.
func (w *world) names(name, version string) {
	w.t.Helper()
	for _, variant := range []string{"", "-shell"} {
		if w.crane("digest", w.image+":"+name+variant) != w.crane("digest", w.image+":"+version+variant) {
			w.t.Errorf("the image %s%s is not %s", name, variant, version)
		}
	}
}

// tags returns all tags of the remote.
func (w *world) tags() string { return w.command(w.remote, "git", "tag") }

// A repository's first release, its second, a patch of the first and of the second.
func TestAFreshRepositoryIsReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.change(func(r *githubtest.Repository) { r.Releases = nil })
	if err := w.release("v1.0.0"); err == nil || !strings.Contains(err.Error(), "release the candidate v1.0.0-rc.1 first") || w.changes != 0 {
		t.Errorf("%d changes: %v", w.changes, err)
	}
	if err := w.release("v1.0.0-rc.1"); err != nil {
		t.Fatal(err)
	}
	w.isOut("v1.0.0-rc.1")
	if tags, names := w.tags(), w.crane("ls", w.image); tags != "v1.0.0-rc.1" || strings.Contains(names, "v1\n") || strings.Contains(names, "v1.0\n") {
		t.Errorf("after a candidate: tags %q, images %q", tags, names)
	}
	for _, step := range []struct{ version, v1 string }{{"v1.0.0", "v1.0.0"}, {"v1.1.0", "v1.1.0"}, {"v1.0.1", "v1.1.0"}} {
		if err := w.release(step.version); err != nil {
			t.Fatalf("%s: %v", step.version, err)
		}
		w.isOut(step.version)
		w.is("v1", step.v1)
		w.names("v1", step.v1)
		w.names(step.version[:len("v1.0")], step.version)
	}
}

// Before anybody agrees nothing is pushed; what cannot be released says why.
func TestWhatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.release("v1.0.0"); err != nil {
		t.Fatal(err)
	}
	before, tags := w.changes, w.tags()
	for _, c := range []struct {
		version, want string
		do, undo      func()
	}{
		{"v10.0.0", "v10.0.0 does not follow v1.0.0", nil, nil},
		{"v1.1.0;id", "is no version such as", nil, nil},
		{"v1.1.0", ".github/workflows/ci.yml ended as failure", func() { w.change(func(r *githubtest.Repository) { r.Runs[0].Conclusion = "failure" }) },
			func() { w.change(func(r *githubtest.Repository) { r.Runs[0].Conclusion = "success" }) }},
		{"v1.1.0", "turn on Required reviewers", func() { w.change(func(r *githubtest.Repository) { r.Environments[0].Reviewers = nil }) },
			func() { w.change(func(r *githubtest.Repository) { r.Environments[0].Reviewers = []string{"ann"} }) }},
		{"v1.1.0", "the image of v1.0.0 cannot be pulled without credentials", func() { w.private = true }, func() { w.private = false }},
		{"v1.2.0", "v1.2.0 does not follow v1.0.0", nil, nil},
	} {
		if c.do != nil {
			c.do()
		}
		err := w.release(c.version)
		if c.undo != nil {
			c.undo()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "job preflight") || w.changes != before || w.tags() != tags {
			t.Errorf("%s: %v, want %q; %d changes", c.version, err, c.want, w.changes-before)
		}
	}
	// What its users cannot run is out, and no v1 leads to it.
	run := w.start("release.yml", "v1.1.0")
	run.broken = true
	if err := run.attempt(); err == nil || !strings.Contains(err.Error(), "job rehearse") {
		t.Error(err)
	}
	w.isOut("v1.1.0")
	w.is("v1", "v1.0.0")
	w.names("v1", "v1.0.0")
	run.broken = false
	if err := run.attempt(); err != nil {
		t.Error(err)
	}
	w.is("v1", "v1.1.0")

	// A second run of the workflow, on another commit, does not take over a version.
	w.commit("second")
	if err := w.release("v1.1.0"); err == nil || !strings.Contains(err.Error(), "v1.1.0 is out already, on another commit") {
		t.Error(err)
	}
}

// While somebody thinks about it the branch goes on: GitHub takes no tag then whose
// workflow files are not the branch's.
func TestATagThatGitHubWouldRefuse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.start("release.yml", "v1.0.0")
	run.approve = func() {
		write(t, w.dir+"/.github/workflows/new.yml", "on: push\n")
		w.commit("another workflow")
	}
	if err := run.attempt(); err == nil || !strings.Contains(err.Error(), "has other workflow files than") || w.tags() != "" {
		t.Errorf("tags %q: %v", w.tags(), err)
	}
	if err := w.release("v1.0.0"); err != nil {
		t.Errorf("on the newest commit: %v", err)
	}
	w.is("v1", "v1.0.0")
}

// v1 goes back, wherever the way there is cut, and forward to the next release alone.
// `make faults` cuts it everywhere.
func TestAReleaseIsWithdrawn(t *testing.T) {
	t.Parallel()
	for at := range 8 { // 0: nothing is cut
		if at%3 != 0 && !thorough() {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := w.release("v1.0.0"); err != nil {
				t.Fatal(err)
			}
			if at == 0 {
				if err := w.start("withdraw.yml", "v1.0.0").attempt(); err == nil || !strings.Contains(err.Error(), "there is no other release of v1 to go back to") {
					t.Error(err)
				}
			}
			second := w.start("release.yml", "v1.0.1")
			if err := second.attempt(); err != nil {
				t.Fatal(err)
			}
			back, before := w.start("withdraw.yml", "v1.0.1"), w.changes
			w.breaks = func(n int) string { return map[bool]string{true: "lost"}[at > 0 && n >= before+at] }
			if err := back.attempt(); (err == nil) != (at == 0) {
				t.Errorf("cut at %d: %v", at, err)
			}
			w.breaks = func(int) string { return "" }
			if err := w.start("withdraw.yml", "v1.0.1").attempt(); err != nil {
				t.Error(err)
			}
			w.isBack(second)
		})
	}
}

// isBack checks that v1.0.1 is withdrawn for v1.0.0, and that its run moves nothing.
func (w *world) isBack(of *workflowRun) {
	w.t.Helper()
	w.is("v1", "v1.0.0")
	w.names("v1", "v1.0.0")
	w.names("v1.0", "v1.0.0")
	w.change(func(r *githubtest.Repository) {
		if r.Releases[2].Name != "v1.0.1 (withdrawn)" || !strings.Contains(r.Releases[2].Body, "use v1.0.0") {
			w.t.Errorf("the page says %q, %q", r.Releases[2].Name, r.Releases[2].Body)
		}
	})
	delete(of.done, "major")
	if err := of.attempt(); err != nil {
		w.t.Error(err)
	}
	w.is("v1", "v1.0.0")
	if err := w.release("v1.0.1"); err == nil || !strings.Contains(err.Error(), "v1.0.1 is withdrawn") {
		w.t.Error(err)
	}
	if err := w.release("v1.0.2"); err != nil {
		w.t.Error(err)
	}
	w.is("v1", "v1.0.2")
}
