//go:build !windows

package attach

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A signal that comes between the start of a process and the moment when it is known is
// passed on to it, too.
func TestASignalBeforeTheProcessIsKnownIsPassedOn(t *testing.T) {
	pass, stop := HoldSignals()
	defer stop()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `trap "exit 7" USR1; echo ready; while :; do sleep 0.05; done`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, len("ready"))
	if _, err := out.Read(ready); err != nil || !bytes.Equal(ready, []byte("ready")) {
		t.Fatalf("%q, %v", ready, err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	pass(cmd.Process)
	_ = cmd.Wait()
	if code := ExitCode(cmd.ProcessState); code != 7 {
		t.Errorf("exit code %d, want that of the trap", code)
	}
}
