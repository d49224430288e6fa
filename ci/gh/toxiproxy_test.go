package gh_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// proxy is a toxiproxy server: a real proxy between our client and the
// in-memory services, which cuts connections as networks do.
type proxy struct{ api string }

// newProxy starts the toxiproxy server named by TOXIPROXY, which `make faults`
// builds.
func newProxy(t *testing.T) *proxy {
	t.Helper()
	binary := os.Getenv("TOXIPROXY")
	if binary == "" {
		t.Skip("make faults builds toxiproxy and runs this")
	}
	port := freePort(t)
	cmd := exec.Command(binary, "-host", "127.0.0.1", "-port", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	p := &proxy{api: "http://127.0.0.1:" + port}
	for {
		if resp, err := http.Get(p.api + "/version"); err == nil {
			resp.Body.Close()
			return p
		}
		select {
		case <-ended:
			t.Fatal("toxiproxy ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// ask sends a request to toxiproxy's own API.
func (p *proxy) ask(t *testing.T, method, path string, body any, out any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, p.api+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("toxiproxy %s %s: %d %s %v", method, path, resp.StatusCode, answer, err)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatal(err)
	}
}

// through returns the address at which the proxy forwards to address.
func (p *proxy) through(t *testing.T, name, address string) string {
	t.Helper()
	var made struct{ Listen string }
	p.ask(t, "POST", "/proxies", map[string]any{"name": name, "listen": "127.0.0.1:0", "upstream": strings.TrimPrefix(address, "http://"), "enabled": true}, &made)
	t.Cleanup(func() { p.ask(t, "DELETE", "/proxies/"+name, nil, nil) })
	return "http://" + made.Listen
}

// toxic is what toxiproxy does to the connections of one service.
type toxic struct {
	Proxy      string         `json:"-"` // "api" or "results"
	Type       string         `json:"type"`
	Stream     string         `json:"stream"` // "upstream" or "downstream"
	Attributes map[string]int `json:"attributes"`
}
