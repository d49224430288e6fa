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

// onPage returns nothing: a baseline does not say which page an element is on.
func (b baselineFile) onPage(context.Context, string, func([]engine.Fingerprint) []engine.Fingerprint) ([]heal.Learned, error) {
	return nil, nil
}

func (b baselineFile) save(ctx context.Context, learned []heal.Learned, _ []engine.HealEvent, _ time.Time) ([]engine.HealEvent, error) {
	if len(learned) == 0 {
		return nil, nil
	}
	return nil, b.change(ctx, "save", func(baseline *selfmend.Baseline) (bool, error) {
		for _, l := range learned {
			if err := baseline.Put(l.Fingerprint); err != nil {
				return false, fmt.Errorf("save baseline: %w; %w", err, errHopeless)
			}
		}
		return true, nil
	})
}

func (b baselineFile) forget(ctx context.Context, what Meant, _ time.Time) (n int, err error) {
	if _, err := os.Stat(b.path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	err = b.change(ctx, "forget in", func(baseline *selfmend.Baseline) (bool, error) {
		if what.Locator == "" {
			n = baseline.Forget(string(what.TestID), "")
			return n > 0, nil
		}
		for _, name := range what.names() {
			n += baseline.Forget(string(what.TestID), name)
		}
		return n > 0, nil
	})
	return n, err
}

// change reads the baseline, has it changed, and replaces the file when change says so,
// under the lock.
func (b baselineFile) change(ctx context.Context, operation string, change func(*selfmend.Baseline) (bool, error)) error {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o777); err != nil {
		return fmt.Errorf("%s baseline: %w", operation, err)
	}
	lock := flock.New(b.path + ".lock")
	if held, err := lock.TryLockContext(ctx, baselineRetry); !held {
		return fmt.Errorf("lock baseline: %w", err)
	}
	return errors.Join(b.changeLocked(operation, change), lock.Close())
}

func (b baselineFile) changeLocked(operation string, change func(*selfmend.Baseline) (bool, error)) error {
	baseline, err := b.read()
	if err != nil {
		return fmt.Errorf("%w; %w", err, errHopeless)
	}
	if changed, err := change(baseline); err != nil || !changed {
		return err
	}
	if err := replace.Write(b.path, filepath.Base(b.path)+".*.tmp", baseline.Write); err != nil {
		return fmt.Errorf("%s baseline: %w", operation, err)
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
