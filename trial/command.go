package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// suite is a test command that can be narrowed to single tests.
type suite struct {
	runner   runner
	program  []string // the words that start the runner
	kept     []string // options and targets of the user that stay
	behind   []string // what stands behind the runner's own arguments, from its "--" on
	together bool     // the runner tells how each test ended, so that several can run at once
}

// runner is a test runner that has a filter.
type runner struct {
	name   string
	start  func(words []string) int // how many words start it, 0 for another program
	split  func(s *suite, words []string) error
	narrow func(s suite, tests []wanted, limit time.Duration) ([]string, error)

	// inOrder returns the options with which tests run in one worker, in their order; nil
	// where the runner does not tell of each.
	inOrder func(tests []wanted) []string
}

// wanted is a test that is to run.
type wanted struct {
	id engine.TestID

	// As the runner said it, where it did.
	path    string // whole, with the checkout's folder
	line    int
	project string
	titles  []string // where its place does not tell it from others
	node    string
	worker  string
}

// takeApart returns the suite that a command runs. packageJSON is the text of the
// package.json beside it, for the scripts of npm; nil for none. The error says why the
// command cannot be narrowed safely.
func takeApart(words []string, packageJSON []byte) (suite, error) {
	words, err := expandScript(words, packageJSON)
	if err != nil {
		return suite{}, err
	}
	launcher := countLaunchers(words)
	for _, r := range runners {
		n := r.start(words[launcher:])
		if n == 0 {
			continue
		}
		s := suite{runner: r, program: words[:launcher+n]}
		if err := r.split(&s, words[launcher+n:]); err != nil {
			return s, err
		}
		return s, nil
	}
	return suite{}, fmt.Errorf("%.80q is no test runner that a trial can filter: name playwright test, pytest, mvn, gradle, dotnet test or go test itself", strings.Join(words, " "))
}

// maxScripts bounds scripts that call scripts.
const maxScripts = 5

// shellSigns are the signs by which a script is more than one plain command.
const shellSigns = "|&;<>()$`\\\"'*?[]{}~#\n%!"

// expandScript returns the command behind a script of package.json, as far as that is a
// plain command.
func expandScript(words []string, packageJSON []byte) ([]string, error) {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	_ = json.Unmarshal(packageJSON, &manifest) // no script is found then
	for range maxScripts {
		name, more := scriptOf(words, manifest.Scripts)
		if name == "" {
			return words, nil
		}
		script, ok := manifest.Scripts[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("the package.json of the working folder has no script %.40q", name)
		case strings.ContainsAny(script, shellSigns) || assignment.MatchString(strings.TrimSpace(script)):
			return nil, fmt.Errorf("the script %.40q is more than one plain command: run its test command itself", name)
		}
		words = strings.Fields(script)
		if countLaunchers(words) == 0 && scriptless(words) {
			words = append([]string{"npx", "--no-install"}, words...)
		}
		words = append(words, more...)
	}
	return nil, errors.New("its scripts call each other")
}

// scriptless reports whether the first word is a program that npm finds for its scripts.
func scriptless(words []string) bool { return len(words) > 0 && words[0] == "playwright" }

// scriptOf returns the script that npm, pnpm or yarn is told to run and the arguments
// that it gets, "" for any other command.
func scriptOf(words []string, scripts map[string]string) (name string, more []string) {
	if len(words) < 2 {
		return "", nil
	}
	program, rest := programName(words[0]), words[1:]
	if program != "npm" && program != "pnpm" && program != "yarn" {
		return "", nil
	}
	switch verb := rest[0]; {
	case verb == "run" || verb == "run-script":
		rest = rest[1:]
	case verb == "test" || verb == "t" && program == "npm":
		rest = append([]string{"test"}, rest[1:]...)
	case program == "npm" || scripts[verb] == "":
		return "", nil
	}
	if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return "", nil
	}
	name, more = rest[0], rest[1:]
	if len(more) > 0 && more[0] == "--" {
		more = more[1:]
	}
	return name, more
}

var assignment = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// countLaunchers returns how many words at the beginning only start what follows.
func countLaunchers(words []string) int {
	at := 0
	for at < len(words) {
		next := at + 1
		switch name := programName(words[at]); name {
		case "npx", "bunx":
			for next < len(words) && slices.Contains([]string{"--no-install", "--no", "--yes", "-y", "--offline", "--bun"}, words[next]) {
				next++
			}
		case "pnpm", "yarn", "poetry", "uv", "pipenv", "pdm":
			if next < len(words) && (words[next] == "exec" || words[next] == "run") {
				next++
			} else if name != "yarn" && name != "pnpm" {
				return at
			}
		case "xvfb-run":
			for next < len(words) && (words[next] == "-a" || words[next] == "--auto-servernum") {
				next++
			}
		case "cross-env", "env":
			for next < len(words) && assignment.MatchString(words[next]) {
				next++
			}
		default:
			return at
		}
		at = next
	}
	return at
}

// programName returns the name of a program without its folder and the endings of Windows.
func programName(word string) string {
	name := path.Base(filepath.ToSlash(word))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".sh"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

func startNamed(names ...string) func([]string) int {
	return func(words []string) int {
		if len(words) > 0 && slices.Contains(names, programName(words[0])) {
			return 1
		}
		return 0
	}
}

func startVerb(name, verb string) func([]string) int {
	return func(words []string) int {
		if len(words) > 1 && programName(words[0]) == name && words[1] == verb {
			return 2
		}
		return 0
	}
}

// options say which options of a runner take a word of their own behind them, and what a
// trial does with them.
type options struct {
	values  string // that take a value, kept
	flags   string // that take none, kept
	dropped string // that take none, left out
	unset   string // that take a value, left out
	refused string // with which no trial is made
}

// sort sorts the words behind a runner: what is kept of the options, and the other words.
// An option that is not known may take the next word for its own, so it has to be told by
// "=", or be the last.
func (o options) sort(words []string) (kept, others []string, err error) {
	in := func(list, name string) bool { return slices.Contains(strings.Fields(list), name) }
	for i := 0; i < len(words); i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") || word == "-" {
			others = append(others, word)
			continue
		}
		name, _, given := strings.Cut(word, "=")
		hasNext := !given && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-")
		switch {
		case in(o.refused, name):
			return nil, nil, fmt.Errorf("no trial is made with %s", name)
		case in(o.dropped, name):
		case in(o.unset, name):
			if !given {
				i++
			}
		case in(o.values, name):
			kept = append(kept, word)
			if !given && i+1 < len(words) {
				i++
				kept = append(kept, words[i])
			}
		case in(o.flags, name) || given || !hasNext:
			kept = append(kept, word)
		default:
			return nil, nil, fmt.Errorf("whether %.40q is the value of %.40s cannot be told: write it as %.40s=…", words[i+1], name, name)
		}
	}
	return kept, others, nil
}
