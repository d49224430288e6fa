package comment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrGone is returned by [API.Update] for a comment that is no longer there.
var ErrGone = errors.New("comment is gone")

// Comment is a comment on a pull request.
type Comment struct {
	ID     int64
	Author string // login
	Body   string // Markdown
	URL    string // web page

	// What the forge says beside where the comment was just written, if it does: what
	// we wrote there before and what it says now, and the head of the pull request.
	Past []string
	Head string
	// Blind is a comment that was just written where the forge does not say what others
	// write at the same moment.
	Blind bool
}

// API is what Upsert needs of a forge.
type API interface {
	// Self returns the login that Create and Update write as.
	Self(ctx context.Context) (login string, err error)
	// Comments returns every comment on the pull request, all pages.
	Comments(ctx context.Context, pr int) ([]Comment, error)
	// Create adds a comment.
	Create(ctx context.Context, pr int, body string) (Comment, error)
	// Update replaces a comment's body. A comment that does not exist (404)
	// is an error that wraps ErrGone.
	Update(ctx context.Context, id int64, body string) (Comment, error)
}

// Awaiter is an [API] of a forge that lists a comment only some time after it was
// written.
type Awaiter interface {
	API
	// Await lists the newest comments on the pull request, oldest first, until
	// they are enough, and reports whether they were before the time was up. A
	// list that cannot be read is not enough.
	Await(ctx context.Context, pr int, enough func(newest []Comment) bool) bool
	// Delete deletes a comment. It is no error that the comment is gone.
	Delete(ctx context.Context, id int64) error
}

// Rereader is an [API] of a forge that writes some comments blindly.
type Rereader interface {
	API
	// Reread returns a comment as it is some seconds later: who had read it before it
	// was written has written by then.
	Reread(ctx context.Context, id int64) (Comment, error)
}

// Conversation is the comments that we have written on a pull request.
type Conversation struct {
	PR   int
	Self string    // login we write as
	Head string    // of the pull request now, "" unknown
	Ours []Comment // oldest first
}

// LoadConversation reads the conversation of a pull request.
func LoadConversation(ctx context.Context, api API, pr int) (Conversation, error) {
	self, err := api.Self(ctx)
	if err != nil {
		return Conversation{}, fmt.Errorf("find out who comments: %w", err)
	}
	all, err := api.Comments(ctx, pr)
	if err != nil {
		return Conversation{}, fmt.Errorf("list comments of pull request %d: %w", pr, err)
	}
	s := Conversation{PR: pr, Self: self, Ours: commentsBy(all, self)}
	if teller, ok := api.(HeadTeller); ok {
		if s.Head, err = teller.Head(ctx, pr); err != nil {
			return Conversation{}, fmt.Errorf("ask for the head of pull request %d: %w", pr, err)
		}
	}
	return s, nil
}

// commentsBy returns the comments that the login wrote, oldest first.
func commentsBy(all []Comment, login string) []Comment {
	var found []Comment
	for _, c := range all {
		if login != "" && strings.EqualFold(c.Author, login) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b Comment) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// Sticky returns our comments that a run wrote, of one key or with "" of all,
// oldest first.
func (s Conversation) Sticky(key string) []Comment {
	var found []Comment
	for _, c := range s.Ours {
		if k, ok := parseMarker(c.Body); ok && (key == "" || k == key) {
			found = append(found, c)
		}
	}
	return found
}

// sticky returns our comments of o.Key, oldest first, then those of former keys.
func (s Conversation) sticky(o Options) []Comment {
	found := s.Sticky(o.key())
	for _, key := range o.Former {
		if key != o.key() {
			found = append(found, s.Sticky(key)...)
		}
	}
	return found
}

// State returns what the comment of o.Key remembers.
func (s Conversation) State(o Options) State {
	for _, c := range s.sticky(o) {
		if state, ok := ParseState(c.Body); ok {
			return state
		}
	}
	return State{}
}

// Upsert makes body, as Render returned it, the one comment of o.Key on the pull
// request, and returns that comment. It recognises its own by marker and author: a
// comment of someone else that carries our marker is left alone. A body that is
// there already is not written again. When several are ours, because two jobs
// raced, the oldest is kept and the others point to it, so that no old verdict
// stays on the page. On an [Awaiter], a created comment gives way to an older one
// that is listed only after it. A comment that tells of a newer run stays as it is,
// or is put back where its run and ours wrote at the same time: then the error wraps
// ErrNewer.
func Upsert(ctx context.Context, api API, pr int, o Options, body string) (Comment, error) {
	if err := checkBody(o, body); err != nil {
		return Comment{}, err
	}
	said, err := LoadConversation(ctx, api, pr)
	if err != nil {
		return Comment{}, err
	}
	return said.Upsert(ctx, api, o, body)
}

// Upsert is the package's [Upsert] on a conversation that was read already.
func (s Conversation) Upsert(ctx context.Context, api API, o Options, body string) (Comment, error) {
	if err := checkBody(o, body); err != nil {
		return Comment{}, err
	}
	pr, ours := s.PR, s.sticky(o)
	us, _ := parseWriter(body)
	for i, c := range ours {
		if s.keeps(c, us) {
			return c, fmt.Errorf("comment on pull request %d: %w", pr, ErrNewer)
		}
		kept, err := s.updateBody(ctx, api, c, body)
		if errors.Is(err, ErrGone) {
			continue
		}
		if errors.Is(err, ErrNewer) {
			return kept, errors.Join(err, redirect(ctx, api, ours[i+1:], kept))
		}
		if err != nil {
			return Comment{}, fmt.Errorf("update comment %d on pull request %d: %w", c.ID, pr, err)
		}
		return kept, redirect(ctx, api, ours[i+1:], kept)
	}
	created, err := api.Create(ctx, pr, body)
	if err != nil {
		return Comment{}, fmt.Errorf("create comment on pull request %d: %w", pr, err)
	}
	return s.keepOldest(ctx, api, o, created, body)
}

// checkBody returns an error when body would not be found again.
func checkBody(o Options, body string) error {
	key := cmp.Or(o.Key, DefaultKey)
	if !ValidKey(key) {
		return fmt.Errorf("comment key %.80q: use 1 to 64 letters, digits, dots, underscores or hyphens", key)
	}
	if got, ok := parseMarker(body); !ok || got != key {
		return fmt.Errorf("comment body does not begin with the marker of key %q: render it with the same key", key)
	}
	return nil
}

// keepOldest leaves one comment of the key after created was written. Another run
// may have written one a moment ago that was not listed yet. A list lacks only the
// newest comments: once it has created, it has all that were written before, and
// the first of ours is the oldest. That one stays. Every run that wrote a younger
// one puts its text there and deletes its own, so any number of runs at the same
// time agree. What is not listed in time is left to the next run.
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
	us, _ := parseWriter(body)
	for i, c := range ours {
		if c.ID > created.ID {
			return created, redirect(ctx, api, ours[i:], created)
		}
		if s.keeps(c, us) {
			return c, errors.Join(removeDuplicate(ctx, forge, created, c), fmt.Errorf("comment on pull request %d: %w", s.PR, ErrNewer))
		}
		kept, err := s.updateBody(ctx, api, c, body)
		if errors.Is(err, ErrGone) {
			continue
		}
		if errors.Is(err, ErrNewer) {
			return kept, errors.Join(err, removeDuplicate(ctx, forge, created, kept), redirect(ctx, api, ours[i+1:], kept))
		}
		if err != nil {
			return created, fmt.Errorf("update comment %d, which another job wrote at the same time: %w", c.ID, err)
		}
		return kept, errors.Join(removeDuplicate(ctx, forge, created, kept), redirect(ctx, api, ours[i+1:], kept))
	}
	return created, nil
}

