package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// apply commits the offers with the given ids, or all.
func (o *order) apply(ctx context.Context, ids []string) error {
	picked, head := o.picked(ids)
	if len(picked) == 0 {
		return nil
	}
	pull, err := o.deps.Source.Pull(ctx, o.said.PullRequest)
	if err != nil {
		return fmt.Errorf("read pull request %d: %w", o.said.PullRequest, err)
	}
	switch {
	case !pull.Open:
		o.reply.Closed()
		return nil
	case pull.Fork:
		o.reply.Fork()
		return nil
	}
	picked = slices.DeleteFunc(picked, func(s comment.Saved) bool { return head[s.ID] != pull.Head })
	if len(picked) == 0 {
		o.reply.Stale(anyOf(head), pull.Head)
		return nil
	}
	w := worktree{order: o, pull: pull, ids: ids, files: map[string][]byte{}, before: map[string]File{}}
	if err := w.prove(ctx, picked); err != nil || len(w.done) == 0 {
		return err
	}
	return w.commit(ctx)
}

// picked returns the offers with the given ids, or all, each once, and the head
// that each was made for. Ticked boxes count only for their own comment.
func (o *order) picked(ids []string) ([]comment.Saved, map[string]string) {
	all := len(ids) == 0 || slices.Contains(ids, "all")
	head := map[string]string{}
	var picked []comment.Saved
	for _, x := range o.conversation.Sticky("") {
		state, ok := comment.ParseState(x.Body)
		if !ok || o.said.Edited && x.ID != o.said.CommentID {
			continue
		}
		for _, s := range state.Offers {
			if _, twice := head[s.ID]; !twice && (all || slices.Contains(ids, s.ID)) {
				head[s.ID] = state.Head
				picked = append(picked, s)
			}
		}
	}
	if all && len(picked) == 0 {
		o.reply.NothingOffered()
	}
	for _, id := range ids {
		if _, found := head[id]; !found && !all {
			o.reply.NoOffer(id)
		}
	}
	return picked, head
}

func anyOf(m map[string]string) string {
	return slices.Min(slices.Collect(maps.Values(m)))
}

// worktree is the files of a pull request's head being edited.
type worktree struct {
	*order
	ids    []string // that were asked for
	pull   Pull
	before map[string]File
	files  map[string][]byte // edited
	done   []comment.Saved   // edits in files
}

// prove makes the edits on the files of the head, each proven anew: what a
// comment remembers is no reason to trust it.
func (w *worktree) prove(ctx context.Context, picked []comment.Saved) error {
	edits := map[string][]patch.Edit{}
	for _, s := range picked {
		why, err := w.load(ctx, s)
		if err != nil {
			return err
		}
		var e patch.Edit
		if why == nil {
			e, why = patch.VerifyEdit(s.Path, w.before[s.Path].Text, s.Start, s.Old, s.New)
		}
		if why == nil {
			_, why = patch.Apply(w.before[s.Path].Text, append(edits[s.Path], e))
		}
		if why != nil {
			w.reply.Unproven(s, why.Error())
			continue
		}
		edits[s.Path] = append(edits[s.Path], e)
		w.done = append(w.done, s)
	}
	for path, made := range edits {
		text, err := patch.Apply(w.before[path].Text, made)
		if err != nil {
			return err
		}
		w.files[path] = text
	}
	return nil
}

// load reads the file of an offer. why says what is wrong with the file, err
// that it could not be asked for.
func (w *worktree) load(ctx context.Context, s comment.Saved) (why, err error) {
	if !editable(s.Path, w.cfg.EditPaths) {
		return errors.New("the file is not among those that may be edited"), nil
	}
	f, ok := w.before[s.Path]
	if !ok {
		f, err = w.deps.Source.File(ctx, w.pull.Head, s.Path)
		if errors.Is(err, ErrNoFile) {
			return err, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Path, err)
		}
		w.before[s.Path] = f
	}
	switch {
	case BlobHash(f.Text) != s.Blob:
		return errors.New("the file at the head is not the one that was tested, because the base branch changed it; update the branch"), nil
	case f.Executable:
		return errors.New("the file is executable, which a commit made here would not keep"), nil
	}
	return nil, nil
}

// ErrNoFile is wrapped by [Source].File when a commit has no such regular file.
var ErrNoFile = errors.New("the head has no such file")

// commit commits the edited files to the pull request's branch or, where that
// takes no direct commit, to one of its own with a pull request.
func (w *worktree) commit(ctx context.Context) error {
	c := NewCommit{Branch: w.pull.Branch, Expected: w.pull.Head, Files: w.files}
	c.Headline, c.Body = w.message()
	made, err := w.deps.Branches.Commit(ctx, c)
	switch {
	case err == nil:
		w.reply.Committed(len(w.done), made)
		return w.moveOn(ctx, made)
	case errors.Is(err, ErrStale):
		return w.stale(ctx)
	case errors.Is(err, ErrRuled):
		return w.aside(ctx, c)
	}
	w.reply.Failed("commit", err.Error())
	return nil
}

