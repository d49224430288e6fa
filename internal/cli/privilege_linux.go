package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// dropPrivileges makes a process that runs as root run as the owner of dir. GitHub
// starts every container action as root, but the files of a test run must be read
// with no more rights than the tests had. Where root owns the workspace, the process
// stays root.
func dropPrivileges(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	if dir == "" {
		return usageError{"GITHUB_ACTIONS is set and GITHUB_WORKSPACE is not: outside of a GitHub Actions job unset GITHUB_ACTIONS"}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("find the workspace's owner: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	uid, gid := int(owner.Uid), int(owner.Gid)
	if err := errors.Join(syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(uid)); err != nil {
		return fmt.Errorf("become the workspace's owner %d: %w", uid, err)
	}
	return nil
}
