package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/crumb/live"
)

// records are what real bindings and drivers said to each other: one JSON object a line,
// {"t": ms, "dir": ">" from the client or "<" from the driver, "m": the message}.
// The second place is that of a linked worktree.
var records = []string{"../../shared/corpus/wire", "../../../shared/corpus/wire"}

type recorded struct {
	Dir string `json:"dir"`
	M   string `json:"m"`
}

// readRecord returns the messages of a record; the test is skipped where there is none.
func readRecord(tb testing.TB, name string) []recorded {
	tb.Helper()
	var text []byte
	err := os.ErrNotExist
	for _, folder := range records {
		if text, err = os.ReadFile(filepath.Join(folder, name+".ndjson")); err == nil {
			break
		}
	}
	if os.IsNotExist(err) {
		tb.Skipf("the record %s of a real binding is not in %s", name, records[0])
	}
	must(tb, err)
	var list []recorded
	for line := range bytes.Lines(text) {
		var r recorded
		must(tb, json.Unmarshal(line, &r))
		list = append(list, r)
	}
	return list
}

// ends returns both ends of a connection.
func ends() (client, proxySide *Pipe) {
	fromClient, toProxy := io.Pipe()
	fromProxy, toClient := io.Pipe()
	return NewPipe(fromProxy, toProxy), NewPipe(fromClient, toClient)
}

// relayed starts a relay, and returns what a client and a driver hold of it. The test
// fails when the relay does not end with them.
func relayed(tb testing.TB, o Options) (client, driver *Pipe) {
	tb.Helper()
	client, clientSide := ends()
	driver, driverSide := ends()
	done := make(chan error, 1)
	go func() { done <- Relay(context.Background(), clientSide, driverSide, o) }()
	tb.Cleanup(func() {
		_, _ = client.Close(), driver.Close()
		select {
		case <-done:
		case <-time.After(time.Minute):
			tb.Error("the relay does not end")
		}
	})
	return client, driver
}

func quiet(tb testing.TB) live.Options {
	tb.Helper()
	folder := tb.TempDir()
	return live.Options{DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson")}
}

var recordNames = []string{"python-1.62.1-v1", "python-1.62.1-v2", "java-1.61.1-v1", "java-1.61.1-v2"}

// The proxy's own questions stay without an answer here; what the client says must come
// through all the same.
func TestRecordedMessagesPassByteForByte(t *testing.T) {
	for _, name := range recordNames {
		for _, mode := range []string{"disabled", "off", "live"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				o := quiet(t)
				o.Disabled, o.Heal = mode == "disabled", mode
				if o.Disabled {
					o.Heal = "off"
				}
				client, driver := relayed(t, Options{Live: o})
				toDriver := readAhead(driver)
				for _, r := range readRecord(t, name) {
					if mode == "live" && strings.Contains(r.M, `"error":{`) {
						return // from here on the proxy wants answers
					}
					from, to := client, receiver(toDriver)
					if r.Dir == "<" {
						from, to = driver, client
					}
					sent := make(chan error, 1)
					go func() { sent <- from.Send([]byte(r.M)) }()
					got := receive(t, to)
					for r.Dir == ">" && mode != "disabled" && bytes.Contains(got, []byte(`"id":"breadcrumb-`)) {
						got = receive(t, to)
					}
					must(t, <-sent)
					if string(got) != r.M {
						t.Fatalf("sent %s\ngot  %s", r.M, got)
					}
				}
			})
		}
	}
}

// receiver is the side of a connection that reads.
type receiver interface{ Receive() ([]byte, error) }

// queue holds what was read before it is asked for, as a driver reads while it writes.
type queue chan []byte

func readAhead(from receiver) queue {
	q := make(queue, 10_000)
	go func() {
		defer close(q)
		for {
			text, err := from.Receive()
			if err != nil {
				return
			}
			q <- text
		}
	}()
	return q
}

func (q queue) Receive() ([]byte, error) {
	text, ok := <-q
	if !ok {
		return nil, io.EOF
	}
	return text, nil
}

// receive returns the next message, and fails the test when none comes.
func receive(tb testing.TB, from receiver) []byte {
	tb.Helper()
	type received struct {
		text []byte
		err  error
	}
	next := make(chan received, 1)
	go func() {
		text, err := from.Receive()
		next <- received{text, err}
	}()
	select {
	case got := <-next:
		must(tb, got.err)
		return got.text
	case <-time.After(30 * time.Second):
		tb.Fatal("no message came")
		return nil
	}
}
