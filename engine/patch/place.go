package patch

import (
	"fmt"

	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Place is the code around a line of Go, Java or C#.
type Place = testcode.Place

// PlaceAt returns the code around a line of a file. The error says why the file cannot be
// read; of other languages nothing is known.
func PlaceAt(file string, text []byte, line int) (Place, error) {
	dialect, known := source.DialectOf(file)
	if !known {
		return Place{}, nil
	}
	s, err := source.New(file, dialect, text)
	if err != nil {
		return Place{}, fmt.Errorf("read the code: %w", err)
	}
	return testcode.At(s, line), nil
}
