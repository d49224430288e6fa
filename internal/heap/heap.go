// Package heap bounds the memory that a command uses while it reads reports.
// Go's garbage collector runs beside the program and falls behind on a busy
// machine; with this package the program waits for it.
package heap

import (
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Bound is how large the heap may grow, in bytes, before reading or writing
// waits for a collection. Where the live data itself is about that large, the
// heap may grow to a quarter more than the live data.
type Bound uint64

// Apply sets Go's own memory limit to the bound, so that Go collects and returns
// free pages in time. It returns a function that undoes this. Use it where the live
// data is smaller than the bound.
func (b Bound) Apply() (undo func()) {
	last := debug.SetMemoryLimit(int64(b) + overhead)
	return func() { debug.SetMemoryLimit(last) }
}

// overhead is the memory beside the heap that Go's limit counts too: stacks,
// tables, free pages.
const overhead = 7 << 20

// Spare makes Go collect when the heap has grown by a fifth, not when it has doubled. It
// returns a function that undoes this. Use it where much lives for long.
func Spare() (undo func()) {
	last := debug.SetGCPercent(20)
	return func() { debug.SetGCPercent(last) }
}

// Reader returns r, whose Read waits where the heap is too large.
func (b Bound) Reader(r io.ReadCloser) io.ReadCloser {
	return &reader{ReadCloser: r, gauge: newGauge(b)}
}

// Writer returns w, whose Write waits where the heap is too large.
func (b Bound) Writer(w io.Writer) io.Writer {
	return &writer{Writer: w, gauge: newGauge(b)}
}

type reader struct {
	io.ReadCloser
	gauge *gauge
}

func (r *reader) Read(p []byte) (int, error) {
	r.gauge.waitForRoom()
	return r.ReadCloser.Read(p)
}

type writer struct {
	io.Writer
	gauge *gauge
}

func (w *writer) Write(p []byte) (int, error) {
	w.gauge.waitForRoom()
	return w.Writer.Write(p)
}

// Waiter returns a function that waits where the heap is too large, for use
// between reads. Several goroutines may call it.
func (b Bound) Waiter() func() {
	g, turn := newGauge(b), sync.Mutex{}
	return func() {
		turn.Lock()
		defer turn.Unlock()
		g.waitForRoom()
	}
}

// gauge reads the size of the heap.
type gauge struct {
	sample []metrics.Sample
	bound  uint64
	next   uint64 // size to collect at
}

func newGauge(b Bound) *gauge {
	return &gauge{sample: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}, bound: uint64(b), next: uint64(b)}
}

func (g *gauge) waitForRoom() {
	if g.readSize() < g.next {
		return
	}
	runtime.GC()
	live := g.readSize()
	g.next = max(g.bound, live+live/4)
}

func (g *gauge) readSize() uint64 {
	metrics.Read(g.sample)
	return g.sample[0].Value.Uint64()
}
