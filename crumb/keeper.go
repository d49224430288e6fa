package crumb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
)

// memory keeps lessons and heals between runs.
type memory interface {
	// load returns what was learned of a test's locators, up to the first that
	// nothing is known of.
	load(ctx context.Context, testID string, locators []string) ([]lesson, error)
	// save adds to what is there; an error of kind errHopeless says that
	// trying again is no use.
	save(ctx context.Context, learned []lesson, heals []engine.HealEvent, now time.Time) error
}

var errHopeless = errors.New("it is not tried again")

// Bounds of what waits to be saved, and how long a test may wait for that.
const (
	maxPending = 20_000
	saveTime   = 60 * time.Second
)

// keeper writes for all tests of the process that share files. Tests that end
// while a save is under way share the next one.
type keeper struct {
	memories []*pending
	trouble  func(string)
}

// pending is one memory and what waits for it.
type pending struct {
	memory  memory
	saving  sync.Mutex
	mu      sync.Mutex
	lessons map[[2]string]lesson // by test id and stored locator
	heals   []engine.HealEvent
	lost    int // beyond maxPending
}

func newKeeper(f files, trouble func(string)) *keeper {
	k := &keeper{trouble: trouble}
	if f.db != "" {
		k.memories = append(k.memories, &pending{memory: database{f.db}, lessons: map[[2]string]lesson{}})
	}
	if f.baseline != "" {
		k.memories = append(k.memories, &pending{memory: baselineFile{f.baseline}, lessons: map[[2]string]lesson{}})
	}
	return k
}

// learn takes a lesson to be saved with the next flush.
func (k *keeper) learn(l lesson) {
	for _, p := range k.memories {
		p.add([]lesson{l}, nil)
	}
}

// record takes an event to be saved with the next flush.
func (k *keeper) record(e engine.HealEvent) {
	for _, p := range k.memories {
		p.add(nil, []engine.HealEvent{e})
	}
}

// recall returns what earlier runs learned of a test's locators, up to the first
// that nothing is known of, from the first memory that knows any.
func (k *keeper) recall(testID string, locators []string) []lesson {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	for _, p := range k.memories {
		known, err := p.memory.load(ctx, testID, locators)
		if err != nil {
			k.trouble("look up fingerprint: " + err.Error())
		}
		if len(known) > 0 {
			return known
		}
	}
	return nil
}

// flush saves what waits. What cannot be saved now waits for the next time.
func (k *keeper) flush(o Options) {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	for _, p := range k.memories {
		if err := p.flush(ctx, o.Now()); err != nil {
			o.Log.Warn("crumb", "err", err)
			k.trouble(err.Error())
		}
	}
}

func (p *pending) add(learned []lesson, heals []engine.HealEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range learned {
		id := [2]string{l.fingerprint.TestID, l.fingerprint.Locator}
		if _, known := p.lessons[id]; !known && len(p.lessons) >= maxPending {
			p.lost++
			continue
		}
		p.lessons[id] = l
	}
	room := maxPending - len(p.heals)
	p.lost += max(0, len(heals)-room)
	p.heals = append(p.heals, heals[:max(0, min(room, len(heals)))]...)
}

// take empties p.
func (p *pending) take() (learned []lesson, heals []engine.HealEvent, lost int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lessons {
		learned = append(learned, l)
	}
	heals, lost = p.heals, p.lost
	clear(p.lessons)
	p.heals, p.lost = nil, 0
	return learned, heals, lost
}

func (p *pending) flush(ctx context.Context, now time.Time) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	learned, heals, lost := p.take()
	if len(learned) == 0 && len(heals) == 0 {
		return nil
	}
	err := p.memory.save(ctx, learned, heals, now)
	if err != nil && !errors.Is(err, errHopeless) {
		p.putBack(learned, heals)
	}
	if lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d lessons and heals were left out: more than %d waited to be saved", lost, maxPending))
	}
	return err
}

// putBack returns what was not saved, behind what came since.
func (p *pending) putBack(learned []lesson, heals []engine.HealEvent) {
	p.mu.Lock()
	newer := p.lessons
	p.lessons = map[[2]string]lesson{}
	for _, l := range learned {
		p.lessons[[2]string{l.fingerprint.TestID, l.fingerprint.Locator}] = l
	}
	for id, l := range newer {
		p.lessons[id] = l
	}
	p.heals = append(heals, p.heals...)
	p.mu.Unlock()
}
