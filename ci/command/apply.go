package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// apply commits the suggestions with the given ids, or all that heals have.
func (r *commandRun) apply(ctx context.Context, ids []string) error {
	picked, heads := r.pickEdits(ids)
	if len(picked) == 0 {
		return nil
	}
	pull, err := r.readPullRequest(ctx)
	if err != nil {
		return err
	}
	switch {
	case !pull.Open:
		r.reply.Closed()
		return nil
	case pull.Fork:
		r.reply.Fork()
		return nil
	}
	picked = slices.DeleteFunc(picked, func(s comment.SavedEdit) bool { return heads[s.ID] != pull.Head })
	if len(picked) == 0 {
		r.reply.Stale(slices.Min(slices.Collect(maps.Values(heads))), pull.Head)
		return nil
	}
	offered, err := r.offersOf(ctx, pull.Head)
	if err != nil {
		r.reply.Failed("apply an edit", err.Error())
		return nil
	}
	if r.deps.EditPaths != nil {
		if r.cfg.EditPaths, err = r.deps.EditPaths(ctx); err != nil {
			return err
		}
	}
	e := headEdit{commandRun: r, pull: pull, offered: offered, ids: ids, files: map[string][]byte{}, before: map[string]File{}}
	if err := e.applyProven(ctx, picked); err != nil || len(e.done) == 0 {
		return err
	}
	return e.commit(ctx)
}

// pickEdits returns the suggestions with the given ids and their bundles, or all that
// heals have, each once, and the head commit that each was made for. A ticked box counts only for the
// comment that it stands in.
func (r *commandRun) pickEdits(ids []string) (picked []comment.SavedEdit, heads map[string]string) {
	all := len(ids) == 0 || slices.Contains(ids, "all")
	heads = map[string]string{}
	asked := func(s comment.SavedEdit, of []comment.SavedEdit) bool {
		return slices.Contains(ids, s.ID) || s.Bundle != "" && slices.ContainsFunc(of, func(o comment.SavedEdit) bool { return o.Bundle == s.Bundle && slices.Contains(ids, o.ID) })
	}
	leftOut := false
	for _, x := range r.conversation.Sticky("") {
		state, ok := comment.ParseState(x.Body)
		if !ok || r.event.Edited && x.ID != r.event.CommentID {
			continue
		}
		for _, s := range state.Edits {
			leftOut = leftOut || s.Changed
			if _, twice := heads[s.ID]; !twice && (all && !s.Changed || asked(s, state.Edits)) {
				heads[s.ID] = state.Head
				picked = append(picked, s)
			}
		}
	}
	if all && len(picked) == 0 {
		r.reply.NothingToApply(leftOut)
	}
	for _, id := range ids {
		if _, found := heads[id]; !found && !all {
			r.reply.NoSuggestion(id)
		}
	}
	return picked, heads
}

func (r *commandRun) readPullRequest(ctx context.Context) (PullRequest, error) {
	pull, err := r.deps.Source.Pull(ctx, r.event.PullRequest)
	if err != nil {
		return pull, fmt.Errorf("read pull request %d: %w", r.event.PullRequest, err)
	}
	return pull, nil
}

// offersOf returns what runs of a commit offered, nothing where nobody vouches for that.
func (r *commandRun) offersOf(ctx context.Context, head string) ([]comment.Offers, error) {
	if r.deps.Offers == nil {
		return nil, nil
	}
	return r.deps.Offers.Of(ctx, head)
}

// headEdit is the files of a pull request's head while suggestions are applied
// to them.
type headEdit struct {
	*commandRun
	ids     []string // that were asked for
	pull    PullRequest
	offered []comment.Offers // by runs
	before  map[string]File
	files   map[string][]byte   // with the edits, by path
	done    []comment.SavedEdit // suggestions that are applied in files
}

