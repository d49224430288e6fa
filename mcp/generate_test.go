package mcp_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/mcp"
)

const loginPage = `<!doctype html><title>Sign in</title><form><label>Name <input name="user"></label>
<label>Password <input type="password"></label><button>Sign in` + "\u202e\u200b" + `</button><a href="javascript:alert(1)" title="&quot;); evil()//">x</a></form>`

func TestGenerateReturnsFilesAndWritesNone(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, loginPage) }))
	defer site.Close()
	t.Chdir(t.TempDir())
	before := tree(t, ".")
	a := newAsker(t, shop(t))
	for language, want := range map[string]struct{ page, test string }{
		"": {"class ", "def test_"}, "python": {"class ", "def test_"}, "ts": {"export class", "test("}, "go": {"type ", "func Test"},
	} {
		arguments := map[string]any{"url": site.URL + "/login"}
		if language != "" {
			arguments["language"] = language
		}
		answer := a.ask("breadcrumb_generate_tests", arguments)
		page, test := answer["page_object"].(string), answer["test_file"].(string)
		if !strings.Contains(page, want.page) || !strings.Contains(test, want.test) || answer["elements"].(float64) < 3 {
			t.Errorf("%q: page object\n%s\ntest\n%s", language, page, test)
		}
		if strings.ContainsAny(page+test, "\u202e\u200b") {
			t.Errorf("%q: hidden characters", language)
		}
	}
	if after := tree(t, "."); after != before {
		t.Errorf("written: %s", after)
	}
}

func TestGenerateRefusesWhatItMayNotFetch(t *testing.T) {
	a := newAsker(t, shop(t))
	for _, url := range []string{"file:///etc/passwd", "javascript:alert(1)", "", "x", "http://user:secret@example.com/", "http://\x00", "gopher://h/"} {
		a.refused("breadcrumb_generate_tests", map[string]any{"url": url})
	}
	a.refused("breadcrumb_generate_tests", map[string]any{"url": "http://127.0.0.1:1/", "allow_private": true})
	a.refused("breadcrumb_generate_tests", map[string]any{"url": "http://127.0.0.1:1/", "language": "cobol"})
}

// The model cannot allow what the server's start did not.
func TestPrivateAddressesAreAllowedAtTheStartAlone(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the page was fetched") }))
	defer site.Close()
	archive, err := mcp.OpenArchive(t.Context(), shop(t))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	options := mcp.Options{Archive: archive, Version: "test", Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	for offline, tools := range map[bool]int{false: 8, true: 7} { // without a checkout there are no patches
		options.Offline = offline
		in, theirs := io.Pipe()
		answers, out := io.Pipe()
		go func() { _ = mcp.New(options).Stdio(t.Context(), in, out) }()
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: answers, Writer: theirs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != tools {
			t.Errorf("offline %v: %v tools, %v", offline, len(list.Tools), err)
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "breadcrumb_generate_tests", Arguments: map[string]any{"url": site.URL}})
		if err == nil && !result.IsError {
			t.Errorf("offline %v: answered", offline)
		}
		_ = session.Close()
	}
}
