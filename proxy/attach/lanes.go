package attach

import (
	"bytes"
	"errors"
	"strconv"
	"sync"

	"github.com/breadcrumb/action/proxy"
)

// A worker speaks over two connections, and says before what its tests say how much its
// Playwright had said by then: "after 7". lanes keep that order.
type lanes struct {
	mu    sync.Mutex
	more  *sync.Cond
	taken int  // messages of the driver that were received and dealt with
	ended bool // the driver says no more
}

// newLanes returns both connections of a worker.
func newLanes(client, driver *proxy.Pipe) (from, to proxy.Conn) {
	l := &lanes{}
	l.more = sync.NewCond(&l.mu)
	return &clientLane{client, l}, &driverLane{Pipe: driver, lanes: l}
}

// await waits until the driver's first n messages are dealt with.
func (l *lanes) await(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.taken < n && !l.ended {
		l.more.Wait()
	}
}

// note notes how many messages of the driver are dealt with, and whether it has ended.
func (l *lanes) note(taken int, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.ended = taken, ended
	l.more.Broadcast()
}

// clientLane is what the tests of a worker say.
type clientLane struct {
	*proxy.Pipe
	lanes *lanes
}

var afterPrefix = []byte("after ")

// Receive implements [proxy.Conn].
func (c *clientLane) Receive() ([]byte, error) {
	for {
		text, err := c.Pipe.Receive()
		n, order := readOrder(text)
		if err != nil || !order {
			return text, err
		}
		c.lanes.await(n)
	}
}

// readOrder returns how many messages the next one comes behind; false for a text that does
// not say that.
func readOrder(text []byte) (n int, ok bool) {
	number, ok := bytes.CutPrefix(text, afterPrefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(number))
	return n, err == nil && n >= 0
}

// driverLane is what a worker's Playwright says.
type driverLane struct {
	*proxy.Pipe
	lanes    *lanes
	received int
}

// Receive implements [proxy.Conn]. The message before is dealt with when the next one is
// asked for.
func (d *driverLane) Receive() ([]byte, error) {
	d.lanes.note(d.received, false)
	text, err := d.Pipe.Receive()
	d.received++
	if err != nil && !isTooLong(err) {
		d.lanes.note(d.received, true)
	}
	return text, err
}

func isTooLong(err error) bool {
	_, long := errors.AsType[*proxy.TooLong](err)
	return long
}
