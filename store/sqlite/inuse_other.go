//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sqlite

// inUse returns false: where a file that is open cannot be replaced, the
// rename fails.
func inUse(string) (bool, error) { return false, nil }
