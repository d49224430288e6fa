//go:build unix

package trial

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a group of its own, so that it ends with all that it
// started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup signals a command and what it started and left behind.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
