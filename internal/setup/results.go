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
}

// uploadedGlob matches globs that actions/upload-artifact reads as Breadcrumb does, and
// that mean nothing else in a workflow.
var uploadedGlob = lazyregexp.New(`^[\w.@+*][\w./@+*?-]*$`)

// followJudge has the suites' results be where a step that judges reads them: as its inputs
// say, else as the settings file does. What cannot be uploaded from there is left to do.
func (plan *Plan) followJudge(p *detect.Checkout, step testStep) {
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
		if slices.ContainsFunc(globs, func(glob string) bool {
			return !uploadedGlob.MatchString(glob) || !filepath.IsLocal(filepath.FromSlash(glob))
		}) {
			plan.Todo = append(plan.Todo, fmt.Sprintf("%s line %d reads %s: %s, which this cannot follow: name the same files in the upload shown below and in %s",
				step.at.File, step.at.Line, key.name, strings.Join(globs, ", "), ForksFile))
			continue
		}
		for i := range plan.Suites {
			*key.to(&plan.Suites[i]) = globs
		}
	}
}

// readGlobs returns the globs of a setting: a list, or text that separates them by commas
// or lines.
func readGlobs(setting yaml.Node) []string {
	var globs []string
	if setting.Decode(&globs) != nil {
		globs = strings.FieldsFunc(setting.Value, func(r rune) bool { return r == ',' || r == '\n' })
	}
	return globs
}
