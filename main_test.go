//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/breadcrumb/action/store/delta"
)

// The test binary doubles as the command.
func TestMain(m *testing.M) {
	if os.Getenv("BREADCRUMB_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "BREADCRUMB_TEST_MAIN=1", "GITHUB_ACTIONS=")
	return cmd
}

// largeReport writes a report that takes a while to record.
func largeReport(t *testing.T, dir string) {
	t.Helper()
	var xml strings.Builder
	xml.WriteString(`<testsuite name="a">`)
	for i := range 4_000 {
		fmt.Fprintf(&xml, `<testcase name="case %d" classname="a" time="0.1"/>`, i)
	}
	xml.WriteString(`</testsuite>`)
	if err := os.WriteFile(filepath.Join(dir, "results.xml"), []byte(xml.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func judging() []string {
	return []string{"ci", "--junit", "results.xml", "--state-path", "state", "--missing", "warn"}
}

// awaitRecording waits until the command works on its database.
func awaitRecording(t *testing.T, dir string) {
	t.Helper()
	for range 2000 {
		if found, _ := filepath.Glob(filepath.Join(dir, ".breadcrumb.db.tmp-*")); len(found) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the command never opened its database")
}

func TestASignalFlushesTheDeltaAndEndsTheRun(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		largeReport(t, dir)
		cmd := command(dir, judging()...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitRecording(t, dir)
		sent := time.Now()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if took := time.Since(sent); took > 3*time.Second {
			t.Errorf("%v: ended after %v", signal, took)
		}
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("%v: %v, want exit code 3: an interrupted run must not pass\n%s", signal, err, out.String())
		}
		f, err := os.Open(filepath.Join(dir, ".breadcrumb.db.delta"))
		if err != nil {
			t.Fatalf("%v: no delta: %v\n%s", signal, err, out.String())
		}
		d, err := delta.Read(f)
		if err != nil || len(d.Records) < 4_001 {
			t.Errorf("%v: the delta has %d records: %v", signal, len(d.Records), err)
		}
		_ = f.Close()
		again(t, dir)
	}
}

// again starts the command once more, which must go on as if nothing happened.
func again(t *testing.T, dir string) {
	t.Helper()
	if out, err := command(dir, judging()...).CombinedOutput(); err != nil {
		t.Errorf("the second start: %v\n%s", err, out)
	}
	out, err := command(dir, "doctor").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 run, 4,000 results") {
		t.Errorf("the doctor: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".breadcrumb.db.tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASecondStartAfterAKillGoesOn(t *testing.T) {
	dir := t.TempDir()
	largeReport(t, dir)
	cmd := command(dir, judging()...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitRecording(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	again(t, dir)
}
