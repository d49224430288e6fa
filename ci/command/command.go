// Package command carries out what people ask of Breadcrumb in comments on a pull
// request: the commands of a comment, and the boxes they tick in ours. Call
// HandleCommand.
package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// CommandEvent is a comment on a pull request that was written or edited. Its
// texts are hostile.
type CommandEvent struct { //nolint:revive // an Event alone would not say of what
	PullRequest int
	CommentID   int64
	Edited      bool   // it was there before and was changed
	Author      string // login that wrote it
	Before      string // text before it was edited
	Body        string
	Sender      string // login that wrote or edited it now
	Human       bool   // the sender is a person's account, no app's
	Commit      string // of the default branch, whose workflow and settings are in force
}

// PullRequest is a pull request as a command finds it.
type PullRequest struct {
	Head   string // commit
	Branch string // of the head
	Open   bool
	Fork   bool // the head is in another repository
}

// File is a file of a commit.
type File struct {
	Text       []byte
	Executable bool
}

// NewCommit is a commit to make on top of a branch.
type NewCommit struct {
	Branch   string
	Expected string // commit that the branch must point to
	Headline string
	Body     string
	Files    map[string][]byte // new texts by path
}

// The errors of a forge that commands act on.
var (
	// ErrNoFile means that a commit has no such regular file.
	ErrNoFile = errors.New("the head has no such file")
	// ErrStale means that the branch points to another commit than expected.
	ErrStale = errors.New("the branch has moved")
	// ErrExists means that there is such a branch already.
	ErrExists = errors.New("the branch is there already")
	// ErrRuled means that the branch takes no direct commit.
	ErrRuled = errors.New("the branch takes no direct commit")
)

// Offers says which edits runs offered.
type Offers interface {
	// Of returns what the runs of a commit offered, or of those before it that hold
	// edits made meanwhile.
	Of(ctx context.Context, head string) ([]comment.Offers, error)
}

// Source is what a command reads of a forge.
type Source interface {
	// Permission returns what a login may do: admin, maintain, write, or less.
	Permission(ctx context.Context, login string) (string, error)
	// Pull returns a pull request.
	Pull(ctx context.Context, pr int) (PullRequest, error)
	// File returns a regular file of a commit: ErrNoFile. What a symbolic link
	// leads to is none.
	File(ctx context.Context, commit, path string) (File, error)
}

// Branches is what a command writes to a forge.
type Branches interface {
	// Commit makes a commit: ErrStale, ErrRuled.
	Commit(ctx context.Context, c NewCommit) (comment.Commit, error)
	// Branch makes a branch: ErrExists.
	Branch(ctx context.Context, name, commit string) error
	// Open opens a pull request from one branch into another and returns its
	// web address.
	Open(ctx context.Context, from, into, title, body string) (string, error)
}

// Deps are a command's connections to the world.
type Deps struct {
	Forge    comment.API
	Source   Source
	Branches Branches
	Backend  state.Backend // where the history is kept; nil where the job has the database
	// NoHistory says why there is no Backend although the settings name one.
	NoHistory error
	// Offers says which edits runs offered; nil where nobody vouches for that, and no
	// edit is made.
	Offers Offers
	// EditPaths returns the globs of the files that may be edited; nil: those of the configuration.
	EditPaths func(context.Context) ([]string, error)
	Now       func() time.Time
	Log       *slog.Logger
}

// deferring is a [state.Backend] that may show what a command decided to pull requests
// only after the next run on the default branch.
type deferring interface{ Deferred() bool }

// HandleCommand does what a comment asks for, if its sender may, and replies
// once. A comment without a command and one of an app are passed over in
// silence; one that was answered is not answered again. Of cfg the database, the
// paths that may be edited and the addresses count. The error is what kept
// Breadcrumb from answering, or from the history, which the answer says.
func HandleCommand(ctx context.Context, cfg ci.Config, event CommandEvent, d Deps) error {
	if !event.Human || event.PullRequest == 0 {
		return nil
	}
	commands, to := parseEvent(event)
	if len(commands) == 0 {
		return nil
	}
	conversation, err := comment.LoadConversation(ctx, d.Forge, event.PullRequest)
	if err != nil {
		return err
	}
	ours := strings.EqualFold(event.Author, conversation.Self)
	if strings.EqualFold(event.Sender, conversation.Self) || event.Edited != ours || conversation.Answered(to) {
		return nil
	}
	r := commandRun{cfg: cfg, deps: d, event: event, conversation: conversation, reply: &comment.Reply{To: to}}
	if err := r.runAll(ctx, commands); err != nil {
		return err
	}
	if r.reply.Empty() {
		return nil
	}
	if b, ok := d.Backend.(deferring); ok && r.decided && b.Deferred() {
		r.reply.Deferred()
	}
	if _, err := d.Forge.Create(ctx, event.PullRequest, r.reply.Render()); err != nil {
		r.faults = append(r.faults, fmt.Errorf("reply to comment %d: %w", event.CommentID, err))
	}
	return errors.Join(r.faults...)
}

