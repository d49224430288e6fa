//go:build !windows

package attach

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// passed are the signals that ask a process to do something.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// sentByTerminal reports whether a signal is one that a terminal sends to all processes in
// its foreground, where this one is.
func sentByTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	foreground, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// ExitCode returns the code of a process as a shell tells it: 128 and the number of the
// signal that ended it.
func ExitCode(p *os.ProcessState) int {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// passOn becomes node.
func (d driver) passOn() error {
	node, err := exec.LookPath(d.node)
	if err != nil {
		return err
	}
	return fmt.Errorf("become node: %w", unix.Exec(node, append([]string{node}, d.args...), d.environ))
}
