package cli

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// licenses are the licences of what is linked. A release's build puts their texts into
// the place of this file; who builds the source has them where Go keeps the modules.
//
//go:embed licenses.txt
var licenses string

// unreleased is what the file says in the source.
const unreleased = "unreleased"

func newLicenses(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licences of what is in this program",
		Long:    "Print the licences of Breadcrumb, of the modules that it is linked from, and of\nGo. A release has their texts; a program that was built from the source names\nthe modules.",
		Example: "  breadcrumb licenses | less",
		Args:    refuseArgs,
		RunE: func(*cobra.Command, []string) error {
			if strings.TrimSpace(licenses) != unreleased {
				_, err := io.WriteString(s.Out, licenses)
				return err
			}
			_, err := io.WriteString(s.Out, listModules())
			return err
		},
	}
}

// listModules names what this program is linked from.
func listModules() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Breadcrumb is licensed under Apache-2.0. This program was built from the source,\nwithout the licences' texts, of Go %s and these modules:\n\n", strings.TrimPrefix(runtime.Version(), "go"))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			fmt.Fprintf(&out, "  %s %s\n", m.Path, m.Version)
		}
	}
	return out.String()
}
