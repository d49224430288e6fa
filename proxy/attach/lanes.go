package attach

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/breadcrumb/action/proxy"
)

// What a worker says beside messages, as the beginning of a text.
var (
	afterPrefix = []byte("after ") // how many messages of its other lane come before the next one
	copyPrefix  = []byte("copy ")  // a message that has been passed on already
	testPrefix  = []byte("test ")  // the test that makes the calls from now on
)

// lane is one of the two connections of a worker: what its tests say, or its Playwright.
type lane struct {
	*proxy.Pipe
	dealt, other *progress
	copies, back *copies // of what is said in this lane, and of what it is told
	tellTest     func(test []byte)
	received     int
	sending      sync.Mutex
}

// newLanes returns both connections of a worker, which keep their common order. tellTest is
// told which test makes its calls, as JSON.
func newLanes(client, driver *proxy.Pipe, tellTest func(test []byte)) (from, to *lane) {
	c := &lane{Pipe: client, dealt: newProgress(), copies: newCopies(), tellTest: tellTest}
	d := &lane{Pipe: driver, dealt: newProgress(), copies: newCopies(), tellTest: tellTest}
	c.other, c.back, d.other, d.back = d.dealt, d.copies, c.dealt, c.copies
	return c, d
}

// Receive implements [proxy.Conn]. The message before is dealt with when the next one is
// asked for.
func (l *lane) Receive() ([]byte, error) {
	l.dealt.note(l.received, false)
	for {
		text, err := l.Pipe.Receive()
		if long, ok := errors.AsType[*proxy.TooLong](err); ok {
			if err = dropCopy(long); err == nil {
				l.received++
				l.dealt.note(l.received, false)
				continue
			}
		}
		if err != nil {
			l.received++
			l.dealt.note(l.received-1, !isTooLong(err))
			return text, err
		}
		if n, order := readOrder(text); order {
			l.other.await(n)
		} else if test, told := bytes.CutPrefix(text, testPrefix); told {
			l.tellTest(test)
		} else {
			l.received++
			return l.copies.read(text), nil
		}
	}
}

// Send implements [proxy.Conn].
func (l *lane) Send(message []byte) error {
	if l.back.take(message) {
		return nil
	}
	l.sending.Lock()
	defer l.sending.Unlock()
	return l.Pipe.Send(message)
}

// SendStream sends a message of a known size.
func (l *lane) SendStream(size int64, body io.Reader) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	return l.Pipe.SendStream(size, body)
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

func isTooLong(err error) bool {
	_, long := errors.AsType[*proxy.TooLong](err)
	return long
}

// dropCopy reads a message that is too long to hold where it is a copy, which nobody misses.
// For any other it returns what is to be received.
func dropCopy(long *proxy.TooLong) error {
	head := make([]byte, len(copyPrefix))
	if _, err := io.ReadFull(long.Body, head); err != nil {
		return err
	}
	if !bytes.Equal(head, copyPrefix) {
		return &proxy.TooLong{Size: long.Size, Body: io.MultiReader(bytes.NewReader(head), long.Body)}
	}
	_, err := io.Copy(io.Discard, long.Body)
	return err
}

// progress is how many messages of a lane were received and dealt with.
type progress struct {
	mu    sync.Mutex
	more  *sync.Cond
	taken int
	ended bool // no more come
}

func newProgress() *progress {
	p := &progress{}
	p.more = sync.NewCond(&p.mu)
	return p
}

// await waits until the first n messages are dealt with.
func (p *progress) await(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.taken < n && !p.ended {
		p.more.Wait()
	}
}

func (p *progress) note(taken int, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken, p.ended = taken, ended
	p.more.Broadcast()
}

// copies are messages that their reader has already.
type copies struct {
	mu   sync.Mutex
	left map[string]int // by their text
}

func newCopies() *copies { return &copies{left: map[string]int{}} }

// read returns the message of a text, and notes it where it is a copy.
func (c *copies) read(text []byte) []byte {
	message, copied := bytes.CutPrefix(text, copyPrefix)
	if !copied {
		return text
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left[string(message)]++
	return message
}

// take reports whether a message is a copy, once for each.
func (c *copies) take(message []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.left[string(message)]
	if n > 1 {
		c.left[string(message)]--
	} else {
		delete(c.left, string(message))
	}
	return n > 0
}
