package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/tools/healing/corpus"
)

// figures are shares in per cent.
type figures struct {
	recall, wrong, gone float64 // right heals of located, wrong heals of all, healed of gone
	named, idle, other  float64 // healed or suggested right of located, suggested of gone, suggested another of located
}

// corpora is where the shared corpus of healing is.
var corpora = filepath.Join("..", "..", "..", "..", "shared", "corpus", "healing")

// corpusFolder returns a folder of the shared corpus of healing, or skips.
func corpusFolder(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(corpora, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the healing corpus is not here: %v", err)
	}
	return dir
}

// devPairs reads the pairs that most tests evaluate, once for all of them.
var devPairs = sync.OnceValues(func() ([]corpus.Pair, error) { return corpus.Read(filepath.Join(corpora, "dev")) })

// measureDev evaluates presets whose scenes are the same on the development
// corpus. Preparing a page costs more than a preset's answers to it.
func measureDev(t *testing.T, presets ...preset.Name) map[preset.Name]figures {
	t.Helper()
	corpusFolder(t, "dev")
	pairs, err := devPairs()
	if err != nil {
		t.Fatal(err)
	}
	counted := make([]counts, len(presets))
	evaluations := make([]evaluation, len(presets))
	for i, name := range presets {
		evaluations[i].preset = name
	}
	err = corpus.Scenes(pairs, taking(presets[0]), func(s *corpus.Scene) error {
		for i := range evaluations {
			r, err := evaluations[i].answer(s)
			if err != nil {
				return err
			}
			counted[i].add(s.Query, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[preset.Name]figures{}
	for i, name := range presets {
		got[name] = counted[i].shares()
	}
	return got
}

// measureLines evaluates the shipped preset on a corpus by the lines that the
// command writes.
func measureLines(t *testing.T, dir string) figures {
	t.Helper()
	pairs, err := corpus.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := evaluation{preset: preset.Default}
	if err := e.evaluate(&out, pairs); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(&out)
	var n counts
	for _, p := range pairs {
		for _, q := range p.Queries {
			var r result
			if err := lines.Decode(&r); err != nil {
				t.Fatal(err)
			}
			n.add(q, r)
		}
	}
	return n.shares()
}

// counts are what figures are shares of.
type counts struct {
	located, gone                            float64
	right, wrong, goneHealed                 float64
	suggested, otherSuggested, goneSuggested float64
}

func (n *counts) add(q corpus.Query, r result) {
	if q.Answer == nil {
		n.gone++
		switch {
		case r.Heal != nil:
			n.goneHealed++
		case r.Suggest != nil:
			n.goneSuggested++
		}
		return
	}
	n.located++
	switch {
	case r.Heal != nil && q.Right(*r.Heal):
		n.right++
	case r.Heal != nil:
		n.wrong++
	case r.Suggest != nil && q.Right(*r.Suggest):
		n.suggested++
	case r.Suggest != nil:
		n.otherSuggested++
	}
}

func (n *counts) shares() figures {
	return figures{
		recall: 100 * n.right / n.located, wrong: 100 * (n.wrong + n.goneHealed) / (n.located + n.gone), gone: 100 * n.goneHealed / n.gone,
		named: 100 * (n.right + n.suggested) / n.located, idle: 100 * n.goneSuggested / n.gone, other: 100 * n.otherSuggested / n.located,
	}
}

func TestPresetsDoOnTheCorpusWhatTheOriginalsDo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	all := measureDev(t, preset.Docs, preset.Py, preset.Selfmend)
	for preset, want := range map[preset.Name]figures{
		preset.Docs:     {recall: 88, wrong: 27, gone: 58},
		preset.Py:       {recall: 88, wrong: 29, gone: 63},
		preset.Selfmend: {recall: 18, wrong: 1.7, gone: 2},
	} {
		got := all[preset]
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
	got := measureDev(t, preset.Default)[preset.Default]
	t.Logf("%+v", got)
	if got.recall < 80 || got.wrong > 0.1 || got.gone > 0.3 {
		t.Errorf("heals: %+v", got)
	}
	if got.named < 95 || got.idle > 5 || got.other > 1 {
		t.Errorf("suggestions: %+v", got)
	}
}

// The corpus's own program rewrites what elements of real pages say: into another
// control, or into the same said otherwise.
func TestAReplacedControlIsNotHealedAndARewordedOneIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	program := corpusFolder(t, "replaced.py")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, program, corpusFolder(t, "dev"), corpusFolder(t, "words-dev.json"), dir).CombinedOutput(); err != nil {
		t.Fatalf("replaced.py: %v\n%s", err, out)
	}
	got := measureLines(t, dir)
	t.Logf("%+v", got)
	if got.gone > 1 {
		t.Errorf("%.1f %% of the replaced controls are healed, want at most 1", got.gone)
	}
	if got.named < 95 {
		t.Errorf("%.1f %% of the reworded controls are named, want at least 95", got.named)
	}
}
