package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// FuzzArguments asks every tool with any bytes for arguments: each gets an
// answer or a tool's error, both marked, and no call ends the server or changes
// what the next one is told.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[]`, `{"limit":1e2}`, `{"limit":1.5}`, `{"days":-1}`, `{"test_id":"x"}`, `{"test_id":"\u0000"}`,
		`{"db_path":"/etc/passwd"}`, `{"limit":1,"limit":2}`, `{"LIMIT":1}`, `{"test_id":{"a":[1]}}`, `{"runs":300,"test_id":"` + signsIn + `"}`, `{"days":36525,"limit":200}`} {
		f.Add([]byte(seed))
	}
	a := newAsker(f, shop(f))
	want := a.ask("breadcrumb_stats", nil)["test_runs"]
	var tools []string
	for _, tool := range a.tools() {
		if tool.Name != "breadcrumb_generate_tests" {
			tools = append(tools, tool.Name)
		}
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		if !json.Valid(arguments) {
			return // no client can send it
		}
		for _, tool := range tools {
			result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			var answer map[string]any
			if err := json.Unmarshal([]byte(result.Content[0].(*sdk.TextContent).Text), &answer); err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			if answer["untrusted_begin"] == nil || answer["untrusted_end"] == nil {
				t.Fatalf("%s: not marked: %v", tool, answer)
			}
			if result.IsError {
				continue
			}
			if err := a.schemas[tool].Validate(result.StructuredContent); err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
		}
		a := *a
		a.t = t
		if got := a.ask("breadcrumb_stats", nil)["test_runs"]; got != want {
			t.Fatalf("%v executions, before %v", got, want)
		}
	})
}

// FuzzSession pipes any bytes into a server after a greeting: it ends, and
// what comes out is messages of the protocol alone.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{"", "\n\n", "{}", "null", "[]", "{\n}", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"breadcrumb_stats","arguments":null}}`,
		`{"jsonrpc":"2.0","id":{},"method":"tools/call"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, "\xff\x00",
		`{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`} {
		f.Add([]byte(seed))
	}
	server := newServer(f, shop(f), io.Discard)
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = server.Stdio(context.WithoutCancel(t.Context()), io.NopCloser(strings.NewReader(hello+string(text))), &out)
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the server goes on")
		}
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, "[") {
				line = "[" + line + "]"
			}
			var messages []struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &messages); err != nil || len(messages) == 0 || messages[0].JSONRPC != "2.0" {
				t.Fatalf("%q came out", line)
			}
		}
	})
}
