package guard

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy is an HTTP proxy on loopback for one browser. Every connection it makes
// goes through Dialer, and only who knows its password may use it.
type Proxy struct {
	Address  string // http://127.0.0.1:PORT
	User     string
	Password string

	dialer   *net.Dialer
	server   *http.Server
	forward  *httputil.ReverseProxy
	left     atomic.Int64 // bytes that may still come in
	mu       sync.Mutex
	refusals []error
}

// errSpent ends what is read when a page has had its share.
var errSpent = errors.New("the page loads too much")

// ListenProxy starts a proxy. End it with Close.
func ListenProxy(ctx context.Context, allowPrivate bool, timeout time.Duration) (*Proxy, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	p := &Proxy{Address: "http://" + listener.Addr().String(), User: "breadcrumb", Password: rand.Text(), dialer: Dialer(allowPrivate, timeout)}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.Header.Del("Proxy-Authorization") },
		Transport:    &http.Transport{DialContext: p.dial, ResponseHeaderTimeout: timeout, MaxResponseHeaderBytes: 1 << 20, IdleConnTimeout: timeout},
		ErrorLog:     quiet,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: timeout, ErrorLog: quiet}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

// Allow lets so many bytes come in from now on, and forgets what was refused.
func (p *Proxy) Allow(bytes int64) {
	p.left.Store(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals = nil
}

// Refused returns what connections were refused since Allow, the first ones.
func (p *Proxy) Refused() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.refusals...)
}

// Close ends the proxy.
func (p *Proxy) Close() { _ = p.server.Close() }

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.User+":"+p.Password))
	switch {
	case r.Header.Get("Proxy-Authorization") != want:
		w.Header().Set("Proxy-Authenticate", `Basic realm="breadcrumb"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward.ServeHTTP(w, r)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// connect joins the browser with a server.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	server, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	browser, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer browser.Close()
	if _, err := io.WriteString(browser, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(server, buffered); done <- struct{}{} }()
	go func() { _, _ = io.Copy(browser, server); done <- struct{}{} }()
	<-done // closing both ends the other
}

// dial makes a checked connection whose bytes are counted.
func (p *Proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dialer.DialContext(ctx, network, address)
	if err != nil {
		p.refuse(err)
		return nil, err
	}
	return counted{conn, p}, nil
}

func (p *Proxy) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if refused, ok := errors.AsType[AddressError](err); ok && len(p.refusals) < 3 {
		p.refusals = append(p.refusals, refused)
	}
}

// counted is a connection that ends when the page had its share.
type counted struct {
	net.Conn
	proxy *Proxy
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.proxy.left.Add(-int64(n)) < 0 {
		return 0, errSpent
	}
	return n, err
}

// Rules are what Chromium is started with so that nothing goes around a proxy:
// names are not resolved, and neither QUIC nor WebRTC open sockets.
func Rules() []string {
	return strings.Split("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1|--disable-quic|"+
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp|--webrtc-ip-handling-policy=disable_non_proxied_udp|--no-first-run|--disable-background-networking|"+
		"--disable-component-update|--disable-sync|--dns-prefetch-disable", "|")
}
