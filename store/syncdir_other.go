//go:build !unix

package store

// syncDir does nothing: the system offers no way to sync a directory.
func syncDir(string) error { return nil }
