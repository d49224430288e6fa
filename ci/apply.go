package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/junit/identity"
)

// maxEdited bounds a file that is edited, in bytes.
const maxEdited = 1 << 20

// Applied is what Apply did, or would do.
type Applied struct {
	Suggestions []outcome.Suggestion // the edits that were asked for, sorted by file and place
	Without     []patch.Proposal     // heals that come without an edit that is sure enough, when all were asked for
	Files       []string             // files that were written
	Notices     []engine.Notice      // about the input
	Refused     []engine.HealEvent   // locators that were not healed
}

// Apply proposes edits for the reports and heal events of cfg and makes those
// with the given ids, or all, in the working tree cfg.Repo. With cfg.DryRun it
// writes nothing. It needs no database and no network.
func Apply(ctx context.Context, cfg Config, ids []string) (Applied, error) {
	root, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return Applied{}, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer root.Close()
	got, err := collect(ctx, cfg)
	if err != nil {
		return Applied{}, err
	}
	run := &outcome.Run{Root: rootOf(cfg.Repo)}
	rebase(got, run.Root, root.FS())
	locate(got.results, root.FS())
	run.Proposals, run.Refused = propose(recent(got), got.results, identity.NewIndex(got.results), root.FS())
	offer(cfg, run, root.FS())
	done := Applied{Notices: append(got.notices, healless(got.idle)...), Refused: run.Refused}
	for _, p := range run.Proposals {
		if !p.Suggest() && everything(ids) {
			done.Without = append(done.Without, p)
		}
	}
	if done.Suggestions, err = pick(run.Suggestions, ids); err != nil || cfg.DryRun {
		return done, err
	}
	for _, f := range byFile(done.Suggestions) {
		if err := editFile(root, f); err != nil {
			return done, err
		}
		done.Files = append(done.Files, f.name)
	}
	return done, nil
}

// healless tells of the patterns of heal events without a file. A run in which
// nothing healed has none; who asks for edits may have mistyped one.
func healless(idle []string) (told []engine.Notice) {
	for _, glob := range idle {
		told = append(told, engine.Notice{File: glob, Severity: engine.SeverityWarning, Reason: "no file matches this pattern of heal-events" + folders([]string{glob}, "*.ndjson")})
	}
	return told
}

// editFile makes the edits of one file below root. Only a regular file that no
// symbolic link leads to is edited; it is replaced whole and keeps its mode.
func editFile(root *os.Root, f fileEdits) error {
	mode, err := plainFile(root, f.name)
	if err != nil {
		return fmt.Errorf("edit %s: %w", f.name, err)
	}
	before, err := readEditable(root, f.name)
	if err != nil {
		return fmt.Errorf("edit %s: %w", f.name, err)
	}
	after, err := patch.Apply(before, f.edits)
	if err != nil {
		return err
	}
	if err := replaceFile(root, f.name, after, mode); err != nil {
		return fmt.Errorf("edit %s: %w", f.name, err)
	}
	return nil
}

// plainFile returns the mode of a file that may be edited.
func plainFile(root *os.Root, name string) (fs.FileMode, error) {
	if !patch.Editable(name) {
		return 0, errors.New("the path is none that may be edited")
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(name[:i]); err != nil {
			return 0, err
		} else if !info.IsDir() {
			return 0, fmt.Errorf("%s is no folder", name[:i])
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("it is no regular file")
	}
	return info.Mode().Perm(), nil
}

func readEditable(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEdited+1))
	if err == nil && len(text) > maxEdited {
		err = fmt.Errorf("it is larger than %d bytes", maxEdited)
	}
	return text, err
}

// replaceFile writes text beside name and renames it there, so that whoever
// looks sees the old file or the new one.
func replaceFile(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	dir, base := path.Split(name)
	temporary := dir + ".breadcrumb-" + base
	_ = root.Remove(temporary) // of a run that was killed
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	for _, step := range []func() error{func() error { return file.Chmod(mode) }, file.Sync, file.Close} {
		if stepErr := step(); err == nil {
			err = stepErr
		}
	}
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}
