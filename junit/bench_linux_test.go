package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	gojunit "github.com/joshdk/go-junit"
)

// BenchmarkMadeReports reads a report of each of four runners beside what the reader is
// built on. The figure to look at is MB/cpu-s, which other processes change least;
// live-MB is what a reader keeps.
func BenchmarkMadeReports(b *testing.B) {
	for _, shape := range slices.Sorted(maps.Keys(madeShapes)) {
		report := madeBytes(b, shape, 50<<20)
		for _, reader := range []struct {
			name string
			read func(b *testing.B, r io.Reader) any
		}{{"adapter", readAdapter}, {"tokens", readTokens}, {"go-junit", readGoJUnit}} {
			b.Run(shape+"/"+reader.name, func(b *testing.B) { benchmarkReader(b, report, reader.read) })
		}
	}
}

func readAdapter(b *testing.B, r io.Reader) any {
	b.Helper()
	f, err := Parse("results.xml", r, Options{Root: "/home/runner/work/shop/shop", Limits: Limits{KeptBytes: 1 << 30}})
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

func benchmarkReader(b *testing.B, report []byte, read func(b *testing.B, r io.Reader) any) {
	b.Helper()
	var spent float64
	for b.Loop() {
		start := cpuSeconds(b)
		kept := read(b, bytes.NewReader(report))
		spent += cpuSeconds(b) - start
		b.StopTimer()
		var live runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&live)
		b.ReportMetric(float64(int(live.HeapAlloc)-len(report))/(1<<20), "live-MB")
		runtime.KeepAlive(kept)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.N*len(report))/1e6/spent, "MB/cpu-s")
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
