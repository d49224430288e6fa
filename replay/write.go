package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// WriteHistory writes runs, oldest first, as a history. names holds the tests'
// identities by number, attempts each run's attempt of its commit.
func WriteHistory(w io.Writer, names []string, runs []flaky.Run, attempts []int) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i, run := range runs {
		l := lineOf(run, len(names))
		l.Run, l.Attempt = i, attempts[i]
		if i == 0 {
			l.Names = make(map[string]string, len(names))
			for t, name := range names {
				l.Names[strconv.Itoa(t)] = name
			}
		}
		if err := encoder.Encode(l); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return nil
}

func lineOf(run flaky.Run, tests int) Line {
	l := Line{SHA: run.Commit, Branch: run.Source, Lane: run.Variant, Tests: run.Tests, Absent: []int{}, Results: []Result{}}
	if run.Source == "" {
		l.Branch = MainBranch
	}
	for t := range tests {
		if !run.Ran(t) {
			l.Absent = append(l.Absent, t)
		}
	}
	for _, o := range run.Observations {
		r := Result{Test: o.Test, Healed: o.Healed, Attempts: letters(o.Attempts), Place: o.Place}
		r.Error = strings.Join(o.Signatures, " | ")
		l.Results = append(l.Results, r)
	}
	return l
}

func letters(statuses []engine.Status) string {
	var b strings.Builder
	for _, s := range statuses {
		for letter, status := range byLetter {
			if status == s {
				b.WriteRune(letter)
			}
		}
	}
	return b.String()
}