// parseEvent returns the commands of a new comment, or of an edited one those that apply
// the edits whose boxes were ticked and ignore those whose ticks were taken back. replyTo
// names the reply, so that the same event is answered once.
func parseEvent(event CommandEvent) (commands []comment.Command, replyTo string) {
	replyTo = fmt.Sprint(event.CommentID)
	if !event.Edited {
		return comment.Commands(event.Body), replyTo
	}
	ticked := strings.Join(comment.NewlyTicked(event.Before, event.Body), " ")
	unticked := strings.Join(comment.NewlyTicked(event.Body, event.Before), " ")
	state, _ := comment.ParseState(event.Body)
	about := state.Head + " " + ticked
	if ticked != "" {
		commands = append(commands, comment.Command{Verb: "apply", Rest: ticked})
	}
	if unticked != "" {
		commands = append(commands, comment.Command{Verb: "ignore", Rest: unticked})
		about += " without " + unticked
	}
	if commands == nil {
		return nil, ""
	}
	sum := sha256.Sum256([]byte(about))
	return commands, replyTo + "-" + hex.EncodeToString(sum[:4])
}

// commandRun carries out the commands of one comment.
type commandRun struct {
	cfg          ci.Config
	deps         Deps
	event        CommandEvent
	conversation comment.Conversation
	reply        *comment.Reply
	commitTries  int     // so far, after the head had moved
	changes      int     // of the quarantine so far
	decided      bool    // something that is kept
	faults       []error // that are answered
}

// runAll carries out the commands, if the sender may give any.
func (r *commandRun) runAll(ctx context.Context, commands []comment.Command) error {
	permission, err := r.deps.Source.Permission(ctx, r.event.Sender)
	if err != nil {
		return fmt.Errorf("ask what the sender may do: %w", err)
	}
	switch permission {
	case "admin", "maintain", "write":
	default:
		r.reply.Denied(r.event.Sender)
		return nil
	}
	for _, c := range commands {
		if err := r.runOne(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *commandRun) runOne(ctx context.Context, c comment.Command) error {
	switch c.Verb {
	case "apply":
		return r.apply(ctx, c.IDs())
	case "ignore":
		return r.ignore(ctx, c)
	case "wrong":
		return r.wrong(ctx, c)
	case "undo":
		return r.undo(ctx, c)
	case "quarantine", "release", "explain":
		return r.useHistory(ctx, c)
	case "help":
		r.reply.Help()
	default:
		r.reply.Unknown(c)
	}
	return nil
}

// undo takes the vetoes with these ids back.
func (r *commandRun) undo(ctx context.Context, c comment.Command) error {
	ids := c.IDs()
	if len(ids) == 0 {
		r.reply.NeedsID(c.Verb)
		return nil
	}
	if !r.hasHistory() {
		r.reply.Failed("undo that", r.whyNoHistory())
		return nil
	}
	undone := map[string]store.Veto{}
	saved := r.changeHistory(ctx, "undo that", func(session *ci.StateSession) error {
		vetoes, err := session.DB.Vetoes(ctx, "")
		if err != nil {
			return err
		}
		for _, v := range vetoes {
			if !slices.Contains(ids, v.ID()) {
				continue
			}
			undone[v.ID()] = v
			v.Who, v.At = r.event.Sender, r.decidedAt()
			if err := session.DB.WithdrawVeto(ctx, v); err != nil {
				return err
			}
		}
		return nil
	})
	if !saved {
		return nil
	}
	for _, id := range ids {
		v, ok := undone[id]
		if !ok {
			r.reply.NoVeto(id)
			continue
		}
		r.decided = true
		r.reply.Unvetoed(id, string(v.TestID), v.Locator)
	}
	return nil
}

// ignore makes the comments on this pull request not offer an edit any more. Of a
// suggestion it says for good that its element is another one.
func (r *commandRun) ignore(ctx context.Context, c comment.Command) error {
	ids := c.IDs()
	if len(ids) == 0 {
		r.reply.NeedsID(c.Verb)
	}
	for _, id := range ids {
		named := r.findElements([]string{id})
		if len(named) == 0 {
			r.reply.NoSuggestion(id)
			continue
		}
		suggested := r.isSuggested(id)
		if err := r.ignoreID(ctx, id); err != nil {
			return err
		}
		r.reply.Ignored(id)
		switch {
		case !suggested:
		case r.deps.NoHistory != nil:
			r.reply.Failed("keep that "+id+" is wrong", r.whyNoHistory())
		case r.hasHistory():
			if err := r.dismiss(ctx, named); err != nil {
				return err
			}
		}
	}
	return nil
}

// dismiss keeps for good that elements which a run only suggested are other ones.
func (r *commandRun) dismiss(ctx context.Context, named []rememberedElement) error {
	said, err := r.confirm(ctx, named)
	if err != nil {
		return err
	}
	var suggested []comment.SavedElement
	for _, e := range said {
		if e.Suggested {
			suggested = append(suggested, e.SavedElement)
		}
	}
	r.veto(ctx, suggested)
	return nil
}

// isSuggested reports whether the element of an id is only suggested, with an edit or
// without one.
func (r *commandRun) isSuggested(id string) bool {
	return slices.ContainsFunc(r.conversation.Ours, func(x comment.Comment) bool {
		state, _ := comment.ParseState(x.Body)
		edit, offered := state.Find(id)
		return offered && edit.Changed || !offered && state.Names(id)
	})
}

// ignoreID takes an edit or a suggested element out of our comments.
func (r *commandRun) ignoreID(ctx context.Context, id string) error {
	for i, x := range r.conversation.Ours {
		state, ok := comment.ParseState(x.Body)
		if !ok || !state.Names(id) {
			continue
		}
		state.Ignore(id)
		updated, err := r.deps.Forge.Update(ctx, x.ID, comment.WithState(x.Body, state, nil))
		if err != nil {
			return fmt.Errorf("remember that %s is ignored: %w", id, err)
		}
		r.conversation.Ours[i] = updated
	}
	return nil
}
