package mcp

import (
	"context"
	"errors"
	"io"

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
	d := newDrain(ctx, func() bool { return s.calls.Load() > 0 }, in, out)
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: d, Writer: unclosed{d}, MaxLineLength: maxMessage})
	if !faulty(ctx, err) {
		return nil
	}
	return Problem("the input is no session of the Model Context Protocol, which an assistant's program begins: " + err.Error())
}

// faulty reports whether a session ended otherwise than by either side's leave.
func faulty(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) && !errors.Is(err, sdk.ErrConnectionClosed)
}

// unclosed is an output that belongs to someone else.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }
