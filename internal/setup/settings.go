package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// settingKeys are the settings that say where the results of suites are.
var settingKeys = []struct {
	name string
	of   func(Suite) []string
}{
	{"junit", func(s Suite) []string { return s.Reports }},
	{"traces", func(s Suite) []string { return s.Traces }},
	{"heal-events", func(s Suite) []string { return s.Heals }},
}

const (
	settingsHead = "# What Breadcrumb reads: https://github.com/breadcrumb/action/blob/main/docs/inputs.md\n"
	settingsTail = "# missing: warn                      # a test that vanished does not block\n" +
		"# quarantine:\n#   never: [tests/payment.spec.ts]   # its failures always block\n"
)

// settings returns the settings file: where the results of suites are, and as
// comments what else people often set. What a file has already stays as it is.
func (p *project) settings(suites []Suite) []byte {
	own := p.text(SettingsFile)
	if own == "" {
		return []byte(settingsHead + places(suites, nil) + settingsTail)
	}
	var has map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(own), &has); err != nil || len(own) >= maxFileBytes {
		return []byte(own)
	}
	if !strings.HasSuffix(own, "\n") {
		own += "\n"
	}
	return []byte(own + places(suites, has))
}

// elsewhere says which reports the settings that are there do not lead to, or
// that the settings cannot be read.
func (p *project) elsewhere(suites []Suite) []string {
	var own struct{ JUnit yaml.Node }
	if err := yaml.Unmarshal([]byte(p.text(SettingsFile)), &own); err != nil {
		return []string{SettingsFile + " cannot be read: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if own.JUnit.IsZero() {
		return nil
	}
	var globs []string
	if own.JUnit.Decode(&globs) != nil {
		globs = strings.FieldsFunc(own.JUnit.Value, func(r rune) bool { return r == ',' || r == '\n' })
	}
	var todo []string
	for _, s := range suites {
		for _, file := range s.Reports {
			if !slices.ContainsFunc(globs, func(glob string) bool { return leads(strings.TrimSpace(glob), file) }) {
				todo = append(todo, fmt.Sprintf("%s line %d reads %s, and the tests' report is to be %s: make them the same", SettingsFile, own.JUnit.Line, strings.Join(globs, ", "), file))
			}
		}
	}
	return todo
}

// leads reports whether a glob finds a report, or every report that another
// glob is sure to find.
func leads(glob, report string) bool {
	found, err := doublestar.Match(glob, strings.ReplaceAll(report, "**", "x"))
	return glob == report || err == nil && found
}

// places returns the lines of the settings that are not there yet.
func places(suites []Suite, has map[string]yaml.Node) string {
	var out strings.Builder
	for _, key := range settingKeys {
		globs := list(suites, ".", key.of)
		_, there := has[key.name]
		switch {
		case globs == "" || there:
		case !strings.Contains(globs, "\n"):
			out.WriteString(key.name + ": " + scalar(globs) + "\n")
		default:
			out.WriteString(key.name + ":\n")
			for glob := range strings.Lines(globs) {
				out.WriteString("  - " + scalar(strings.TrimSuffix(glob, "\n")) + "\n")
			}
		}
	}
	return out.String()
}
