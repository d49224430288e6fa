// Command eval runs the engine over a healing corpus and writes one result
// line a query, as the corpus's README describes.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/tools/healing/corpus"
	"github.com/breadcrumb/action/tools/healing/fit"
)

func main() {
	var e evaluation
	var preset string
	flag.StringVar(&e.corpus, "corpus", "", "folder of *.jsonl.gz pairs")
	flag.StringVar(&preset, "preset", "default", "scorer: default, breadcrumb-docs, breadcrumb-py or selfmend")
	flag.StringVar(&e.out, "out", "", "file to write result lines to")
	flag.BoolVar(&e.alone, "alone", false, "use the fingerprint only, not the rest of the old page")
	flag.BoolVar(&e.noBoxes, "no-boxes", false, "drop the boxes, as on pages read from HTML without a browser")
	flag.BoolVar(&e.leaveOut, "leave-one-out", false, "default scorer: for each project use a model trained without it")
	flag.Parse()
	if err := e.run(preset); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// evaluation is one run over a corpus.
type evaluation struct {
	corpus, out     string
	preset          preset.Name
	alone, leaveOut bool
	noBoxes         bool
	models          map[string]*heal.Model // by project, nil for the shipped one
	pair            string                 // whose old page old is
	old             *heal.Page
}

func (e *evaluation) run(name string) error {
	var err error
	if e.preset, err = preset.Parse(name); err != nil {
		return err
	}
	if e.corpus == "" || e.out == "" {
		return fmt.Errorf("want --corpus DIR and --out FILE")
	}
	pairs, err := corpus.Read(e.corpus)
	if err != nil {
		return err
	}
	if e.leaveOut {
		if e.models, err = leaveOneOut(pairs, e.alone); err != nil {
			return err
		}
	}
	f, err := os.Create(e.out)
	if err != nil {
		return fmt.Errorf("create results: %w", err)
	}
	w := bufio.NewWriter(f)
	if err := e.evaluate(w, pairs); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return f.Close()
}

// result is one line of the results file.
type result struct {
	ID         string  `json:"id"`
	Q          int     `json:"q"`
	Heal       *int    `json:"heal"`
	Best       *int    `json:"best"`
	Suggest    *int    `json:"suggest"`
	Confidence float64 `json:"confidence"`
	Evidence   string  `json:"evidence"`
}

func (e *evaluation) evaluate(w io.Writer, pairs []corpus.Pair) error {
	lines := json.NewEncoder(w)
	return corpus.Scenes(pairs, taking(e.preset), func(s *corpus.Scene) error {
		r, err := e.answer(s)
		if err != nil {
			return err
		}
		return lines.Encode(r)
	})
}

// taking says how the scenes of a preset are made: other tools' figures come from
// pages that only hide what a query takes off.
func taking(name preset.Name) corpus.Taking {
	if name == preset.Default {
		return corpus.Remove
	}
	return corpus.Hide
}

// answer returns what the engine makes of a query.
func (e *evaluation) answer(s *corpus.Scene) (result, error) {
	if e.noBoxes {
		s = s.WithoutBoxes()
	}
	d, err := e.heal(s, heal.Options{Preset: e.preset, Model: e.models[s.Pair.Project]})
	if err != nil {
		return result{}, err
	}
	r := result{ID: s.Pair.ID, Q: s.N}
	if d.Best != nil {
		best := s.Original(d.Best.Index)
		r.Best, r.Confidence = &best, d.Best.Confidence
		if d.Outcome == engine.OutcomeHealed {
			r.Heal = &best
		}
		if d.Outcome == engine.OutcomeSuggested {
			r.Suggest = &best
		}
		r.Evidence = d.Evidence.String()
	}
	return r, nil
}

// heal answers a query with what a fingerprint store would have: the element's
// fingerprint and, unless alone, the old page as its state keeps it.
func (e *evaluation) heal(s *corpus.Scene, options heal.Options) (heal.Decision, error) {
	if e.alone || e.preset != preset.Default {
		return heal.Heal(s.Old.Fingerprint(s.Query.Old), s.New, options), nil
	}
	old, err := e.stored(s)
	if err != nil {
		return heal.Decision{}, fmt.Errorf("%s: %w", s.Pair.ID, err)
	}
	return heal.Compare(old, s.New).Heal(s.Query.Old, options), nil
}

// stored returns the scene's old page, written and read again.
func (e *evaluation) stored(s *corpus.Scene) (*heal.Page, error) {
	if e.pair == s.Pair.ID {
		return e.old, nil
	}
	state, err := s.Old.State()
	if err != nil {
		return nil, err
	}
	e.pair = s.Pair.ID
	e.old, err = heal.ReadState(state)
	return e.old, err
}

// leaveOneOut returns for each project a model whose trees were trained, and
// whose calibration and threshold were set, without it.
func leaveOneOut(pairs []corpus.Pair, alone bool) (map[string]*heal.Model, error) {
	examples, err := fit.Extract(pairs, !alone)
	if err != nil {
		return nil, err
	}
	forests, answers := fit.HeldOut(examples, 0)
	models := map[string]*heal.Model{}
	for project, forest := range forests {
		var others []fit.Answer
		for _, a := range answers {
			if a.Example.Project != project {
				others = append(others, a)
			}
		}
		m := fit.Model(forest, others)
		models[project] = &m
	}
	return models, nil
}
