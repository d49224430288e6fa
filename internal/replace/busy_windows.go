package replace

import (
	"errors"
	"syscall"
)

// What Windows answers while somebody has a file open; syscall names only the
// first: https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-
const (
	accessDenied     = syscall.ERROR_ACCESS_DENIED
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// busy says whether a rename failed because somebody has the file open.
func busy(err error) bool {
	return errors.Is(err, accessDenied) || errors.Is(err, sharingViolation) || errors.Is(err, lockViolation)
}
