package testcode

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Scenario is what a test runs that is generated from a feature file.
type Scenario struct {
	Feature string   // the file, as the test's own says
	Steps   []string // their texts, without the keywords
	Known   bool     // the feature file has it; otherwise it may run any step

	ran map[string]bool // by pattern, as it is written: whether one of the steps matches
}

// IdentifyIn is Identify with the steps of a test that playwright-bdd generated from a
// feature file of the checkout (https://vitalets.github.io/playwright-bdd).
func IdentifyIn(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) Identity {
	id := Identify(h, t)
	m := generatedTest.FindStringSubmatch(strings.ReplaceAll(id.File, `\`, "/"))
	if m == nil {
		return id
	}
	key := "scenario " + id.File + " › " + strings.Join(id.Names, " › ")
	id.Scenario = checkout.Once(tree, key, func() *Scenario { return scenarioOf(tree, m[1], m[0], m[2], id.Names) })
	return id
}

// FilesOf returns the files with the code of a test, the first of which is FileOf's: all
// that define a step of its scenario.
func FilesOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) ([]*source.File, error) {
	id := IdentifyIn(tree, h, t)
	if id.Scenario == nil {
		src, err := FileOf(tree, h, t)
		if src == nil || err != nil {
			return nil, err
		}
		return []*source.File{src}, nil
	}
	if !id.Scenario.Known {
		return nil, fmt.Errorf("%s has no scenario %q that can be read", source.Printable(id.Scenario.Feature), source.Printable(id.Title()))
	}
	var out []*source.File
	for _, file := range StepFilesOf(tree, id) {
		if src, err := tree.Load(file); err == nil {
			out = append(out, src)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no step of the scenario %q is defined in the checkout", source.Printable(id.Title()))
	}
	return out, nil
}

// scenarioOf returns the scenario of a title path in a feature, whose generated test is a
// file below a folder.
func scenarioOf(tree *checkout.Tree, folder, test, feature string, titles []string) *Scenario {
	out := &Scenario{Feature: feature, ran: map[string]bool{}}
	if file, err := tree.Find(test); err == nil {
		if origin := generatedFrom.FindSubmatch(tree.Bytes(file)); origin != nil {
			feature = string(origin[1])
		}
	}
	for rest := folder; ; _, rest, _ = strings.Cut(rest, "/") { // an absolute path may end in one of the checkout
		if text := tree.Bytes(path.Join(rest, feature)); len(text) > 0 {
			out.Steps, out.Known = stepsOf(text, titles)
		}
		if out.Known || rest == "" {
			break
		}
	}
	return out
}

var (
	generatedTest = lazyregexp.New(`^(?:(.*)/)?\.features-gen/(.+\.feature)\.spec\.[cm]?[jt]s$`)
	generatedFrom = lazyregexp.New(`^// Generated from: (\S+)`)
)

// maxFeature bounds the scenarios of a feature file that are read, and the steps of one.
const maxFeature = 2000

// maxStep bounds the text of a step, in bytes.
const maxStep = 4000

// scenario is a scenario of a feature file, a background, or an outline with its rows.
type scenario struct {
	keyword, name, rule string
	steps               []string
	header              []string
	rows                [][][2]string // of the examples: each name with its value
}

// stepsOf returns the texts of the steps that the scenario of a title path runs, and
// false when a feature file, in English, has no such scenario.
func stepsOf(text []byte, names []string) ([]string, bool) {
	var out []string
	found := false
	all := readFeature(text)
	for _, s := range all {
		row, own := s.isNamed(names)
		if s.keyword == "Background" || !own {
			continue
		}
		found = true
		for _, b := range all {
			if b.keyword == "Background" && (b.rule == "" || b.rule == s.rule) {
				out = append(out, b.steps...)
			}
		}
		for _, step := range s.steps {
			if out = append(out, s.filled(step, row)...); len(out) > maxFeature {
				return nil, false
			}
		}
	}
	return out, found
}

// readFeature reads the scenarios of a feature file in the syntax of Gherkin
// (https://cucumber.io/docs/gherkin/reference), none of one in another language.
func readFeature(text []byte) []scenario {
	var all []scenario
	rule, quoted, inRows := "", "", false
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if fence := docString.FindString(line); quoted != "" || fence != "" {
			if quoted == "" {
				quoted = fence
			} else if strings.HasPrefix(line, quoted) {
				quoted = ""
			}
			continue
		}
		last := len(all) - 1
		keyword, name, titled := strings.Cut(line, ":")
		step := stepLine.FindStringSubmatch(line)
		switch {
		case language.MatchString(line) && !strings.HasSuffix(line, "en"), len(all) > maxFeature:
			return nil
		case titled && keyword == "Rule":
			rule = strings.TrimSpace(name)
		case titled && (keyword == "Examples" || keyword == "Scenarios") && last >= 0:
			inRows, all[last].header = true, nil
		case titled && slices.Contains(scenarioWords, keyword):
			all = append(all, scenario{keyword: keyword, name: strings.TrimSpace(name), rule: rule})
			inRows = false
		case strings.HasPrefix(line, "|") && inRows && last >= 0 && all[last].header == nil:
			all[last].header = cells(line)
		case strings.HasPrefix(line, "|") && inRows && last >= 0:
			all[last].addRow(cells(line))
		case step != nil && last >= 0 && !inRows && len(step[1]) < maxStep:
			all[last].steps = append(all[last].steps, step[1])
		}
	}
	return all
}

var (
	docString     = lazyregexp.New("^(?:\"\"\"|```)")
	language      = lazyregexp.New(`^#\s*language\s*:`)
	stepLine      = lazyregexp.New(`^(?:Given|When|Then|And|But|\*)\s+(.+)$`)
	scenarioWords = []string{"Background", "Scenario", "Example", "Scenario Outline", "Scenario Template"}
)

// addRow adds a row of the examples.
func (s *scenario) addRow(values []string) {
	var row [][2]string
	for i, value := range values {
		if i < len(s.header) {
			row = append(row, [2]string{s.header[i], value})
		}
	}
	s.rows = append(s.rows, row)
}

// cells returns the texts between the bars of a table's row.
func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "|"), "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// isNamed reports whether a title path ends in the scenario, or in an example of it,
// whose number it returns then, counted from 1.
func (s scenario) isNamed(names []string) (row int, ok bool) {
	last := len(names) - 1
	switch {
	case last < 0:
		return 0, false
	case names[last] == s.name:
		return 0, true
	case last > 0 && names[last-1] == s.name && len(s.rows) > 0:
		_, _ = fmt.Sscanf(names[last], "Example #%d", &row)
		return row, true
	}
	return 0, false
}

