package manpage

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/internal/golden"
)

// odd is a command whose words are full of roff.
func odd() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "odd", Short: "Says odd things", Long: "First.\n\n.SH not a section\n'br not a break, but \\fBfine\\fR, \"quoted\" — ok…", Run: run}
	group := &cobra.Command{Use: "group", Short: "Only for those below", Run: run}
	group.PersistentFlags().String("db", ".odd.db", "`FILE` to read")
	group.AddCommand(&cobra.Command{Use: "list NAME…", Short: "List", Example: "  odd group list 'a b'\n  .hidden", Run: run})
	sub := &cobra.Command{Use: "do", Short: "Do it", Long: "Do it.\n", Run: run}
	sub.Flags().Bool("force", false, "do it all the same")
	sub.Flags().String("name", "", "`NAME` of it; \"x\" or 'y'.")
	root.AddCommand(group, sub, &cobra.Command{Use: "secret", Hidden: true, Run: run})
	return root
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	header := Header{Date: "2026-01-02", Version: "v1.2.3", After: []Section{{Title: "FILES", Terms: [][2]string{{".odd.db", "The database."}}}}}
	if err := Write(&out, odd(), header); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/odd.1", out.String())
	Lint(t, out.String())
}

// Lint demands that groff and mandoc, where they are, find nothing wrong with a
// page.
func Lint(t *testing.T, page string) {
	t.Helper()
	for _, tool := range [][]string{{"groff", "-man", "-ww", "-z"}, {"mandoc", "-T", "lint", "-W", "warning"}} {
		path, err := exec.LookPath(tool[0])
		if err != nil {
			t.Logf("%s is not installed", tool[0])
			continue
		}
		cmd := exec.Command(path, tool[1:]...)
		cmd.Stdin = strings.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", tool[0], err, out)
		}
	}
}