// removeDuplicate deletes a comment that lost a race, or points it to the one
// that was kept.
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

// maxPutBack bounds how often the text of the newest run is put back: as often as yet
// another one writes at the same moment.
const maxPutBack = 5

// updateBody makes body the text of c, unless it is. A forge cannot write only what
// nobody else has written meanwhile, so we look at what the comment said before ours:
// who wrote last sees all, and puts the newest run's text back. Where the forge does not
// tell, we also look at what it says a little later. Where the text of a newer run stays,
// the error wraps ErrNewer.
func (s Conversation) updateBody(ctx context.Context, api API, c Comment, body string) (Comment, error) {
	if normalizedBody(c.Body) == normalizedBody(body) {
		return c, nil
	}
	ours := body
	for range maxPutBack {
		var err error
		if c, err = api.Update(ctx, c.ID, body); err != nil {
			return Comment{}, err
		}
		if c.Blind {
			c = reread(ctx, api, c)
		}
		body = s.newestText(c, body)
		if normalizedBody(c.Body) == normalizedBody(body) {
			break
		}
	}
	if body != ours {
		return c, fmt.Errorf("comment on pull request %d: %w", s.PR, ErrNewer)
	}
	return c, nil
}

// reread returns a comment that was just written as it is a little later, if it is still
// the one of its key. What cannot be read then is as it was written.
func reread(ctx context.Context, api API, written Comment) Comment {
	forge, ok := api.(Rereader)
	if !ok {
		return written
	}
	now, err := forge.Reread(ctx, written.ID)
	was, _ := parseMarker(written.Body)
	if key, ours := parseMarker(now.Body); err != nil || !ours || key != was {
		return written
	}
	written.Past = append(written.Past, now.Body)
	written.Body = now.Body
	return written
}

// newestText returns the text of the newest run among what we just wrote to a comment
// and what it said before.
func (s Conversation) newestText(written Comment, body string) string {
	key, _ := parseMarker(body)
	newest, _ := parseWriter(body)
	head := cmp.Or(written.Head, s.Head)
	for _, past := range written.Past {
		if k, ours := parseMarker(past); !ours || k != key {
			continue
		}
		if w, told := parseWriter(past); told && newest.isOutdated(w, head) {
			body, newest = past, w
		}
	}
	return body
}

// normalizedBody returns body without what a forge may change in storing it: line
// endings and white space at the end.
func normalizedBody(body string) string {
	return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// redirect replaces comments that lost a race by a link to the one that was kept.
// They lose their marker, so this happens once.
func redirect(ctx context.Context, api API, lost []Comment, kept Comment) error {
	var errs []error
	for _, c := range lost {
		_, err := api.Update(ctx, c.ID, redirection(kept))
		if err != nil && !errors.Is(err, ErrGone) {
			errs = append(errs, fmt.Errorf("retire comment %d, which another job wrote at the same time: %w", c.ID, err))
		}
	}
	return errors.Join(errs...)
}

func redirection(kept Comment) string {
	const text = "Breadcrumb reports on this pull request in "
	if !strings.HasPrefix(kept.URL, "https://") && !strings.HasPrefix(kept.URL, "http://") || strings.ContainsAny(kept.URL, "<> \n()[]\\`") {
		return text + "an earlier comment."
	}
	return text + "[an earlier comment](" + kept.URL + ")."
}
