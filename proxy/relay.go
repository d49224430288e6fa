package proxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
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

// drainTime is how long a driver has to end when its client has ended.
const drainTime = 10 * time.Second

// Relay passes all messages between a client and a driver, and heals in between. It
// returns when one of them has ended and what was learned is saved, with both connections
// closed. The error is nil when a side ended between two messages.
func Relay(ctx context.Context, client, driver Conn, o Options) error {
	r := &relay{client: client, driver: driver}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _, _ = client.Close(), driver.Close() })
	defer stop()
	return r.run()
}

// relay is one connection between a client and a driver.
type relay struct {
	client, driver Conn
}

func (r *relay) run() error {
	fromClient, fromDriver := make(chan error, 1), make(chan error, 1)
	var both sync.WaitGroup
	both.Go(func() { fromClient <- pass(r.client, r.driver) })
	both.Go(func() { fromDriver <- pass(r.driver, r.client) })
	var err error
	select {
	case err = <-fromDriver:
	case err = <-fromClient:
		if c, ok := r.driver.(closeWriter); ok && c.CloseWrite() == nil {
			select {
			case <-fromDriver:
			case <-time.After(drainTime):
			}
		}
	}
	_, _ = r.client.Close(), r.driver.Close()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// pass passes messages until a side ends.
func pass(from, to Conn) error {
	for {
		message, err := from.Receive()
		var long *TooLong
		switch {
		case errors.As(err, &long):
			err = sendStream(to, long)
		case err == nil:
			err = to.Send(message)
		}
		if err != nil {
			return err
		}
	}
}
