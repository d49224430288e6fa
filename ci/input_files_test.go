//go:build unix

package ci

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAPipeIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "a.xml"), filepath.Join(dir, "b.xml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := matchFiles([]string{filepath.Join(dir, "*.xml")})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.names) != 1 || m.names[0] != file {
		t.Errorf("to be read: %q", m.names)
	}
	if len(m.notices) != 1 || m.notices[0].File != pipe || m.notices[0].Severity != engine.SeverityBlocking || !strings.Contains(m.notices[0].Reason, "pipe") {
		t.Errorf("notices: %+v", m.notices)
	}
}
