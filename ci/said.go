package ci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/state"
)

// Said is a comment on a pull request that was written, or edited. Its texts are
// hostile.
type Said struct {
	PullRequest int
	CommentID   int64
	Edited      bool   // it was there before and was changed
	Author      string // login that wrote it
	Before      string // text before it was edited
	Body        string
	Sender      string // login that wrote or edited it now
	Human       bool   // the sender is a person's account, no app's
}

// Pull is a pull request as a command finds it.
type Pull struct {
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

// The ways in which a forge does not take a commit or branch.
var (
	// ErrStale means that the branch points to another commit than expected.
	ErrStale = errors.New("the branch has moved")
	// ErrExists means that there is such a branch already.
	ErrExists = errors.New("the branch is there already")
	// ErrRuled means that the branch takes no direct commit.
	ErrRuled = errors.New("the branch takes no direct commit")
)

// Source is what a command reads of a forge.
type Source interface {
	// Permission returns what a login may do: admin, maintain, write, or less.
	Permission(ctx context.Context, login string) (string, error)
	// Pull returns a pull request.
	Pull(ctx context.Context, pr int) (Pull, error)
	// File returns a regular file of a commit. What a symbolic link leads to is
	// none.
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

// CommandDeps are a command's connections to the world.
type CommandDeps struct {
	Forge    comment.API
	Source   Source
	Branches Branches
	Backend  state.Backend // where the history is kept; nil where the job has the database
	Now      func() time.Time
	Log      *slog.Logger
}

// Obey does what a comment tells Breadcrumb to do, if its sender may, and
// replies once. A comment that holds no command, or comes from an app, is passed
// over in silence; one that was answered is not answered again. Of cfg the
// database, the paths that may be edited and the addresses count. The error is
// what kept Breadcrumb from answering.
func Obey(ctx context.Context, cfg Config, said Said, d CommandDeps) error {
	if !said.Human || said.PullRequest == 0 {
		return nil
	}
	commands, to := asked(said)
	if len(commands) == 0 {
		return nil
	}
	conversation, err := comment.Listen(ctx, d.Forge, said.PullRequest)
	if err != nil {
		return err
	}
	ours := strings.EqualFold(said.Author, conversation.Self)
	if strings.EqualFold(said.Sender, conversation.Self) || said.Edited != ours || conversation.Answered(to) {
		return nil
	}
	o := order{cfg: cfg, deps: d, said: said, conversation: conversation, reply: &comment.Reply{To: to}}
	if err := o.obey(ctx, commands); err != nil {
		return err
	}
	if o.reply.Empty() {
		return nil
	}
	if _, err := d.Forge.Create(ctx, said.PullRequest, o.reply.Render()); err != nil {
		return fmt.Errorf("reply to comment %d: %w", said.CommentID, err)
	}
	return nil
}

// asked returns the commands of a comment and the name of the reply to it: those
// of a new comment, or for the boxes that were ticked in an edited one to apply
// their edits.
func asked(said Said) (commands []comment.Command, to string) {
	to = fmt.Sprint(said.CommentID)
	if !said.Edited {
		return comment.Commands(said.Body), to
	}
	ids := comment.Ticked(said.Before, said.Body)
	if len(ids) == 0 {
		return nil, ""
	}
	state, _ := comment.ParseState(said.Body)
	sum := sha256.Sum256([]byte(state.Head + " " + strings.Join(ids, " ")))
	return []comment.Command{{Verb: "apply", Rest: strings.Join(ids, " ")}}, to + "-" + hex.EncodeToString(sum[:4])
}

// order is the commands of one comment being carried out.
type order struct {
	cfg          Config
	deps         CommandDeps
	said         Said
	conversation comment.Conversation
	reply        *comment.Reply
	tries        int // at committing to a head that moved
	changes      int // of the quarantine
}

// obey carries out the commands, if the sender may give any.
func (o *order) obey(ctx context.Context, commands []comment.Command) error {
	permission, err := o.deps.Source.Permission(ctx, o.said.Sender)
	if err != nil {
		return fmt.Errorf("ask what the sender may do: %w", err)
	}
	switch permission {
	case "admin", "maintain", "write":
	default:
		o.reply.Denied(o.said.Sender)
		return nil
	}
	for _, c := range commands {
		if err := o.one(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// one carries out one command.
func (o *order) one(ctx context.Context, c comment.Command) error {
	switch c.Verb {
	case "apply":
		return o.apply(ctx, c.IDs())
	case "ignore":
		return o.ignore(ctx, c)
	case "quarantine", "release", "explain":
		return o.aboutTest(ctx, c)
	case "help":
		o.reply.Help()
	default:
		o.reply.Unknown(c)
	}
	return nil
}

// ignore no longer offers an edit on this pull request.
func (o *order) ignore(ctx context.Context, c comment.Command) error {
	ids := c.IDs()
	if len(ids) == 0 {
		o.reply.NeedsID(c.Verb)
	}
	for _, id := range ids {
		found := false
		for i, x := range o.conversation.Ours {
			state, ok := comment.ParseState(x.Body)
			if _, offered := state.Find(id); !ok || !offered {
				continue
			}
			found = true
			state.Ignore(id)
			kept, err := o.deps.Forge.Update(ctx, x.ID, comment.WithState(x.Body, state, nil))
			if err != nil {
				return fmt.Errorf("remember that %s is ignored: %w", id, err)
			}
			o.conversation.Ours[i] = kept
		}
		if found {
			o.reply.Ignored(id)
		} else {
			o.reply.NoOffer(id)
		}
	}
	return nil
}
