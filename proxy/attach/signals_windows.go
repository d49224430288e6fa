package attach

import "os"

// passed are the signals that ask a process to do something. Windows tells a console's to
// all its processes, and has no others.
var passed = []os.Signal{os.Interrupt}

func sentByTerminal(os.Signal) bool { return true }

// ExitCode returns the code of a process as a shell tells it.
func ExitCode(p *os.ProcessState) int { return p.ExitCode() }

// passOn runs node as if it were this process.
func (d driver) passOn() error {
	cmd := d.command()
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	_, stop := HoldSignals()
	defer stop()
	return cmd.Run()
}
