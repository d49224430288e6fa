// Package record keeps what tests learn and heal: in Breadcrumb's database and in
// a baseline of selfmend's, which other tests and processes write to as well.
package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// backend is one file that learned elements and heals are kept in between runs.
type backend interface {
	// load returns what was learned of a test's locators, up to the first that
	// nothing is known of.
	load(ctx context.Context, testID engine.TestID, locators []string) ([]heal.Learned, error)
	// onPage hands what all tests learned of the page at an address to choose, and returns
	// all that is known of what it returns.
	onPage(ctx context.Context, address string, choose func([]engine.Fingerprint) []engine.Fingerprint) ([]heal.Learned, error)
	// save adds to what is there, and returns an event for each locator that finds
	// another element than before; an error of kind errHopeless says that trying
	// again is no use.
	save(ctx context.Context, learned []heal.Learned, heals []engine.HealEvent, now time.Time) (drifts []engine.HealEvent, err error)
	// forget deletes learned elements and returns how many.
	forget(ctx context.Context, what Meant, now time.Time) (int, error)
}

var errHopeless = errors.New("it is not tried again")

// Bounds of what waits to be saved, and how long a test may wait for that.
const (
	maxPending = 20_000
	saveTime   = 60 * time.Second
)

// Files are the files that a recorder keeps what it knows in; "" is none. A baseline has
// the value of TestIDAttribute apart from the other attributes.
type Files struct{ Database, Baseline, TestIDAttribute string }

// Recorder writes for all tests of the process that share files. Tests that end
// while a save is under way share the next one.
type Recorder struct {
	queues []*queue
	report func(problem string)
}

// New returns the recorder of files. What goes wrong is reported and fails no test.
func New(f Files, report func(problem string)) *Recorder {
	r := &Recorder{report: report}
	add := func(b backend) {
		r.queues = append(r.queues, &queue{backend: b, learned: map[learnedKey]heal.Learned{}})
	}
	if f.Database != "" {
		add(database{f.Database})
	}
	if f.Baseline != "" {
		add(baselineFile{f.Baseline, f.TestIDAttribute})
	}
	return r
}

// Learn takes an element to be saved with the next flush.
func (r *Recorder) Learn(l heal.Learned) {
	for _, q := range r.queues {
		q.addLearned(l)
	}
}

// Heal takes an event to be saved with the next flush.
func (r *Recorder) Heal(e engine.HealEvent) {
	for _, q := range r.queues {
		q.addHeal(e)
	}
}

// Pending returns how many learned elements and heals wait to be saved.
func (r *Recorder) Pending() (n int) {
	for _, q := range r.queues {
		q.mu.Lock()
		n += len(q.learned) + len(q.heals)
		q.mu.Unlock()
	}
	return n
}

// Load returns what earlier runs learned of a test's locators, up to the first
// that nothing is known of, from the first file that knows any.
func (r *Recorder) Load(testID engine.TestID, locators []string) []heal.Learned {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	for _, q := range r.queues {
		known, err := q.backend.load(ctx, testID, locators)
		if err != nil {
			r.report("look up fingerprint: " + err.Error())
		}
		if len(known) > 0 {
			return known
		}
	}
	return nil
}

// OnPage hands what earlier runs learned of the page at an address that engine.PageAddress
// returned to choose, of all tests, and returns all that is known of what it returns. Each
// file is asked; no other process waits for it meanwhile.
func (r *Recorder) OnPage(ctx context.Context, address string, choose func([]engine.Fingerprint) []engine.Fingerprint) (all []heal.Learned, err error) {
	for _, q := range r.queues {
		known, problem := q.backend.onPage(ctx, address, choose)
		all, err = append(all, known...), errors.Join(err, problem)
	}
	return all, err
}

// Flush saves what waits. What cannot be saved now waits for the next time. It returns
// an event for each locator that finds another element than was learned of it.
func (r *Recorder) Flush(now time.Time, log *slog.Logger) (drifts []engine.HealEvent) {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	for _, q := range r.queues {
		found, err := q.flush(ctx, now)
		drifts = append(drifts, found...)
		if err != nil {
			log.Warn("crumb", "err", err)
			r.report(err.Error())
		}
	}
	return drifts
}

// Meant says which learned elements are meant.
type Meant struct {
	TestID  engine.TestID // "" for all tests
	Locator string        // Playwright's selector or a call, for all of its uses; "" for all locators
}

// names returns the names that the meant locator may be stored under, as it is written.
func (m Meant) names() []string {
	names := make([]string, heal.MaxOccurrences)
	for n := range names {
		names[n] = engine.StoredLocator(m.Locator, n)
	}
	return names
}

