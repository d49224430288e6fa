package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// drainTimeout is how long the end of the input waits for answers.
const drainTimeout = 30 * time.Second

// drain passes the messages of one client through and holds the end of its
// input back until every question has its answer. The protocol's library would
// drop those, and so a question that is piped in would never be answered.
type drain struct {
	ctx context.Context
	in  io.ReadCloser
	out io.Writer

	line []byte // that in has begun

	mu      sync.Mutex
	waiting int           // questions without an answer
	idle    chan struct{} // closed by the last answer; nil: nobody waits for it
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
		d.count(questionsIn(line))
		d.line = rest
	}
	if len(d.line) > maxMessage {
		d.line = nil // the library refuses it
	}
	if err != nil {
		d.count(questionsIn(d.line))
		d.line = nil
		d.settle()
	}
	return n, err
}

// Write implements [io.Writer]. The library writes one message at a time.
func (d *drain) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.count(-answersIn(p))
	return n, err
}

// Close implements [io.Closer] for the input.
func (d *drain) Close() error { return d.in.Close() }

func (d *drain) count(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting += n
	if d.waiting <= 0 && d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
}

// settle waits until no question is without an answer.
func (d *drain) settle() {
	d.mu.Lock()
	if d.waiting <= 0 {
		d.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	d.idle = idle
	d.mu.Unlock()
	select {
	case <-idle:
	case <-d.ctx.Done():
	case <-time.After(drainTimeout):
	}
}

// message is what tells questions and answers of JSON-RPC apart.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func questionsIn(line []byte) int {
	return countMessages(line, func(m message) bool { return len(m.ID) > 0 && m.Method != "" })
}

func answersIn(line []byte) int {
	return countMessages(line, func(m message) bool { return len(m.ID) > 0 && m.Method == "" })
}

func countMessages(line []byte, is func(message) bool) (n int) {
	line = bytes.TrimSpace(line)
	var all []message
	if bytes.HasPrefix(line, []byte("[")) {
		if json.Unmarshal(line, &all) != nil {
			return 0
		}
	} else {
		var one message
		if json.Unmarshal(line, &one) != nil {
			return 0
		}
		all = []message{one}
	}
	for _, m := range all {
		if is(m) {
			n++
		}
	}
	return n
}
