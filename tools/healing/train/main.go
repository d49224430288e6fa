// Command train trains the engine's default scorer on a healing corpus and
// writes its two models, a tree a line. The same corpus always gives the same bytes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/tools/healing/corpus"
	"github.com/breadcrumb/action/tools/healing/fit"
)

// folds is in how many parts the projects are trained apart; 0: each by itself.
const folds = 0

func main() {
	dir := flag.String("corpus", "", "folder of *.jsonl.gz pairs")
	out := flag.String("out", "engine/heal", "folder to write the models to")
	flag.Parse()
	if err := run(*dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(dir, out string) error {
	if dir == "" {
		return fmt.Errorf("want --corpus DIR")
	}
	pairs, err := corpus.Read(dir)
	if err != nil {
		return err
	}
	for name, withPage := range map[string]bool{"model_page.json": true, "model_alone.json": false} {
		examples, err := fit.Extract(pairs, withPage)
		if err != nil {
			return err
		}
		_, answers := fit.HeldOut(examples, folds)
		trees := fit.Forest(examples, func(*fit.Example) bool { return true })
		model := fit.Model(trees, answers)
		text, err := json.MarshalIndent(&model, "", "\t")
		if err != nil {
			return fmt.Errorf("encode model: %w", err)
		}
		if err := os.WriteFile(filepath.Join(out, name), append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("write model: %w", err)
		}
	}
	return nil
}
