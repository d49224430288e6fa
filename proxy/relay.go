package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// Options say how a connection learns and heals. The zero value heals live and keeps
// what it learns in the default database, as [live.Options] says.
type Options struct {
	// Live is how elements are learned and healed. Its TestID is not used.
	Live live.Options
	// TestOf says which test makes a call; nil is nobody. It is called for every call
	// that can be learned or healed, on a goroutine of the call's own, and the call waits
	// for its answer.
	TestOf func(Call) Test
	// Reader names the selector engine that pages are read with, which no page may guess. A
	// worker that knows it registers it and asks it itself; "" is for one that nobody else knows.
	Reader string
	// Trial tries edited locators in the place of healing; nil for none.
	Trial *Trial
	// Saver saves what the tests of several connections learned. It is to be closed when they
	// have ended. With nil, a connection saves for itself, and what is left when it ends.
	Saver *Saver
	// Log is told of the proxy's own faults, once for a connection; nil is nobody.
	Log *slog.Logger
}

// Call is a call that a client makes on an element.
type Call struct {
	Method string // as in Playwright's protocol, such as "click", "fill", "expect"
	// API is the call as the binding names it, such as "locator.click"; "" where it
	// does not say.
	API     string
	StepID  string       // of Playwright Test's step, "" where there is none
	Site    *engine.Site // where the call stands, as the binding tells it; nil where it does not
	Context string       // guid of the browser context
	Page    string       // guid of the page
}

// Test is the test that makes a call.
type Test struct {
	ID string // as in the reports; "" is not known
	// Site is where the locator is written, nil for the call's own.
	Site *engine.Site
	// Deadline is when the test itself runs out of time. The zero time is not known.
	Deadline time.Time
}

// Times that an end may take.
const (
	drainTime = 10 * time.Second // for a driver whose client has ended
	graceTime = 2 * time.Second  // for what a side was doing when the other one ended
)

// Relay passes all messages between a client and a driver, and heals in between. It
// returns when one of them has ended, with both connections closed, and what was learned is
// saved or given to the Saver of the options. The error is nil when a side ended between two
// messages.
func Relay(ctx context.Context, client, driver Conn, o Options) error {
	r := newRelay(client, driver, o)
	stop := context.AfterFunc(ctx, func() { _, _ = client.Close(), driver.Close() })
	defer stop()
	return r.run()
}

func newRelay(client, driver Conn, o Options) *relay {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &relay{client: client, driver: driver, options: o, objects: &objects{known: map[string]*object{}}, calls: map[string]*call{}, tests: map[string]openTest{}, opened: map[string]*live.Test{}, learning: map[string]int{}}
	r.learned = sync.NewCond(&r.mu)
	r.questions = &questions{secret: "breadcrumb-" + rand.Text() + "-", open: map[string]question{}}
	r.screen = &screen{own: map[string]bool{}}
	r.trial, r.reader, r.saver = newTrial(o.Trial), newReader(o), o.Saver
	if r.saver == nil {
		r.saver = NewSaver()
	}
	return r
}

func newTrial(t *Trial) *trial {
	if t == nil {
		return nil
	}
	own := &trial{Trial: *t, affected: map[string]bool{}}
	for _, target := range t.Targets {
		own.selectors = append(own.selectors, sameForm(target.Selector))
	}
	return own
}

// relay is one connection between a client and a driver.
type relay struct {
	client, driver         Conn
	clientSend, driverSend sync.Mutex
	options                Options

	objects   *objects
	questions *questions
	screen    *screen
	trial     *trial  // nil for none
	reader    *reader // nil where nothing is learned
	saver     *Saver

	mu     sync.Mutex
	calls  map[string]*call      // that the driver has not answered, by the JSON text of the id
	tests  map[string]openTest   // by the guid of the page that they used last
	opened map[string]*live.Test // the first one, by the attribute for test ids
	ended  bool
	// learning counts the calls that are answered and have not ended, by the guid of the
	// page; learned is told of each that ends.
	learning map[string]int
	learned  *sync.Cond

	work       sync.WaitGroup // calls, and tests that leave a page
	passive    atomic.Bool    // after a fault: everything passes
	clientGone atomic.Bool
}

func (r *relay) run() error {
	fromClient, fromDriver := make(chan error, 1), make(chan error, 1)
	go func() { fromClient <- r.passAll(r.client, r.takeFromClient, r.driver, r.toDriver) }()
	go func() { fromDriver <- r.passAll(r.driver, r.takeFromDriver, r.client, r.toClient) }()
	var err error
	select {
	case err = <-fromDriver:
		_, _ = r.client.Close(), r.driver.Close()
		r.end()
		waitFor(fromClient, graceTime) // a terminal's input cannot be closed while it is read
	case err = <-fromClient:
		r.clientGone.Store(true)
		if c, ok := r.driver.(closeWriter); ok && c.CloseWrite() == nil {
			waitFor(fromDriver, drainTime)
		}
		_, _ = r.client.Close(), r.driver.Close()
		r.end()
		waitFor(fromDriver, graceTime)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

func waitFor(end chan error, limit time.Duration) {
	select {
	case err := <-end:
		end <- err // for who waits next
	case <-time.After(limit):
	}
}

// end ends every call that waits, and has what was learned saved.
func (r *relay) end() {
	r.questions.end()
	r.mu.Lock()
	r.ended = true
	for id, c := range r.calls {
		delete(r.calls, id)
		c.answers <- answer{passed: true}
	}
	r.mu.Unlock()
	r.work.Wait()
	r.mu.Lock()
	for page, t := range r.tests {
		delete(r.tests, page)
		r.work.Go(func() { r.closeTest(t.Test, page) })
	}
	r.mu.Unlock()
	r.work.Wait()
	if r.options.Saver == nil {
		r.saver.Close()
	}
}

// passAll passes the messages of a side until one of both ends. What is sent on for each
// message says take.
func (r *relay) passAll(from Conn, take func(text []byte) [][]byte, to Conn, send func([]byte) error) error {
	for {
		text, err := from.Receive()
		var long *TooLong
		switch {
		case errors.As(err, &long):
			err = r.passLong(from, long, to)
		case err == nil:
			for _, next := range r.tryToTake(text, take) {
				err = errors.Join(err, send(next))
			}
		}
		if err != nil {
			return err
		}
	}
}

// tryToTake returns what is sent on for a message: the message alone when the proxy has a
// fault of its own.
func (r *relay) tryToTake(text []byte, take func([]byte) [][]byte) (out [][]byte) {
	defer func() {
		if fault := recover(); fault != nil {
			r.noteFault(fmt.Errorf("read a message: %v", fault))
			out = [][]byte{text}
		}
	}()
	return take(text)
}

// noteFault tells of a fault of the proxy's own, and from now on everything passes.
func (r *relay) noteFault(err error) {
	if r.passive.CompareAndSwap(false, true) {
		r.options.Log.Error("breadcrumb stops healing on this connection; the run goes on without it", "err", err)
	}
}

func (r *relay) toClient(text []byte) error {
	if r.clientGone.Load() {
		return nil // the driver's last words
	}
	r.clientSend.Lock()
	defer r.clientSend.Unlock()
	return r.client.Send(text)
}

func (r *relay) toDriver(text []byte) error {
	r.driverSend.Lock()
	defer r.driverSend.Unlock()
	return r.driver.Send(text)
}
