package run

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/cmdtest"
)

// BenchmarkSuite runs the desk's suite with and without Breadcrumb in turns, each time with
// nothing learned, and reports the median time of both and what the run held in memory at
// most.
func BenchmarkSuite(b *testing.B) {
	for _, workers := range []string{"1", "2", "8"} {
		b.Run(workers+"-workers", func(b *testing.B) {
			s := newSuite(b, versions[len(versions)-1], "testdata/desk")
			d := openDesk(b, "before")
			alone := func() []string { return command([]string{"--workers", workers}) }
			times := map[string][]time.Duration{}
			most := 0
			for b.Loop() {
				if err := os.Remove(filepath.Join(s.folder, ".breadcrumb.db")); err != nil && !errors.Is(err, os.ErrNotExist) {
					b.Fatal(err)
				}
				led := append([]string{cmdtest.Program(b), "run", "--heal", "live", "--"}, alone()...)
				for name, arguments := range map[string][]string{"alone": alone(), "led": led} {
					stop := watchMemory(&most)
					start := time.Now()
					if code, out := s.execute(b, append(d.environ(), patient), arguments); code != 0 {
						b.Fatalf("%s: exit code %d\n%s", name, code, out)
					}
					times[name] = append(times[name], time.Since(start))
					stop()
				}
			}
			for name, list := range times {
				b.Log(name, list)
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2].Seconds(), "s-"+name)
			}
			b.ReportMetric(float64(most)/1024, "MB")
		})
	}
}

// BenchmarkAction times actions that wait for no frame of the browser, alone and led, in
// turns: 60 elements six times each. ms-… is the median over all, first-ms-… over the first
// time that each element is met, which is when it is learned.
func BenchmarkAction(b *testing.B) {
	s := newSuite(b, versions[len(versions)-1], "testdata/actions")
	led := append([]string{cmdtest.Program(b), "run", "--heal", "live", "--"}, command(nil)...)
	all, first := map[string][]float64{}, map[string][]float64{}
	for b.Loop() {
		if err := os.Remove(filepath.Join(s.folder, ".breadcrumb.db")); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		for name, arguments := range map[string][]string{"alone": command(nil), "led": led} {
			folder := b.TempDir()
			if code, out := s.execute(b, []string{"ACTION_TIMES=" + folder}, arguments); code != 0 {
				b.Fatalf("%s: exit code %d\n%s", name, code, out)
			}
			for _, action := range []string{"fill", "inputValue", "getAttribute", "focus", "dispatchEvent"} {
				times := readTimes(b, filepath.Join(folder, action+".json"))
				all[action+"-"+name] = append(all[action+"-"+name], times...)
				first[action+"-"+name] = append(first[action+"-"+name], times[:60]...)
			}
		}
	}
	for unit, times := range map[string]map[string][]float64{"ms-": all, "first-ms-": first} {
		for name, list := range times {
			slices.Sort(list)
			b.ReportMetric(list[len(list)/2], unit+name)
		}
	}
}

func readTimes(b *testing.B, file string) (times []float64) {
	b.Helper()
	text, err := os.ReadFile(file)
	if err := errors.Join(err, json.Unmarshal(text, &times)); err != nil {
		b.Fatal(err)
	}
	return times
}

// watchMemory keeps the most memory, in KiB, that a `breadcrumb run` below this process
// held until stop is called.
func watchMemory(most *int) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
				*most = max(*most, memoryOfRuns())
			}
		}
	}()
	return func() { close(done); <-ended }
}

func memoryOfRuns() (most int) {
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range files {
		status, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(status), "Name:\tbreadcrumb\n") || !strings.Contains(string(status), "\nPPid:\t"+strconv.Itoa(os.Getpid())+"\n") {
			continue
		}
		if _, rest, found := strings.Cut(string(status), "VmHWM:"); found {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			most = max(most, kib)
		}
	}
	return most
}
