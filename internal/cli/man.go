package cli

import (
	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/internal/manpage"
)

// manDate is the date of the last change of manSections. The manual has this date
// where the build has no commit time.
const manDate = "2026-11-21"

func newMan(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "Print the manual page of all commands, as roff.",
		Example: "  breadcrumb man > breadcrumb.1\n  man ./breadcrumb.1",
		Args:    refuseArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return manpage.Write(s.Out, cmd.Root(), manpage.Header{Date: buildDate(), Version: version(), After: manSections()})
		},
	}
}

// buildDate returns the day of the commit that the program was built from.
func buildDate() string {
	if at := buildSetting("vcs.time"); len(at) >= len(manDate) {
		return at[:len(manDate)]
	}
	return manDate
}

// manSections are the sections of the manual that no command's help has.
func manSections() []manpage.Section {
	return []manpage.Section{
		{Title: "EXIT STATUS", Terms: [][2]string{
			{"0", "All is well: the run passes, or the command did what it was asked."},
			{"1", "Something blocks, or should be looked at."},
			{"2", "The command line or the input cannot be used."},
			{"3", "A fault of Breadcrumb."},
		}},
		{Title: "ENVIRONMENT", Terms: [][2]string{
			{"GITHUB_ACTIONS", "Set to true by a runner: inputs, event and token are then read from the variables GitHub documents, and the outcome is told to the step."},
			{"GITHUB_TOKEN", "The token for GitHub's API where the input github-token or --github-token gives none."},
			{"NO_COLOR", "Not empty: no colour on a terminal."},
		}},
		{Title: "FILES", Terms: [][2]string{
			{".breadcrumb.yml", "Settings; each key is the name of a flag of breadcrumb ci."},
			{".breadcrumb.db", "The database, unless --db names another."},
			{".breadcrumb.db.delta", "What the last run added to it."},
		}},
	}
}
