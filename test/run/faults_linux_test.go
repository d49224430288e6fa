package run

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
)

// Each fault comes while a call has no answer. The exit code is the one of the same fault
// without Breadcrumb, and afterwards no process of the run is left.
func TestAFaultEndsAsWithoutBreadcrumb(t *testing.T) {
	s := newSuite(t, versions[len(versions)-1], "testdata/faults")
	for _, c := range []struct {
		fault string
		alone bool // it can be done without Breadcrumb, too
		code  int
	}{
		{"browser", true, 1}, {"client", true, 1}, {"breadcrumb", false, -1},
	} {
		t.Run("Playwright Test "+c.fault, func(t *testing.T) {
			environ, mark := markRun(c.fault)
			if c.alone {
				if ran := s.runAlone(t, environ, "faults.spec"); ran.code != c.code {
					t.Errorf("without Breadcrumb: exit code %d\n%s", ran.code, ran.output)
				}
			}
			if ran := s.run(t, environ, "--workers", "1", "faults.spec"); ran.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", ran.code, c.code, ran.output)
			}
			checkNoneIsLeft(t, mark)
			if c.fault != "breadcrumb" {
				return
			}
			// The tests go on without it. What waits in vain fails as it would anyway.
			want := map[string]bool{"faults.spec.ts › before": true, "faults.spec.ts › the fault": false, "faults.spec.ts › after": true}
			if diff := cmp.Diff(want, s.readReport(t)); diff != "" {
				t.Errorf("after Breadcrumb was killed the tests passed (-want +got):\n%s", diff)
			}
		})
	}
}

// Messages of 50 MB in both directions and a client that reads slowly, each in one of eight
// workers.
func TestALoadIsCarried(t *testing.T) {
	s := newSuite(t, versions[len(versions)-1], "testdata/faults")
	environ, mark := markRun("")
	ran := s.run(t, environ, "--workers", "8", "load.spec")
	if failed := ran.failed(); ran.code != 0 || len(failed) > 0 || len(ran.passed) != 8 || strings.Contains(ran.output, "goes on without") {
		t.Errorf("exit code %d, %d tests, failed %q\n%s", ran.code, len(ran.passed), failed, ran.output)
	}
	checkNoneIsLeft(t, mark)
}

func TestAFaultOfADriverEndsAsWithoutBreadcrumb(t *testing.T) {
	python := findPython(t)
	folder, err := browsertest.Folder()
	if err != nil {
		t.Fatal(err)
	}
	s := newPytestSuite(t)
	for fault, code := range map[string]int{"browser": 4, "driver": 4, "standin": 4, "client": 3} {
		t.Run(fault, func(t *testing.T) {
			environ, mark := markRun(fault)
			environ = append(environ, "PLAYWRIGHT_CLI="+filepath.Join(folder, "package", "cli.js"))
			command := []string{python, "fault.py", fault}
			for name, arguments := range map[string][]string{"alone": command, "led": append([]string{cmdtest.Program(t), "run", "--heal", "live", "--"}, command...)} {
				if got, out := s.execute(t, environ, arguments); got != code {
					t.Errorf("%s: exit code %d, want %d\n%s", name, got, code, out)
				}
				checkNoneIsLeft(t, mark)
			}
		})
	}
}

// markRun returns variables that every process of a run inherits.
func markRun(fault string) (environ []string, mark string) {
	mark = "FAULT_RUN=" + rand.Text()
	return []string{mark, "FAULT=" + fault}, mark
}

// leftTime is how long processes may take to end after their run, on a busy machine.
const leftTime = time.Minute

// checkNoneIsLeft demands that no process with a variable runs, as soon as those that are
// ending have ended.
func checkNoneIsLeft(t *testing.T, mark string) {
	t.Helper()
	var left []string
	for end := time.Now().Add(leftTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if left = marked(mark); len(left) == 0 {
			return
		}
	}
	t.Errorf("still running:\n%s", strings.Join(left, "\n"))
}

// marked returns the command lines of the processes with a variable.
func marked(mark string) (lines []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range files {
		environ, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(environ), mark+"\x00") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if pid := filepath.Base(filepath.Dir(name)); pid != strconv.Itoa(os.Getpid()) && len(line) > 0 {
			lines = append(lines, pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}
