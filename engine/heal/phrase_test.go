package heal

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestShortCutsOfNormalisingChangeNothing(t *testing.T) {
	for _, text := range []string{"", " ", "Details of 62", "details of 62", "A  B", " a", "a ", "a\tb", "a\x1cb", "DEL \x7f", "Élan Vital", "ΑΣ", "a\u00a0b", "İ"} {
		if got, want := normalizeCut(text), engine.NormalizeText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
