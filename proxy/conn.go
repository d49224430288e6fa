package proxy

import (
	"fmt"
	"io"
)

// Conn carries the messages of Playwright's protocol: each is one JSON text, without
// framing. Receive is called by one goroutine at a time, and so is Send; both may run at
// once, and Close at any time, which ends them.
type Conn interface {
	// Receive returns the next message, and io.EOF when the other side has ended. The
	// error is a *TooLong for a message that is not held in memory.
	Receive() ([]byte, error)
	// Send sends a message and keeps no reference to it.
	Send(message []byte) error
	Close() error
}

// streamSender is a Conn that can send a message without holding it in memory.
type streamSender interface {
	// SendStream sends a message of so many bytes, -1 where that is not known.
	SendStream(size int64, body io.Reader) error
}

// closeWriter is a Conn whose sending side can be closed alone. The other side then ends
// by itself.
type closeWriter interface{ CloseWrite() error }

// TooLong is the error of Receive for a message that is longer than a connection holds
// in memory. Its body is to be read to the end before the next message is received.
type TooLong struct {
	Size int64 // in bytes; -1 where the framing does not say
	Body io.Reader
}

func (e *TooLong) Error() string { return fmt.Sprintf("a message of %d bytes is too long", e.Size) }