// applyProven applies the suggestions to the files of the head. Each is proven
// anew, because anybody may have changed what a comment says.
func (e *headEdit) applyProven(ctx context.Context, picked []comment.SavedEdit) error {
	edits := map[string][]patch.Edit{}
	refused := map[string]bool{} // the bundles with an edit that cannot be made
	for _, s := range picked {
		reason, err := e.readFile(ctx, s)
		if err != nil {
			return err
		}
		if reason == nil && !e.isOffered(s) {
			reason = errNotOffered
		}
		var edit patch.Edit
		if reason == nil {
			edit, reason = patch.VerifyEdit(s.Path, e.before[s.Path].Text, s.Start, s.Old, s.New)
		}
		if reason == nil {
			_, reason = patch.Apply(e.before[s.Path].Text, append(edits[s.Path], edit))
		}
		if reason != nil {
			e.reply.Unproven(s, reason.Error())
			refused[s.Bundle] = s.Bundle != ""
			continue
		}
		edits[s.Path] = append(edits[s.Path], edit)
		e.done = append(e.done, s)
	}
	if len(refused) > 0 {
		return e.dropBundles(refused, edits)
	}
	return e.edit(edits)
}

// dropBundles makes the edits without those whose bundle was refused: a bundle is made
// as a whole.
func (e *headEdit) dropBundles(refused map[string]bool, edits map[string][]patch.Edit) error {
	e.done = slices.DeleteFunc(e.done, func(s comment.SavedEdit) bool {
		if !refused[s.Bundle] {
			return false
		}
		edits[s.Path] = slices.DeleteFunc(edits[s.Path], func(x patch.Edit) bool { return x.Start == s.Start })
		e.reply.Unproven(s, "another edit of the same element cannot be made, and they are made together")
		return true
	})
	return e.edit(edits)
}

// edit sets the files with the edits made.
func (e *headEdit) edit(edits map[string][]patch.Edit) error {
	for path, applied := range edits {
		if len(applied) == 0 {
			continue
		}
		edited, err := patch.Apply(e.before[path].Text, applied)
		if err != nil {
			return err
		}
		e.files[path] = edited
	}
	return nil
}

// errNotOffered is about an edit that only a comment names.
var errNotOffered = errors.New("no run of this workflow offered exactly this edit for this commit: the comment may have been changed, or the run's artifact of its offers is gone; run the tests again")

func (e *headEdit) isOffered(s comment.SavedEdit) bool {
	return slices.ContainsFunc(e.offered, func(o comment.Offers) bool { return o.Holds(s, e.pull.Head, e.before[s.Path].Text) })
}

// readFile reads the file of a suggestion into e.before. reason says why the file
// may not be edited, err that it could not be asked for.
func (e *headEdit) readFile(ctx context.Context, s comment.SavedEdit) (reason, err error) {
	if !ci.Editable(s.Path, e.cfg.EditPaths) {
		return errors.New("the file is not among those that may be edited"), nil
	}
	f, ok := e.before[s.Path]
	if !ok {
		f, err = e.deps.Source.File(ctx, e.pull.Head, s.Path)
		if errors.Is(err, ErrNoFile) {
			return err, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Path, err)
		}
		e.before[s.Path] = f
	}
	switch {
	case ci.BlobHash(f.Text) != s.Blob:
		return errors.New("the file at the head is not the one that was tested, because the base branch changed it; update the branch. Where the verdict comes from outside the job, it is this pull request that changed it; make the edit by hand"), nil
	case f.Executable:
		return errors.New("the file is executable, which a commit made here would not keep"), nil
	}
	return nil, nil
}

// commit commits the edited files to the pull request's branch or, where that
// takes no direct commit, to a branch of ours with a pull request.
func (e *headEdit) commit(ctx context.Context) error {
	c := NewCommit{Branch: e.pull.Branch, Expected: e.pull.Head, Files: e.files}
	c.Headline, c.Body = e.message()
	made, err := e.deps.Branches.Commit(ctx, c)
	switch {
	case err == nil:
		e.reply.Committed(len(e.done), made)
		e.teach(ctx, e.done)
		return e.updateComments(ctx, made)
	case errors.Is(err, ErrStale):
		return e.retry(ctx)
	case errors.Is(err, ErrRuled):
		return e.commitToOwnBranch(ctx, c)
	}
	e.reply.Failed("commit", err.Error())
	return nil
}

// message returns the commit's message: what was healed, an edit a line.
func (e *headEdit) message() (headline, body string) {
	locators := map[string]bool{}
	for _, s := range e.done {
		locators[cmp.Or(s.Bundle, s.ID)] = true
	}
	headline = "Heal " + text.Count(len(locators), "locator", "locators")
	slices.SortStableFunc(e.done, func(a, b comment.SavedEdit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
	})
	var lines []string
	for _, s := range e.done {
		lines = append(lines, comment.CommitLine(fmt.Sprintf("- %s: %s to %s (%s)", text.Place(s.Path, s.Line), s.Old, s.New, s.Test)))
	}
	return headline, strings.Join(lines, "\n")
}

