//go:build !linux

package cli

// dropPrivileges does nothing: container actions run on Linux only.
func dropPrivileges(string) error { return nil }
