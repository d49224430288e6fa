package setup

import (
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// testCommands match the commands that run the tests of a language.
var testCommands = map[detect.Lang]*lazyregexp.Regexp{
	detect.TS:     lazyregexp.New(`\bplaywright test\b`),
	detect.Python: lazyregexp.New(`(?:^|\s)(?:pytest|py\.test)(?:\s|$)`),
	detect.Java:   lazyregexp.New(`(?:\bmvnw?\b.*\s(?:test|package|verify|install|deploy)|\bgradlew?\b.*[\s:](?:test|check|build|\w+Test))(?:\s|$)`),
	detect.CSharp: lazyregexp.New(`\bdotnet test\b`),
	detect.Go:     lazyregexp.New(`\b(?:go test|gotestsum)\b`),
}

// idleCommands match commands that look like testCommands and run no tests.
var idleCommands = map[detect.Lang]*lazyregexp.Regexp{
	detect.Python: lazyregexp.New(`^make\s|\b(?:install|add|sync|lock|download)\s`),
	detect.Java:   lazyregexp.New(`-D\s?(?:skipTests|maven\.test\.skip)(?:=true)?(?:\s|$)|(?:-x|--exclude-task)[\s=]:?(?:[\w-]+:)*test(?:\s|$)`),
}

var (
	continued  = lazyregexp.New(`\\\r?\n\s*`)
	separators = lazyregexp.New(`&&|\|\||[;|\n]`)

	// ledCommand matches what stands before a command that breadcrumb run leads.
	ledCommand   = lazyregexp.New(`^((?:\w+=\S*\s+)*)(?:\S*/)?breadcrumb run\s(?:.*?\s)?--\s+`)
	changeFolder = lazyregexp.New(`^cd\s+["']?([\w@./-]+)["']?$`)
	// scriptRunner matches a command whose words name scripts of packages.
	scriptRunner = lazyregexp.New(`^(?:\w+=\S*\s+)*(?:npx\s+|corepack\s+)?(npm|pnpm|yarn|bun|turbo|nx|lerna|npm-run-all|run-s|run-p)\s+(.*)$`)
	npmScript    = lazyregexp.New(`(?:^|\s)(?:(?:run|run-script)\s+(.*)|(test|t)(?:\s.*)?)$`)
	// These match commands that run in all packages, or in one that is named.
	inPackages   = lazyregexp.New(`(?:^|\s)(?:turbo|nx|lerna)\s|\s(?:-r|--recursive|--workspaces|-ws|workspaces)(?:\s|$)`)
	inOnePackage = lazyregexp.New(`\s(?:--filter|-F|-w|--workspace|workspace|-C|--prefix|--dir|--cwd)[\s=]`)
)

// commands finds the tests of suites in the scripts of workflows.
type commands struct {
	suites   []detect.Suite
	checkout *detect.Checkout
}

// findCommand returns the line of a step's script that runs the tests of s. The
// script starts in folder. When the line runs them by a script of a package,
// script is that script's text.
func (c commands) findCommand(s detect.Suite, run, folder string) (line, script string, ok bool) {
	seen := map[string]bool{}
	for line := range strings.Lines(continued.ReplaceAllString(run, " ")) {
		if script, ok := c.readLine(s, line, &folder, seen); ok {
			return strings.TrimSpace(line), script, true
		}
	}
	return "", "", false
}

// readLine reads one line, which may change the folder for the next ones. seen
// holds the scripts that were read already, since scripts can run each other.
func (c commands) readLine(s detect.Suite, line string, folder *string, seen map[string]bool) (script string, ok bool) {
	direct, idle := testCommands[s.Lang], idleCommands[s.Lang]
	for _, command := range separators.Split(line, -1) {
		command = ledCommand.ReplaceAllString(strings.TrimSpace(command), "$1")
		if m := changeFolder.FindStringSubmatch(command); m != nil {
			*folder = path.Join(*folder, folderOf(m[1]))
			continue
		}
		if direct.MatchString(command) && (idle == nil || !idle.MatchString(command)) && c.runsTestsOf(s, command, *folder) {
			return "", true
		}
		if script, ok := c.readScripts(s, command, *folder, seen); ok {
			return script, true
		}
	}
	return "", false
}

// readScripts reads the scripts of packages that a command runs in folder.
func (c commands) readScripts(s detect.Suite, command, folder string, seen map[string]bool) (script string, ok bool) {
	if s.Lang != detect.TS {
		return "", false
	}
	dirs := []string{folder}
	if folder != s.Dir && c.reachesPackage(s, command, folder) {
		dirs = []string{s.Dir, folder}
	}
	for _, name := range scriptNames(command) {
		for _, dir := range dirs {
			text, inside := strings.TrimSpace(c.checkout.Package(dir).Scripts[name]), dir
			if text == "" || seen[dir+"\n"+name] {
				continue
			}
			seen[dir+"\n"+name] = true
			if dir == s.Dir && detect.RunsPlaywright.MatchString(text) {
				return text, true
			}
			if _, ok := c.readLine(s, text, &inside, seen); ok {
				return text, true
			}
		}
	}
	return "", false
}

// reachesPackage reports whether a command in folder runs scripts of the package of s.
func (c commands) reachesPackage(s detect.Suite, command, folder string) bool {
	switch name := c.checkout.Package(s.Dir).Name; {
	case folder == s.Dir:
		return true
	case !isNear(folder, s.Dir):
		return false
	case inOnePackage.MatchString(command):
		return name != "" && strings.Contains(command, name) || strings.Contains(command, path.Base(s.Dir))
	}
	return inPackages.MatchString(command)
}

// runsTestsOf reports whether a test runner's command in folder runs the tests of s:
// the suite whose file it names, else that of the folder, else those of the
// folders above or below.
func (c commands) runsTestsOf(s detect.Suite, command, folder string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return r == ' ' || r == '=' || r == '"' || r == '\'' })
	names := func(other detect.Suite) bool {
		return slices.ContainsFunc(words, func(word string) bool { return path.Join(folder, word) == other.Found })
	}
	if slices.ContainsFunc(c.suites, names) {
		return names(s)
	}
	own := func(other detect.Suite) bool { return other.Lang == s.Lang && other.Dir == folder }
	return s.Dir == folder || isNear(folder, s.Dir) && !slices.ContainsFunc(c.suites, own)
}

