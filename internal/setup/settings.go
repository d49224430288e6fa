package setup

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup/detect"
)

// settingKeys are the settings with the places of the suites' results.
var settingKeys = []struct {
	name string
	of   func(detect.Suite) []string
}{
	{"junit", func(s detect.Suite) []string { return s.Reports }},
	{"traces", func(s detect.Suite) []string { return s.Traces }},
	{"heal-events", func(s detect.Suite) []string { return s.Heals }},
}

const (
	settingsHead = "# What Breadcrumb reads: https://github.com/breadcrumb/action/blob/main/docs/inputs.md\n"
	settingsTail = "# missing: warn                      # a test that vanished does not block\n" +
		"# quarantine:\n#   never: [tests/payment.spec.ts]   # its failures always block\n"
)

// settingsText returns the settings file: the places of the suites' results, and in
// comments what people often set besides. An existing file keeps all that it has.
func settingsText(p *detect.Checkout, suites []detect.Suite) []byte {
	own := p.Text(SettingsFile)
	if own == "" {
		return []byte(settingsHead + newSettings(suites, nil) + settingsTail)
	}
	var has map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(own), &has); err != nil || len(own) >= detect.MaxFileBytes {
		return []byte(own)
	}
	added := newSettings(suites, has)
	if added != "" && !strings.HasSuffix(own, "\n") {
		own += "\n"
	}
	return []byte(own + added)
}

// settingsConflicts says which reports the existing settings do not find, or that
// they cannot be read.
func settingsConflicts(p *detect.Checkout, suites []detect.Suite) []string {
	var own struct{ JUnit yaml.Node }
	if err := yaml.Unmarshal([]byte(p.Text(SettingsFile)), &own); err != nil {
		return []string{SettingsFile + " cannot be read: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if own.JUnit.IsZero() {
		return nil
	}
	globs := readGlobs(own.JUnit)
	var todo []string
	for _, s := range suites {
		for _, file := range s.Reports {
			finds := func(glob string) bool { return findsReport(glob, []detect.Suite{{Reports: []string{file}}}) }
			if !slices.ContainsFunc(globs, finds) {
				todo = append(todo, fmt.Sprintf("%s line %d reads %s, and the tests' report is to be %s: make them the same", SettingsFile, own.JUnit.Line, strings.Join(globs, ", "), file))
			}
		}
	}
	return todo
}

// newSettings returns the lines of the settings that a file does not have yet.
func newSettings(suites []detect.Suite, has map[string]yaml.Node) string {
	var out strings.Builder
	for _, key := range settingKeys {
		globs := joinGlobs(suites, ".", key.of)
		_, there := has[key.name]
		switch {
		case globs == "" || there:
		case !strings.Contains(globs, "\n"):
			out.WriteString(key.name + ": " + quoteScalar(globs) + "\n")
		default:
			out.WriteString(key.name + ":\n")
			for glob := range strings.Lines(globs) {
				out.WriteString("  - " + quoteScalar(strings.TrimSuffix(glob, "\n")) + "\n")
			}
		}
	}
	return out.String()
}
