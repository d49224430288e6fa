package record

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
)

// DecodeLoaded decodes and checks what LoadFingerprint read.
func (c *CheckedStates) DecodeLoaded(database string, testID engine.TestID, locator, text string, state []byte) (f engine.Fingerprint, page []byte, ok bool, err error) {
	if f, err = readFingerprint(text); err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("%s: fingerprint of %.80q in %.80q: %w; run the test again to replace it",
			database, locator, testID, err)
	}
	f.TestID, f.Locator = testID, locator
	if err := c.checkState(state); err != nil {
		return f, nil, true, fmt.Errorf("%s: page of %.80q in %.80q %w: %w", database, locator, testID, store.ErrLeftOut, err)
	}
	return f, state, true, nil
}

// Digest is a SHA-256 sum.
type Digest = [sha256.Size]byte

// DigestOf returns the value of a digest column, zero for NULL.
func DigestOf(v any) (d Digest) {
	b, _ := v.([]byte)
	copy(d[:], b)
	return d
}

// PageLink is the page with which fingerprints are saved. The zero value is no
// page.
type PageLink struct {
	Digest Digest
	State  []byte
}

// LinkState returns the link to a page state, none when the state is bad.
func (c *CheckedStates) LinkState(state []byte) (PageLink, error) {
	if len(state) == 0 {
		return PageLink{}, nil
	}
	if err := c.checkState(state); err != nil {
		return PageLink{}, fmt.Errorf("page %w: %w", store.ErrLeftOut, err)
	}
	return PageLink{sha256.Sum256(state), state}, nil
}

// CheckedStates remembers which page states heal.ReadState can read: reading
// one costs milliseconds, and many tests see the same page.
type CheckedStates struct{ Verdicts sync.Map } // digest to error, nil when good

// checkState returns why a state is bad, nil for a good one or none.
func (c *CheckedStates) checkState(state []byte) error {
	if len(state) == 0 {
		return nil
	}
	if len(state) > heal.MaxStateBytes {
		return fmt.Errorf("%d bytes are more than the limit of %d", len(state), heal.MaxStateBytes)
	}
	sum := sha256.Sum256(state)
	if verdict, known := c.Verdicts.Load(sum); known {
		err, _ := verdict.(error)
		return err
	}
	_, err := heal.ReadState(state)
	c.Verdicts.Store(sum, err)
	return err
}
