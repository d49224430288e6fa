package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/proxy"
)

const (
	requestPause = 50 * time.Millisecond  // between two looks for the first request
	nextPause    = 200 * time.Millisecond // between two looks for another one: each takes the tests' time
	acceptPause  = 50 * time.Millisecond  // after a connection that could not be accepted, as without a free file
)

// server leads the calls of Playwright Test's workers. It listens when the first process of
// Playwright Test asks for it.
type server struct {
	folder  string
	secret  string // without which nobody is led
	reader  string // name of the selector engine that pages are read with
	options Options

	mu       sync.Mutex
	listener net.Listener
	names    map[string]bool // of the requests
	halves   map[string]half // that wait for the other one, by their pair
	relays   sync.WaitGroup
	count    int
	healed   bool               // something, in this run
	lanes    map[*lane]bool     // to the tests of the workers that are led
	saver    *proxy.Saver       // for all connections
	cancel   context.CancelFunc // ends the relays
	ctx      context.Context
}

// way is how the calls of a worker come here.
type way struct {
	Address string `json:"address"` // host and port
	Path    string `json:"path"`
	proxy.Followed
}

// answerRequests answers the requests that are put into the shared folder until the
// context ends.
func (s *server) answerRequests(ctx context.Context) {
	tick := time.NewTicker(requestPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.answerAll() > 0 {
				tick.Reset(nextPause)
			}
		}
	}
}

// requestName is the name of a request's file, which becomes part of an address.
var requestName = lazyregexp.New(`^([0-9a-z-]{1,64})\.request$`)

// answerAll answers the requests that are there, and returns how many those are.
func (s *server) answerAll() (answered int) {
	folder := filepath.Join(s.folder, requestsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		m := requestName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		answered++
		file := filepath.Join(folder, e.Name())
		var answer struct {
			Way   *way   `json:"way,omitempty"`
			Error string `json:"error,omitempty"`
		}
		if answer.Way, err = s.answer(m[1]); err != nil {
			answer.Error = err.Error()
		}
		content, err := json.Marshal(answer)
		if err == nil {
			err = replace.Write(filepath.Join(folder, m[1]+".answer"), m[1]+".*.tmp", func(w io.Writer) error {
				_, err := w.Write(content)
				return err
			})
		}
		if err = errors.Join(err, os.Remove(file)); err != nil {
			s.options.Log.Warn("answer Playwright Test", slog.Any("err", err))
		}
	}
	return answered
}

// answer returns the way for a request of a name.
func (s *server) answer(name string) (*way, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		if err := s.listen(); err != nil {
			return nil, err
		}
	}
	if s.names == nil {
		return nil, errors.New("breadcrumb run has ended")
	}
	s.names[name] = true
	return &way{s.listener.Addr().String(), s.secret + "/" + name, proxy.FollowedMessages(s.relayOptions(nil))}, nil
}

// readStart reads at most the first limit bytes of a file.
func readStart(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// listen starts to listen on the loopback alone; the caller holds the lock.
func (s *server) listen() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // asks no name server
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.listener, s.names, s.halves, s.lanes, s.saver = listener, map[string]bool{}, map[string]half{}, map[*lane]bool{}, proxy.NewSaver()
	go s.accept(listener)
	return nil
}

// accept takes connections until the listener is closed.
func (s *server) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			s.options.Log.Warn("accept a worker", slog.Any("err", err))
			time.Sleep(acceptPause)
			continue
		}
		go s.introduce(conn)
	}
}

// close stops to listen, gives the connections so long to end by themselves, ends them, and
// saves what their tests learned.
func (s *server) close(limit time.Duration) {
	s.mu.Lock()
	listener, halves, open := s.listener, s.halves, s.names != nil
	s.names, s.halves = nil, nil
	s.mu.Unlock()
	if !open {
		return
	}
	_ = listener.Close()
	for _, h := range halves {
		_ = h.conn.Close()
	}
	timer := time.AfterFunc(limit, s.cancel)
	s.relays.Wait()
	timer.Stop()
	s.cancel()
	s.saver.Close()
}

// connections returns how many connections were led.
func (s *server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// relay leads one worker until it ends.
func (s *server) relay(client, driver net.Conn) {
	defer s.relays.Done()
	whose := &tests{root: s.options.Folder}
	from, to := newLanes(proxy.NewPipe(client, client), proxy.NewPipe(driver, driver), whose.note)
	s.addLane(from)
	defer s.removeLane(from)
	err := proxy.Relay(s.ctx, from, to, s.relayOptions(whose.testOf))
	if err != nil {
		s.options.Log.Debug("a connection broke", slog.Any("err", err))
	}
}

func (s *server) relayOptions(testOf func(proxy.Call) proxy.Test) proxy.Options {
	return proxy.Options{Live: s.options.Live, Reader: s.reader, Trial: settingsOf(s.options.Trial).options(s.folder), TestOf: testOf, Saver: s.saver, Log: s.options.Log}
}

// healedText tells a worker that something is healed: from now on its calls come here first.
var healedText = []byte("healed")

// noteHealed tells all workers that something is healed.
func (s *server) noteHealed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.healed {
		return
	}
	s.healed = true
	for l := range s.lanes {
		_ = l.Send(healedText) // one that is gone makes no calls
	}
}

func (s *server) addLane(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes[l] = true
	if s.healed {
		_ = l.Send(healedText) // one that is gone makes no calls
	}
}

func (s *server) removeLane(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lanes, l)
}
