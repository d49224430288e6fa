package golden

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckFailsWhereTheFileIsOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for got, same := range map[string]bool{"kept": true, "other": false} {
		tb := &recorder{TB: t}
		Check(tb, file, got)
		if tb.failed == same {
			t.Errorf("%q: failed %v", got, tb.failed)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
