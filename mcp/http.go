package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of the HTTP server.
const (
	readTimeout   = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
	maxBody       = 1 << 20
	closeTimeout  = 2 * time.Second
	answerTimeout = callTimeout + readTimeout
)

// ErrNotLoopback says that an address is not this machine's alone.
var ErrNotLoopback = errors.New("not a loopback address")

// Listen opens an address such as 127.0.0.1:8080, port 0 for any. It must be a
// loopback address written as an IP, since a name may lead anywhere.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no IP:PORT: %w", address, ErrNotLoopback)
	}
	if !at.Addr().Unmap().IsLoopback() {
		return nil, fmt.Errorf("%s: %w: whoever reaches it could read the history", address, ErrNotLoopback)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", at.String())
}

// Serve answers clients over streamable HTTP until ctx is done.
func (s *Server) Serve(ctx context.Context, at net.Listener) error {
	server := &http.Server{
		Handler:     s.Handler(),
		ReadTimeout: readTimeout, WriteTimeout: answerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(at) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	err := server.Shutdown(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close() // a question was cut off
	}
	if err != nil {
		return errors.Join(server.Close(), err)
	}
	return nil
}

// Handler answers clients over streamable HTTP, each request for itself. It
// refuses requests that a web page of another origin may have sent.
func (s *Server) Handler() http.Handler {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := refusalReason(r); reason != "" {
			http.Error(w, reason, http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// refusalReason says why a request is refused, "" for one that is not. Host gives
// away a foreign name that was made to resolve to this machine (DNS rebinding),
// Origin a page in a browser.
func refusalReason(r *http.Request) string {
	if !isLoopbackHost(r.Host) {
		return "Host must be localhost or a loopback address"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && origins[0] != "http://"+r.Host {
		return "requests of web pages are refused"
	}
	return ""
}

func isLoopbackHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if name == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(trimBrackets(name))
	return err == nil && address.Unmap().IsLoopback()
}

func trimBrackets(name string) string {
	if len(name) > 2 && name[0] == '[' && name[len(name)-1] == ']' {
		return name[1 : len(name)-1]
	}
	return name
}
