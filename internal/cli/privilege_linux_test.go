package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const dropDir = "BREADCRUMB_TEST_DROP"

func TestOutsideOfAJobTheWorkspaceIsAskedFor(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	if err := dropPrivileges(""); !errors.As(err, new(usageError)) {
		t.Errorf("got %v", err)
	}
}

// The process cannot get its rights back, so it is another one that drops them.
func TestDropPrivilegesBecomesTheWorkspacesOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has privileges to drop")
	}
	if dir := os.Getenv(dropDir); dir != "" {
		if err := dropPrivileges(dir); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("now %d:%d\n", os.Geteuid(), os.Getegid())
		os.Exit(0) // the rest of the test binary would clean up what is root's
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		uid, gid int
		want     string
	}{{1001, 127, "now 1001:127"}, {0, 0, "now 0:0"}} {
		if err := os.Chown(dir, tt.uid, tt.gid); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestDropPrivilegesBecomesTheWorkspacesOwner$")
		cmd.Env = append(os.Environ(), dropDir+"="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("owner %d:%d: %v, %s; want %q", tt.uid, tt.gid, err, out, tt.want)
		}
	}
}
