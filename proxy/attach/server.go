package attach

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/proxy"
)

// requestPause is how often requests are looked for.
const requestPause = 50 * time.Millisecond

// server leads connections of Playwright Test to the servers of the projects' own
// Playwrights. It listens when the first of them asks for an address.
type server struct {
	folder  string
	secret  string // in the path of every address
	options Options

	mu       sync.Mutex
	http     *http.Server
	listener net.Listener
	names    map[string]bool // of the requests
	relays   sync.WaitGroup
	count    int
	cancel   context.CancelFunc // ends the relays
	ctx      context.Context
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
			s.answerAll()
		}
	}
}

// requestName is the name of a request's file, which becomes part of an address.
var requestName = lazyregexp.New(`^([0-9a-z-]{1,64})\.request$`)

func (s *server) answerAll() {
	folder := filepath.Join(s.folder, requestsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		m := requestName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		file := filepath.Join(folder, e.Name())
		var answer struct {
			Address string `json:"address,omitempty"`
			Error   string `json:"error,omitempty"`
		}
		if answer.Address, err = s.answer(m[1]); err != nil {
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
}

// answer returns the address that leads to the server of a request's name.
func (s *server) answer(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		if err := s.listen(); err != nil {
			return "", err
		}
	}
	s.names[name] = true
	return fmt.Sprintf("ws://%s/%s/%s", s.listener.Addr(), s.secret, name), nil
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
	s.listener, s.names = listener, map[string]bool{}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 30 * time.Second, MaxHeaderBytes: 8 << 20, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn)}
	go func() { _ = s.http.Serve(listener) }() // its error is that it was closed
	return nil
}

// close stops to listen, gives the connections so long to end by themselves, and ends
// them.
func (s *server) close(limit time.Duration) {
	s.mu.Lock()
	server, cancel := s.http, s.cancel
	s.mu.Unlock()
	if server == nil {
		return
	}
	_ = server.Close() // what is a WebSocket by now goes on
	timer := time.AfterFunc(limit, cancel)
	s.relays.Wait()
	timer.Stop()
	cancel()
}

// connections returns how many connections were led.
func (s *server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// find returns the name of the server that a path leads to, "" for none.
func (s *server) find(path string) (name string) {
	name, found := strings.CutPrefix(path, "/"+s.secret+"/")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !found || !s.names[name] {
		return ""
	}
	s.count++
	s.relays.Add(1)
	return name
}

// ServeHTTP connects a worker of Playwright Test.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := s.find(r.URL.Path)
	if name == "" {
		http.NotFound(w, r)
		return
	}
	defer s.relays.Done()
	to, err := s.findTarget(r.Context(), name)
	if err != nil {
		refuse(w, nil, err)
		return
	}
	to.RawQuery = r.URL.RawQuery
	driver, response, err := websocket.Dial(s.ctx, to.String(), &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPClient: &http.Client{Transport: &http.Transport{Proxy: nil}},
		HTTPHeader: passedHeaders(r.Header), CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		refuse(w, response, err)
		return
	}
	client, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		_ = driver.CloseNow()
		return
	}
	s.relay(name, r.Header, client, driver)
}

// relay leads one connection until it ends.
func (s *server) relay(name string, header http.Header, client, driver *websocket.Conn) {
	worker := workerOf(header)
	file := filepath.Join(s.folder, testsFolder, name+"-"+worker)
	whose := &tests{file: file + ".json", own: file + ".worker.json", root: s.options.Folder, tells: worker != ""}
	from, to := newPair(s.ctx, client, driver)
	err := proxy.Relay(s.ctx, from, to, proxy.Options{Live: s.options.Live, Trial: settingsOf(s.options.Trial).options(s.folder), TestOf: whose.testOf, Log: s.options.Log})
	if err != nil && websocket.CloseStatus(err) < 0 {
		s.options.Log.Debug("a connection broke", slog.Any("err", err))
	}
	_, _ = to.Close(), from.Close()
}

// newPair returns two sides of a relay.
func newPair(ctx context.Context, client, driver *websocket.Conn) (from, to *socket) {
	client.SetReadLimit(-1)
	driver.SetReadLimit(-1)
	from, to = &socket{ctx: ctx, conn: client}, &socket{ctx: ctx, conn: driver}
	from.other, to.other = to, from
	return from, to
}

// refuse answers a worker as the server behind did, which says why.
func refuse(w http.ResponseWriter, response *http.Response, err error) {
	status, text := http.StatusBadGateway, "Playwright's server: "+err.Error()
	if response != nil && response.StatusCode >= 400 {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		status, text = response.StatusCode, cmp.Or(string(said), text)
	}
	http.Error(w, text, status)
}

// passedHeaders returns the headers of a request without those of its own connection.
func passedHeaders(h http.Header) http.Header {
	passed := h.Clone()
	for name := range passed {
		if name == "Connection" || name == "Upgrade" || name == "Origin" || strings.HasPrefix(name, "Sec-Websocket-") {
			passed.Del(name)
		}
	}
	return passed
}

// artifactsFolder is the folder that Playwright Test gives each worker
// (packages/playwright/src/isomorphic/folders.ts).
var artifactsFolder = lazyregexp.New(`\.playwright-artifacts-(\d{1,9})\b`)

// workerOf returns the index of the worker that connects, "" where its options do not say.
func workerOf(h http.Header) string {
	var options struct {
		TracesDir string `json:"tracesDir"`
	}
	if err := json.Unmarshal([]byte(h.Get("X-Playwright-Launch-Options")), &options); err != nil {
		return ""
	}
	if m := artifactsFolder.FindStringSubmatch(options.TracesDir); m != nil {
		return m[1]
	}
	return ""
}
