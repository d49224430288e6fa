package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// results are the inputs that say where the results are, as globs separated by commas or
// lines.
type results struct {
	JUnit  string `yaml:"junit"`
	Traces string `yaml:"traces"`
	Heals  string `yaml:"heal-events"`
	Config string `yaml:"config"` // the settings file
}

// uploadedGlob matches globs that actions/upload-artifact reads as Breadcrumb does, and
// that mean nothing else in a workflow.
var uploadedGlob = lazyregexp.New(`^[\w.@+*][\w./@+*?-]*$`)

// followJudge sets the suites of a step that judges, with their results where it reads
// them: as its inputs say, else as the settings file does. What cannot be uploaded from there
// is left to do. The plan's own suites stay, as they leave their results on any machine.
func (plan *Plan) followJudge(p *detect.Checkout, step *testStep) {
	step.suites, step.judged = slices.Clone(plan.Suites), slices.Clone(plan.Suites)
	var file map[string]yaml.Node
	_ = yaml.Unmarshal([]byte(p.Text(SettingsFile)), &file) // settingsConflicts says what is wrong with it
	for _, key := range []struct {
		name, input string
		to          func(*detect.Suite) *[]string
	}{
		{"junit", step.told.JUnit, func(s *detect.Suite) *[]string { return &s.Reports }},
		{"traces", step.told.Traces, func(s *detect.Suite) *[]string { return &s.Traces }},
		{"heal-events", step.told.Heals, func(s *detect.Suite) *[]string { return &s.Heals }},
	} {
		globs, text := readGlobs(file[key.name]), key.input
		if text != "" {
			globs = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
		}
		for i := range globs {
			globs[i] = strings.TrimSpace(globs[i])
		}
		globs = slices.DeleteFunc(globs, func(glob string) bool { return glob == "" })
		if len(globs) == 0 {
			continue
		}
		var each []string // with the values of expressions
		for _, glob := range globs {
			each = append(each, step.expand(glob)...)
		}
		if slices.ContainsFunc(each, func(glob string) bool {
			return !uploadedGlob.MatchString(glob) || !filepath.IsLocal(filepath.FromSlash(glob))
		}) {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%s line %d reads %s: %s, which this cannot follow: name the same files in the upload shown below and in %s",
				step.at.File, step.at.Line, key.name, strings.Join(globs, ", "), ForksFile))
			continue
		}
		own := strings.Split(joinGlobs(plan.Suites, ".", func(s detect.Suite) []string { return *key.to(&s) }), "\n")
		inOrder := slices.Equal(slices.Sorted(slices.Values(own)), slices.Sorted(slices.Values(each)))
		for i := range step.suites {
			if *key.to(&step.suites[i]) = globs; !inOrder {
				*key.to(&step.judged[i]) = each
			}
		}
	}
}

// valueUse matches an expression that is a key of the matrix or an input.
var valueUse = lazyregexp.New(`\$\{\{\s*(matrix|inputs)\.([A-Za-z_][\w-]*)\s*\}\}`)

// expand returns a glob with each of the values that its expressions can have, or itself
// where they are not known.
func (t *testStep) expand(glob string) []string {
	m := valueUse.FindStringSubmatch(glob)
	if m == nil {
		return []string{glob}
	}
	var values []string
	if m[1] == "matrix" {
		values = matrixValues(t.cases, m[2])
	}
	for _, c := range t.calls {
		switch of := fromMatrix.FindStringSubmatch(c.with[m[2]]); {
		case m[1] == "matrix":
		case of != nil:
			values = append(values, matrixValues(c.matrix, of[1])...)
		case c.with[m[2]] != "":
			values = append(values, c.with[m[2]])
		}
	}
	if len(values) == 0 || len(values) > maxConfigurations {
		return []string{glob}
	}
	var all []string
	for _, value := range values {
		if valueUse.MatchString(value) {
			return []string{glob}
		}
		for _, one := range t.expand(strings.ReplaceAll(glob, m[0], value)) {
			if valueUse.MatchString(one) || len(all) >= maxConfigurations {
				return []string{glob}
			}
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// maxConfigurations bounds the values that are told apart: as many as a matrix may have
// legs (https://docs.github.com/actions/reference/limits).
const maxConfigurations = 256

// readGlobs returns the globs of a setting: a list, or text that separates them by commas
// or lines.
func readGlobs(setting yaml.Node) []string {
	var globs []string
	if setting.Decode(&globs) != nil {
		globs = strings.FieldsFunc(setting.Value, func(r rune) bool { return r == ',' || r == '\n' })
	}
	return globs
}