// Holds reports whether the name of a stored element is meant.
func (m Meant) Holds(name string) bool {
	return m.Locator == "" || slices.ContainsFunc(m.names(), func(n string) bool { return locator.SameStored(n, name) })
}

// Forget deletes learned elements, those that wait to be saved as well, and returns how
// many there were: of one that several files know the most.
func (r *Recorder) Forget(what Meant, now time.Time) (n int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	for _, q := range r.queues {
		forgotten, problem := q.forget(ctx, what, now)
		n, err = max(n, forgotten), errors.Join(err, problem)
	}
	return n, err
}

// learnedKey names what is learned: a test and a stored locator.
type learnedKey struct {
	test    engine.TestID
	locator string
}

// queue is one backend and what waits for it.
type queue struct {
	backend backend
	saving  sync.Mutex
	mu      sync.Mutex
	learned map[learnedKey]heal.Learned
	heals   []engine.HealEvent
	dropped int // beyond maxPending
}

func (q *queue) addLearned(l heal.Learned) {
	id := learnedKey{l.Fingerprint.TestID, l.Fingerprint.Locator}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.learned[id]; !known && len(q.learned) >= maxPending {
		q.dropped++
		return
	}
	q.learned[id] = l
}

// forget deletes what waits, and then what is saved, so that no save brings it back.
func (q *queue) forget(ctx context.Context, what Meant, now time.Time) (int, error) {
	q.saving.Lock()
	defer q.saving.Unlock()
	q.mu.Lock()
	waiting := len(q.learned)
	maps.DeleteFunc(q.learned, func(k learnedKey, _ heal.Learned) bool {
		return (what.TestID == "" || k.test == what.TestID) && what.Holds(k.locator)
	})
	waiting -= len(q.learned)
	q.mu.Unlock()
	saved, err := q.backend.forget(ctx, what, now)
	return max(waiting, saved), err
}

func (q *queue) addHeal(e engine.HealEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.heals) >= maxPending {
		q.dropped++
		return
	}
	q.heals = append(q.heals, e)
}

func (q *queue) flush(ctx context.Context, now time.Time) (drifts []engine.HealEvent, err error) {
	q.saving.Lock()
	defer q.saving.Unlock()
	q.mu.Lock()
	learned, heals, dropped := q.learned, q.heals, q.dropped
	q.learned, q.heals, q.dropped = map[learnedKey]heal.Learned{}, nil, 0
	q.mu.Unlock()
	if len(learned) == 0 && len(heals) == 0 {
		return nil, nil
	}
	drifts, err = q.backend.save(ctx, slices.Collect(maps.Values(learned)), heals, now)
	if err != nil && !errors.Is(err, errHopeless) {
		q.putBack(learned, heals)
		drifts = nil // they are found again
	}
	if dropped > 0 {
		err = errors.Join(err, fmt.Errorf("%d lessons and heals were left out: more than %d waited to be saved", dropped, maxPending))
	}
	return drifts, err
}

// putBack returns what was not saved. What came since is newer, so it wins.
func (q *queue) putBack(learned map[learnedKey]heal.Learned, heals []engine.HealEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.Copy(learned, q.learned)
	q.learned, q.heals = learned, append(heals, q.heals...)
}

// countSpace is left free behind an event, so that its line can be written again with
// a count in the same place.
const countSpace = len(`,"count":2147483647`)

// AppendEvent adds one line to a file that other tests and processes add to as
// well: opened for appending and written at once, so that lines never mix. A
// line that a killed process left unfinished is ended first. It returns the line
// for RewriteEvent.
func AppendEvent(path string, e any) ([]byte, error) {
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	line = append(line, bytes.Repeat([]byte(" "), countSpace)...)
	line = append(line, '\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	text := line
	if endsInLine(f) {
		text = append([]byte("\n"), line...)
	}
	_, err = f.Write(text)
	return line, errors.Join(err, f.Close())
}

// RewriteEvent writes an event over its own line in the file, with another count, and
// returns the new line. Where the line is no longer in the file nothing is written.
func RewriteEvent(path string, line []byte, e engine.HealEvent) ([]byte, error) {
	next, err := json.Marshal(e)
	if err != nil {
		return line, err
	}
	if len(next) >= len(line) {
		return line, fmt.Errorf("the event of %.80q has grown by more than its count", e.Locator)
	}
	next = append(next, bytes.Repeat([]byte(" "), len(line)-len(next)-1)...)
	next = append(next, '\n')
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return line, err
	}
	at := bytes.LastIndex(text, line)
	if at < 0 {
		return line, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return line, err
	}
	_, err = f.WriteAt(next, int64(at))
	return next, errors.Join(err, f.Close())
}

// endsInLine reports whether the last line of a file has no end.
func endsInLine(f *os.File) bool {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}
