package setup

import "strings"

// settings returns the settings file: where the results of suites are, and as
// comments what else people often set.
func settings(suites []Suite) []byte {
	var out strings.Builder
	out.WriteString("# What Breadcrumb reads: https://github.com/breadcrumb/action/blob/main/docs/inputs.md\n")
	for _, key := range []struct {
		name string
		of   func(Suite) []string
	}{
		{"junit", func(s Suite) []string { return s.Reports }},
		{"traces", func(s Suite) []string { return s.Traces }},
		{"heal-events", func(s Suite) []string { return s.Heals }},
	} {
		globs := list(suites, ".", key.of)
		switch {
		case globs == "":
		case !strings.Contains(globs, "\n"):
			out.WriteString(key.name + ": " + scalar(globs) + "\n")
		default:
			out.WriteString(key.name + ":\n")
			for glob := range strings.Lines(globs) {
				out.WriteString("  - " + scalar(strings.TrimSuffix(glob, "\n")) + "\n")
			}
		}
	}
	out.WriteString("# missing: warn                      # a test that vanished does not block\n")
	out.WriteString("# quarantine:\n#   never: [tests/payment.spec.ts]   # its failures always block\n")
	return []byte(out.String())
}
