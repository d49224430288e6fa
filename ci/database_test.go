package ci

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/breadcrumb/action/store"
)

func TestADatabaseThatTheUserHasToMendIsAnInputError(t *testing.T) {
	tests := []struct {
		name string
		err  error
		mend bool
	}{
		{"newer", store.ErrNewerSchema, true},
		{"damaged", store.ErrUnreadable, true},
		{"not allowed", &fs.PathError{Op: "open", Path: "x.db.lock", Err: fs.ErrPermission}, true},
		{"held by another run", store.ErrLocked, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := openFault("x.db", fmt.Errorf("lock database: %w", tt.err))
			if got := errors.As(err, new(InputError)); got != tt.mend || !errors.Is(err, tt.err) {
				t.Errorf("%v: input error %v, want %v", err, got, tt.mend)
			}
		})
	}
}
