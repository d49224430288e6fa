package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	gojunit "github.com/joshdk/go-junit"
)

// BenchmarkPlaywrightLike reads reports beside what it is built on. They are
// made as they are read, so that only what a reader keeps counts: live-MB. The
// figure to look at is MB/cpu-s, which other processes change least; it has the
// making of the report in it, which "made" alone measures. go-junit takes
// several GB for 500 MB and is left out there.
func BenchmarkPlaywrightLike(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"50MB", 50 << 20}, {"500MB", 500 << 20}} {
		run := func(name string, read func(b *testing.B, r io.Reader) any) {
			b.Run(size.name+"/"+name, func(b *testing.B) { benchmarkReader(b, size.bytes, read) })
		}
		run("adapter", readAdapter)
		run("tokens", readTokens)
		if size.bytes < 100<<20 {
			run("go-junit", readGoJUnit)
		}
		run("made", readNothing)
	}
}

func readAdapter(b *testing.B, r io.Reader) any {
	b.Helper()
	f, err := Parse("results.xml", r, Options{Root: "/home/runner/work/shop/shop"})
	if err != nil || f.Rows == 0 {
		b.Fatal(err)
	}
	return f
}

func readGoJUnit(b *testing.B, r io.Reader) any {
	b.Helper()
	suites, err := gojunit.IngestReader(r)
	if err != nil {
		b.Fatal(err)
	}
	return suites
}

func readNothing(b *testing.B, r io.Reader) any {
	b.Helper()
	if _, err := io.Copy(io.Discard, r); err != nil {
		b.Fatal(err)
	}
	return nil
}

func benchmarkReader(b *testing.B, size int, read func(b *testing.B, r io.Reader) any) {
	b.Helper()
	start, total := cpuSeconds(b), 0
	for b.Loop() {
		report := &playwrightLike{size: size}
		kept := read(b, report)
		total += report.written
		b.StopTimer()
		var live runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&live)
		b.ReportMetric(float64(live.HeapAlloc)/(1<<20), "live-MB")
		runtime.KeepAlive(kept)
		b.StartTimer()
	}
	b.ReportMetric(float64(total)/1e6/(cpuSeconds(b)-start), "MB/cpu-s")
}

func readTokens(b *testing.B, r io.Reader) any {
	b.Helper()
	dec := xml.NewDecoder(r)
	for {
		if _, err := dec.RawToken(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

// cpuSeconds is what the process has taken of the processors.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func BenchmarkHostileCorpus(b *testing.B) {
	paths, _ := filepath.Glob(filepath.Join(corpusDir, "adv-*.xml"))
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".xml"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(path, bytes.NewReader(report), Options{})
			}
		})
	}
}
