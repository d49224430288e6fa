package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/selfmend"
	"github.com/breadcrumb/action/internal/replace"
)

// baselineFile is a baseline of selfmend's. What other processes put there is kept:
// the file is read again for every save, under a lock beside it, and replaced
// whole.
type baselineFile struct{ path, testIDAttribute string }

const baselineRetry = 20 * time.Millisecond

func (b baselineFile) load(_ context.Context, testID engine.TestID, locators []string) (known []heal.Learned, err error) {
	baseline, err := b.read()
	if err != nil {
		return nil, err
	}
	for _, locator := range locators {
		f, ok := baseline.Fingerprint(string(testID), locator)
		if !ok {
			break
		}
		known = append(known, heal.Learned{Fingerprint: f})
	}
	return known, nil
}

func (b baselineFile) save(ctx context.Context, learned []heal.Learned, _ []engine.HealEvent, _ time.Time) ([]engine.HealEvent, error) {
	if len(learned) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o777); err != nil {
		return nil, fmt.Errorf("save baseline: %w", err)
	}
	lock := flock.New(b.path + ".lock")
	if held, err := lock.TryLockContext(ctx, baselineRetry); !held {
		return nil, fmt.Errorf("lock baseline: %w", err)
	}
	err := b.merge(learned)
	return nil, errors.Join(err, lock.Close())
}

func (b baselineFile) merge(learned []heal.Learned) error {
	baseline, err := b.read()
	if err != nil {
		return fmt.Errorf("%w; %w", err, errHopeless)
	}
	for _, l := range learned {
		if err := baseline.Put(l.Fingerprint); err != nil {
			return fmt.Errorf("save baseline: %w; %w", err, errHopeless)
		}
	}
	if err := replace.Write(b.path, filepath.Base(b.path)+".*.tmp", baseline.Write); err != nil {
		return fmt.Errorf("save baseline: %w", err)
	}
	return nil
}

func (b baselineFile) read() (*selfmend.Baseline, error) {
	f, err := os.Open(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &selfmend.Baseline{TestIDAttribute: b.testIDAttribute}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	baseline, err := selfmend.ReadBaseline(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", b.path, err), f.Close())
	}
	baseline.TestIDAttribute = b.testIDAttribute
	return baseline, f.Close()
}
