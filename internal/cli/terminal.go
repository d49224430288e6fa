package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/breadcrumb/action/report"
)

// defaultWidth is used where the output is no terminal.
const defaultWidth = 80

// consoleOptions uses colour and the full width only on a terminal.
func consoleOptions(w io.Writer) report.ConsoleOptions {
	o := report.ConsoleOptions{Width: defaultWidth}
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = min(width, 120)
	}
	o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return o
}
