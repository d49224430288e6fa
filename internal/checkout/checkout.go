// Package checkout reads what git says of the working tree that tests ran in.
package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Checkout is a working tree as git describes it.
type Checkout struct {
	Branch  string   // "" where no branch is checked out
	Commit  string   // "" before the first commit
	Changed []string // paths with changes that no commit has, relative to the top of the tree; sorted by git
}

// Read returns what git says of the working tree around dir. Files below dir that the globs
// of except match, in git's form (https://git-scm.com/docs/gitglossary, pathspec), are no
// change: what a run writes says nothing of what it tested. It fails where there is no git,
// or dir is in none of its working trees.
func Read(ctx context.Context, dir string, except []string) (c Checkout, err error) {
	if c.Branch, err = run(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil && exitCode(err) != 1 {
		return Checkout{}, fmt.Errorf("read the branch: %w", err)
	}
	if c.Commit, err = run(ctx, dir, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil && exitCode(err) != 1 {
		return Checkout{}, fmt.Errorf("read the commit: %w", err)
	}
	if c.Changed, err = listChanges(ctx, dir, except); err != nil {
		return Checkout{}, fmt.Errorf("list the changes: %w", err)
	}
	return c, nil
}

// listChanges returns the tracked files that differ from the commit, and the untracked
// ones that are not ignored.
func listChanges(ctx context.Context, dir string, except []string) (paths []string, err error) {
	args := []string{"status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", ":(top)"}
	for _, glob := range except {
		if filepath.IsLocal(glob) { // git refuses what is outside of the tree, where nothing is a change
			args = append(args, ":(exclude,glob)"+strings.TrimPrefix(filepath.ToSlash(glob), "./"))
		}
	}
	out, err := run(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 { // two letters of status and a space
			paths = append(paths, entry[3:])
		}
	}
	return paths, nil
}

// run returns what git prints. It starts no program that the repository's own settings name.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	args = append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are ours; globs stand after "--"
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil && problem.Len() > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimRight(string(out), "\n"), err
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
