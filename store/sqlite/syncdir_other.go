//go:build !unix

package sqlite

// syncDir does nothing: the system offers no way to sync a directory.
func syncDir(string) error { return nil }
