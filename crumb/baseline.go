package crumb

import (
	"io"

	"github.com/breadcrumb/action/engine/selfmend"
)

// Baseline is what a file of selfmend (v0.2) holds: fingerprints by test,
// locator and occurrence. Reading and writing a file that selfmend wrote gives
// the same bytes. The zero value is empty.
type Baseline = selfmend.Baseline

// ReadBaseline reads a .selfmend/baseline.json.
func ReadBaseline(r io.Reader) (*Baseline, error) { return selfmend.ReadBaseline(r) }