// maxCommitTries bounds how often the edits are made again on a head that moved.
const maxCommitTries = 3

// retry is for a head that moved in between. If the same command moved it,
// because it was delivered twice, there is nothing to say. If another command
// did, the comment is about the new head already and the edits are made on that.
func (e *headEdit) retry(ctx context.Context) error {
	again, err := comment.LoadConversation(ctx, e.deps.Forge, e.event.PullRequest)
	if err != nil {
		return err
	}
	if again.Answered(e.reply.To) {
		*e.reply = comment.Reply{To: e.reply.To}
		return nil
	}
	pull, err := e.readPullRequest(ctx)
	if err != nil {
		return err
	}
	moved := slices.ContainsFunc(again.Ours, func(x comment.Comment) bool {
		state, ok := comment.ParseState(x.Body)
		return ok && state.Head == pull.Head
	})
	if e.conversation = again; moved && e.commitTries < maxCommitTries {
		e.commitTries++
		return e.apply(ctx, e.ids)
	}
	e.reply.Stale(e.pull.Head, pull.Head)
	return nil
}

// commitToOwnBranch commits to a branch of ours and opens a pull request into
// the pull request's branch. A branch that exists is never touched: its commits
// may be somebody's work.
func (e *headEdit) commitToOwnBranch(ctx context.Context, c NewCommit) error {
	c.Branch = fmt.Sprintf("breadcrumb/heal-%d", e.event.PullRequest)
	err := e.deps.Branches.Branch(ctx, c.Branch, e.pull.Head)
	if errors.Is(err, ErrExists) {
		c.Branch += "-" + e.pull.Head[:7]
		err = e.deps.Branches.Branch(ctx, c.Branch, e.pull.Head)
	}
	if err != nil {
		e.reply.Failed("make the branch `"+c.Branch+"`", err.Error())
		return nil
	}
	if _, err := e.deps.Branches.Commit(ctx, c); err != nil {
		e.reply.Failed("commit to the branch `"+c.Branch+"`", err.Error())
		return nil
	}
	url, err := e.deps.Branches.Open(ctx, c.Branch, e.pull.Branch, c.Headline, c.Body)
	if err != nil {
		e.deps.Log.Warn("pull request not opened", "error", err)
	}
	e.teach(ctx, e.done)
	e.reply.MovedToBranch(len(e.done), c.Branch, url)
	return nil
}

// updateComments makes the comments about the old head say the same about the
// commit. It differs from the old head by these edits alone, so the suggestions
// that are left can still be applied.
func (e *headEdit) updateComments(ctx context.Context, made comment.Commit) error {
	var errs []error
	var done []string
	for _, s := range e.done {
		done = append(done, s.ID)
	}
	for i, x := range e.conversation.Ours {
		state, ok := comment.ParseState(x.Body)
		if !ok || state.Head != e.pull.Head {
			continue
		}
		state.Head = made.SHA
		state.Edits = slices.DeleteFunc(state.Edits, func(s comment.SavedEdit) bool { return slices.Contains(done, s.ID) })
		for j := range state.Edits {
			e.moveSuggestion(&state.Edits[j])
		}
		updated, err := e.deps.Forge.Update(ctx, x.ID, comment.WithState(x.Body, state, done))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		e.conversation.Ours[i] = updated
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("update the comment after the commit: %w", err)
	}
	return nil
}

// moveSuggestion corrects the place of a suggestion that is left by the edits
// that were made before it in its file.
func (e *headEdit) moveSuggestion(s *comment.SavedEdit) {
	edited, ok := e.files[s.Path]
	if !ok || s.Blob != ci.BlobHash(e.before[s.Path].Text) {
		return
	}
	moved := 0
	for _, d := range e.done {
		if d.Path == s.Path && d.Start < s.Start {
			moved += len(d.New) - len(d.Old)
		}
	}
	s.Blob, s.Start = ci.BlobHash(edited), s.Start+moved
}
