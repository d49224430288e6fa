package proxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is held of messages.
const (
	maxMessage = 32 << 20 // bytes of one that is read; a longer one passes unread
	smallWrite = 64 << 10 // bytes that are sent in one write with their length
)

// Pipe is the connection that a binding has with the driver it started: over standard
// input and output, each message behind its length in 4 bytes, little-endian
// (packages/playwright-core/src/server/pipeTransport.ts).
type Pipe struct {
	in      *bufio.Reader
	out     io.Writer
	closers []io.Closer // of in and out, as far as they can be closed
	buffer  []byte      // of small messages to send
}

var (
	_ Conn         = (*Pipe)(nil)
	_ streamSender = (*Pipe)(nil)
	_ closeWriter  = (*Pipe)(nil)
)

// NewPipe returns the connection that reads from in and writes to out. Close closes both
// where they can be closed.
func NewPipe(in io.Reader, out io.Writer) *Pipe {
	p := &Pipe{in: bufio.NewReaderSize(in, smallWrite), out: out}
	for _, end := range []any{out, in} {
		if c, ok := end.(io.Closer); ok {
			p.closers = append(p.closers, c)
		}
	}
	return p
}

// Receive returns the next message. One that is cut off is an error of kind
// io.ErrUnexpectedEOF.
func (p *Pipe) Receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size > maxMessage {
		return nil, &TooLong{Size: size, Body: io.LimitReader(p.in, size)}
	}
	var message []byte
	for read := int64(0); read < size; read = int64(len(message)) {
		grown := make([]byte, min(size, max(1<<20, 2*read))) // a length alone takes no memory
		copy(grown, message)
		if _, err := io.ReadFull(p.in, grown[read:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		message = grown
	}
	return message, nil
}

// Send sends a message.
func (p *Pipe) Send(message []byte) error {
	if int64(len(message)) > 1<<32-1 {
		return fmt.Errorf("send %d bytes: the length has no room in 4 bytes", len(message))
	}
	p.buffer = binary.LittleEndian.AppendUint32(p.buffer[:0], uint32(len(message))) //nolint:gosec // fits, as is checked above
	if len(message) <= smallWrite {
		p.buffer = append(p.buffer, message...)
		_, err := p.out.Write(p.buffer)
		return err
	}
	if _, err := p.out.Write(p.buffer); err != nil {
		return err
	}
	_, err := p.out.Write(message)
	return err
}

// SendStream sends a message of a known size.
func (p *Pipe) SendStream(size int64, body io.Reader) error {
	if size < 0 || size > 1<<32-1 {
		return fmt.Errorf("send a message of %d bytes: the length has no room in 4 bytes", size)
	}
	if _, err := p.out.Write(binary.LittleEndian.AppendUint32(nil, uint32(size))); err != nil {
		return err
	}
	n, err := io.Copy(p.out, body)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// CloseWrite closes the writer, where it can be closed.
func (p *Pipe) CloseWrite() error {
	if c, ok := p.out.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Close closes writer and reader, where they can be closed.
func (p *Pipe) Close() error {
	var problems []error
	for _, c := range p.closers {
		problems = append(problems, c.Close())
	}
	return errors.Join(problems...)
}
