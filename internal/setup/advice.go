package setup

import (
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
	command := t.at.Command
	lines := []string{"continue-on-error: true # Breadcrumb decides"}
	if t.unnamed {
		lines = append([]string{"id: " + t.id}, lines...)
	}
	var env []string
	for _, s := range t.suites {
		traced := s.Lang == detect.Python && strings.Contains(command, "--tracing")
		advice := t.commandAdvice(s)
		switch {
		case advice == "" && s.Lang == detect.Python && !traced && strings.Contains(s.Test.Run, detect.TracingFlag):
			lines = append(lines, "# and to its command: "+detect.TracingFlag)
		case advice != "" && !slices.Contains(lines, advice):
			lines = append(lines, advice)
		}
		if traced { // as the command says
			continue
		}
		for _, e := range s.Test.Env {
			if line := "  " + e.Key + ": " + quoteScalar(e.Value); !slices.Contains(env, line) {
				env = append(env, line)
			}
		}
	}
	if t.toLead() {
		lines = append(lines, "# and before its command: "+strings.TrimSpace(detect.RunPrefix))
	}
	if len(env) > 0 {
		lines = append(append(lines, "env:"), env...)
	}
	return lines
}

// commandAdvice says how the step's command writes a report of a suite's tests, "" where
// it does.
func (t *testStep) commandAdvice(s detect.Suite) string {
	command, flag := t.at.Command, reportFlags[s.Lang]
	switch {
	case s.Silent:
		return reporterLine(command, t.script, s.ReporterFlag)
	case flag == "" || !testCommands[s.Lang].MatchString(command) || strings.Contains(command, flag):
		return ""
	}
	if own := runnerPrefix.FindString(s.Test.Run); own != "" {
		return "# and to its command: " + strings.TrimPrefix(s.Test.Run, own)
	}
	return "# and as its command: " + s.Test.Run
}

// endOfScript matches a command that ends with the name of a script, so that
// flags added to it reach the script. Only npm needs -- before them.
var endOfScript = lazyregexp.New(`\b(npm|pnpm|yarn|bun)(?: run)? [\w:.-]+$`)

// reporterLine says how to switch the JUnit reporter on for a command by a flag.
func reporterLine(command, script, flag string) string {
	m := endOfScript.FindStringSubmatch(command)
	switch {
	case flag != "" && script == "":
		return "# and to its command: " + flag
	case flag == "" || m == nil || !detect.EndsOpen.MatchString(script):
		return `# and to the reporters of the Playwright configuration: ["junit", { includeRetries: true }]`
	case m[1] == "npm":
		return "# and as its command: " + command + " -- " + flag
	}
	return "# and as its command: " + command + " " + flag
}
