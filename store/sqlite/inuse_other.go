//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sqlite

// inUse reports nothing: where a file that is open cannot be replaced, the
// rename says so.
func inUse(string) (bool, error) { return false, nil }
