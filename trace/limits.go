package trace

// Versions of the format that are read.
const (
	oldestVersion = 7  // Playwright 1.52
	newestVersion = 10 // Playwright 1.65
)

// Limits bound what one trace may cost. A zero field is the default.
type Limits struct {
	Entries  int   // files in the zip
	Unpacked int64 // bytes of all events, unpacked
	Line     int   // bytes of one event
	Kept     int64 // bytes of snapshots that are held
	Calls    int   // calls that look for an element
}

// DefaultLimits are what a zero Limits means: a trace of an hour's test of a
// large page stays below them.
var DefaultLimits = Limits{Entries: 100_000, Unpacked: 512 << 20, Line: 32 << 20, Kept: 96 << 20, Calls: 20_000}

func (l Limits) orDefault() Limits {
	for _, f := range []struct{ have, otherwise *int }{
		{&l.Entries, &DefaultLimits.Entries}, {&l.Line, &DefaultLimits.Line}, {&l.Calls, &DefaultLimits.Calls},
	} {
		if *f.have <= 0 {
			*f.have = *f.otherwise
		}
	}
	if l.Unpacked <= 0 {
		l.Unpacked = DefaultLimits.Unpacked
	}
	if l.Kept <= 0 {
		l.Kept = DefaultLimits.Kept
	}
	return l
}

// Bounds that no trace of a browser comes near.
const (
	maxSnapshots = 200_000   // of all frames
	maxFrames    = 2_000     // documents
	maxNodes     = 1_000_000 // of a page put together
	maxDepth     = 380       // of a page put together
	maxStacks    = 16 << 20  // bytes of a file of stacks
	maxTyped     = 1_000     // texts that were typed
	maxNotes     = 20
)
