package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// memoryMax is what breadcrumb junit may take for any report, in KB.
const memoryMax = 64 << 10

// Hostile reports are read, each in a process of its own, within 64 MB, and
// none that is cut off or holds a failure is green. The dearest shapes are read
// always; HOSTILE=all reads every one, 2 GB in all, also as UTF-16.
func TestHostileReportsTakeLittleMemory(t *testing.T) {
	every := os.Getenv("HOSTILE") == "all"
	if testing.Short() && !every {
		t.Skip("reads 75 MB of reports")
	}
	for _, shape := range hostileShapes() {
		if every || dearest[shape.Name] {
			t.Run(shape.Name, func(t *testing.T) { checkShape(t, shape.Green, shape.Write) })
		}
		if every {
			t.Run(shape.Name+"/utf-16", func(t *testing.T) { checkShape(t, shape.Green, shape.WriteUTF16) })
		}
	}
}

var dearest = map[string]bool{
	"suites-nested-long": true, "many-failures-own-class": true, "playwright-one-spec": true, "deep-nesting": true,
}

func checkShape(t *testing.T, mayPass bool, write func(io.Writer) error) {
	t.Helper()
	name := writeShape(t, write)
	start := time.Now()
	out, peak, took := runJUnit(t, name)
	t.Logf("%d KB, %.2f s, %.2f s of CPU", peak, time.Since(start).Seconds(), took.Seconds())
	if peak == 0 || peak > memoryMax {
		t.Errorf("%d KB, not within %d", peak, memoryMax)
	}
	if !mayPass && bytes.Contains(out, []byte(`"green":true`)) {
		t.Error("green")
	}
}

func writeShape(tb testing.TB, write func(io.Writer) error) string {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "report"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := write(f); err != nil {
		tb.Fatal(err)
	}
	return f.Name()
}

// runJUnit returns the first bytes that breadcrumb junit prints, its peak of
// memory in KB and what it took of the processors.
func runJUnit(tb testing.TB, name string) (head []byte, peak int64, took time.Duration) {
	tb.Helper()
	cmd := exec.Command("breadcrumb", "junit", "--format", "json", name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	ended, watched := make(chan struct{}), make(chan int64)
	go func() { watched <- watchPeak(cmd.Process.Pid, ended) }()
	head = make([]byte, 64<<10)
	n, _ := io.ReadFull(out, head)
	_, copied := io.Copy(io.Discard, out)
	close(ended)
	peak = <-watched
	if err := cmd.Wait(); copied != nil || err != nil && cmd.ProcessState.ExitCode() != 2 {
		tb.Fatal(copied, err)
	}
	return head[:n], peak, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// watchPeak returns the peak of a process's memory in KB, once ended is closed.
// The kernel's ru_maxrss is no use where this process is the larger one: a child
// is begun in its parent's memory, and the metrics outlive its execve
// (getrusage(2), NOTES).
func watchPeak(pid int, ended <-chan struct{}) (peak int64) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, line, found := bytes.Cut(status, []byte("VmHWM:")); found {
			var kb int64
			if _, err := fmt.Sscan(string(line), &kb); err == nil {
				peak = max(peak, kb)
			}
		}
		select {
		case <-ended:
			return peak
		case <-tick.C:
		}
	}
}
