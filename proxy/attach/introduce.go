package attach

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Bounds of what a connection says first.
const (
	introductionTime = 10 * time.Second
	maxIntroduction  = 4 << 10 // bytes
)

// introduction is what a connection says first. A worker has two of the same pair: one for
// what its tests say and one for what its Playwright says.
type introduction struct {
	Path string `json:"path"`
	Pair string `json:"pair"`
	Side side   `json:"side"`
}

// side is who speaks in a connection.
type side string

const (
	clientSide side = "client"
	driverSide side = "driver"
)

// half is a connection whose other one is still to come.
type half struct {
	side side
	conn net.Conn
}

// readIntroduction reads what a connection says first. It closes one that says nothing.
func readIntroduction(conn net.Conn) (who introduction, err error) {
	late := time.AfterFunc(introductionTime, func() { _ = conn.Close() })
	defer late.Stop()
	var size uint32
	if err := binary.Read(conn, binary.LittleEndian, &size); err != nil {
		return who, err
	}
	if size > maxIntroduction {
		return who, fmt.Errorf("it introduces itself with %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(conn, text); err != nil {
		return who, err
	}
	err = json.Unmarshal(text, &who)
	switch {
	case err != nil:
	case who.Side != clientSide && who.Side != driverSide:
		err = errors.New("it does not say who speaks")
	}
	return who, err
}

// introduce leads a worker of which both connections are there. Who does not know the
// secret gets no answer.
func (s *server) introduce(conn net.Conn) {
	who, err := readIntroduction(conn)
	name, knows := strings.CutPrefix(who.Path, s.secret+"/")
	if err != nil || !knows {
		_ = conn.Close()
		return
	}
	client, driver, waits := s.join(name, who, conn)
	switch {
	case waits:
	case client == nil:
		_ = conn.Close()
	default:
		s.relay(client, driver)
	}
}

// join returns the two connections of a worker, none where the other one is still to come.
func (s *server) join(name string, who introduction, conn net.Conn) (client, driver net.Conn, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.names[name] {
		return nil, nil, false
	}
	other, there := s.halves[who.Pair]
	if !there {
		s.halves[who.Pair] = half{who.Side, conn}
		return nil, nil, true
	}
	if other.side == who.Side {
		return nil, nil, false
	}
	delete(s.halves, who.Pair)
	s.count++
	s.relays.Add(1)
	if who.Side == clientSide {
		return conn, other.conn, false
	}
	return other.conn, conn, false
}
