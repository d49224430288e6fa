package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message of a client in bytes. A longer one ends the
// session, so that it is longer than any that a program sends by mistake.
const maxMessage = 16 << 20

// Stdio answers one client: messages come from in and answers go to out, one a
// line, and nothing else does. It returns nil when the client is gone, all its
// questions answered, or ctx is done, and a Problem when what it sends is no
// message of the protocol.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	session, end := context.WithCancel(ctx)
	defer end()
	busy := func() bool { return s.calls.Load() > 0 }
	d := &pendingStream{session: session, end: end, busy: busy, in: in, out: out, waiting: map[string]bool{}}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: d, Writer: unclosed{d}, MaxLineLength: maxMessage})
	if !isFault(ctx, err) {
		return nil
	}
	return Problem("the input is no session of the Model Context Protocol, which an assistant's program begins: " + err.Error())
}

// isFault reports whether a session ended in an error, not because either side
// closed it.
func isFault(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) && !errors.Is(err, sdk.ErrConnectionClosed)
}

// unclosed is an output that its owner closes.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }

// Waiting for responses at the end of the input.
const (
	pollInterval = 10 * time.Millisecond // between two checks
	idleLimit    = time.Second           // without a tool at work: what has no response by then never gets one
)

// pendingStream passes the messages of one client through and holds back the end
// of its input until every request has its response. The protocol's library ends
// the session at the end of the input, so a request that is piped in would never
// be answered.
type pendingStream struct {
	session context.Context
	end     func()      // of the session, which the library gives up
	busy    func() bool // whether a tool is at work
	in      io.ReadCloser
	out     io.Writer

	line []byte // the beginning of a line of in

	mu      sync.Mutex
	waiting map[string]bool // ids of requests without a response
}

// Read implements [io.Reader].
func (d *pendingStream) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	d.line = append(d.line, p[:n]...)
	for {
		line, rest, ended := bytes.Cut(d.line, []byte("\n"))
		if !ended {
			break
		}
		d.trackRequest(line)
		d.line = rest
	}
	if len(d.line) > maxMessage {
		d.line = nil // the library refuses it
	}
	if err != nil {
		d.trackRequest(d.line)
		d.line = nil
		d.awaitAnswers()
	}
	return n, err
}

// Write implements [io.Writer]. The library writes one message at a time.
func (d *pendingStream) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.trackResponse(p)
	return n, err
}

// Close implements [io.Closer] for the input.
func (d *pendingStream) Close() error {
	d.end()
	return d.in.Close()
}

func (d *pendingStream) trackRequest(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := parseMessage(line)
	if id := m.key(); id != "" && m.Method != "" {
		d.waiting[id] = true
	}
}

func (d *pendingStream) trackResponse(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := parseMessage(line); m.Method == "" {
		delete(d.waiting, m.key())
	}
}

func (d *pendingStream) allAnswered() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting) == 0
}

// awaitAnswers waits until every request has a response, or until no tool has been
// at work for a while: a client may cancel a request or use an id twice, and then
// there is none.
func (d *pendingStream) awaitAnswers() {
	for quiet := time.Duration(0); quiet < idleLimit && !d.allAnswered(); quiet += pollInterval {
		if d.busy() {
			quiet = 0
		}
		select {
		case <-time.After(pollInterval):
		case <-d.session.Done():
			return
		}
	}
}

// message is what tells requests from responses in JSON-RPC.
type message struct {
	ID     any    `json:"id"` // a text or a number, nil for none
	Method string `json:"method"`
}

// key returns the id as one text however it is written, "" for none.
func (m message) key() string {
	switch id := m.ID.(type) {
	case string:
		return "text " + id
	case float64:
		return fmt.Sprint("number ", id)
	}
	return ""
}

// parseMessage returns the message on a line, the zero one where there is none. A
// batch is none: the protocol has given batches up.
func parseMessage(line []byte) message {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return message{}
	}
	return m
}
