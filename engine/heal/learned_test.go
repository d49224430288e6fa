package heal

import (
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAnAttributeThatDifferedOnceStaysUnsteady(t *testing.T) {
	load := func(id, label string) engine.Fingerprint {
		return engine.Fingerprint{Tag: "input", Attributes: engine.Attributes{{Name: "id", Value: id}, {Name: "aria-label", Value: label}, {Name: "value", Value: id}}}
	}
	known := Learned{Fingerprint: load("one", "Task")}
	for i, step := range []struct {
		now  engine.Fingerprint
		want []string
	}{
		{load("one", "Task"), nil},
		{load("two", "Task"), []string{"id"}},
		{load("two", "Task"), []string{"id"}},
		{load("two", "Todo"), []string{"id", "aria-label"}},
	} {
		now := Learned{Fingerprint: step.now}
		now.KeepVarying(known.Fingerprint)
		if !slices.Equal(now.Fingerprint.Unsteady, step.want) {
			t.Errorf("load %d: %q, want %q", i, now.Fingerprint.Unsteady, step.want)
		}
		known = now
	}
}
