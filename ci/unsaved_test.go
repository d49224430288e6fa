package ci_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/state"
)

// full is a place that takes nothing of a kind more, such as a full disk.
type full struct {
	state.Backend
	kind string // of items: the prefix of their names
}

func (f full) Put(ctx context.Context, name string, files fs.FS) error {
	if strings.HasPrefix(name, f.kind) {
		return syscall.ENOSPC
	}
	return f.Backend.Put(ctx, name, files)
}

// summary keeps the job summary of a run.
type summary struct{ text string }

func (s *summary) Summarize(text string) error  { s.text = text; return nil }
func (s *summary) Annotate(outcome.Run) error   { return nil }
func (s *summary) SetOutputs(outcome.Run) error { return nil }

// TestAPlaceThatCannotBeWrittenIsToldWithTheVerdict: in the outcome, the summary and the
// comment, and the verdict stands.
func TestAPlaceThatCannotBeWrittenIsToldWithTheVerdict(t *testing.T) {
	t.Parallel()
	small := big{files: 2, perFile: 5, failEvery: 50}
	for kind, says := range map[string]string{state.DeltaPrefix: "later runs may not know of this one: save delta: ", state.SnapshotPrefix: "later runs have more to read: save snapshot: "} {
		dir := t.TempDir()
		small.write(t, dir)
		cfg, d, host := small.config(dir), deps(), &summary{}
		cfg.HealEvents = nil
		cfg.Info = engine.RunInfo{Repository: "acme/shop", RepositoryID: 42, RunID: 100, RunAttempt: 1, Job: "e2e", Branch: "main", DefaultBranch: true}
		d.Backend, d.Host = full{state.NewPath(filepath.Join(dir, "state")), kind}, host
		result, err := ci.Run(t.Context(), cfg, d)
		if err != nil || result.Exit != ci.ExitBlocked || len(result.Outcome.Verdict.Blocking) != 1 {
			t.Fatalf("exit %d, %v, %d block", result.Exit, err, len(result.Outcome.Verdict.Blocking))
		}
		for where, text := range map[string]string{"summary": host.text, "comment": comment.Render(result.Outcome, comment.Options{})} {
			if strings.Count(text, says) != 1 || !strings.Contains(text, "no space left on device") {
				t.Errorf("%s: the %s does not say once %q:\n%s", kind, where, says, text)
			}
		}
	}
}

// TestADatabaseThatCannotBeWrittenIsToldWithTheVerdict: the exit code is that of a fault.
func TestADatabaseThatCannotBeWrittenIsToldWithTheVerdict(t *testing.T) {
	t.Parallel()
	small := big{files: 2, perFile: 5, failEvery: 50}
	dir := t.TempDir()
	small.write(t, dir)
	cfg, d, host := small.config(dir), deps(), &summary{}
	writeFile(t, filepath.Join(cfg.DB+".delta", "in the way"), "")
	d.Host = host
	result, err := ci.Run(t.Context(), cfg, d)
	if err == nil || result.Exit != ci.ExitFault || errors.As(err, new(ci.InputError)) {
		t.Fatalf("exit %d, %v", result.Exit, err)
	}
	if !strings.Contains(host.text, "the run ends with exit code 3: write delta: ") {
		t.Errorf("the summary says\n%s", host.text)
	}
}
