package attach

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/breadcrumb/action/crumb/live"
)

// openSession opens a session whose tests heal nothing.
func openSession(t *testing.T, environ ...string) *Session {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(Options{
		Live: live.Options{Heal: "off", DB: live.None, Events: live.None}, Folder: t.TempDir(),
		Executable: executable, Environ: environ, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request asks for an address in front of a server, which prints this, as the reporter does.
func request(t *testing.T, s *Session, printed string) (address, problem string) {
	t.Helper()
	name := filepath.Join(s.folder, requestsFolder, "7-ab")
	if err := errors.Join(os.WriteFile(name+".log", []byte(printed), 0o600), os.WriteFile(name+".request", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var answer struct{ Address, Error string }
	for {
		text, err := os.ReadFile(name + ".answer")
		if err == nil {
			if err := json.Unmarshal(text, &answer); err != nil {
				t.Fatal(err)
			}
			return answer.Address, answer.Error
		}
		if t.Context().Err() != nil {
			t.Fatal("no answer")
		}
		time.Sleep(requestPause)
	}
}

// playwrightServer returns what a server prints that answers each message with itself,
// and closes with a reason when it is told to.
func playwrightServer(t *testing.T, seen chan<- *http.Request) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		if r.UserAgent() == "Playwright/0.1" {
			http.Error(w, "Playwright version mismatch", http.StatusPreconditionRequired)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.SetReadLimit(-1)
		for {
			kind, message, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if string(message) == "end" {
				_ = c.Close(4001, "Launch failed")
				return
			}
			if err := c.Write(r.Context(), kind, message); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return "Listening on ws" + strings.TrimPrefix(s.URL, "http") + "/path\n"
}

func TestAConnectionIsLedWithEverythingItSays(t *testing.T) {
	s := openSession(t)
	seen := make(chan *http.Request, 10)
	address, problem := request(t, s, playwrightServer(t, seen))
	if problem != "" {
		t.Fatal(problem)
	}
	header := http.Header{"X-Playwright-Launch-Options": {`{"args":["--x"]}`}, "User-Agent": {"Playwright/1.61"}}
	c, response, err := websocket.Dial(t.Context(), address+"?browser=chromium", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != nil {
		_ = response.Body.Close()
	}
	got := <-seen
	if got.URL.String() != "/path?browser=chromium" || got.UserAgent() != "Playwright/1.61" || got.Header.Get("X-Playwright-Launch-Options") != `{"args":["--x"]}` {
		t.Errorf("the server got %s with %v", got.URL, got.Header)
	}
	c.SetReadLimit(-1)
	for _, message := range []string{`{"id":1}`, "no JSON", strings.Repeat("x", maxMessage+1), ""} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		_, back, err := c.Read(t.Context())
		if err != nil || !bytes.Equal(back, []byte(message)) {
			t.Fatalf("sent %d bytes, got %d back, %v", len(message), len(back), err)
		}
	}
	if err := c.Write(t.Context(), websocket.MessageText, []byte("end")); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.Read(t.Context())
	if said, ok := errors.AsType[websocket.CloseError](err); !ok || said.Code != 4001 || said.Reason != "Launch failed" {
		t.Errorf("the connection ended with %v", err)
	}
	if got := s.Close(); got.Connections != 1 || len(got.Notes) > 0 {
		t.Errorf("result %+v", got)
	}
}

func TestAServersRefusalIsPassedOn(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	address, _ := request(t, s, playwrightServer(t, make(chan *http.Request, 1)))
	_, response, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"User-Agent": {"Playwright/0.1"}}}) //nolint:bodyclose // the library closes it
	if err == nil || response == nil {
		t.Fatalf("connected: %v", err)
	}
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusPreconditionRequired || !strings.Contains(string(text), "version mismatch") || err != nil {
		t.Errorf("status %d: %s %v", response.StatusCode, text, err)
	}
}

func TestNobodyIsLedWithoutTheAddress(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	seen := make(chan *http.Request, 1)
	address, _ := request(t, s, playwrightServer(t, seen))
	if s.server.listener.Addr().(interface{ String() string }).String()[:10] != "127.0.0.1:" {
		t.Errorf("listens on %s", s.server.listener.Addr())
	}
	for _, path := range []string{"/", "/7-ab", "/x/7-ab", "/" + s.server.secret + "/", "/" + s.server.secret + "/7-ac"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, response, err := websocket.Dial(ctx, "ws://"+s.server.listener.Addr().String()+path, nil) //nolint:bodyclose // the library closes it
		cancel()
		if err == nil || response == nil || response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, response, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}}) //nolint:bodyclose // the library closes it
	if err == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("a page of the web connected: %v", err)
	}
}

func TestAServerThatCannotBeReachedIsRefused(t *testing.T) {
	for printed, want := range map[string]string{
		"Listening on ws://192.0.2.1:80/x\n":          "is not on this machine",
		"Listening on ws://localhost.example/x\n":     "is not on this machine",
		"Listening on http://127.0.0.1/x\n":           "is not on this machine",
		"Listening on ::\n":                           "is not on this machine",
		"\n":                                          "it did not start",
		"Cannot find module\nThe server has ended.\n": "it did not start: Cannot find module",
	} {
		s := openSession(t)
		address, _ := request(t, s, printed)
		_, response, err := websocket.Dial(t.Context(), address, nil) //nolint:bodyclose // the library closes it
		if err == nil || response == nil {
			t.Fatalf("%q: connected: %v", printed, err)
		}
		if text, err := io.ReadAll(response.Body); response.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), want) || err != nil {
			t.Errorf("%q: status %d: %s %v", printed, response.StatusCode, text, err)
		}
		s.Close()
	}
}

// The server and the workers of Playwright Test start at the same time.
func TestAConnectionWaitsForTheServer(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	seen := make(chan *http.Request, 1)
	listens := playwrightServer(t, seen)
	address, _ := request(t, s, "")
	time.AfterFunc(20*serverPause, func() {
		_ = os.WriteFile(filepath.Join(s.folder, requestsFolder, "7-ab.log"), []byte(listens), 0o600)
	})
	c, response, err := websocket.Dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != nil {
		_ = response.Body.Close()
	}
	<-seen
	_ = c.CloseNow()
}

func TestNothingListensUntilItIsAskedFor(t *testing.T) {
	s := openSession(t)
	if s.server.listener != nil {
		t.Error("it listens")
	}
	s.Close()
	if _, err := os.Stat(s.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestAWorkerIsKnownByItsFolder(t *testing.T) {
	for options, want := range map[string]string{
		`{"tracesDir":"/shop/test-results/.playwright-artifacts-12/traces"}`:          "12",
		`{"tracesDir":"C:\\shop\\test-results\\.playwright-artifacts-0\\traces"}`:     "0",
		`{"tracesDir":"/shop/.playwright-artifacts-x/traces","args":["artifacts-1"]}`: "",
		`{}`: "", `[]`: "", "": "",
	} {
		if got := workerOf(http.Header{"X-Playwright-Launch-Options": {options}}); got != want {
			t.Errorf("%s: worker %q, want %q", options, got, want)
		}
	}
}
