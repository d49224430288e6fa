package setup

import (
	"strings"

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
