package replace

import (
	"errors"
	"syscall"
)

// The errors of Windows while a program has a file open; syscall names only the
// first: https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-
const (
	accessDenied     = syscall.ERROR_ACCESS_DENIED
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// busy reports whether a rename failed because a program has the file open.
func busy(err error) bool {
	return errors.Is(err, accessDenied) || errors.Is(err, sharingViolation) || errors.Is(err, lockViolation)
}
