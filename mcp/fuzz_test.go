package mcp_test

import (
	"encoding/json"
	"testing"

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
