package workflowlint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// scriptInputs are actions that run the text of an input, or put it into a template that
// can run code, and which. Those marked are of CodeQL's model of injection.
var scriptInputs = map[string][]string{
	"8398a7/action-slack":                    {"custom_payload"}, // CodeQL
	"actions/github-script":                  {"script"},
	"addnab/docker-run-action":               {"run"},
	"amadevus/pwsh-script":                   {"script"},
	"appleboy/ssh-action":                    {"script"},
	"azure/cli":                              {"inlineScript"},
	"azure/powershell":                       {"inlineScript"},
	"cardinalby/js-eval-action":              {"expression"},
	"devorbitus/yq-action-output":            {"cmd"},                                                                           // CodeQL
	"gautamkrishnar/blog-post-workflow":      {"item_exec"},                                                                     // CodeQL
	"imjohnbo/issue-bot":                     {"body", "linked-comments-previous-issue-text", "linked-comments-new-issue-text"}, // CodeQL
	"jannekem/run-python-script-action":      {"script"},
	"lucasbento/auto-close-issues":           {"issue-close-message"}, // CodeQL
	"mikefarah/yq":                           {"cmd"},                 // CodeQL
	"nick-fields/retry":                      {"command"},
	"reactivecircus/android-emulator-runner": {"script"},
	"roots/issue-closer-action":              {"issue-close-message", "pr-close-message"},                             // CodeQL
	"sergeysova/jq-action":                   {"cmd"},                                                                 // CodeQL
	"skitionek/notify-microsoft-teams":       {"overwrite"},                                                           // CodeQL
	"tibdex/backport":                        {"body_template", "head_template", "labels_template", "title_template"}, // CodeQL
}

// scripts returns the texts that a step runs.
func (s step) scripts() []*yaml.Node {
	var all []*yaml.Node
	if s.run != nil {
		all = append(all, s.run)
	}
	for _, name := range scriptInputs[s.name] {
		if script := field(s.with, name); script != nil {
			all = append(all, script)
		}
	}
	return all
}

// templateInjection finds expressions inside scripts whose text somebody else
// may choose.
var templateInjection = rule{"template-injection",
	"GitHub puts the text into the script before a shell reads it, so what is in it runs as code with the job's token and secrets",
	func(d *document, report reporter) {
		for j, s := range d.steps() {
			for _, script := range s.scripts() {
				for _, e := range expressions(script.Value) {
					if who := d.expressionChooser(j, s, e, 0); who != "" {
						report(d.expressionPlace(script, e.index), fmt.Sprintf("${{%s}} inside a script: %s", e.source, who),
							"give it to the step by env: NAME: ${{ … }}, and write \"$NAME\" in the script (in PowerShell $env:NAME, in github-script process.env.NAME)")
					}
				}
			}
		}
	}}

// environmentFile matches a write to one of the files, in POSIX shells,
// PowerShell and cmd.
var environmentFile = lazyregexp.New(`(?i)(?:>>?|\btee\s[^|\n]*|\b(?:out-file|add-content|set-content|tee-object)\b[^|\n]*)\s*["']?(?:\$\{?(?:env:)?|%)(GITHUB_ENV|GITHUB_PATH)\b`)

// harmlessVariable matches variables whose value only GitHub chooses.
var harmlessVariable = lazyregexp.New(`(?i)\$\{?(?:env:)?(?:GITHUB_(?:ENV|PATH|ACTION_PATH|WORKSPACE|SHA|RUN_ID|RUN_NUMBER|RUN_ATTEMPT|REPOSITORY|ACTOR)|RUNNER_(?:TEMP|TOOL_CACHE|OS|ARCH)|HOME|PWD|USERPROFILE)\b\}?`)

// githubEnv finds writes of text that is not fixed to the files that set the
// variables and the search path of later steps, where strangers can start the
// job.
var githubEnv = rule{"github-env",
	"a line in that file sets a variable such as LD_PRELOAD or a folder of programs for every later step",
	func(d *document, report reporter) {
		for j, s := range d.steps() {
			if s.run == nil || !d.action && !d.runsOn(j, s, privileged...) {
				continue
			}
			for i, line := range strings.Split(s.run.Value, "\n") {
				m := environmentFile.FindStringSubmatch(line)
				if m == nil || d.isFixedLine(j, s, line) {
					continue
				}
				at := *s.run
				if s.run.Style&yaml.LiteralStyle != 0 {
					at.Line += 1 + i
				}
				report(&at, fmt.Sprintf("%s is written with text that is not fixed: %s", strings.ToUpper(m[1]), strings.TrimSpace(line)),
					"hand it on by $GITHUB_OUTPUT and read it by env: in the step that needs it; or write fixed text alone")
			}
		}
	}}

// isFixedLine reports whether a line of a script writes only its own text.
func (d *document) isFixedLine(j job, s step, line string) bool {
	for _, e := range expressions(line) {
		if d.expressionChooser(j, s, e, 0) != "" {
			return false
		}
	}
	line = anyExpression.ReplaceAllString(line, "")
	command := strings.TrimSpace(line)
	if !strings.HasPrefix(command, "echo ") && !strings.HasPrefix(command, "printf ") && !strings.HasPrefix(command, "Write-Output ") && !strings.HasPrefix(command, `"`) {
		return false
	}
	rest := harmlessVariable.ReplaceAllString(line, "")
	return !strings.ContainsAny(rest, "$`%")
}

var anyExpression = lazyregexp.New(`\$\{\{.*?\}\}`)

// expressionPlace returns a node at the place of the ${{ with the given index
// in the text of n. When it cannot be found, because the text is written with
// escapes, the place is that of n.
func (d *document) expressionPlace(n *yaml.Node, index int) *yaml.Node {
	l, from := n.Line-1, 0
	if l < 0 || l >= len(d.lines) {
		return n
	}
	from = byteOffset(d.lines[l], n.Column-1)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		l, from = l+1, 0
	}
	for ; l < len(d.lines); l, from = l+1, 0 {
		for text := d.lines[l][from:]; ; index-- {
			at := strings.Index(text, "${{")
			if at < 0 {
				break
			}
			if from += at; index == 0 {
				return &yaml.Node{Line: l + 1, Column: utf8.RuneCountInString(d.lines[l][:from]) + 1}
			}
			from += 3
			text = text[at+3:]
		}
	}
	return n
}

// byteOffset returns where a line's character with that number, from 0, begins.
func byteOffset(line string, character int) int {
	for i := range line {
		if character == 0 {
			return i
		}
		character--
	}
	return len(line)
}
