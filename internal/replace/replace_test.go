package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFileIsReplacedAlsoWhileItIsRead(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "new"), filepath.Join(t.TempDir(), "old")
	for name, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = reader.Close() })
	if err := File(from, to); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsNotThereIsToldAtOnce(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	if err := File(filepath.Join(dir, "a"), filepath.Join(dir, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("waited %v", took)
	}
}
