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

// fewCases is how many test cases a report has that takes a while to record.
const fewCases = 4_000

// hangBound is far longer than anything here takes on a loaded machine, and
// shorter than the time-out of one request to GitHub.
const hangBound = 25 * time.Second

// writeReport writes a report of so many test cases.
func writeReport(t *testing.T, dir string, cases int) {
	t.Helper()
	var xml strings.Builder
	xml.WriteString(`<testsuite name="a">`)
	for i := range cases {
		fmt.Fprintf(&xml, `<testcase name="case %d" classname="a" time="0.1"/>`, i)
	}
	xml.WriteString(`</testsuite>`)
	if err := os.WriteFile(filepath.Join(dir, "results.xml"), []byte(xml.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func judgeArgs() []string {
	return []string{"ci", "--junit", "results.xml", "--state-path", "state", "--missing", "warn"}
}

// runUntilRecording starts the command on a report, sends it the signal while it
// records, and returns the number of test cases, its output and its end. A run
// that ends before the signal reaches it is tried again with a larger report: on
// a loaded machine this test may sleep for as long as a run takes.
func runUntilRecording(t *testing.T, dir string, signal os.Signal) (cases int, output string, end error) {
	t.Helper()
	for cases = fewCases; cases <= 16*fewCases; cases *= 2 {
		for _, left := range []string{".breadcrumb.db", ".breadcrumb.db.delta", "state"} {
			if err := os.RemoveAll(filepath.Join(dir, left)); err != nil {
				t.Fatal(err)
			}
		}
		writeReport(t, dir, cases)
		cmd := command(dir, judgeArgs()...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		poll := time.NewTicker(time.Millisecond)
		defer poll.Stop()
		for sent := false; ; {
			select {
			case end := <-ended:
				if end != nil {
					return cases, out.String(), end
				}
			case <-poll.C:
				if found, _ := filepath.Glob(filepath.Join(dir, ".breadcrumb.db.tmp-*")); sent || len(found) == 0 {
					continue
				}
				sent = true
				_ = cmd.Process.Signal(signal) // it may have ended by now
				continue
			}
			break
		}
	}
	t.Fatalf("the command recorded %d test cases before the signal reached it", cases)
	return 0, "", nil
}

func TestASignalFlushesTheDeltaAndEndsTheRun(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		cases, out, err := runUntilRecording(t, dir, signal)
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("%v: %v, want exit code 3: an interrupted run must not pass\n%s", signal, err, out)
		}
		f, err := os.Open(filepath.Join(dir, ".breadcrumb.db.delta"))
		if err != nil {
			t.Fatalf("%v: no delta: %v\n%s", signal, err, out)
		}
		d, err := delta.Read(f)
		if err != nil || len(d.Records) < cases+1 {
			t.Errorf("%v: the delta has %d records: %v", signal, len(d.Records), err)
		}
		_ = f.Close()
		startAgain(t, dir, cases)
	}
}

// startAgain starts the command once more, which must go on as if nothing
// happened.
func startAgain(t *testing.T, dir string, cases int) {
	t.Helper()
	if out, err := command(dir, judgeArgs()...).CombinedOutput(); err != nil {
		t.Errorf("the second start: %v\n%s", err, out)
	}
	out, err := command(dir, "doctor").CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("1 run, %d,000 results", cases/1_000)) {
		t.Errorf("the doctor: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".breadcrumb.db.tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASecondStartAfterAKillGoesOn(t *testing.T) {
	dir := t.TempDir()
	cases, _, _ := runUntilRecording(t, dir, os.Kill)
	startAgain(t, dir, cases)
}
