package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// reportFlags are in the commands that write a report.
var reportFlags = map[detect.Lang]string{detect.Python: "--junitxml", detect.CSharp: "junit", detect.Go: "--junitfile"}

// runnerPrefix matches the start of a command whose flags can be added to the
// user's own command.
var runnerPrefix = lazyregexp.New(`^(?:.*\bpytest|dotnet test(?: --no-build)?) `)

// shardFlag matches a command that runs one of several shards.
var shardFlag = lazyregexp.New(`\s--shard[= ]`)

// sharding says how the legs of a job that run shards have one comment, "" where they run
// none.
func (t *testStep) sharding() string {
	if !shardFlag.MatchString(t.at.Command) {
		return ""
	}
	return "; for one comment of all shards of a suite, call a workflow once for each suite: docs/monorepo.md"
}

// toLead reports whether breadcrumb run is to lead the step's tests and does not yet.
func (t *testStep) toLead() bool { return anyLed(t.suites) && !t.led }

// addedLines returns the lines that the step that runs the tests needs.
func (t *testStep) addedLines() []string {
	lines := []string{"continue-on-error: true # Breadcrumb decides"}
	if t.unnamed {
		lines = append([]string{"id: " + t.id}, lines...)
	}
	lines = append(lines, t.commandLines()...)
	var env []string
	for _, s := range t.suites {
		if s.Lang == detect.Python && strings.Contains(t.at.Command, "--tracing") { // as the command says
			continue
		}
		for _, e := range s.Test.Env {
			if line := "  " + e.Key + ": " + quoteScalar(e.Value); !slices.Contains(env, line) {
				env = append(env, line)
			}
		}
	}
	if len(env) > 0 {
		lines = append(append(lines, "env:"), env...)
	}
	return lines
}

// commandLines returns the step's run: as it is to be, or comments where its command cannot be
// changed for sure.
func (t *testStep) commandLines() (lines []string) {
	before, own, after, alone := t.splitCommand()
	finished, config := own, ""
	for _, s := range t.suites {
		e := t.editOf(s, own)
		config = cmp.Or(config, e.config)
		if finished == own {
			finished = e.apply(own)
		} else if other := e.apply(own); other != own && other != finished {
			alone = false
		}
	}
	if config != "" {
		lines = append(lines, "# and to the reporters of the Playwright configuration: "+config)
	}
	if !alone {
		return append(lines, t.commandComments()...)
	}
	if t.toLead() {
		variables := assignments.FindString(finished)
		finished = variables + detect.RunPrefix + finished[len(variables):]
	}
	switch {
	case finished == own:
	case t.longer:
		lines = append(lines, "# and in its script, in the place of "+t.at.Command+":", "#   "+before+finished+after)
	default:
		lines = append(lines, "run: "+quoteScalar(before+finished+after))
	}
	return lines
}

// assignments matches the variables that a command starts with.
var assignments = lazyregexp.New(`^(?:\w+=\S*\s+)*`)

// commandComments say what becomes of a command of several parts.
func (t *testStep) commandComments() (lines []string) {
	for _, s := range t.suites {
		e, line := t.editOf(s, t.at.Command), ""
		switch {
		case e.whole != "":
			line = "# and as its command: " + e.whole
		case e.flag != "":
			line = "# and to its command: " + e.flag
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if t.toLead() {
		lines = append(lines, "# and before its command: "+strings.TrimSpace(detect.RunPrefix))
	}
	return lines
}

// splitCommand returns the part of the step's line that runs the tests, what stands before and
// after it, and whether that is sure.
func (t *testStep) splitCommand() (before, own, after string, sure bool) {
	line := t.at.Command
	ends := separators.FindAllStringIndex(line, -1)
	if len(ends) == 0 {
		return "", line, "", true
	}
	start, found := 0, 0
	for _, end := range append(ends, []int{len(line), len(line)}) {
		part := line[start:end[0]]
		runs := slices.ContainsFunc(t.suites, func(s detect.Suite) bool { return testCommands[s.Lang].MatchString(part) })
		if runs || t.script != "" && len(scriptNames(strings.TrimSpace(part))) > 0 {
			own = strings.TrimSpace(part)
			at := start + strings.Index(part, own)
			before, after = line[:at], line[at+len(own):]
			found++
		}
		start = end[1]
	}
	return before, own, after, found == 1 && !strings.ContainsAny(line, "\"'`$(")
}

// edit is what makes a command write a report: a flag at its end, another command, or a
// reporter in the configuration.
type edit struct{ flag, whole, config string }

func (e edit) apply(command string) string {
	switch {
	case e.whole != "":
		return e.whole
	case e.flag != "":
		return command + " " + e.flag
	}
	return command
}

// editOf returns how the step's command writes a report of a suite's tests.
func (t *testStep) editOf(s detect.Suite, command string) edit {
	flag, traced := reportFlags[s.Lang], strings.Contains(command, "--tracing")
	switch {
	case s.Silent:
		return reporterEdit(command, t.script, s.ReporterFlag)
	case s.Lang == detect.Python && !traced && strings.Contains(command, flag) && strings.Contains(s.Test.Run, detect.TracingFlag):
		return edit{flag: detect.TracingFlag}
	case flag == "" || !testCommands[s.Lang].MatchString(command) || strings.Contains(command, flag):
		return edit{}
	}
	if own := runnerPrefix.FindString(s.Test.Run); own != "" {
		flags := strings.TrimPrefix(s.Test.Run, own)
		if traced {
			flags = strings.TrimSpace(strings.ReplaceAll(flags, detect.TracingFlag, ""))
		}
		return edit{flag: flags}
	}
	return edit{whole: s.Test.Run}
}

// endOfScript matches a command that ends with the name of a script, so that
// flags added to it reach the script. Only npm needs -- before them.
var endOfScript = lazyregexp.New(`\b(npm|pnpm|yarn|bun)(?: run)? [\w:.-]+$`)

// ownReporters matches the reporters that a command names.
var ownReporters = lazyregexp.New(`--reporter[= ]([\w,./@-]+)`)

// reporterEdit returns how a command switches the JUnit reporter on.
func reporterEdit(command, script, flag string) edit {
	if m := ownReporters.FindStringSubmatch(command); m != nil && script == "" { // they take the place of the configuration's
		if slices.Contains(strings.Split(m[1], ","), "junit") {
			return edit{}
		}
		return edit{whole: strings.Replace(command, m[0], m[0]+",junit", 1)}
	}
	m := endOfScript.FindStringSubmatch(command)
	switch {
	case flag != "" && script == "":
		return edit{flag: flag}
	case flag == "" || m == nil || !detect.EndsOpen.MatchString(script):
		return edit{config: `["junit", { includeRetries: true }]`}
	case m[1] == "npm":
		return edit{flag: "-- " + flag}
	}
	return edit{flag: flag}
}