// scriptNames returns the words of a command that can be names of scripts.
func scriptNames(command string) []string {
	m := scriptRunner.FindStringSubmatch(command)
	if m == nil {
		return nil
	}
	words := m[2]
	if m[1] == "npm" {
		after := npmScript.FindStringSubmatch(words)
		if after == nil {
			return nil
		}
		words = after[1]
		if after[2] != "" {
			words = "test"
		}
	}
	names := strings.Fields(words)
	if m[1] != "npm" && len(names) > 0 && slices.Contains(noScripts, names[0]) {
		return nil
	}
	for i, name := range names {
		names[i] = strings.Trim(name, `"'`)
	}
	return names
}

// noScripts are commands of the package managers themselves.
var noScripts = []string{"install", "i", "ci", "add", "exec", "dlx", "x", "create", "init", "publish", "pack", "remove", "up", "update", "audit", "link", "why"}

// isNear reports whether one of two folders is the other or contains it.
func isNear(folder, dir string) bool {
	return folder == dir || folder == "." || dir == "." || strings.HasPrefix(dir, folder+"/") || strings.HasPrefix(folder, dir+"/")
}

// folderOf returns the first of the folders that is set, and known before a run;
// "." for none.
func folderOf(dirs ...string) string {
	for _, dir := range dirs {
		if dir = path.Clean(dir); dir != "." && !strings.Contains(dir, "$") {
			return dir
		}
	}
	return "."
}
