package attach

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy"
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

// request asks for the way of a worker's calls, as the reporter does.
func request(t *testing.T, s *Session) way {
	t.Helper()
	name := filepath.Join(s.folder, requestsFolder, "7-ab")
	if err := os.WriteFile(name+".request", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Way   way
		Error string
	}
	for {
		text, err := os.ReadFile(name + ".answer")
		if err == nil {
			if err := json.Unmarshal(text, &answer); err != nil || answer.Error != "" {
				t.Fatal(answer.Error, err)
			}
			return answer.Way
		}
		if t.Context().Err() != nil {
			t.Fatal("no answer")
		}
		time.Sleep(requestPause)
	}
}

// connect connects one side of a worker.
func connect(t *testing.T, address string, who introduction) (net.Conn, *proxy.Pipe) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(who)
	if err != nil {
		t.Fatal(err)
	}
	pipe := proxy.NewPipe(conn, conn)
	if err := pipe.Send(text); err != nil {
		t.Fatal(err)
	}
	return conn, pipe
}

// connectWorker connects both sides of a worker.
func connectWorker(t *testing.T, s *Session) (client, driver *proxy.Pipe) {
	t.Helper()
	w := request(t, s)
	_, client = connect(t, w.Address, introduction{w.Path, "a pair", clientSide})
	_, driver = connect(t, w.Address, introduction{w.Path, "a pair", driverSide})
	return client, driver
}

func TestAWorkerIsLedWithEverythingItSays(t *testing.T) {
	s := openSession(t)
	client, driver := connectWorker(t, s)
	for _, message := range []string{`{"id":1}`, "no JSON", strings.Repeat("x", 33<<20), "", "after all"} {
		for from, to := range map[*proxy.Pipe]*proxy.Pipe{client: driver, driver: client} {
			sent := make(chan error, 1)
			go func() { sent <- from.Send([]byte(message)) }()
			got, err := to.Receive()
			if long, ok := errors.AsType[*proxy.TooLong](err); ok {
				got, err = io.ReadAll(long.Body)
			}
			if err := errors.Join(err, <-sent); err != nil || !bytes.Equal(got, []byte(message)) {
				t.Fatalf("sent %d bytes, got %d, %v", len(message), len(got), err)
			}
		}
	}
	// What has been passed on already does not come back, however long it is.
	for _, copied := range []string{`{"id":2}`, strings.Repeat("x", 33<<20), ""} {
		for from, to := range map[*proxy.Pipe]*proxy.Pipe{client: driver, driver: client} {
			sent := make(chan error, 1)
			go func() { sent <- errors.Join(from.Send([]byte("copy "+copied)), from.Send([]byte("next"))) }()
			got, err := to.Receive()
			if err := errors.Join(err, <-sent); err != nil || string(got) != "next" {
				t.Fatalf("behind a copy of %d bytes came %.20q, %v", len(copied), got, err)
			}
		}
	}
	_, _ = client.Close(), driver.Close()
	if got := s.Close(); got.Connections != 1 || len(got.Notes) > 0 {
		t.Errorf("result %+v", got)
	}
}

// What Playwright said before a call is dealt with before the call, although the two come
// over two connections.
func TestACallIsTakenBehindWhatWasSaidBefore(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	client, driver := connectWorker(t, s)
	for _, message := range []string{"after 2", `{"id":1}`} {
		if err := client.Send([]byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan string, 1)
	go func() {
		text, _ := driver.Receive()
		got <- string(text)
	}()
	for n := range 2 {
		select {
		case text := <-got:
			t.Fatalf("%s came behind %d messages", text, n)
		case <-time.After(20 * time.Millisecond):
		}
		if err := driver.Send([]byte(`{"method":"e"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Receive(); err != nil {
			t.Fatal(err)
		}
	}
	if text := <-got; text != `{"id":1}` {
		t.Errorf("the call came as %s", text)
	}
	// Nothing waits for a Playwright that says no more.
	if err := client.Send([]byte("after 100")); err != nil {
		t.Fatal(err)
	}
	_ = driver.Close()
	if text, err := client.Receive(); err == nil {
		t.Errorf("behind the end came %s", text)
	}
}

// Workers make calls themselves until one of them heals something.
func TestEveryWorkerHearsOfTheFirstHeal(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	hears := func(w *proxy.Pipe) {
		t.Helper()
		if text, err := w.Receive(); err != nil || string(text) != "healed" {
			t.Errorf("it heard %q, %v", text, err)
		}
	}
	before, driver := connectWorker(t, s)
	if err := before.Send([]byte("hello")); err != nil { // so that it is led by now
		t.Fatal(err)
	}
	if _, err := driver.Receive(); err != nil {
		t.Fatal(err)
	}
	for _, outcome := range []engine.HealOutcome{engine.OutcomeSuggested, engine.OutcomeRefused, engine.OutcomeHealed, engine.OutcomeHealed} {
		s.server.options.Live.OnHeal(engine.HealEvent{Outcome: outcome})
	}
	hears(before)
	w := request(t, s)
	_, after := connect(t, w.Address, introduction{w.Path, "another pair", clientSide})
	connect(t, w.Address, introduction{w.Path, "another pair", driverSide})
	hears(after)
	if err := driver.Send([]byte("next")); err != nil {
		t.Fatal(err)
	}
	if text, err := before.Receive(); err != nil || string(text) != "next" {
		t.Errorf("behind it came %q, %v", text, err)
	}
}

func TestNobodyIsLedWithoutTheSecret(t *testing.T) {
	s := openSession(t)
	defer s.Close()
	w := request(t, s)
	if !strings.HasPrefix(w.Address, "127.0.0.1:") {
		t.Errorf("listens on %s", w.Address)
	}
	other := strings.Repeat("A", len(s.server.secret))
	for _, who := range []introduction{
		{}, {"7-ab", "p", clientSide}, {"/7-ab", "p", clientSide}, {other + "/7-ab", "p", clientSide},
		{s.server.secret + "/7-ac", "p", clientSide}, {s.server.secret + "/", "p", clientSide}, {s.server.secret, "p", clientSide},
		{w.Path, "p", "other"}, {w.Path, strings.Repeat("p", maxIntroduction), clientSide},
	} {
		conn, _ := connect(t, w.Address, who)
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.200v: %v", who, err)
		}
	}
	// Two of the same side are no worker.
	connect(t, w.Address, introduction{w.Path, "p", clientSide})
	conn, _ := connect(t, w.Address, introduction{w.Path, "p", clientSide})
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("two clients: %v", err)
	}
	if n := s.server.connections(); n != 0 {
		t.Errorf("%d were led", n)
	}
}

func TestWhoAsksAtTheEndIsRefused(t *testing.T) {
	s := openSession(t)
	request(t, s)
	s.server.close(0)
	if way, err := s.server.answer("7-ac"); err == nil {
		t.Errorf("it is led to %v", way)
	}
	s.Close()
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
