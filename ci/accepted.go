package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/store"
)

// lessonBook is where what people accept is kept, beside what they said before.
type lessonBook interface {
	corrections
	Vetoes(ctx context.Context, testID engine.TestID) ([]store.Veto, error)
	Lessons(ctx context.Context) ([]store.Lesson, error)
	Fingerprints(ctx context.Context, testID engine.TestID, limit int) (store.Fingerprints, error)
}

// Teach keeps what a person taught by accepting edits, however that was done: the
// lessons of suggestions, and for every edit the element that its new locator stands
// for. What was taught before is not taught again, and of an element that was vetoed for
// the locator nothing is.
func Teach(ctx context.Context, db lessonBook, accepted []comment.SavedEdit, who string, at time.Time) error {
	for _, s := range accepted {
		vetoed, err := isVetoed(ctx, db, s.SavedElement)
		if err != nil {
			return err
		}
		if vetoed {
			continue
		}
		if s.Changed && s.Was != "" && s.Now != "" {
			if err := addLesson(ctx, db, store.Lesson{Was: s.Was, Now: s.Now, Who: who, At: at}); err != nil {
				return err
			}
		}
		for _, f := range s.Accepted {
			if err := db.AddAccepted(ctx, store.Accepted{Fingerprint: f, Who: who, At: at}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Teaches reports whether accepting an edit teaches anything.
func Teaches(s comment.SavedEdit) bool {
	return len(s.Accepted) > 0 || s.Changed && s.Was != "" && s.Now != ""
}

func isVetoed(ctx context.Context, db lessonBook, e comment.SavedElement) (bool, error) {
	vetoes, err := db.Vetoes(ctx, engine.NewTestID(e.Test))
	return e.Signature != "" && slices.ContainsFunc(vetoes, func(v store.Veto) bool { return v.Locator == e.Locator && v.Signature == e.Signature }), err
}

// addLesson keeps a lesson, with whether its word is new to the suite. One that was
// taught before stays as it is.
func addLesson(ctx context.Context, db lessonBook, l store.Lesson) error {
	lesson, ok := heal.ReadLesson(l.Was, l.Now)
	if !ok {
		return db.AddLesson(ctx, l)
	}
	said, err := db.Lessons(ctx)
	if err != nil {
		return err
	}
	var earlier []heal.Lesson
	for _, s := range said {
		e, ok := heal.ReadLesson(s.Was, s.Now)
		if ok && e.Lost == lesson.Lost && e.Found == lesson.Found && slices.Equal(e.Changed, lesson.Changed) {
			return nil
		}
		if ok {
			earlier = append(earlier, e)
		}
	}
	learned, all, err := store.LearnedElements(ctx, db)
	if err != nil {
		return err
	}
	lesson.New = false // that is not for the comment to say
	if all {
		lesson = lesson.Judge(earlier, learned)
	}
	if was, now := lesson.Texts(); len(was) <= store.MaxWords && len(now) <= store.MaxWords {
		l.Was, l.Now = was, now
	}
	return db.AddLesson(ctx, l)
}

// Merged is a pull request from a branch of the repository itself that was merged.
type Merged struct {
	Number int
	At     time.Time
}

// mergedLately is how long after a merge runs of the default branch look what of the
// offered edits it brought: the first of them may be cancelled or fail.
const mergedLately = 24 * time.Hour

// learnAccepted teaches what people took of the offered edits without a box: by GitHub's
// own button in the review, or by typing the same. A run of the default branch keeps it,
// once the edit is merged. A run of a pull request has it for itself alone: whoever
// pushes there could claim anything.
func (r *run) learnAccepted(ctx context.Context) {
	db := r.session.DB
	r.known = db
	info, offers := r.cfg.Info, r.deps.Offers
	switch {
	case offers == nil || r.cfg.NoLearn || r.cfg.DryRun || info.Fork || info.Commit == "":
		return
	case info.PullRequest != 0 && r.healsFromTraces():
		own := &ownLessons{Database: db, elements: map[testLocator]engine.Fingerprint{}}
		r.known = own
		r.teachTaken(ctx, own, Merged{info.PullRequest, timeOf(info, r.deps.Now)})
		return
	case !info.Trusted():
		return
	}
	merged, err := offers.Merged(ctx, timeOf(info, r.deps.Now).Add(-mergedLately))
	if err != nil {
		r.warn("which pull requests were merged is not known, so the edits that people took in them teach nothing: %v", err)
	}
	for _, m := range merged {
		r.teachTaken(ctx, db, m)
	}
}

// healsFromTraces reports whether traces of tests that failed are looked at.
func (r *run) healsFromTraces() bool {
	return r.mayHaveTraces() && slices.ContainsFunc(r.collected.results, func(r engine.TestResult) bool { return r.Final().Status.Failing() })
}

// teachTaken teaches what of the edits that runs of a pull request offered stands in the
// tested commit.
func (r *run) teachTaken(ctx context.Context, db lessonBook, pull Merged) {
	offered, err := r.deps.Offers.Earlier(ctx, pull.Number)
	var taken []comment.SavedEdit
	if err == nil {
		taken, err = r.findTaken(ctx, offered)
	}
	if err != nil {
		r.warn("the edits that people took in pull request %d teach nothing: %v", pull.Number, err)
	}
	for _, e := range taken {
		if err := Teach(ctx, db, []comment.SavedEdit{e}, fmt.Sprintf("pull request %d", pull.Number), pull.At); err != nil {
			r.warn("the edit %s that people took in pull request %d teaches nothing: %v", e.ID, pull.Number, err)
		}
	}
}

// offeredFile is a file of a commit for which edits were offered.
type offeredFile struct{ head, path string }

// Bounds of what is looked at of a pull request: a job of it can offer what it likes.
const (
	maxTakenFiles = 20
	maxTakenEdits = 200
)

// findTaken returns the offered edits that stand in the tested commit, as the forge has
// it. Of an edit that was offered again and again the last offer counts; offered are the
// newest first. What a fork's tests said is not asked, as no command makes it either.
func (r *run) findTaken(ctx context.Context, offered []comment.Offers) (taken []comment.SavedEdit, err error) {
	edits := map[offeredFile][]comment.SavedEdit{}
	var files []offeredFile
	lastAt := map[string]string{}
	for _, o := range offered {
		for _, e := range o.Edits {
			if head, again := lastAt[e.ID]; o.Fork || !Teaches(e) || len(e.Accepted) > maxAccepted || again && head != o.Head || len(lastAt) == maxTakenEdits {
				continue
			}
			lastAt[e.ID] = o.Head
			f := offeredFile{o.Head, e.Path}
			if len(edits[f]) == 0 {
				files = append(files, f)
			}
			edits[f] = append(edits[f], e)
		}
	}
	for _, f := range files[:min(len(files), maxTakenFiles)] {
		here, err := r.findTakenIn(ctx, f, edits[f])
		if err != nil {
			return nil, err
		}
		taken = append(taken, here...)
	}
	return taken, nil
}

// findTakenIn is findTaken for the edits that were offered for one file of a commit. Both
// texts are the forge's: tests can write what they like into the checkout.
func (r *run) findTakenIn(ctx context.Context, f offeredFile, edits []comment.SavedEdit) ([]comment.SavedEdit, error) {
	if !patch.Editable(f.path) {
		return nil, nil
	}
	before, err := r.deps.Offers.FileAt(ctx, f.head, f.path)
	var after []byte
	if err == nil {
		after, err = r.deps.Offers.FileAt(ctx, r.cfg.Info.Commit, f.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	blob := BlobHash(before)
	edits = slices.DeleteFunc(edits, func(e comment.SavedEdit) bool { return e.Blob != blob })
	var places []patch.Offer
	for _, e := range edits {
		if p := placeOf(e); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	var taken []comment.SavedEdit
	for i, stands := range patch.FindTaken(f.path, before, after, places) {
		here := slices.DeleteFunc(slices.Clone(edits), func(e comment.SavedEdit) bool { return placeOf(e) != places[i] })
		if stands && !slices.ContainsFunc(here, func(e comment.SavedEdit) bool { return teachesOtherwise(e, here[0]) }) {
			taken = append(taken, here...)
		}
	}
	return taken, nil
}

func placeOf(e comment.SavedEdit) patch.Offer {
	return patch.Offer{Start: e.Start, Old: e.Old, New: e.New}
}

// teachesOtherwise reports whether two offers of one edit are about different elements.
func teachesOtherwise(a, b comment.SavedEdit) bool {
	return a.Changed != b.Changed || a.Was != b.Was || a.Now != b.Now || a.Signature != b.Signature
}

// ownLessons is a database with lessons that only its run has.
type ownLessons struct {
	Database
	lessons  []store.Lesson
	elements map[testLocator]engine.Fingerprint
}

// AddLesson keeps a lesson for this run.
func (o *ownLessons) AddLesson(_ context.Context, l store.Lesson) error {
	l, err := l.Clean()
	if err == nil {
		o.lessons = append(o.lessons, l)
	}
	return err
}

// AddAccepted keeps an accepted element for this run.
func (o *ownLessons) AddAccepted(_ context.Context, a store.Accepted) error {
	o.elements[testLocator{a.Fingerprint.TestID, a.Fingerprint.Locator}] = a.Fingerprint
	return nil
}

// Lessons returns those of the database and of this run.
func (o *ownLessons) Lessons(ctx context.Context) ([]store.Lesson, error) {
	lessons, err := o.Database.Lessons(ctx)
	return append(lessons, o.lessons...), err
}

// Recall returns what the database knows of a locator, or else what was accepted for it.
func (o *ownLessons) Recall(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	if f, state, ok, err = o.Database.Recall(ctx, testID, locator); ok || err != nil {
		return f, state, ok, err
	}
	f, ok = o.elements[testLocator{testID, locator}]
	return f, nil, ok, nil
}
