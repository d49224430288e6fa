package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// talk pipes text into a server and returns the ids of the answers, and what
// came out.
func talk(t *testing.T, text string) (ids map[string]bool, out string) {
	t.Helper()
	var all bytes.Buffer
	if err := newServer(t, shop(t), io.Discard).Stdio(t.Context(), io.NopCloser(strings.NewReader(text)), &all); err != nil {
		t.Errorf("ended with %v", err)
	}
	ids = map[string]bool{}
	for line := range strings.Lines(all.String()) {
		var m struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("no message: %.200q", line)
		}
		ids[string(m.ID)] = true
	}
	return ids, all.String()
}

func TestQuestionsThatArePipedInAreAnswered(t *testing.T) {
	text := hello
	for id := 1; id <= 20; id++ {
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"breadcrumb_stats"}}`+"\n", id)
	}
	for name, text := range map[string]string{"with a last line end": text, "without": strings.TrimSpace(text)} {
		if ids, out := talk(t, text); len(ids) != 21 {
			t.Errorf("%s: %d answers: %.300s", name, len(ids), out)
		}
	}
}

func TestWhatIsNoMessageEndsNothingButTheSession(t *testing.T) {
	for _, text := range []string{"", "\n", "GET / HTTP/1.1\r\n\r\n", "{", "[", "null\n", strings.Repeat("[", 1000) + "\n", hello + strings.Repeat("x", 20<<20) + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"breadcrumb_stats"}}` + "\n", hello + `{"jsonrpc":"2.0","id":1,"method":"no/such"}` + "\n"} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			var out bytes.Buffer
			_ = newServer(t, shop(t), io.Discard).Stdio(context.WithoutCancel(t.Context()), io.NopCloser(strings.NewReader(text)), &out)
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%.40q: the server goes on", text)
		}
	}
}

func TestTheEndOfTheContextEndsAServerThatWaits(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	ended := make(chan error, 1)
	server := newServer(t, shop(t), io.Discard)
	go func() { ended <- server.Stdio(ctx, in, io.Discard) }()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server goes on")
	}
}