// filled returns a step with the values of one row of the examples, of each where the row
// is not known.
func (s scenario) filled(step string, row int) []string {
	if len(s.rows) == 0 || !strings.Contains(step, "<") {
		return []string{step}
	}
	var out []string
	for n, values := range s.rows {
		if row > 0 && row != n+1 || n > maxFeature {
			continue
		}
		text := step
		for _, v := range values {
			hole := "<" + v[0] + ">"
			if len(text)+strings.Count(text, hole)*len(v[1]) < maxStep {
				text = strings.ReplaceAll(text, hole, v[1])
			}
		}
		out = append(out, text)
	}
	return out
}

// StepFilesOf returns the files of the checkout that define the steps of a test's
// scenario, all that define one where it is not known which it runs.
func StepFilesOf(tree *checkout.Tree, id Identity) []string {
	files := checkout.Once(tree, "files with steps", func() []string {
		script, _ := source.DialectOf("a.ts")
		var found []string
		for _, name := range slices.Sorted(maps.Keys(stepNames)) {
			found = append(found, tree.AllNaming(script, name)...)
		}
		slices.Sort(found)
		return slices.Compact(found)
	})
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		src, err := tree.Load(file)
		return err != nil || len(FindBodies(src, id).Own) == 0
	})
}

var stepCall = lazyregexp.New(`\b(?:Given|When|Then|And|But|Step|defineStep)\s*\(`)
