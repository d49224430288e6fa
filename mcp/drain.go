package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Waiting for answers at the end of the input.
const (
	drainLook  = 10 * time.Millisecond // between two looks
	drainQuiet = time.Second           // without a tool at work: what is not answered by then never will be
)

// drain passes the messages of one client through and holds the end of its
// input back until every question has its answer. The protocol's library would
// drop those, and so a question that is piped in would never be answered.
type drain struct {
	ctx  context.Context
	busy func() bool // a tool is at work
	in   io.ReadCloser
	out  io.Writer

	line []byte // that in has begun

	closing sync.Once
	closed  chan struct{} // by the library, which has given the session up

	mu      sync.Mutex
	waiting map[string]bool // ids of questions without an answer
}

func newDrain(ctx context.Context, busy func() bool, in io.ReadCloser, out io.Writer) *drain {
	return &drain{ctx: ctx, busy: busy, in: in, out: out, closed: make(chan struct{}), waiting: map[string]bool{}}
}

// Read implements [io.Reader].
func (d *drain) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	d.line = append(d.line, p[:n]...)
	for {
		line, rest, ended := bytes.Cut(d.line, []byte("\n"))
		if !ended {
			break
		}
		d.asked(line)
		d.line = rest
	}
	if len(d.line) > maxMessage {
		d.line = nil // the library refuses it
	}
	if err != nil {
		d.asked(d.line)
		d.line = nil
		d.settle()
	}
	return n, err
}

// Write implements [io.Writer]. The library writes one message at a time.
func (d *drain) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.answered(p)
	return n, err
}

// Close implements [io.Closer] for the input.
func (d *drain) Close() error {
	d.closing.Do(func() { close(d.closed) })
	return d.in.Close()
}

func (d *drain) asked(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := messageIn(line)
	if id := m.id(); id != "" && m.Method != "" {
		d.waiting[id] = true
	}
}

func (d *drain) answered(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := messageIn(line); m.Method == "" {
		delete(d.waiting, m.id())
	}
}

func (d *drain) settled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting) == 0
}

// settle waits until no question is without an answer. Not every one gets an
// answer: a client may take it back or use an id twice.
func (d *drain) settle() {
	for quiet := time.Duration(0); quiet < drainQuiet && !d.settled(); quiet += drainLook {
		if d.busy() {
			quiet = 0
		}
		select {
		case <-time.After(drainLook):
		case <-d.closed:
			return
		case <-d.ctx.Done():
			return
		}
	}
}

// message is what tells questions and answers of JSON-RPC apart.
type message struct {
	ID     any    `json:"id"` // a text or a number, nil for none
	Method string `json:"method"`
}

// id returns the id as one text however it is written, "" for none.
func (m message) id() string {
	switch id := m.ID.(type) {
	case string:
		return "text " + id
	case float64:
		return fmt.Sprint("number ", id)
	}
	return ""
}

// messageIn returns the message of a line, the zero one where there is none. A
// list of messages is none: the protocol has given those up.
func messageIn(line []byte) message {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return message{}
	}
	return m
}
