package engine_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestTheRunIsFoundThatWasGoingOnAtATime(t *testing.T) {
	start := func(at string) string { return `{"schema":"breadcrumb.run/v1","timestamp":` + at + "}\n" }
	text := healedLine + "\n" + start("100") + healedLine + "\n{\n" + start("300.5") + strings.Repeat("x", engine.MaxHealBytes+1) + "\n" + start("200") + start("-7") + start(`"400"`) + start("1e300")
	for at, want := range map[float64]float64{0: 0, 99: 0, 100: 100, 250: 200, 300: 200, 300.5: 300.5, 1e9: 300.5, math.Inf(1): 300.5} {
		if got := engine.LastStart(strings.NewReader(text), at); got != want {
			t.Errorf("at %g: %g, want %g", at, got, want)
		}
	}
	if events, notices := engine.ReadHeals("a", strings.NewReader(start("100")+healedLine+"\n"+start("200"))); len(events) != 1 || len(notices) > 0 {
		t.Errorf("%d events, notices %+v", len(events), notices)
	}
}

func FuzzLastStart(f *testing.F) {
	line, _ := json.Marshal(engine.RunStart{Schema: engine.RunStartSchema, Timestamp: 1772359200.5})
	f.Add(string(line)+"\n\uFEFF{", 2e9)
	f.Fuzz(func(t *testing.T, text string, at float64) {
		if last := engine.LastStart(strings.NewReader(text), at); last < 0 || last > 0 && last > at {
			t.Fatalf("a run that began at %g was going on at %g", last, at)
		}
	})
}
