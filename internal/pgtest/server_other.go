//go:build !unix

package pgtest

import "testing"

// URL skips the test: only on Unix is a server started.
func URL(tb testing.TB) string {
	tb.Helper()
	tb.Skip("PostgreSQL is started for tests on Unix only")
	return ""
}

// Stop does nothing.
func Stop() {}
