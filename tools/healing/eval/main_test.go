package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/tools/healing/corpus"
)

// figures are shares in per cent: right heals of located, wrong heals of all,
// healed of gone.
type figures struct{ recall, wrong, gone float64 }

// measure evaluates a preset on the shared corpus, or skips.
func measure(t *testing.T, preset preset.Name) figures {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "corpus", "healing", "dev")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the healing corpus is not here: %v", err)
	}
	pairs, err := corpus.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := evaluation{preset: preset}
	if err := e.evaluate(&out, pairs); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(&out)
	var right, wrong, healed, located, all float64
	for _, p := range pairs {
		for _, q := range p.Queries {
			var r result
			if err := lines.Decode(&r); err != nil {
				t.Fatal(err)
			}
			all++
			if q.Answer != nil {
				located++
			}
			switch {
			case r.Heal == nil:
			case q.Right(*r.Heal):
				right++
			default:
				wrong++
				if q.Answer == nil {
					healed++
				}
			}
		}
	}
	return figures{100 * right / located, 100 * wrong / all, 100 * healed / (all - located)}
}

func TestPresetsDoOnTheCorpusWhatTheOriginalsDo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	for preset, want := range map[preset.Name]figures{
		preset.Docs:     {88, 27, 58},
		preset.Py:       {88, 29, 63},
		preset.Selfmend: {18, 1.7, 2},
	} {
		got := measure(t, preset)
		for _, d := range []float64{got.recall - want.recall, got.wrong - want.wrong, got.gone - want.gone} {
			if math.Abs(d) > 1 {
				t.Errorf("%s: %+v, want %+v within a point", preset, got, want)
				break
			}
		}
	}
}

func TestTheShippedScorerKeepsItsPromiseAtHome(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	got := measure(t, preset.Default)
	if got.recall < 80 || got.wrong > 0.1 || got.gone > 0.3 {
		t.Errorf("%+v", got)
	}
}