// stale deals with a head that moved in between. When the same command,
// delivered twice, moved it, there is nothing to say; when another command did,
// the comment speaks of the new head already and the edits are made on that.
func (w *worktree) stale(ctx context.Context) error {
	again, err := comment.Listen(ctx, w.deps.Forge, w.said.PullRequest)
	if err != nil {
		return err
	}
	if again.Answered(w.reply.To) {
		*w.reply = comment.Reply{To: w.reply.To}
		return nil
	}
	pull, err := w.deps.Source.Pull(ctx, w.said.PullRequest)
	if err != nil {
		return fmt.Errorf("read pull request %d: %w", w.said.PullRequest, err)
	}
	moved := slices.ContainsFunc(again.Ours, func(x comment.Comment) bool {
		state, ok := comment.ParseState(x.Body)
		return ok && state.Head == pull.Head
	})
	if w.conversation = again; moved && w.tries < maxTries {
		w.tries++
		return w.apply(ctx, w.ids)
	}
	w.reply.Stale(w.pull.Head, pull.Head)
	return nil
}

// maxTries bounds how often edits are made again on a head that moved.
const maxTries = 3

// aside commits to a branch of our own and opens a pull request into the pull
// request's branch. A branch that is there is never touched: its commits may be
// somebody's work.
func (w *worktree) aside(ctx context.Context, c NewCommit) error {
	c.Branch = fmt.Sprintf("breadcrumb/heal-%d", w.said.PullRequest)
	err := w.deps.Branches.Branch(ctx, c.Branch, w.pull.Head)
	if errors.Is(err, ErrExists) {
		c.Branch += "-" + w.pull.Head[:7]
		err = w.deps.Branches.Branch(ctx, c.Branch, w.pull.Head)
	}
	if err != nil {
		w.reply.Failed("make the branch `"+c.Branch+"`", err.Error())
		return nil
	}
	if _, err := w.deps.Branches.Commit(ctx, c); err != nil {
		w.reply.Failed("commit to the branch `"+c.Branch+"`", err.Error())
		return nil
	}
	url, err := w.deps.Branches.Open(ctx, c.Branch, w.pull.Branch, c.Headline, c.Body)
	if err != nil {
		w.deps.Log.Warn("pull request not opened", "error", err)
	}
	w.reply.Proposed(len(w.done), c.Branch, url)
	return nil
}

// message returns the commit's message: what was healed, an edit a line.
func (w *worktree) message() (headline, body string) {
	headline = "Heal " + text.Count(len(w.done), "locator", "locators")
	slices.SortStableFunc(w.done, func(a, b comment.Saved) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
	})
	var lines []string
	for _, s := range w.done {
		lines = append(lines, comment.Plain(fmt.Sprintf("- %s: %s to %s (%s)", text.Place(s.Path, s.Line), s.Old, s.New, s.Test)))
	}
	return headline, strings.Join(lines, "\n")
}

// moveOn makes the comments that spoke of the old head speak of the commit,
// which differs from it by these edits alone: the offers that are left can
// still be made.
func (w *worktree) moveOn(ctx context.Context, made comment.Commit) error {
	var errs []error
	var done []string
	for _, s := range w.done {
		done = append(done, s.ID)
	}
	for i, x := range w.conversation.Ours {
		state, ok := comment.ParseState(x.Body)
		if !ok || state.Head != w.pull.Head {
			continue
		}
		state.Head = made.SHA
		state.Offers = slices.DeleteFunc(state.Offers, func(s comment.Saved) bool { return slices.Contains(done, s.ID) })
		for j := range state.Offers {
			w.shift(&state.Offers[j])
		}
		kept, err := w.deps.Forge.Update(ctx, x.ID, comment.WithState(x.Body, state, done))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		w.conversation.Ours[i] = kept
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("update the comment after the commit: %w", err)
	}
	return nil
}

// shift moves an offer that was not made by what was made before it in its file.
func (w *worktree) shift(s *comment.Saved) {
	text, edited := w.files[s.Path]
	if !edited || s.Blob != BlobHash(w.before[s.Path].Text) {
		return
	}
	moved := 0
	for _, d := range w.done {
		if d.Path == s.Path && d.Start < s.Start {
			moved += len(d.New) - len(d.Old)
		}
	}
	s.Blob, s.Start = BlobHash(text), s.Start+moved
}
