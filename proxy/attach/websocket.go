package attach

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/breadcrumb/action/proxy"
)

// maxMessage is how many bytes of a message are held; a longer one passes unread.
const maxMessage = 32 << 20

// socket is a WebSocket as a connection of Playwright's protocol.
type socket struct {
	ctx  context.Context
	conn *websocket.Conn

	other *socket // at the other side of the relay
	close sync.Once

	mu    sync.Mutex
	ended error // of Receive
}

// Receive implements [proxy.Conn].
func (s *socket) Receive() ([]byte, error) {
	_, body, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, s.end(err)
	}
	var message bytes.Buffer
	n, err := io.Copy(&message, io.LimitReader(body, maxMessage+1))
	switch {
	case err != nil:
		return nil, s.end(err)
	case n > maxMessage:
		return nil, &proxy.TooLong{Size: -1, Body: io.MultiReader(&message, body)}
	}
	return message.Bytes(), nil
}

// end keeps why nothing more is received. A side that closed in order has ended.
func (s *socket) end(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = err
	if websocket.CloseStatus(err) >= 0 {
		return errors.Join(io.EOF, err)
	}
	return err
}

// Send implements [proxy.Conn].
func (s *socket) Send(message []byte) error {
	kind := websocket.MessageText
	if !utf8.Valid(message) {
		kind = websocket.MessageBinary
	}
	return s.conn.Write(s.ctx, kind, message)
}

// SendStream sends a message without holding it.
func (s *socket) SendStream(_ int64, body io.Reader) error {
	w, err := s.conn.Writer(s.ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, body)
	return errors.Join(err, w.Close())
}

// Close implements [proxy.Conn].
func (s *socket) Close() error {
	s.close.Do(s.closeAlike)
	return nil // the other side may be gone, which is no fault
}

// closeAlike closes the connection as the other side closed its own, with the code and the
// reason that Playwright shows to the person.
func (s *socket) closeAlike() {
	s.other.mu.Lock()
	ended := s.other.ended
	s.other.mu.Unlock()
	said, ok := errors.AsType[websocket.CloseError](ended)
	switch {
	case !ok, said.Code == websocket.StatusNoStatusRcvd:
		_ = s.conn.Close(websocket.StatusNormalClosure, "")
	case said.Code == websocket.StatusAbnormalClosure:
		_ = s.conn.CloseNow()
	default:
		_ = s.conn.Close(said.Code, said.Reason)
	}
}

var _ proxy.Conn = (*socket)(nil)
