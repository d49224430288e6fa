package comment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
)

// ErrRefused is wrapped by [ReviewAPI].Review when the forge will not have the
// review as it is: one comment that cannot sit where it should loses all.
var ErrRefused = errors.New("the review was refused")

// ErrMoved means that the pull request has a newer head than the run.
var ErrMoved = errors.New("the pull request has moved on since this run began; its next run suggests")

// ReviewComment is a comment on a line of a pull request's diff.
type ReviewComment struct {
	ID      int64
	Node    string // the forge's other name for it
	Author  string // login
	Path    string
	Line    int // of the head's file, 0 once it is outdated
	Body    string
	ReplyTo int64 // comment that this one answers, 0 for none
}

// ReviewAPI is what Suggest needs of a forge.
type ReviewAPI interface {
	// Diff returns what the pull request changes.
	Diff(ctx context.Context, pr int) (Diff, error)
	// ReviewComments returns all comments on the diff.
	ReviewComments(ctx context.Context, pr int) ([]ReviewComment, error)
	// Review adds the drafts at the commit head in one review that decides
	// nothing. A draft that cannot be placed refuses all: ErrRefused.
	Review(ctx context.Context, pr int, head string, drafts []Draft) error
	// Retract deletes a comment of ours, or hides it where it cannot.
	Retract(ctx context.Context, c ReviewComment) error
}

// Suggest makes the review comments of one key agree with the suggestions. Those
// on lines of the diff are posted, each once however often this is called. Our
// review comments that are no longer suggested, or whose lines changed, are
// retracted unless somebody answered. It returns the ids of the suggestions that
// are in the diff now; they are right even where an error is returned.
func Suggest(ctx context.Context, api ReviewAPI, self string, run outcome.Run, suggestions []outcome.OfferedEdit, o Options) (placed map[string]bool, err error) {
	pr := run.Info.PullRequest
	var drafts []Draft
	if len(suggestions) > 0 {
		diff, err := api.Diff(ctx, pr)
		if err != nil {
			return nil, fmt.Errorf("read the diff of pull request %d: %w", pr, err)
		}
		if diff.Head != run.Info.HeadSHA {
			return nil, ErrMoved
		}
		drafts = Drafts(run, suggestions, diff, o.key())
	}
	there, err := api.ReviewComments(ctx, pr)
	if err != nil {
		return nil, fmt.Errorf("list the suggestions on pull request %d: %w", pr, err)
	}
	t := discussion{self: self, keys: append([]string{o.key()}, o.Former...), comments: there}
	missing, outdated := t.compareDrafts(drafts)
	var errs []error
	if len(missing) > 0 {
		if err := postDrafts(ctx, api, pr, run.Info.HeadSHA, missing); err != nil {
			errs = append(errs, fmt.Errorf("suggest edits: %w", err))
		}
		if there, err = api.ReviewComments(ctx, pr); err != nil {
			return nil, errors.Join(append(errs, fmt.Errorf("read back the suggestions: %w", err))...)
		}
		t.comments = there
	}
	for _, c := range outdated {
		if err := api.Retract(ctx, c); err != nil {
			errs = append(errs, fmt.Errorf("retract outdated suggestion %d: %w", c.ID, err))
		}
	}
	return t.placedIDs(drafts), errors.Join(errs...)
}

// postDrafts adds the drafts in one review and, when that is refused, one by one, so
// that one bad place costs one suggestion.
func postDrafts(ctx context.Context, api ReviewAPI, pr int, head string, drafts []Draft) error {
	err := api.Review(ctx, pr, head, drafts)
	if err == nil || !errors.Is(err, ErrRefused) || len(drafts) == 1 {
		return err
	}
	var errs []error
	for _, d := range drafts {
		if err := api.Review(ctx, pr, head, []Draft{d}); err != nil {
			errs = append(errs, fmt.Errorf("%s line %d: %w", d.Path, d.Line, err))
			if !errors.Is(err, ErrRefused) {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// discussion is the review comments on a diff.
type discussion struct {
	self     string
	keys     []string // the run's own and former ones
	comments []ReviewComment
}

// suggestionIDs returns the ids of a suggestion of ours, nil for other comments.
func (t discussion) suggestionIDs(c ReviewComment) []string {
	m := suggestionForm.FindStringSubmatch(c.Body)
	if m == nil || !slices.Contains(t.keys, m[1]) || t.self == "" || !strings.EqualFold(c.Author, t.self) {
		return nil
	}
	return strings.Split(m[2], ",")
}

// isAnswered reports whether somebody else answered a comment.
func (t discussion) isAnswered(c ReviewComment) bool {
	return slices.ContainsFunc(t.comments, func(r ReviewComment) bool { return r.ReplyTo == c.ID })
}

// compareDrafts returns the drafts that are not posted yet, and the comments of
// ours that are no longer a draft.
func (t discussion) compareDrafts(drafts []Draft) (missing []Draft, outdated []ReviewComment) {
	kept := map[int]bool{}
	for _, c := range t.comments {
		ids := t.suggestionIDs(c)
		if ids == nil {
			continue
		}
		at := slices.IndexFunc(drafts, func(d Draft) bool { return d.matches(c) })
		switch {
		case at >= 0 && !kept[at]:
			kept[at] = true
		case !t.isAnswered(c):
			outdated = append(outdated, c)
		default: // somebody answered: it stays and is not posted again
			for i, d := range drafts {
				if slices.Equal(d.IDs, ids) {
					kept[i] = true
				}
			}
		}
	}
	for i, d := range drafts {
		if !kept[i] {
			missing = append(missing, d)
		}
	}
	return missing, outdated
}

// matches reports whether c is the posted draft, on the line it belongs to.
func (d Draft) matches(c ReviewComment) bool {
	return c.Path == d.Path && c.Line == d.Line && normalizedBody(c.Body) == normalizedBody(d.Body)
}

// placedIDs returns the ids of the drafts that are posted.
func (t discussion) placedIDs(drafts []Draft) map[string]bool {
	ids := map[string]bool{}
	for _, d := range drafts {
		if slices.ContainsFunc(t.comments, func(c ReviewComment) bool { return t.suggestionIDs(c) != nil && d.matches(c) }) {
			for _, id := range d.IDs {
				ids[id] = true
			}
		}
	}
	return ids
}
