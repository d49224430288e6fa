package main

import (
	"fmt"
	"strings"
)

// formatTexts returns the text of LICENSES: what is linked, and then each text once, with
// those that it is of.
func formatTexts(modules []module) string {
	var out strings.Builder
	out.WriteString("Breadcrumb is licensed under Apache-2.0. Its binaries are linked from the modules\nbelow and from Go's library and runtime, under the licences that follow.\n\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "  %s  %s\n", m.name(), strings.Join(m.licences, ", "))
	}
	var texts []string
	of := map[string][]string{}
	for _, m := range modules {
		for _, f := range m.files {
			text := strings.TrimSpace(strings.ReplaceAll(f.text, "\r\n", "\n"))
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], m.name()+": "+f.name)
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n%[1]s\n\n%[3]s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), text)
	}
	return out.String()
}

// name is the module's path and version.
func (m module) name() string {
	if m.path == std {
		return "Go " + strings.TrimPrefix(m.version, "go")
	}
	return m.path + " " + m.version
}
