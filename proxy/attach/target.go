package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Bounds of what Playwright's server prints before it listens. A worker that waits for that
// itself connects behind it.
const (
	serverTime  = 30 * time.Second
	serverPause = 5 * time.Millisecond
	maxLogBytes = 1 << 20
)

// listening matches what Playwright's server prints when it listens.
var listening = lazyregexp.New(`(?m)^Listening on (\S+)\r?\n`)

// findTarget returns the address of the server of a name, once it listens.
func (s *server) findTarget(ctx context.Context, name string) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	for {
		printed, err := s.readPrinted(name)
		if err != nil {
			return nil, err
		}
		if m := listening.FindSubmatch(printed); m != nil {
			return parseTarget(string(m[1]))
		}
		if bytes.HasSuffix(printed, []byte("\n")) {
			return nil, fmt.Errorf("it did not start: %.300s", printed)
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("it did not start in time")
		case <-time.After(serverPause):
		}
	}
}

// readPrinted returns what the server of a name has printed. The name is that of a request,
// and no path out of their folder.
func (s *server) readPrinted(name string) ([]byte, error) {
	f, err := os.OpenInRoot(filepath.Join(s.folder, requestsFolder), name+".log")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxLogBytes))
}

// parseTarget reads the address of a server, which is to be on this machine.
func parseTarget(address string) (*url.URL, error) {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "ws" || !net.ParseIP(target.Hostname()).IsLoopback() {
		return nil, fmt.Errorf("%.100q is not on this machine", address)
	}
	return target, nil
}
