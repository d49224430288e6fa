package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// maxHelpWidth is how many columns every terminal shows.
const maxHelpWidth = 80

func TestTheHelpOfEveryCommandFitsATerminal(t *testing.T) {
	root := newRoot(Streams{})
	seen := 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		seen++
		for line := range strings.Lines(cmd.Long + "\n" + cmd.UsageString()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > maxHelpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
	if seen < 15 {
		t.Errorf("only %d commands were looked at", seen)
	}
}
