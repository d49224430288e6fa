package trial

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup is for systems with groups of processes.
func ownGroup(*exec.Cmd) {}

// signalGroup ends a command and what it started, whatever the signal. Once the command
// has ended its number may be another's, and nothing is done.
func signalGroup(cmd *exec.Cmd, _ syscall.Signal) {
	if cmd.ProcessState != nil {
		return
	}
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() //nolint:noctx,gosec // ends by itself
	_ = cmd.Process.Kill()
}
