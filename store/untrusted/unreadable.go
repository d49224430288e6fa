package untrusted

import (
	"fmt"

	"github.com/breadcrumb/action/store"
)

// Unreadable wraps ErrUnreadable with the file, the cause and what to do.
func Unreadable(path string, cause error) error {
	return fmt.Errorf("%s: %w: %w; move the file aside to start a new history, or put a good copy in its place",
		path, store.ErrUnreadable, cause)
}
