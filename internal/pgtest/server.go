//go:build unix

// Package pgtest gives tests a real PostgreSQL server.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// variable names a server to test against. Without it the tests start Debian's
// server. Where that is not installed they are skipped, but fail in CI.
const variable = "BREADCRUMB_TEST_POSTGRES"

// server is the running server of this test process.
var server struct {
	once sync.Once
	url  string
	err  error
	stop func()
}

// Stop stops the server of this process, if there is one.
func Stop() {
	if server.stop != nil {
		server.stop()
	}
}

var errNoServer = errors.New("no PostgreSQL here: apt-get install postgresql, or set " + variable)

// URL returns the URL of an empty database, which is dropped after the test. The
// server runs until Stop.
func URL(tb testing.TB) string {
	tb.Helper()
	server.once.Do(func() { server.url, server.err = startServer() })
	if errors.Is(server.err, errNoServer) && os.Getenv("CI") == "" {
		tb.Skip(server.err)
	}
	if server.err != nil {
		tb.Fatal(server.err)
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server.url)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(ctx)
	name := "breadcrumb_" + strings.ToLower(rand.Text())
	if _, err := conn.Exec(ctx, `CREATE DATABASE `+name); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		conn, err := pgx.Connect(ctx, server.url)
		if err != nil {
			return
		}
		defer conn.Close(ctx)
		_, _ = conn.Exec(ctx, `DROP DATABASE `+name+` WITH (FORCE)`)
	})
	address, err := url.Parse(server.url)
	if err != nil {
		tb.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// startServer starts a temporary server on a socket of its own.
func startServer() (string, error) {
	if url := os.Getenv(variable); url != "" {
		return url, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errNoServer
	}
	slices.Sort(found)
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "breadcrumb-postgres-")
	if err != nil {
		return "", err
	}
	server.stop = func() { _ = os.RemoveAll(dir) }
	as, err := serverAccount(dir)
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	run := func(name string, args ...string) error {
		cmd := exec.CommandContext(context.Background(), filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		return nil
	}
	if err := run("initdb", "-D", data, "-U", "breadcrumb", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"); err != nil {
		return "", err
	}
	server.stop = func() {
		_ = run("pg_ctl", "-D", data, "-m", "immediate", "stop")
		_ = os.RemoveAll(dir)
	}
	options := fmt.Sprintf("-c listen_addresses= -c unix_socket_directories=%s -c fsync=on", dir)
	if err := run("pg_ctl", "-D", data, "-o", options, "-l", filepath.Join(dir, "log"), "-w", "start"); err != nil {
		return "", err
	}
	return "postgres://breadcrumb@/postgres?host=" + url.QueryEscape(dir), nil
}

// serverAccount returns how to run the server, which refuses to run as root.
func serverAccount(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.Atoi(account.Uid)
	gid, err2 := strconv.Atoi(account.Gid)
	if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}
