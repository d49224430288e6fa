package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// addFlags adds a flag for each setting, in their order, and the flag that names the
// settings file.
func addFlags(cmd *cobra.Command, settings []setting) (configFile *string) {
	cmd.Flags().SortFlags = false
	for _, s := range settings {
		addFlag(cmd, s)
	}
	return cmd.Flags().String("config", "", "settings `FILE` (default \".breadcrumb.yml\" where there is one)")
}

func addFlag(cmd *cobra.Command, s setting) {
	switch s.kind {
	case kindGlobs, kindLimits, kindOutcomes:
		cmd.Flags().StringArray(s.name, nil, s.usage)
	case kindBool:
		cmd.Flags().Bool(s.name, s.def == "true", s.usage)
		completeWords(cmd, s.name, "true", "false")
	default:
		cmd.Flags().String(s.name, s.def, s.usage)
	}
	if s.words != nil {
		completeWords(cmd, s.name, s.words...)
	}
}

func flagValue(cmd *cobra.Command, s setting) value {
	v := value{from: "--" + s.name}
	if s.takesList() {
		globs, _ := cmd.Flags().GetStringArray(s.name)
		for _, glob := range globs {
			v.items = append(v.items, s.splitItems(glob)...)
		}
		return v
	}
	v.items = []string{cmd.Flags().Lookup(s.name).Value.String()}
	return v
}

func (s setting) splitItems(text string) []string {
	switch {
	case s.kind == kindOutcomes:
		return splitOutcomes(text)
	case s.takesList():
		return splitGlobs(text)
	}
	return []string{text}
}

// splitOutcomes splits text at commas and line ends. It keeps empty items, so that
// checkValue can refuse them: the outcome of a step that does not exist is empty. An
// empty text has no items: no outcome was passed.
func splitOutcomes(text string) []string {
	if text == "" {
		return nil
	}
	items := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", ","), ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return items
}

// splitGlobs splits the text of an action input or a flag into globs at commas
// and line ends. A comma inside braces does not split: a/{b,c}.xml is one glob.
func splitGlobs(text string) []string {
	var globs []string
	depth, start := 0, 0
	add := func(end int) {
		if glob := strings.TrimSpace(text[start:end]); glob != "" {
			globs = append(globs, glob)
		}
		start = end + 1
	}
	for i, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
		case r == '\n' || r == ',' && depth == 0:
			add(i)
		}
	}
	add(len(text))
	return globs
}
