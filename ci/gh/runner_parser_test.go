package gh

import (
	"fmt"
	"strings"
	"testing"
)

// The functions here read commands and files as the runner does
// (src/Runner.Common/ActionCommand.cs, src/Runner.Worker/FileCommandManager.cs
// and ActionCommandManager.cs of actions/runner), so that tests see what
// GitHub would do with what we wrote.

// runnerCommand is a workflow command that the runner understood.
type runnerCommand struct {
	Name       string
	Properties map[string]string
	Data       string
}

var runnerCommands = []string{"error", "warning", "notice", "add-mask", "set-output", "set-env", "add-path", "stop-commands", "debug", "group"}

// readLog returns the commands in a log, obeying stop-commands.
func readLog(log string) []runnerCommand {
	var found []runnerCommand
	stopped := ""
	log = strings.ReplaceAll(strings.ReplaceAll(log, "\r\n", "\n"), "\r", "\n")
	for _, line := range strings.Split(log, "\n") {
		known := runnerCommands
		if stopped != "" {
			known = append([]string{stopped}, known...)
		}
		c, ok := parseDoubleColon(line, known)
		if !ok {
			c, ok = parseHashes(line, known)
		}
		switch {
		case !ok:
		case stopped != "":
			if strings.EqualFold(c.Name, stopped) {
				stopped = ""
			}
		case strings.EqualFold(c.Name, "stop-commands"):
			stopped = c.Data
		default:
			found = append(found, c)
		}
	}
	return found
}

// parseDoubleColon reads "::name key=value,…::data" at the start of a line.
func parseDoubleColon(line string, known []string) (runnerCommand, bool) {
	line, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\v\f"), "::")
	if !ok {
		return runnerCommand{}, false
	}
	info, data, ok := strings.Cut(line, "::")
	if !ok {
		return runnerCommand{}, false
	}
	name, properties, _ := strings.Cut(info, " ")
	if !contains(known, name) {
		return runnerCommand{}, false
	}
	c := runnerCommand{Name: name, Properties: map[string]string{},
		Data: strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)}
	for _, property := range strings.Split(strings.TrimSpace(properties), ",") {
		if key, value, ok := strings.Cut(property, "="); ok && key != "" && value != "" {
			c.Properties[key] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
		}
	}
	return c, true
}

// parseHashes reads the older "##[name key=value;…]data" anywhere in a line.
func parseHashes(line string, known []string) (runnerCommand, bool) {
	_, rest, ok := strings.Cut(line, "##[")
	if !ok {
		return runnerCommand{}, false
	}
	info, data, ok := strings.Cut(rest, "]")
	name, _, _ := strings.Cut(info, " ")
	if !ok || !contains(known, name) {
		return runnerCommand{}, false
	}
	return runnerCommand{Name: name, Data: data}, true
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// readOutputs returns the outputs in a GITHUB_OUTPUT file, or an error where
// the runner would fail the step.
func readOutputs(file string) (map[string]string, error) {
	outputs := map[string]string{}
	lines := strings.Split(file, "\n")
	for i := 0; i < len(lines); i++ {
		equals, heredoc := strings.Index(lines[i], "="), strings.Index(lines[i], "<<")
		switch {
		case lines[i] == "":
		case equals >= 0 && (heredoc < 0 || equals < heredoc):
			outputs[lines[i][:equals]] = lines[i][equals+1:]
		case heredoc > 0:
			key, delimiter := lines[i][:heredoc], lines[i][heredoc+2:]
			start := i + 1
			for i++; i < len(lines) && lines[i] != delimiter; i++ {
			}
			if i == len(lines) {
				return nil, fmt.Errorf("delimiter %s is not closed", delimiter)
			}
			outputs[key] = strings.Join(lines[start:i], "\n")
		default:
			return nil, fmt.Errorf("line %d has neither = nor <<", i+1)
		}
	}
	return outputs, nil
}

func TestRunnerReadersSeeTheAttacks(t *testing.T) {
	t.Parallel()
	if got := readLog("x\n::error file=a::b\n a ##[add-path]/tmp"); len(got) != 2 {
		t.Errorf("readLog missed a command: %+v", got)
	}
	if got, err := readOutputs("a<<D\nx\nD\nverdict=pass\n"); err != nil || got["verdict"] != "pass" || got["a"] != "x" {
		t.Errorf("readOutputs: %v, %v", got, err)
	}
}
