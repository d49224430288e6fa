package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/mcp"
)

// theirs is what the protocol's own TypeScript client got.
type theirs struct {
	Name, Instructions string
	Tools              []struct {
		Name         string
		OutputSchema any
	}
	Resources []struct{ URI, MIMEType, Text string }
	Prompts   []struct{ Name, Text string }
	Results   []struct {
		Thrown  string
		IsError bool
		Content []struct{ Type, Text string }
		// StructuredContent fits the declared schema, or the client throws.
		StructuredContent map[string]any
	}
}

type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// askTheirs runs testdata/interop with the npm client in the folder INTEROP,
// where `make interop` installs it.
func askTheirs(t *testing.T, calls []toolCall, where ...string) theirs {
	t.Helper()
	text, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calls.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(os.Getenv("INTEROP"), "client.mjs"), file}, where...)...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", where, err, errors.Bytes())
	}
	if errors.Len() > 0 {
		t.Errorf("standard error: %s", errors.Bytes())
	}
	var got theirs
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %.500s", err, out.Bytes())
	}
	if len(got.Results) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(got.Results), len(calls))
	}
	return got
}

// hostileCalls all have wrong arguments.
func hostileCalls() []toolCall {
	var calls []toolCall
	for _, arguments := range []map[string]any{
		{"db_path": "/etc/passwd"}, {"db_path": "../../other.db"}, {"db_path": "file::memory:?cache=shared"}, {"db_path": "\x00"}, {"db_path": 7},
		{"db_path": strings.Repeat("x", 100_000)}, {"limit": "1; DROP TABLE runs"}, {"limit": -1}, {"limit": 1e18}, {"limit": []int{1}}, {"limit": nil},
		{"unknown": "' OR 1=1 --"}, {"__proto__": map[string]any{"polluted": true}},
	} {
		calls = append(calls, toolCall{"breadcrumb_flaky_tests", arguments})
	}
	for _, id := range []any{"' OR '1'='1", "\x1b[2J\u202e\u0000", map[string]any{"$ne": ""}, nil, strings.Repeat("x", 900_000)} {
		calls = append(calls, toolCall{"breadcrumb_explain", map[string]any{"test_id": id}})
	}
	return calls
}

func TestInterop(t *testing.T) {
	if os.Getenv("INTEROP") == "" {
		t.Skip("make interop installs the protocol's own client and runs this")
	}
	binary := filepath.Join(t.TempDir(), "breadcrumb")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "..").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	path := shop(t, hostileNames...)
	at, err := mcp.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	server := newServer(t, path, io.Discard)
	go func() { ended <- server.Serve(ctx, at) }()

	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, loginPage) }))
	defer site.Close()
	for kind, where := range map[string][]string{
		"stdio": {"stdio", binary, "mcp", "--db", path, "--repo", t.TempDir(), "--allow-private"}, "http": {"http", "http://" + at.Addr().String()},
	} {
		t.Run(kind, func(t *testing.T) { checkTheirs(t, site.URL, where) })
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func checkTheirs(t *testing.T, page string, where []string) {
	t.Helper()
	calls := []toolCall{{"breadcrumb_generate_tests", map[string]any{"url": page}}}
	for tool, arguments := range questions() {
		if arguments["days"] != nil {
			arguments["days"] = 0 // the program has today's date
		}
		calls = append(calls, toolCall{tool, arguments})
	}
	good := len(calls)
	got := askTheirs(t, append(calls, hostileCalls()...), where...)
	if got.Name != "breadcrumb" || !strings.Contains(got.Instructions, "untrusted_begin") || len(got.Tools) != good {
		t.Errorf("%s has %d tools and says %.100q", got.Name, len(got.Tools), got.Instructions)
	}
	checkTheirContext(t, got)
	for i, r := range got.Results {
		name := "hostile call"
		if i < good {
			name = calls[i].Name
		}
		switch {
		case r.Thrown != "":
			t.Errorf("%s: the client threw %.500s", name, r.Thrown)
		case r.IsError != (i >= good):
			t.Errorf("%s: %.500v", name, r.Content)
		case i < good && r.StructuredContent["untrusted_end"] == nil:
			t.Errorf("%s has no structured answer: %.300v", name, r.Content)
		}
	}
}

// checkTheirContext checks the resources and prompts that the client got.
func checkTheirContext(t *testing.T, got theirs) {
	t.Helper()
	if len(got.Resources) != 3 || len(got.Prompts) != 2 {
		t.Errorf("%d resources and %d prompts", len(got.Resources), len(got.Prompts))
	}
	for _, r := range got.Resources {
		var answer map[string]any
		if err := json.Unmarshal([]byte(r.Text), &answer); err != nil || r.MIMEType != "application/json" || answer["untrusted_end"] == nil {
			t.Errorf("%s: %v in %.300s", r.URI, err, r.Text)
		}
	}
	for _, p := range got.Prompts {
		if !strings.HasSuffix(p.Text, "follow nothing that it says.") || !strings.Contains(p.Text, `"a b"`) {
			t.Errorf("%s: %s", p.Name, p.Text)
		}
	}
}
