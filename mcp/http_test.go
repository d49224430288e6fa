package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/mcp"
)

const question = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"breadcrumb_stats","arguments":{}}}`

// post sends a message to the server and returns the status and body.
func post(t *testing.T, url, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	change(r)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestWebPagesAreRefused(t *testing.T) {
	at := httptest.NewServer(newServer(t, shop(t), io.Discard).Handler())
	defer at.Close()
	port := at.URL[strings.LastIndex(at.URL, ":"):]
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, tt := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a program":                 {func(*http.Request) {}, http.StatusOK},
		"by name":                   {host("localhost" + port), http.StatusOK},
		"by IPv6":                   {host("[::1]" + port), http.StatusOK},
		"the server's own origin":   {header("Origin", at.URL), http.StatusOK},
		"a page elsewhere":          {header("Origin", "https://evil.example"), http.StatusForbidden},
		"a page of another port":    {header("Origin", "http://localhost:3000"), http.StatusForbidden},
		"a file":                    {header("Origin", "null"), http.StatusForbidden},
		"two origins":               {header("Origin", at.URL, "https://evil.example"), http.StatusForbidden},
		"empty origin":              {header("Origin", ""), http.StatusForbidden},
		"a rebound name":            {host("evil.example" + port), http.StatusForbidden},
		"a name that looks like it": {host("localhost.evil.example" + port), http.StatusForbidden},
		"an address that looks so":  {host("127.0.0.1.evil.example" + port), http.StatusForbidden},
		"an address of the network": {host("192.168.0.7" + port), http.StatusForbidden},
		"a form":                    {header("Content-Type", "application/x-www-form-urlencoded"), http.StatusUnsupportedMediaType},
		"a text":                    {header("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
	} {
		if got, body := post(t, at.URL, question, tt.change); got != tt.want {
			t.Errorf("%s: status %d, want %d: %.200s", name, got, tt.want, body)
		}
	}
}

func TestALongBodyIsRefused(t *testing.T) {
	at := httptest.NewServer(newServer(t, shop(t), io.Discard).Handler())
	defer at.Close()
	long := strings.Replace(question, "{}", `{"db_path":"`+strings.Repeat("x", 2<<20)+`"}`, 1)
	if got, body := post(t, at.URL, long, func(*http.Request) {}); got != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d: %.200s", got, body)
	}
	for _, body := range []string{"", "{", "null", "[]", `"x"`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no such tool"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"breadcrumb_stats","arguments":[1]}}`} {
		if got, answer := post(t, at.URL, body, func(*http.Request) {}); got >= http.StatusInternalServerError {
			t.Errorf("%.40q: status %d: %.200s", body, got, answer)
		}
	}
	if got, body := post(t, at.URL, question, func(*http.Request) {}); got != http.StatusOK || !strings.Contains(body, "healing_events") {
		t.Errorf("afterwards: status %d: %.200s", got, body)
	}
}

func TestOnlyLoopbackAddressesAreListenedOn(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.168.0.7:0", "example.com:80", "localhost:0", "127.0.0.1", "", "127.0.0.1:99999", "[::ffff:10.0.0.1]:0"} {
		if at, err := mcp.Listen(t.Context(), address); !errors.Is(err, mcp.ErrNotLoopback) {
			t.Errorf("%q: %v", address, err)
			if at != nil {
				_ = at.Close()
			}
		}
	}
}

func TestServeAnswersAndEndsWithItsContext(t *testing.T) {
	at, err := mcp.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := newServer(t, shop(t), io.Discard)
	go func() { ended <- server.Serve(ctx, at) }()

	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + at.Addr().String(), DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "breadcrumb_stats"})
		if err != nil || result.IsError {
			t.Fatalf("%v, %v", result, err)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server goes on")
	}
	_ = session.Close()
}
