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

// Suggest makes the review comments of one key agree with the offers: those in
// the diff are suggested, each once however often this is called; suggestions
// of ours that are no longer offered, or sit on lines that changed, are
// retracted unless somebody answered. It returns the ids of the offers that
// stand in the diff now. What went wrong is in the error, and the ids are right
// all the same.
func Suggest(ctx context.Context, api ReviewAPI, self string, run outcome.Run, offers []outcome.Suggestion, o Options) (placed map[string]bool, err error) {
	pr := run.Info.PullRequest
	var drafts []Draft
	if len(offers) > 0 {
		diff, err := api.Diff(ctx, pr)
		if err != nil {
			return nil, fmt.Errorf("read the diff of pull request %d: %w", pr, err)
		}
		if diff.Head != run.Info.HeadSHA {
			return nil, ErrMoved
		}
		drafts = Drafts(run, offers, diff, o.key())
	}
	there, err := api.ReviewComments(ctx, pr)
	if err != nil {
		return nil, fmt.Errorf("list the suggestions on pull request %d: %w", pr, err)
	}
	t := discussion{self: self, key: o.key(), comments: there}
	missing, outdated := t.compare(drafts)
	var errs []error
	if len(missing) > 0 {
		errs = append(errs, post(ctx, api, pr, run.Info.HeadSHA, missing))
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
	return t.placed(drafts), errors.Join(errs...)
}

// key returns the comment key that applies.
func (o Options) key() string {
	if !ValidKey(o.Key) {
		return DefaultKey
	}
	return o.Key
}

// post adds the drafts in one review and, when that is refused, one by one, so
// that one bad place costs one suggestion.
func post(ctx context.Context, api ReviewAPI, pr int, head string, drafts []Draft) error {
	err := api.Review(ctx, pr, head, drafts)
	if err == nil || !errors.Is(err, ErrRefused) || len(drafts) == 1 {
		return wrapPost(err)
	}
	var errs []error
	for _, d := range drafts {
		err := api.Review(ctx, pr, head, []Draft{d})
		if err != nil {
			errs = append(errs, fmt.Errorf("%s line %d: %w", d.Path, d.Line, err))
		}
		if err != nil && !errors.Is(err, ErrRefused) {
			break
		}
	}
	return wrapPost(errors.Join(errs...))
}

func wrapPost(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("suggest edits: %w", err)
}

// discussion is what stands on the diff.
type discussion struct {
	self, key string
	comments  []ReviewComment
}

// ours returns the ids of a suggestion of ours, nil for other comments.
func (t discussion) ours(c ReviewComment) []string {
	m := suggestionForm.FindStringSubmatch(c.Body)
	if m == nil || m[1] != t.key || t.self == "" || !strings.EqualFold(c.Author, t.self) {
		return nil
	}
	return strings.Split(m[2], ",")
}

// answered reports whether somebody else answered a comment.
func (t discussion) answered(c ReviewComment) bool {
	return slices.ContainsFunc(t.comments, func(r ReviewComment) bool { return r.ReplyTo == c.ID })
}

// compare returns the drafts that are not there yet, and what is there and no
// draft.
func (t discussion) compare(drafts []Draft) (missing []Draft, outdated []ReviewComment) {
	kept := map[int]bool{}
	for _, c := range t.comments {
		ids := t.ours(c)
		if ids == nil {
			continue
		}
		at := slices.IndexFunc(drafts, func(d Draft) bool { return d.stands(c) })
		switch {
		case at >= 0 && !kept[at]:
			kept[at] = true
		case !t.answered(c):
			outdated = append(outdated, c)
		default: // a discussion: what it is about is not said again
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

// stands reports whether c is the draft, on the line it should be on.
func (d Draft) stands(c ReviewComment) bool {
	return c.Path == d.Path && c.Line == d.Line && normalizedBody(c.Body) == normalizedBody(d.Body)
}

// placed returns the ids of the drafts that are there.
func (t discussion) placed(drafts []Draft) map[string]bool {
	ids := map[string]bool{}
	for _, d := range drafts {
		if slices.ContainsFunc(t.comments, func(c ReviewComment) bool { return t.ours(c) != nil && d.stands(c) }) {
			for _, id := range d.IDs {
				ids[id] = true
			}
		}
	}
	return ids
}
