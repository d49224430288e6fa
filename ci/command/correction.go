package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
)

// wrong keeps for good that the elements of these edits are not those that their
// locators lost, and offers the edits no more.
func (r *commandRun) wrong(ctx context.Context, c comment.Command) error {
	ids := c.IDs()
	if len(ids) == 0 {
		r.reply.NeedsID(c.Verb)
		return nil
	}
	named := r.findElements(ids)
	for _, id := range ids {
		if !slices.ContainsFunc(named, func(e rememberedElement) bool { return e.ID == id }) {
			r.reply.NoSuggestion(id)
		}
	}
	if len(named) == 0 {
		return nil
	}
	if !r.hasHistory() {
		r.reply.Failed("keep that", r.whyNoHistory())
		return nil
	}
	said, err := r.confirm(ctx, named)
	if err != nil {
		return err
	}
	var elements []comment.SavedElement
	for _, e := range said {
		elements = append(elements, e.SavedElement)
	}
	for _, s := range r.veto(ctx, elements) {
		if err := r.ignoreID(ctx, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// rememberedElement is an element that a comment of ours names, and the commit that it
// does so for.
type rememberedElement struct {
	comment.SavedElement
	head string
}

// findElements returns the elements that our comments name under these ids, each once.
func (r *commandRun) findElements(ids []string) []rememberedElement {
	var found []rememberedElement
	for _, x := range r.conversation.Ours {
		state, _ := comment.ParseState(x.Body)
		for _, s := range state.Elements() {
			known := slices.ContainsFunc(found, func(f rememberedElement) bool { return f.ID == s.ID })
			if slices.Contains(ids, s.ID) && !known {
				found = append(found, rememberedElement{s, state.Head})
			}
		}
	}
	return found
}

// confirm returns those of the elements that a run named for the pull request's head in
// just these words, because anybody may have changed what a comment says. The others
// are told.
func (r *commandRun) confirm(ctx context.Context, named []rememberedElement) (said []comment.NamedElement, err error) {
	pull, err := r.readPullRequest(ctx)
	if err != nil {
		return nil, err
	}
	offered, err := r.offersOf(ctx, pull.Head)
	for _, e := range named {
		what := "keep that " + e.ID + " is wrong"
		switch suggested, ok := namedIn(offered, e.SavedElement); {
		case err != nil:
			r.reply.Failed(what, err.Error())
		case e.head != pull.Head:
			r.reply.Failed(what, fmt.Sprintf("it is about commit %.7s, and the head is now %.7s: the run on that commit names it anew", e.head, pull.Head))
		case !ok:
			r.reply.Failed(what, "no run of this workflow named exactly this element for this commit: the comment may have been changed, or the run's artifact of its offers is gone; run the tests again")
		default:
			said = append(said, comment.NamedElement{SavedElement: e.SavedElement, Suggested: suggested})
		}
	}
	return said, nil
}

// namedIn reports whether one of the runs named an element, and whether it only
// suggested it.
func namedIn(offered []comment.Offers, e comment.SavedElement) (suggested, ok bool) {
	for _, o := range offered {
		if suggested, ok = o.Names(e); ok {
			return suggested, true
		}
	}
	return false, false
}

// veto keeps a veto for each element, tells so and returns those it kept. One that is not
// known is told.
func (r *commandRun) veto(ctx context.Context, elements []comment.SavedElement) (kept []comment.SavedElement) {
	for _, s := range elements {
		if s.Signature == "" || s.Locator == "" {
			r.reply.Failed("keep that "+s.ID+" is wrong", "its element is not known")
			continue
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 {
		return nil
	}
	ids := map[string]string{}
	saved := r.changeHistory(ctx, "keep what was said", func(session *ci.StateSession) error {
		for _, s := range kept {
			v := store.Veto{TestID: engine.NewTestID(s.Test), Locator: s.Locator, Signature: s.Signature, Who: r.event.Sender, At: r.decidedAt()}
			if s.Shared {
				v.TestID = ""
			}
			ids[s.ID] = v.ID()
			if err := session.DB.AddVeto(ctx, v); err != nil {
				return err
			}
			if err := r.endSynonym(ctx, session.DB, s); err != nil {
				return err
			}
		}
		return nil
	})
	if !saved {
		return nil
	}
	r.decided = true
	for _, s := range kept {
		r.reply.Vetoed(s, ids[s.ID])
	}
	return kept
}

// teach keeps what accepted edits teach. The edits are made whether or not that can be
// kept.
func (r *commandRun) teach(ctx context.Context, accepted []comment.SavedEdit) {
	switch {
	case r.cfg.NoLearn || !slices.ContainsFunc(accepted, ci.Teaches):
		return
	case r.deps.NoHistory != nil:
		r.reply.Failed("keep what was accepted", r.whyNoHistory())
		return
	case !r.hasHistory():
		return
	}
	r.changeHistory(ctx, "keep what was accepted", func(session *ci.StateSession) error {
		return ci.Teach(ctx, session.DB, accepted, r.event.Sender, r.decidedAt())
	})
}

// endSynonym keeps that the words by which a wrong element differs are no synonyms.
func (r *commandRun) endSynonym(ctx context.Context, db ci.Database, e comment.SavedElement) error {
	lesson, ok := heal.ReadLesson(e.Was, e.Now)
	if !ok {
		return nil
	}
	was, now, ok := lesson.Apart()
	if !ok {
		return nil
	}
	return db.AddLesson(ctx, store.Lesson{Was: was, Now: now, Who: r.event.Sender, At: r.decidedAt()})
}
