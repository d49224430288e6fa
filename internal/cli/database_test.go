package cli

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/breadcrumb/action/store"
)

func TestAMissingPermissionForTheDatabaseIsTheUsersToMend(t *testing.T) {
	err := explainOpenError("x.db", &fs.PathError{Op: "open", Path: "x.db.lock", Err: fs.ErrPermission})
	const want = "open database: open x.db.lock: permission denied; who runs Breadcrumb must be able to read x.db and, to change it, to write in its folder"
	if !errors.As(err, new(usageError)) || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := explainOpenError("x.db", store.ErrLocked); errors.As(err, new(usageError)) {
		t.Errorf("a database held by another run is no wrong usage: %v", err)
	}
}
