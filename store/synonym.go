package store

import (
	"context"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// maxSuite is of how many learned elements a suite's words are known at most: beyond it
// nothing in it is a synonym.
const maxSuite = 20_000

// learnedLister lists what was learned.
type learnedLister interface {
	Fingerprints(ctx context.Context, testID engine.TestID, limit int) (Fingerprints, error)
}

// LearnedElements returns the learned elements of a suite and whether these are all.
func LearnedElements(ctx context.Context, db learnedLister) (list []engine.Fingerprint, all bool, err error) {
	learned, err := db.Fingerprints(ctx, "", maxSuite)
	return learned.List, err == nil && learned.Total == len(learned.List), err
}

// Synonyms returns the words that a suite's lessons make synonyms.
func Synonyms(ctx context.Context, db learnedLister, lessons []Lesson) ([]heal.Synonym, error) {
	said := make([][2]string, len(lessons))
	for i, l := range lessons {
		said[i] = [2]string{l.Was, l.Now}
	}
	return heal.Synonyms(said, func() ([]engine.Fingerprint, bool, error) { return LearnedElements(ctx, db) })
}
