package store

import (
	"context"

	"github.com/breadcrumb/action/engine"
)

// maxUses bounds the uses of locators that are looked at together.
const maxUses = 50_000

// useReader is a database of which KnownUses reads.
type useReader interface {
	LocatorUses(ctx context.Context, locators []string, limit int) (Fingerprints, error)
}

// KnownUses returns what the tests of a suite learned of the uses of locators, nothing
// where there are too many to know all of them.
func KnownUses(ctx context.Context, db useReader, locators []string) ([]engine.Fingerprint, error) {
	if len(locators) == 0 {
		return nil, nil
	}
	uses, err := db.LocatorUses(ctx, locators, maxUses+1)
	if err != nil || uses.Total > maxUses {
		return nil, err
	}
	return uses.List, nil
}
