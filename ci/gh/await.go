package gh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/breadcrumb/action/comment"
)

// lastPause is the last of the pauses between two looks at a list: of 1, 2, 4
// and 8 seconds, 15 in all.
const lastPause = 8 * time.Second

// lister lists a pull request's newest comments and knows who we are.
type lister interface {
	Self(ctx context.Context) (string, error)
	newest(ctx context.Context, pr int) ([]comment.Comment, error)
}

// Await implements [comment.Late]: for 15 seconds.
func (ic *IssueComments) Await(ctx context.Context, pr int, enough func([]comment.Comment) bool) bool {
	return ic.await(ctx, ic, pr, enough)
}

// await lists until it is enough.
func (ic *IssueComments) await(ctx context.Context, from lister, pr int, enough func([]comment.Comment) bool) bool {
	for pause := time.Second; ; pause *= 2 {
		listed, err := from.newest(ctx, pr)
		if err != nil {
			ic.client.log.DebugContext(ctx, "looking for a comment", slog.Any("error", err))
			return false
		}
		if enough(listed) {
			return true
		}
		if pause > lastPause || !ic.client.waiting.pause(ctx, pause) {
			return false
		}
	}
}

// newest implements [lister].
func (ic *IssueComments) newest(ctx context.Context, pr int) ([]comment.Comment, error) {
	return ic.Comments(ctx, pr)
}

// unlessWritten returns err, why a comment could not be created, unless there is
// one of ours with the body all the same.
func (ic *IssueComments) unlessWritten(ctx context.Context, from lister, pr int, body string, err error) (comment.Comment, error) {
	if !mayBeDone(err) || ctx.Err() != nil {
		return comment.Comment{}, err
	}
	self, selfErr := from.Self(ctx)
	if selfErr != nil {
		return comment.Comment{}, errors.Join(err, fmt.Errorf("look for the comment: %w", selfErr))
	}
	var made comment.Comment
	found := ic.await(ctx, from, pr, func(listed []comment.Comment) bool {
		for _, c := range listed {
			if strings.EqualFold(c.Author, self) && sameText(c.Body, body) {
				made = c
			}
		}
		return made.ID != 0
	})
	if !found {
		return comment.Comment{}, err
	}
	return made, nil
}
