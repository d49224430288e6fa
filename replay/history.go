package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// MainBranch is the name of the default branch in a history.
const MainBranch = "main"

// Bounds of a history: bytes of a line, and the numbers of tests.
const (
	maxLine = 64 << 20
	maxTest = 1 << 24
)

// Line is one run of a history.
type Line struct {
	Run     int               `json:"run"`
	SHA     string            `json:"sha"`
	Branch  string            `json:"branch"`
	Lane    string            `json:"lane,omitempty"`  // workflow, job and matrix leg
	Queue   bool              `json:"queue,omitempty"` // a run of a merge group
	Attempt int               `json:"attempt"`
	Tests   int               `json:"tests"`
	Absent  []int             `json:"absent"`
	Results []Result          `json:"results"`
	Names   map[string]string `json:"names,omitempty"`
}

// Result is a test of a run that did not simply pass.
type Result struct {
	Test     int    `json:"t"`
	Attempts string `json:"a"`
	Error    string `json:"err,omitempty"`
	Place    string `json:"at,omitempty"`
	Healed   bool   `json:"healed,omitempty"`
}

// Read calls fn with every line of a history. An error names the line.
func Read(r io.Reader, fn func(Line) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for scanner.Scan() {
		n++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		var l Line
		err := json.Unmarshal(text, &l)
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := fn(l); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// sources are the run's sources as a judge knows them: none for the default
// branch. A colon stands between the pull requests of a
// merge group.
func (l Line) sources() []string {
	if l.Branch == MainBranch {
		return nil
	}
	return strings.Split(l.Branch, ":")
}

func (l Line) check() error {
	if l.Branch == "" {
		return errors.New(`there is no "branch": write "main" for the default branch`)
	}
	if l.Tests < 0 {
		return errors.New(`"tests" is negative`)
	}
	for _, t := range l.Absent {
		if err := checkTest(t); err != nil {
			return fmt.Errorf("absent: %w", err)
		}
	}
	seen := make(map[int]bool, len(l.Results))
	for _, r := range l.Results {
		if err := checkTest(r.Test); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		if seen[r.Test] {
			return fmt.Errorf("results: test %d is listed twice", r.Test)
		}
		seen[r.Test] = true
		if _, err := parseAttempts(r.Attempts); err != nil {
			return fmt.Errorf("results: test %d: %w", r.Test, err)
		}
	}
	return nil
}

func checkTest(t int) error {
	if t < 0 || t >= maxTest {
		return fmt.Errorf("test %d is out of range: 0 to %d", t, maxTest-1)
	}
	return nil
}

// parseAttempts returns the statuses that letters spell.
func parseAttempts(letters string) ([]engine.Status, error) {
	if letters == "" {
		return nil, errors.New(`"a" holds no attempt`)
	}
	statuses := make([]engine.Status, 0, len(letters))
	for _, letter := range letters {
		s, ok := byLetter[letter]
		if !ok {
			return nil, fmt.Errorf(`attempt %q in "a" is none of P (passed), F (failed), E (error), S (skipped)`, letter)
		}
		statuses = append(statuses, s)
	}
	return statuses, nil
}

var byLetter = map[rune]engine.Status{
	'P': engine.StatusPassed, 'F': engine.StatusFailed, 'E': engine.StatusError, 'S': engine.StatusSkipped,
}

// WriteHistory writes runs, oldest first, as a history. names holds the tests'
// identities by number, attempts each run's attempt of its commit.
func WriteHistory(w io.Writer, names []engine.TestID, runs []flaky.Run, attempts []int) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i, run := range runs {
		l := newLine(run, len(names))
		l.Run, l.Attempt = i, attempts[i]
		if i == 0 {
			l.Names = make(map[string]string, len(names))
			for t, name := range names {
				l.Names[strconv.Itoa(t)] = string(name)
			}
		}
		if err := encoder.Encode(l); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return nil
}

func newLine(run flaky.Run, tests int) Line {
	l := Line{SHA: run.Commit, Branch: strings.Join(run.Sources, ":"), Lane: run.Variant, Queue: run.Queued, Tests: run.Tests, Absent: []int{}, Results: []Result{}}
	if len(run.Sources) == 0 {
		l.Branch = MainBranch
	}
	for t := range tests {
		if !run.Ran(t) {
			l.Absent = append(l.Absent, t)
		}
	}
	for _, o := range run.Observations {
		r := Result{Test: o.Test, Healed: o.Healed, Attempts: spellStatuses(o.Attempts), Place: o.Place}
		r.Error = strings.Join(o.Signatures, " | ")
		l.Results = append(l.Results, r)
	}
	return l
}

func spellStatuses(statuses []engine.Status) string {
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
