package crumb

import (
	"io"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine/selfmend"
)

// None as a file name is no file.
const None = live.None

// Options say how a page learns and heals. The zero value is the default.
type Options = live.Options

// Baseline is what a file of selfmend (v0.2) holds: fingerprints by test,
// locator and occurrence. Reading and writing a file that selfmend wrote gives
// the same bytes. The zero value is empty.
type Baseline = selfmend.Baseline

// ReadBaseline reads a .selfmend/baseline.json.
func ReadBaseline(r io.Reader) (*Baseline, error) { return selfmend.ReadBaseline(r) }

// Summary saves what still waits and writes what the process healed, suggested and
// refused, boxed as selfmend does. Call it at the end of TestMain:
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		crumb.Summary(os.Stdout)
//		os.Exit(code)
//	}
//
// Nothing is written when no locator was lost and nothing went wrong. The error
// is that of the writer.
func Summary(w io.Writer) error { return live.Summary(w) }
