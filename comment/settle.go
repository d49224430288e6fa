package comment

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Awaiter is an [API] of a forge that lists a comment some time after it was
// written.
type Awaiter interface {
	API
	// Await lists the newest comments on the pull request, oldest first, again
	// and again until they are enough, and reports whether they were in the time
	// that there is. A list that cannot be read is not.
	Await(ctx context.Context, pr int, enough func(newest []Comment) bool) bool
	// Delete takes a comment away. One that is gone is as good.
	Delete(ctx context.Context, id int64) error
}

// keepOldest leaves one comment of the key after created was written, because a run
// that ended a moment ago, or one at this moment, may have written another that
// was not listed yet. A list lacks nothing but the newest: one that has created
// has all that were written before it, and its first is the oldest of all. That
// one stays: whoever wrote a younger one puts its text there and takes its own
// away, and so do any number of runs at once. What is not listed in time is left
// to the next run.
func (s Conversation) keepOldest(ctx context.Context, api API, o Options, created Comment, body string) (Comment, error) {
	forge, ok := api.(Awaiter)
	if !ok {
		return created, nil
	}
	var ours []Comment
	listed := forge.Await(ctx, s.PR, func(newest []Comment) bool {
		s.Ours = commentsBy(newest, s.Self)
		ours = s.Sticky(o.key())
		return len(ours) > 0 && ours[0].ID < created.ID ||
			slices.ContainsFunc(newest, func(c Comment) bool { return c.ID == created.ID })
	})
	if !listed {
		return created, nil
	}
	ours = slices.DeleteFunc(ours, func(c Comment) bool { return c.ID == created.ID })
	for i, c := range ours {
		if c.ID > created.ID {
			return created, redirect(ctx, api, ours[i:], created)
		}
		kept, err := updateBody(ctx, api, c, body)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return created, fmt.Errorf("update comment %d, which another job wrote at the same time: %w", c.ID, err)
		}
		return kept, errors.Join(removeDuplicate(ctx, forge, created, kept), redirect(ctx, api, ours[i+1:], kept))
	}
	return created, nil
}

// removeDuplicate takes away a comment that lost a race, or points it to the one that
// was kept.
func removeDuplicate(ctx context.Context, forge Awaiter, lost, kept Comment) error {
	err := forge.Delete(ctx, lost.ID)
	if err == nil {
		return nil
	}
	if retireErr := redirect(ctx, forge, []Comment{lost}, kept); retireErr != nil {
		return errors.Join(fmt.Errorf("delete comment %d: %w", lost.ID, err), retireErr)
	}
	return nil
}
