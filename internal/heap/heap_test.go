package heap

import (
	"io"
	"runtime"
	"runtime/debug"
	"testing"
)

// What is dropped between two reads or waits is collected before a later one,
// also where Go's own collector does not run at all.
func TestTheCollectorIsWaitedFor(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const bound, piece = 32 << 20, 4 << 20
	in, wait := Bound(bound).Reader(io.NopCloser(endless{})), Bound(bound).Waiter()
	heap := newGauge(bound)
	for name, step := range map[string]func(garbage []byte){
		"reading": func(garbage []byte) { _, _ = in.Read(garbage) },
		"waiting": func([]byte) { wait() },
	} {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				step(make([]byte, piece))
				if size := heap.readSize(); size > bound+2*piece {
					t.Fatalf("the heap holds %d bytes", size)
				}
			}
		})
	}
}

// Where more lives than the bound, not every write collects.
func TestWhatLivesMayBeLargerThanTheBound(t *testing.T) {
	live := make([]byte, 16<<20)
	out := Bound(8 << 20).Writer(io.Discard)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1_000 {
		if _, err := out.Write(live); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n > 10 {
		t.Errorf("%d collections for 1,000 writes", n)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
